"""The search for a fairer game: its target, its candidates, and what it finds."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ursuppe_env import Ruleset
from ursuppe_lab.balance import FairerSearch, read_study, search_fairer
from ursuppe_lab.balance.fairer import Candidate, next_values
from ursuppe_lab.balance.figures.spread import Gains, spread
from ursuppe_lab.statistics.ratios import Bootstrapped

from support.command import printed
from support.studies import gene_study

NUMBERS = (("price.spores", 1, 12), ("price.tentacle", 2, 9), ("income", 9, 11))
BEGINNING = {"price.spores": 3, "price.tentacle": 5, "income": 10}


def search(numbers=NUMBERS, candidates=3, games=48, check_games=64, **ruleset):
    trials = gene_study(Ruleset(players=3, **ruleset), num_games=games, seed=1, rounds=(3, 4), bonus=20)
    return FairerSearch(trials=trials, numbers=numbers, candidates=candidates, check_games=check_games)


def gains(error=0.0, bp=0.02, **means):
    """Genes tried equally often, with these gains and standard errors; BP are worth so much."""
    generator = np.random.default_rng(0)
    ratios = [Bootstrapped(mean, mean + error * generator.standard_normal(2000)) for mean in means.values()]
    return Gains(list(means), np.full(len(means), 1 / len(means)), ratios, [bp] * len(means))


def tried(values, variance=1.0, **means):
    return Candidate(values, None, variance, [gains(**means)])


def test_the_spread_is_the_standard_deviation_of_the_gains():
    assert spread([gains(speed=1, spores=5)]).estimate == pytest.approx(2)
    assert spread([gains(speed=3, spores=3)]).interval() == (0, 0, 0)
    weighted = Gains(["speed", "spores"], np.array([0.9, 0.1]), gains(speed=0, spores=10).gain, [0.0, 0.0])
    assert spread([weighted]).estimate == pytest.approx(3)
    two_tables = [gains(speed=0, spores=2), gains(speed=0, spores=6)]
    assert spread(two_tables).estimate == pytest.approx(5**0.5)


def test_chance_alone_is_no_spread():
    generator = np.random.default_rng(3)
    variances = {}
    for truth in (0.0, 2.0):
        found = []
        for _ in range(300):
            means = truth * np.resize([-1, 1], 20) + generator.standard_normal(20)  # measured with an error of 1
            ratios = [Bootstrapped(mean, mean + generator.standard_normal(300)) for mean in means]
            found.append(Gains([str(n) for n in range(20)], np.full(20, 0.05), ratios, [0.0] * 20).variance())
        variances[truth] = np.mean([variance.estimate for variance in found])
        covered = np.mean([variance.interval().low <= truth**2 <= variance.interval().high for variance in found])
        assert covered > 0.85
    assert variances[0.0] == pytest.approx(0, abs=0.1)
    assert variances[2.0] == pytest.approx(4, abs=0.2)


def test_the_first_candidate_is_the_game_as_it_is():
    assert next_values(search(price={"tentacle": 7}), []) == {"price.spores": 3, "price.tentacle": 7, "income": 10}
    assert search().changed({"price.spores": 9, "income": 11}) == Ruleset(players=3, price={"spores": 9}, income=11)


def test_the_next_have_prices_that_would_make_the_best_one_fair():
    # 0.04 on average: spores do 0.08 more than that, which 4 BP at 0.02 each take away.
    begun = tried(BEGINNING, spores=0.12, tentacle=-0.08, speed=0.08)
    assert next_values(search(), [begun]) == {"price.spores": 7, "price.tentacle": 2, "income": 10}
    rare = tried(BEGINNING, spores=0.12, speed=0.08)
    assert next_values(search(), [rare])["price.tentacle"] == 5  # nobody could try it
    poor = tried(BEGINNING, bp=0.0, spores=6, tentacle=0)
    assert next_values(search(), [poor])["price.spores"] in (2, 3, 4)  # a BP is worth nothing: only Optuna is left


def test_each_step_that_did_not_help_makes_the_next_half_as_long():
    begun = tried(BEGINNING, spores=0.12, tentacle=-0.08, speed=0.08)
    worse = [tried(dict(BEGINNING, income=income), variance=2.0, spores=9, speed=0) for income in (9, 11)]
    assert next_values(search(), [begun, worse[0]]) == {"price.spores": 5, "price.tentacle": 2, "income": 10}
    assert next_values(search(), [begun, *worse]) == {"price.spores": 4, "price.tentacle": 4, "income": 10}
    better = tried({"price.spores": 5, "price.tentacle": 2, "income": 10}, variance=0.5, spores=0.04, speed=-0.04)
    # From there on, and still half as long as its gains suggest.
    assert next_values(search(), [begun, worse[0], better])["price.spores"] == 6


def test_prices_that_were_tried_are_not_tried_again():
    begun = tried(BEGINNING, spores=0.12, tentacle=-0.08, speed=0.08)
    whole = replace(begun, values={"price.spores": 7, "price.tentacle": 2, "income": 10})
    assert next_values(search(), [begun, whole])["price.spores"] == 5
    assert next_values(search(), [whole, begun])["price.spores"] not in (3, 7)


def test_gains_that_may_be_chance_are_followed_less():
    gained = {"spores": 0.12, "tentacle": -0.08, "speed": 0.08}
    begun = [tried(BEGINNING, error=error, **gained) for error in (0.0, 0.05, 0.07)]
    prices = [next_values(search(), [one])["price.spores"] for one in begun]
    assert prices[0] == 7
    assert prices[0] > prices[1] > prices[2] > BEGINNING["price.spores"]


def test_tables_count_by_how_much_a_price_does_there():
    much, little = gains(bp=0.04, spores=0.04, speed=-0.04), gains(bp=0.005, spores=-0.04, speed=0.04)
    begun = Candidate(BEGINNING, None, 1.0, [much, little])
    # The one table asks for one BP more, the other for eight less; but there eight do no more than one does here.
    assert next_values(search(), [begun])["price.spores"] == 4


def test_optuna_looks_around_the_best_when_no_step_helps():
    best = tried({"price.spores": 9, "price.tentacle": 2, "income": 10}, variance=4, spores=0.12, speed=0)
    candidates = [best, *(replace(best, values=dict(BEGINNING, income=n), variance=9.0) for n in (9, 10, 11))]
    seen = set()
    for _ in range(12):
        values = next_values(search(), candidates)
        assert values == next_values(search(), candidates)  # the same again
        assert values["price.spores"] in (8, 9, 10)
        assert values["price.tentacle"] in (2, 3)
        assert values["income"] in (9, 10, 11)
        seen.add(tuple(values.values()))
        candidates.append(replace(best, values=values, variance=float(sum(values.values()))))
    assert len(seen) > 4


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((), "numbers is empty"),
        ((("price.spores", 4, 12),), "price.spores is 3, which is not from 4 to 12, as numbers says"),
        ((("price.spores", 1, 120),), "price of spores is 120"),
        ((("price.frog", 1, 9),), "price names the gene 'frog'"),
        ((("incom", 1, 9),), "a ruleset has no field 'incom'; did you mean income?"),
        ((("gene_places", 1, 9),), "gene_places is 1; it must be a list"),
        ((("own_clinging", 0, 1),), "own_clinging is 0; it must be true or false"),
        ((("income", False, 11),), "income is False; it must be an integer"),
        ((("own_clinging", True, True),), "own_clinging is False, which is not from True to True, as numbers says"),
    ],
)
def test_impossible_numbers_are_refused(numbers, message):
    with pytest.raises(ValueError, match=message):
        search(numbers)


def test_switches_are_searched_like_numbers():
    of_search = search((("price.spores", 1, 12), ("own_clinging", False, True)))
    assert next_values(of_search, []) == {"price.spores": 3, "own_clinging": False}
    begun = tried({"price.spores": 3, "own_clinging": False}, variance=9, spores=0)
    assert next_values(of_search, [begun]) == {"price.spores": 3, "own_clinging": False}
    candidates = [begun, begun, begun]
    for _ in range(12):
        values = next_values(of_search, candidates)
        assert isinstance(values["own_clinging"], bool)
        assert type(values["price.spores"]) is int
        assert of_search.changed(values).own_clinging is values["own_clinging"]
        candidates.append(replace(begun, values=values, variance=1.0 + values["own_clinging"]))
    assert {candidate.values["own_clinging"] for candidate in candidates} == {False, True}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """A search from a game in which Spores score as four genes, and its folder."""
    folder = tmp_path_factory.mktemp("search") / "out"
    progress = []
    of_search = search((("price.spores", 1, 12),), candidates=2, gene_score={"spores": 4})
    return search_fairer(of_search, folder, workers=1, on_progress=progress.append), folder, progress


def test_a_bargain_gets_dearer(found):
    game, _, _ = found
    assert game.candidates[0].values == {"price.spores": 3}
    assert game.best.values["price.spores"] > 4
    assert game.change.estimate < 0
    assert game.after.estimate < game.before.estimate
    before, after = (
        next(gene.surplus.estimate for gene in trials.genes if gene.gene == "spores") for trials in game.check.trials
    )
    assert after < before
    assert [name for name, _ in game.check.study.variants] == ["before", "after"]
    assert game.check.study.seed != game.search.trials.seed


def test_a_search_that_was_interrupted_goes_on(found):
    game, folder, progress = found
    assert progress == sorted(progress)
    assert progress[-1] == game.search.total_games
    shutil.rmtree(folder / "check")
    for part in sorted((folder / "candidate-001" / "parts").glob("*.part"))[2:]:
        part.unlink()
    again = search_fairer(game.search, folder, workers=1)
    assert again.as_dict() == game.as_dict()
    summary = json.loads((folder / "summary.json").read_text())
    assert summary == json.loads(json.dumps(game.as_dict()))
    page = (folder / "report.html").read_text()
    assert page.count("<svg") == 2
    assert f"<b>{game.best.values['price.spores']}</b>" in page


def test_too_few_games_are_said_to_be_too_few():
    with pytest.raises(ValueError, match="8 games of the lineup hunter are too few to say what genes are worth; raise"):
        search_fairer(search(games=8), workers=1)


FILE = """
kind = "fairer"
name = "Spores"
games = 24
check_games = 24
candidates = 1
lineups = [["hunter"]]
rounds = [3, 4]
bonus = 20
base.players = 3
numbers = {"price.spores" = [1, 9], own_clinging = [false, true]}
"""


def test_a_search_from_a_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("fairer.toml").write_text(FILE)
    assert read_study("fairer.toml").numbers == (("price.spores", 1, 9), ("own_clinging", False, True))
    told = printed(capsys, "balance", "fairer.toml", "--workers", "1")
    assert "price.spores" in told
    assert "Spread of the genes, by what buying them would do" in told


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[1, 9]", "[9, 1]", "fairer.toml: price.spores is 3, which is not from 9 to 1, as numbers says"),
        ("[1, 9]", "9", r"fairer.toml: numbers.price.spores is 9; it must be a list, such as \[2, 8\]"),
        ("base", "sweeps.income = [9]\nbase", "fairer.toml: there are variants or sweeps"),
        ("candidates = 1", "", "fairer.toml: candidates is missing"),
    ],
)
def test_a_wrong_search_is_one_line(old, new, message, tmp_path, refused):
    (tmp_path / "fairer.toml").write_text(FILE.replace(old, new))
    refused(["balance", tmp_path / "fairer.toml"], message)
