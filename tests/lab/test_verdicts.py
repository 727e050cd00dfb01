"""What is said of genes: of p-values, and of made-up agents, where the figures hold the truth as often as they say."""

import numpy as np
import pytest

from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance import gene_worth
from ursuppe_lab.balance.figures.verdicts import FEWEST_PAID, PValues, Verdict, judge

from support.planted_worths import ROUNDS, Tally, neutral_price, planted_study, planted_trials

STUDIES = 24
NOTHING = PValues(500, paid=0.5, surplus=0.5, thrift=0.9, bp=0.01)


@pytest.fixture(scope="module")
def tally():
    return Tally(STUDIES)


def test_intervals_hold_the_truth_in_95_of_100_cases(tally):
    assert set(tally.coverage) == {"paid, pooled", "paid, by round", "neutral price, pooled", "neutral price, by round"}
    assert sum(tally.intervals.values()) > 3000
    for name, share in tally.coverage.items():
        assert 0.93 <= share <= 0.97, name


def test_one_in_twenty_verdicts_is_false_at_most(tally):
    for name, share in tally.false_discoveries.items():
        assert share <= 0.07, name  # 0.05, as far as so few studies can tell


def test_where_bp_are_a_currency_hardly_ever_is_it_said_that_they_are_none(tally):
    assert len(tally.warnings) == STUDIES * len(GENE_NAMES)
    assert np.mean(tally.warnings) < 0.01


def test_the_neutral_price_of_all_rounds_is_a_mean_of_those_of_the_rounds():
    """Each weighted by how often the gene was tried in it, and by what a BP is worth there."""
    study = planted_study(8000)
    rows = planted_trials(study, seed=1)
    found = {gene.gene: gene for gene in gene_worth(study, rows).trials[0].genes}
    gene = GENE_NAMES[0]
    by_round = [
        next(g for g in gene_worth(study, rows.filter(round=number)).trials[0].genes if g.gene == gene)
        for number in ROUNDS
    ]
    weights = [one.trials * one.bp.estimate for one in by_round]
    mean = np.average([one.neutral_price.estimate for one in by_round], weights=weights)
    assert found[gene].neutral_price.estimate == pytest.approx(mean)
    assert found[gene].neutral_price.contains(neutral_price(gene))


def shares_warned(**planted) -> dict[str, float]:
    """In how many of ten studies it is said of each gene that BP are no currency."""
    study = planted_study()
    shares = dict.fromkeys(GENE_NAMES, 0.0)
    for seed in range(10):
        [found] = gene_worth(study, planted_trials(study, seed, **planted)).trials
        for one in found.genes:
            shares[one.gene] += 0.1 * (not one.judgement.is_currency)
    return shares


def test_agents_that_spend_badly_are_found_out():
    """Those who pay for the gene win more than those to whom it is given; or BP do harm altogether."""
    spoilt = shares_warned(spoilt={"speed": 0.3})
    assert spoilt["speed"] > 0.9
    assert spoilt["defense"] < 0.2
    assert shares_warned(bp=-1)["speed"] > 0.5


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
