"""``ursuppe balance ask``: what a change of the rules does, and nothing where nothing was changed."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch

from ursuppe_env import Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance import Question, VariantStudy, ask, changed, compare_variants, gene_worth, unfamiliar_to
from ursuppe_lab.balance.figures.comparison import compare
from ursuppe_lab.balance.figures.effects import NEUTRAL_PRICE, PAID, Effect, effects_of
from ursuppe_lab.statistics import Interval
from ursuppe_training.networks.files import save_policy

from support.command import printed, ursuppe
from support.planted_worths import planted_study, planted_trials
from support.policies import SMALL, random_policy

torch.set_num_threads(1)  # the workers of pytest-xdist share the cores

PRINTED = Ruleset(players=3)
DEARER = PRINTED.replace(price={"speed": 9})
HOUSE = PRINTED.replace(income=12, price={"speed": 3})
#: Of neutral prices, BP, where effects are planted.
SHIFTS = {"speed": -6.0, "spores": 6.0, "defense": 6.0}


def saved(folder: Path, **settings) -> str:
    """The spec of an untrained policy."""
    config = SMALL.changed({"players": 3, **settings})
    save_policy(random_policy(config), config, folder / "policy.zip")
    return f"policy:model={folder / 'policy.zip'}"


@pytest.fixture(scope="module")
def generalist(tmp_path_factory):
    return saved(tmp_path_factory.mktemp("generalist"), rulesets="varied")


@pytest.fixture(scope="module")
def specialist(tmp_path_factory):
    return saved(tmp_path_factory.mktemp("specialist"))


@pytest.fixture(scope="module")
def answer(generalist):
    return ask(question(generalist), workers=1)


def question(agent="policy:default", before=PRINTED, after=DEARER, games=12, seed=1):
    return Question(before=before, after=after, agent=agent, games=games, seed=seed)


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        (["price.speed = 5", "price.armour=8"], {"price": {"speed": 5, "armour": 8}}),
        (["income=12", "own_clinging=true"], {"income": 12, "own_clinging": True}),
        (["gene_places=[0, 1, 2]"], {"gene_places": [0, 1, 2]}),
        (["amoebas=5", "amoeba_places=[0, 0, 1, 2, 4, 6]"], {"amoebas": 5, "amoeba_places": [0, 0, 1, 2, 4, 6]}),
        (["edition=1997"], {"edition": "1997"}),
        (['edition="1997"'], {"edition": "1997"}),
        ([], {}),
    ],
)
def test_changes_are_written_as_fields_are(changes, same):
    house = Ruleset(players=3, price={"spores": 7})
    assert changed(house, changes) == house.replace(**same)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (["speed"], "change 'speed' is no FIELD=VALUE, such as price.speed=5"),
        (["=5"], "change '=5' is no FIELD=VALUE"),
        (["income=many"], "change 'income=many': 'many' is no value as in TOML"),
        (["incom=5"], "a ruleset has no field 'incom'; did you mean income"),
        (["income=9", "income=12"], "income is changed twice"),
    ],
)
def test_a_wrong_change_is_named(changes, message):
    with pytest.raises(ValueError, match=message):
        changed(PRINTED, changes)


def test_a_question_needs_a_change_and_as_many_players():
    with pytest.raises(ValueError, match="nothing is changed; give changes such as"):
        question(after=PRINTED)
    with pytest.raises(ValueError, match="is for 3 players and the changed one for 4; they must be for as many"):
        question(after=Ruleset(players=4))


@cache
def ordinary_games():
    """Of equal rulesets, each with its own dice: 40 for each of 16 studies."""
    return compare_variants(ordinary_study(16 * 40), workers=1)[0]


def ordinary_study(games: int) -> VariantStudy:
    return VariantStudy(
        name="equal rulesets, each with its own dice",
        lineups=(("grow",),),
        num_games=games,
        seed=1,
        variants=(("before", PRINTED), ("after", PRINTED)),
        measures=("rounds", "wins_by_start_place", "wins_of_leader"),
        paired=False,
    )


@cache
def planted(seed: int, games: int, **shifted: float):
    """The effects of a change that shifts neutral prices by so many BP, and does nothing to ordinary games."""
    study = planted_study(games, variants=("before", "after"))
    rows = pl.concat([planted_trials(study, 2 * seed), planted_trials(study, 2 * seed + 1, shifted=shifted, variant=1)])
    index = pl.col("index") - seed % 16 * 40
    ordinary = ordinary_games().with_columns(index).filter(pl.col("index").is_between(0, 39))
    return effects_of(question(), rows, gene_worth(study, rows), compare(ordinary_study(40), ordinary))


def test_where_nothing_was_changed_hardly_any_study_finds_a_difference():
    studies = 16
    found = [planted(seed, games=200) for seed in range(studies)]
    compared = [effect for effects in found for effect in effects.effects if effect.adjusted_p is not None]
    assert len(compared) > 20 * studies
    # Where all differences are none, any that is found is false: in one study of twenty, as far as so few can tell.
    assert sum(any(effect.is_different for effect in effects.effects) for effects in found) <= 3
    inside = [effect.difference.contains(0) for effect in compared]
    assert 0.92 <= np.mean(inside) <= 0.98


def test_planted_effects_are_found_and_hardly_anything_else():
    said = [
        (effect.name, np.sign(effect.difference.estimate))
        for seed in range(4)
        for effect in planted(100 + seed, games=2000, **SHIFTS).effects
        if effect.is_different
    ]
    right = [name in SHIFTS and sign == np.sign(SHIFTS[name]) for name, sign in said]
    assert sum(right) >= 0.9 * 4 * len(SHIFTS)  # by its neutral price, or by what buying it does
    assert np.mean(right) >= 0.9
    assert {name for (name, _), is_right in zip(said, right, strict=True) if is_right} == set(SHIFTS)


def test_what_is_too_rare_or_has_no_bounds_has_no_difference():
    found = planted(0, games=40)
    for effect in found.effects:
        assert (effect.difference is None or effect.difference.ends is None) == (effect.adjusted_p is None)
    known = [effect for effect in found.of(NEUTRAL_PRICE).values() if effect.before is not None]
    unbounded = [effect for effect in known if effect.before.interval() is None]
    assert unbounded
    assert all(effect.difference is None for effect in unbounded)


@pytest.mark.parametrize(
    ("figure", "name", "before", "after", "words"),
    [
        ("genes_bought", "speed", 0.06, 0.31, "Speed is bought by 31 % of players in place of 6 %"),
        ("genes_bought", "speed", 0.061, 0.064, "Speed is bought by 6.4 % of players in place of 6.1 %"),
        (NEUTRAL_PRICE, "division_rate", 6.0, 4.5, "Division Rate is worth 4.5 BP in place of 6.0"),
        (
            "wins_of_last",
            "winner was ever last",
            0.5,
            0.4,
            "The winner was once last in 40 % of games in place of 50 %",
        ),
        ("decisions", "a game", 305.0, 308.0, "A game has 308 decisions in place of 305"),
    ],
)
def test_an_effect_is_said_in_words(figure, name, before, after, words):
    then, now = Interval(before, before, before), Interval(after, after, after)
    assert Effect(figure, name, then, now, None, None).in_words == words


def test_what_differs_comes_first_and_the_clearest_of_it_before_all_other():
    found = planted(100, games=2000, **SHIFTS)
    assert len(found.in_short) == sum(effect.is_different for effect in found.effects)
    clear = [effect for effect in found.effects if effect.is_different]
    first = max(clear, key=lambda effect: abs(effect.difference.estimate) / np.ptp(effect.difference.ends))
    assert found.in_short[0] == f"{first.in_words}."


@pytest.mark.parametrize(
    ("changes", "title"),
    [
        (["price.speed=6", "own_clinging=true"], "price.speed 4 → 6, own_clinging false → true"),
        (["gene_places=[0, 1, 2]"], "gene_places changed"),
        (
            [f"price.{gene}=9" for gene in ("movement_1", "spores", "speed", "defense")],
            "price.movement_1 3 → 9, price.spores 3 → 9, price.speed 4 → 9 and 1 more",
        ),
    ],
)
def test_a_question_is_called_by_its_change(changes, title):
    assert question(after=changed(PRINTED, changes)).title == title


def test_an_answer_has_genes_places_length_and_lead_all_of_which_have_words(answer):
    figures = [NEUTRAL_PRICE, PAID, "genes_bought", "wins_by_start_place", "rounds", "decisions"]
    figures += ["wins_of_leader", "wins_of_last"]
    assert list(dict.fromkeys(effect.figure for effect in answer.effects)) == figures
    assert set(answer.of(PAID)) == set(answer.of(NEUTRAL_PRICE)) == set(GENE_NAMES)
    assert list(answer.of("wins_by_start_place")) == ["place 1", "place 2", "place 3"]
    assert "Neutral prices and paid: Chances of winning are predictions" in answer.about_predictions
    json.dumps(answer.as_dict(), allow_nan=False)
    assert all(effect.in_words for effect in answer.effects if effect.before)


def test_an_answer_is_kept_and_resumed_whatever_the_workers(generalist, answer, tmp_path):
    first = ask(question(generalist), tmp_path / "out", workers=2)
    assert first.as_dict() == answer.as_dict()
    summary = json.loads((tmp_path / "out/summary.json").read_text())
    assert list(summary.pop("policies")) == [f"{generalist} with 3 players"]
    assert summary == json.loads(json.dumps(first.as_dict()))
    report = (tmp_path / "out/report.html").read_text()
    assert report.count("<svg") == 1
    assert "<title>Ursuppe balance: price.speed 4 → 9</title>" in report
    assert "price.speed 4 → 9" in (tmp_path / "out/picture.svg").read_text()
    assert "Chances of winning are predictions" in report
    for part in ("genes", "games"):
        assert (tmp_path / "out" / part / "report.html").exists()
    over: list[int] = []
    again = ask(question(generalist), tmp_path / "out", workers=1, on_progress=over.append)
    assert again.as_dict() == first.as_dict()
    assert over == [question().trials.total_games, question().total_games]  # nothing is left to be played
    with pytest.raises(ValueError, match="out holds another run: its seed is 1, not 2"):
        ask(question(generalist, seed=2), tmp_path / "out", workers=1)


def test_what_a_generalist_was_not_trained_on_is_named_by_field(generalist):
    assert unfamiliar_to(question(generalist)) == []
    found = unfamiliar_to(question(generalist, after=PRINTED.replace(income=30, end_zone=200)))
    assert found == ["income is 30; in training it was 6 to 16", "end_zone is 200; in training it was 25 to 60"]


def test_a_specialist_knows_no_change(specialist):
    [line] = unfamiliar_to(question(specialist))
    assert line.startswith("it was trained on edition 1998 as printed alone, not on edition 1998 with changed price")


def command(agent, *more, games=10):
    return ["balance", "ask", *more, "--agent", agent, "--games", str(games), "--workers", "1"]


def test_the_command_prints_tables(generalist, tmp_path, capsys):
    asked = command(generalist, "price.speed=40", "--players", "3", "--out", tmp_path / "out")
    status, told, warning = ursuppe(capsys, *asked)
    assert status == 0
    assert "price.speed is 40; in training it was 0 to 12" in warning
    assert told.startswith("What price.speed 4 → 40 does:\n- ")
    assert "10 games with trials of genes and 20 ordinary ones" in " ".join(told.split())
    assert all(word in told for word in ("life_expectancy", "place 3", "predictions", "report.html"))
    assert (tmp_path / "out/report.html").exists()


@pytest.mark.parametrize(
    ("more", "before", "after"),
    [
        ("income=12 --players 3 --against 1997", Ruleset(players=3, edition="1997"), PRINTED.replace(income=12)),
        ("price.armour=8 --ruleset house.toml", PRINTED, HOUSE.replace(price={"armour": 8})),
        ("price.armour=8 --ruleset house.toml --against house.toml", HOUSE, HOUSE.replace(price={"armour": 8})),
    ],
)
def test_rulesets_are_named_or_files_and_the_command_prints_json(
    more, before, after, generalist, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    Path("house.toml").write_text("players = 3\nincome = 12\n[price]\nspeed = 3\n")
    answer = json.loads(printed(capsys, *command(generalist, *more.split(), "--json", games=1)))
    asked = answer["question"]
    assert [Ruleset(**asked[side]) for side in ("before", "after")] == [before, after]
    assert len(answer["effects"]) > 60


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--players", "3"], "nothing is changed"),
        (["income=12", "--players", "4"], "the policy was trained with 3 players; these rulesets are for 4"),
        (["income=12", "--against", "nowhere.toml"], "nowhere.toml"),
        (["income=12", "--players", "3", "--against", "five.toml"], "is for 5 players and the changed one for 3"),
    ],
)
def test_a_wrong_question_is_one_line(more, message, generalist, refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("five.toml").write_text("players = 5")
    refused(command(generalist, *more), message)
