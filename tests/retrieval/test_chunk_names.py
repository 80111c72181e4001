import pytest

from iterative_retrieval.retrieval.chunk_names import NAME_SIGNALS, NameReader
from iterative_retrieval.retrieval.task import read_task
from tests.retrieval.builders import analyses_of

TEXTS = {
    "shop/cart.py": '''class ShoppingCart:
    """What a customer wants to buy, until it is paid for or forgotten about for a week or more."""

    def __repr__(self):
        names = [item.name for item in self.items]
        prices = [item.price for item in self.items]
        amounts = [item.amount for item in self.items]
        return f"{names} {prices} {amounts}"

    def _total(self):
        prices = [item.price for item in self.items]
        amounts = [item.amount for item in self.items]
        taxes = [item.tax for item in self.items]
        return sum(prices) + sum(amounts) + sum(taxes)


def empty_the_cart(cart):
    names = [item.name for item in cart.items]
    prices = [item.price for item in cart.items]
    amounts = [item.amount for item in cart.items]
    return names, prices, amounts
''',
}
ANALYSIS = analyses_of(TEXTS)["shop/cart.py"]


def row(task: str, symbol: str, definers: int = 1) -> dict[str, float]:
    """The signals of the first chunk of ``symbol``."""
    columns = NameReader(read_task(task), lambda name: definers).columns("shop/cart.py", ANALYSIS)
    index = [c.symbol for c in ANALYSIS.structure.chunks].index(symbol)
    return dict(zip(NAME_SIGNALS, columns[index].tolist(), strict=True))


def test_a_method_of_the_class_in_the_title_is_marked() -> None:
    found = row("ShoppingCart forgets its items", "ShoppingCart._total")
    assert found["chunk_class_title"] == 1.0
    assert found["chunk_class_said"] == 1.0
    assert row("The list forgets its items", "ShoppingCart._total")["chunk_class_said"] == 0.0


def test_a_name_that_many_files_define_says_less() -> None:
    rare, common = (row("Fix `empty_the_cart`", "empty_the_cart", definers=n)["chunk_named_rare"] for n in (1, 8))
    assert rare == 1.0
    assert common == pytest.approx(1 / 16)


def test_private_and_special_names_are_told_apart() -> None:
    assert (row("x", "ShoppingCart._total")["chunk_private"], row("x", "ShoppingCart._total")["chunk_dunder"]) == (1, 0)
    special = row("x", "ShoppingCart.__repr__")
    assert (special["chunk_private"], special["chunk_dunder"]) == (0, 1)


def test_inner_frames_weigh_more_and_find_their_function() -> None:
    trace = (
        "It fails\n"
        '  File "shop/cart.py", line 19, in empty_the_cart\n    x\n'
        '  File "shop/cart.py", line 12, in _total\n    y\n'
    )
    assert row(trace, "ShoppingCart._total")["chunk_deep_frame"] == 1.0
    assert row(trace, "empty_the_cart")["chunk_deep_frame"] == pytest.approx(0.8)
    assert row(trace, "empty_the_cart")["chunk_frame_name"] == 1.0
    assert row(trace, "ShoppingCart.__repr__")["chunk_deep_frame"] == 0.0
