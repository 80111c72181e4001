"""The account of a request: counted exactly, refused before a limit is passed, whoever shares it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

from iterative_retrieval.state.errors import ModelBudgetSpent
from iterative_retrieval.state.spending import Price, Spending, SpendingLimit, Spent, Usage, joined

FREE = Price()


def call(spending: Spending, took: Usage, most: Usage | None = None, price: Price = FREE) -> None:
    with spending.call(most or took, price) as one:
        one.usage = took


def test_what_was_taken_is_counted_and_the_reservation_goes() -> None:
    ticks = count()
    spending = Spending(SpendingLimit(tokens=1_000), clock=lambda: float(next(ticks)))
    call(spending, Usage(100, 20), most=Usage(100, 800), price=Price(input=1.0, output=10.0))
    call(spending, Usage(50, 5, estimated=True), most=Usage(50, 800))
    assert spending.new == Spent(calls=2, tokens_in=150, tokens_out=25, cost=0.0003, seconds=2.0, estimated=1)
    assert spending.total.tokens == 175


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (SpendingLimit(calls=1), "IR_MAX_LLM_CALLS"),
        (SpendingLimit(tokens=150), "IR_MODEL_BUDGET_TOKENS"),
        (SpendingLimit(cost=0.00015), "IR_MODEL_BUDGET_COST"),
    ],
)
def test_a_call_that_could_pass_a_limit_is_refused_before_it_is_made(limit: SpendingLimit, said: str) -> None:
    spending = Spending(limit)
    call(spending, Usage(90, 10), price=Price(input=1.0, output=1.0))
    with pytest.raises(ModelBudgetSpent, match=said):
        call(spending, Usage(90, 10), price=Price(input=1.0, output=1.0))
    assert (spending.new.calls, spending.new.tokens, spending.new.refused) == (1, 100, 1)


def test_time_that_is_used_up_allows_no_further_call() -> None:
    ticks = count(step=5)
    spending = Spending(SpendingLimit(seconds=9.0), clock=lambda: float(next(ticks)))
    call(spending, Usage(1, 1))
    call(spending, Usage(1, 1))
    with pytest.raises(ModelBudgetSpent, match="9 s of waiting"):
        call(spending, Usage(1, 1))


def test_what_earlier_steps_took_counts() -> None:
    spending = Spending(SpendingLimit(calls=2), already=Spent(calls=2))
    with pytest.raises(ModelBudgetSpent):
        call(spending, Usage(1, 1))
    assert spending.new == Spent(refused=1)
    assert spending.total == Spent(calls=2, refused=1)


def test_a_call_that_fails_is_counted_and_one_that_nobody_worked_on_is_not() -> None:
    spending = Spending(SpendingLimit(tokens=1_000))
    with pytest.raises(ZeroDivisionError), spending.call(Usage(500, 500), FREE):
        raise ZeroDivisionError
    with spending.call(Usage(500, 500), FREE) as turned_away:
        turned_away.free = True
    assert spending.new.calls == 1 and spending.new.tokens == 0
    call(spending, Usage(500, 500))  # nothing is set aside any more


def test_threads_that_share_an_account_never_pass_its_limit_together() -> None:
    spending = Spending(SpendingLimit(calls=40, tokens=4_000))

    def one(_: int) -> bool:
        try:
            call(spending, Usage(60, 30), most=Usage(60, 40))
        except ModelBudgetSpent:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        done = list(pool.map(one, range(200)))
    assert sum(done) == spending.new.calls == 40
    assert spending.new.tokens == 40 * 90
    assert spending.new.refused == 160


def test_a_state_key_adds_what_the_steps_return() -> None:
    assert joined(Spent(calls=1, cost=0.5, redacted=1), Spent(calls=2, cost=0.25)) == Spent(
        calls=3, cost=0.75, redacted=1
    )
