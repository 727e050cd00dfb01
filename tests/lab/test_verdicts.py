"""What is said of genes: cheap, dear, or that BP are no currency."""

import pytest

from ursuppe_lab.balance.figures.verdicts import FEWEST_PAID, PValues, Verdict, judge

NOTHING = PValues(500, paid=0.5, surplus=0.5, thrift=0.9, bp=0.01)


def test_a_verdict_follows_from_what_buying_did():
    cheap, dear, unclear = judge([NOTHING._replace(paid=p) for p in (1e-6, 1 - 1e-6, 0.3)])
    assert [found.verdict for found in (cheap, dear, unclear)] == [Verdict.CHEAP, Verdict.DEAR, Verdict.OPEN]
    assert cheap.adjusted_p == pytest.approx(3e-6)
    assert cheap.by_price == Verdict.OPEN


def test_the_more_is_judged_the_clearer_it_has_to_be():
    clear = NOTHING._replace(paid=0.01)
    assert judge([clear])[0].verdict == Verdict.CHEAP
    assert judge([clear, *[NOTHING] * 19])[0].verdict == Verdict.OPEN


def test_what_could_hardly_be_paid_is_not_judged():
    [found] = judge([NOTHING._replace(payable=FEWEST_PAID - 1, paid=1e-9, surplus=1e-9, thrift=1e-9)])
    assert (found.adjusted_p, found.verdict, found.by_price) == (None, Verdict.OPEN, Verdict.OPEN)
    assert found.is_currency
    assert judge([PValues(0, None, None, None, None)])[0].is_currency


@pytest.mark.parametrize(
    ("p_values", "is_currency"),
    [
        ({}, True),
        ({"thrift": 0.03}, True),
        ({"thrift": 0.02}, False),  # who pays wins more than who is given the gene
        ({"bp": 0.97}, True),
        ({"bp": 0.98}, False),  # BP as a present do harm
        ({"paid": 1e-6, "surplus": 0.9}, True),
        ({"paid": 1e-6, "surplus": 1e-6}, True),
        ({"paid": 1e-6, "surplus": 1 - 1e-6}, False),  # cheap by what buying it did, dear by its neutral price
        ({"paid": 1 - 1e-6, "surplus": 1e-6}, False),  # the other way round
    ],
)
def test_bp_are_a_currency_unless_the_games_contradict_a_price(p_values, is_currency):
    assert judge([NOTHING._replace(**p_values)])[0].is_currency == is_currency
