"""Made-up agents of whom one knows what genes are worth: the figures hold the truth as often as they say."""

import numpy as np
import pytest

from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance import gene_worth

from support.planted_worths import ROUNDS, Tally, neutral_price, planted_study, planted_trials

STUDIES = 40


@pytest.fixture(scope="module")
def tally():
    return Tally(STUDIES)


def test_intervals_hold_the_truth_in_95_of_100_cases(tally):
    assert set(tally.coverage) == {"paid, pooled", "paid, by round", "neutral price, pooled", "neutral price, by round"}
    assert sum(tally.intervals.values()) > 5000
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
