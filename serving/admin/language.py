"""The switch of languages."""

from __future__ import annotations

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette_admin.helpers import safe_redirect_url

from .pages import PanelView, page, path_for, redirect
from .texts import COOKIE, LANGUAGES

_YEAR = 365 * 24 * 3600


class LanguageView(PanelView):
    """Keeps the chosen language in a cookie, also before a login."""

    path = "/language"
    add_to_menu = False

    @page("", "language", methods=["POST"])
    def index(self, request: Request, form: FormData) -> Response:
        """Choose, and go back to where one was."""
        start = path_for(request, "index")
        response = redirect(safe_redirect_url(str(form.get("back", "")), request, start))
        language = str(form.get("language", ""))
        if language in LANGUAGES:
            secure = request.url.scheme == "https"
            response.set_cookie(COOKIE, language, max_age=_YEAR, samesite="lax", httponly=True, secure=secure)
        return response
