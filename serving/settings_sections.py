"""Every settings model of the package, in the order in which they are told."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import ValidationError
from pydantic_settings import SettingsError

from ..graph.env_file import FileSettings, complaint
from ..graph.settings import Settings
from ..state.errors import CallerError
from .admin.settings import AdminSettings
from .http.settings import ServeSettings
from .mcp.settings import McpSettings

SECTIONS: tuple[tuple[str, type[FileSettings]], ...] = (
    ("The package", Settings),
    ("The HTTP door", ServeSettings),
    ("The MCP door", McpSettings),
    ("The admin panel", AdminSettings),
)
"""Title and model."""


def loaded(model: type[FileSettings]) -> FileSettings:
    """A model with the present values.

    Raises:
        CallerError: a variable cannot be read; the message names it, without its value.
    """
    make: Callable[[], FileSettings] = model
    try:
        return make()
    except ValidationError as error:
        raise complaint(error, str(model.model_config.get("env_prefix", ""))) from None
    except SettingsError as error:
        raise CallerError(f"a variable cannot be read: {error}; is its value JSON?") from None


__all__ = ["SECTIONS", "loaded"]
