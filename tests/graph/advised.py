"""A repository whose task says nothing of the file that must change, and models that know it, echo, or misbehave."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.openai_server import Does, Say

TASK = "Customers are logged out too early\nA customer who pays is logged out before the order of the customer is done."
GOLD = "shop/timeouts.py"
NAMES = ("parcels", "coupons", "payments", "invoices", "carts", "prices", "stock", "mail", "reports", "labels")

FILES: Mapping[str, str] = {
    GOLD: (
        "IDLE_SECONDS = 900\n\n\n"
        "def expires(session: dict[str, float], now: float) -> bool:\n"
        '    """Whether a customer is to be logged out: nobody moved for too long."""\n'
        '    return now - session["seen"] > IDLE_SECONDS\n'
    ),
    **{
        f"shop/{name}.py": (
            f'"""The {name} of a customer."""\n\n\n'
            f"def {name}_of(customer: str, order: int) -> list[str]:\n"
            f'    """{name.title()} of a customer for an order, before it is paid."""\n'
            f"    return [customer, str(order), 'logged {name}']\n"
        )
        for name in NAMES
    },
    "shop/__init__.py": "",
    "docs/guide.md": "# Guide\n\nA customer is logged in, orders, and pays. Sessions end by themselves.\n",
    "tests/test_carts.py": "from shop.carts import carts_of\n\n\ndef test_carts() -> None: assert carts_of('a', 1)\n",
}

_ROW = re.compile(r"^([A-Z]{2}): (.+)$", re.MULTILINE)
_FILE = re.compile(r"BEGIN file ([A-Z]{2}) \((.+)\)$", re.MULTILINE)


def asked_for(body: Mapping[str, Any]) -> str:
    """What a request wants: plan, picks or grades."""
    return str(body["response_format"]["json_schema"]["name"])


def user_of(body: Mapping[str, Any]) -> str:
    """The user message of a request."""
    return str(body["messages"][-1]["content"])


def rows_of(body: Mapping[str, Any]) -> dict[str, str]:
    """Code -> path of the candidates that a request shows, in the order shown."""
    return dict(_ROW.findall(user_of(body)))


def oracle(*gold: str, plan: Mapping[str, Sequence[str]] | None = None) -> Does:
    """A model that knows the files, whatever they are called; ``plan`` is what it proposes."""

    def answer(body: Mapping[str, Any]) -> Any:
        match asked_for(body):
            case "plan":
                return {"identifiers": [], "words": [], "paths": [], **(plan or {})}
            case "picks":
                codes = {path: code for code, path in rows_of(body).items()}
                return {"picks": [codes[path] for path in gold if path in codes] or list(codes.values())[:1]}
            case _:
                shown = dict(_FILE.findall(user_of(body)))
                return {code: "implements" if path in gold else "unrelated" for code, path in shown.items()}

    return saying(answer)


def echo(k: int = 3) -> Does:
    """A model that picks the first ``k`` rows it is shown."""
    return saying(
        lambda body: (
            {"picks": list(rows_of(body))[:k]}
            if asked_for(body) == "picks"
            else {"identifiers": [], "words": [], "paths": []}
        )
    )


def saying(answer: Callable[[Mapping[str, Any]], Any]) -> Does:
    """A reply made from the request, as JSON."""
    return Does(lambda body: json.dumps(answer(body)))


def invented(body: Mapping[str, Any]) -> Any:
    """Picks that were never shown."""
    return {"picks": ["QQ", "shop/nowhere.py"]}


NO_JSON = Say("The best files are shop/carts.py and shop/stock.py.")
