"""How the first argument is read: the exact name of a command, or the task itself."""

from __future__ import annotations

import copy
from collections.abc import Collection
from typing import Any

from typer.core import TyperGroup

DEFAULT_COMMAND = "retrieve"


def with_command(args: list[str], commands: Collection[str], options: Collection[str]) -> list[str]:
    """``args`` with the default command in front, unless they begin with a command or with an option of the group.

    >>> with_command(["Fix the login"], {"retrieve", "ask"}, {"--help"})
    ['retrieve', 'Fix the login']
    >>> with_command(["ask"], {"retrieve", "ask"}, {"--help"})
    ['ask']
    """
    first = args[0] if args else ""
    if first in commands or first.partition("=")[0] in options:
        return args
    return [DEFAULT_COMMAND, *args]


class TaskFirstGroup(TyperGroup):
    """Commands beside a bare task: ``iterative-retrieval "TASK"`` means ``iterative-retrieval retrieve "TASK"``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse, after putting the default command in front where none is named."""
        if args or not ctx.resilient_parsing:  # resilient: a shell asks how to complete an empty line
            options = [name for param in self.get_params(ctx) for name in (*param.opts, *param.secondary_opts)]
            args = with_command(args, self.commands, options)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """One page: the group's options, the default command's, and the other commands."""
        page = copy.copy(self)
        page.params = [*self.commands[DEFAULT_COMMAND].params, *self.params]
        super(TaskFirstGroup, page).format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """The commands and the options of both the group and the default command."""
        default = self.commands[DEFAULT_COMMAND]
        inner = default.make_context(DEFAULT_COMMAND, [], parent=ctx, resilient_parsing=True)
        return [*super().shell_complete(ctx, incomplete), *default.shell_complete(inner, incomplete)]
