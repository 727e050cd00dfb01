"""The balance laboratory: what happened in games, measures of it, and rulesets compared by them."""

import json
import re
import sys
from html import escape
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest
from scipy import stats

from ursuppe_env import Games, Ruleset
from ursuppe_env.rules.actions import FIRST_SPACE, actions_for
from ursuppe_env.rules.nodes import CHANCE_PLAYER, Decision, Phase
from ursuppe_env.rules.state import STATE
from ursuppe_lab.arena import Tournament
from ursuppe_lab.arena.matches import seat_agents
from ursuppe_lab.balance import VariantStudy, compare_variants, measure_names, read_study, study_names
from ursuppe_lab.balance.figures.comparison import compare
from ursuppe_lab.balance.measures import Ratio, load_measure
from ursuppe_lab.balance.measures.chronicle import Cause, Chronicle, Outcome, play_chronicled
from ursuppe_lab.balance.report import comparison_report
from ursuppe_lab.balance.variants import DENOMINATOR
from ursuppe_lab.reports.plotting import COLOURS
from ursuppe_lab.statistics import Resampling
from ursuppe_lab.statistics.discoveries import adjusted, p_value
from ursuppe_lab.statistics.ratios import Bootstrapped, Sums, ratios, sums_by_cluster

from support.command import printed

MEASURES = """
import numpy as np

from ursuppe_lab.balance import Ratio


def last_card(chronicle):
    return {"ozone": chronicle.states["card"][-1]}


def crash(chronicle):
    raise KeyError("food")


def shapeless(chronicle):
    return {"rounds": chronicle.rounds[:-1]}


def endless(chronicle):
    return {"rounds": chronicle.rounds / np.zeros(chronicle.num_games)}


frog = 7
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder with measures of somebody's own is the current one."""
    (tmp_path / "lily.py").write_text(MEASURES)
    monkeypatch.chdir(tmp_path)
    yield
    sys.modules.pop("lily", None)


def chronicled(agent="random", games=60, seed=4, **ruleset) -> Chronicle:
    ruleset = Ruleset(**ruleset)
    lineups = ((agent,) * ruleset.players,)
    tournament = Tournament(lineups=lineups, num_games=games, ruleset=ruleset, seed=seed, games_at_once=games)
    return play_chronicled(next(tournament.batches()))


def study(variants=None, players=3, games=64, **settings):
    base = Ruleset(players=players)
    rulesets = {"base": base} | {name: base.replace(**changes) for name, changes in (variants or {}).items()}
    common = {"name": "test", "lineups": (("grow",),), "seed": 3, "measures": ("rounds", "bp")}
    return VariantStudy(variants=tuple(rulesets.items()), num_games=games, **common | settings)


def compared(variants=None, **settings):
    """The comparison of a study."""
    return compare_variants(study(variants, **settings), workers=1)[1]


def figures(comparison, measure, variant=1):
    return comparison.of(0, variant, measure)


# ---------------------------------------------------------------------- what happened


PLAYED = {
    "4 hunters": {"agent": "hunter"},
    "3 hunters, 1997": {"agent": "hunter", "edition": "1997", "players": 3},
    "6 rich players at random": {"agent": "random", "players": 6, "start_bp": 40},
    "conflict": {"agent": "random", "price": dict.fromkeys(("aggression", "armour", "escape"), 0)},
}


@pytest.fixture(scope="module", params=PLAYED)
def chronicle(request):
    return chronicled(**PLAYED[request.param])


def test_amoebas_that_were_placed_and_are_gone_have_died(chronicle):
    placed = np.full((chronicle.num_games, chronicle.players), 2)
    decisions = chronicle.decisions
    divided = decisions[(decisions["decision"] == Decision.DIVIDE) & (decisions["action"] >= FIRST_SPACE)]
    np.add.at(placed, (divided["game"], divided["player"]), 1)
    np.subtract.at(placed, (chronicle.deaths["game"], chronicle.deaths["player"]), 1)
    np.testing.assert_array_equal(placed, chronicle.amoebas[-1])
    assert len(chronicle.deaths) > 50


def test_every_attack_ends_once_and_kills_have_their_deaths(chronicle):
    actions = actions_for(chronicle.players)
    attacks = chronicle.attacks
    decided = [
        (int(made["game"]), int(made["round"]), int(made["player"]))
        for made in chronicle.decisions
        if actions.text(int(made["action"]), int(made["player"])).startswith("attack")
    ]
    assert sorted(decided) == sorted(attacks[["game", "round", "attacker"]].tolist())
    for phase, cause in ((Phase.MOVE_AND_FEED, Cause.ATTACK), (Phase.DEATHS, Cause.AGGRESSION)):
        killed = attacks[(attacks["phase"] == phase) & (attacks["outcome"] == Outcome.KILLED)]
        died = chronicle.deaths[chronicle.deaths["cause"] == cause]
        for name, other in (("game", "game"), ("round", "round"), ("victim", "player")):
            np.testing.assert_array_equal(killed[name], died[other])


def test_a_game_of_the_chronicle_can_be_played_again(chronicle):
    """With its dice shown one by one: the same decisions, as many fights won by the defender, the same end."""
    for game in (0, 7):
        games = Games(1, chronicle.ruleset, seed=4, index=[game], explicit_chance=True)
        decisions = iter(chronicle.decisions[chronicle.decisions["game"] == game])
        fought_off = 0
        while not games.finished[0]:
            if games.player[0] == CHANCE_PLAYER:
                fought_off += games.draw() == ["defender"]
                continue
            made = next(decisions)
            assert games.player[0] == made["player"]
            for name in ("round", "phase"):
                assert games.state[name][0] == made[name]
            games.step([int(made["action"])])
        assert next(decisions, None) is None
        of_game = chronicle.attacks[chronicle.attacks["game"] == game]
        assert fought_off == (of_game["outcome"] == Outcome.FOUGHT_OFF).sum()
        assert games.winner[0] == chronicle.winner[game]
        np.testing.assert_array_equal(games.markers[0], chronicle.markers[-1, game])


def test_kills_are_told_from_hunger_where_nobody_can_divide():
    """Without an income whole phases pass without a decision; with the dice shown one by one, each is seen."""
    poor = {"income": 0, "start_bp": 12, "first_damage": 1, "price": {"struggle_for_survival": 0, "aggression": 99}}
    chronicle = chronicled("hunter", games=60, **poor)
    killed = 0
    for game in range(60):
        games = Games(1, chronicle.ruleset, seed=4, index=[game], explicit_chance=True)
        made = iter(chronicle.decisions[chronicle.decisions["game"] == game]["action"])
        while not games.finished[0]:
            before = games.state.copy()
            if games.player[0] == CHANCE_PLAYER:
                games.draw()
            else:
                games.step([int(next(made))])
            lost = (before["amoeba_space"] >= 0) & (games.state["amoeba_space"] < 0)
            killed += lost.sum() if before["phase"][0] == Phase.MOVE_AND_FEED else 0
    assert killed == (chronicle.deaths["cause"] == Cause.ATTACK).sum()
    assert killed > 50


def test_armour_is_only_damaged_by_aggression():
    free = dict.fromkeys(("aggression", "armour", "struggle_for_survival"), 0)
    chronicle = chronicled("random", games=200, price=free)
    hurt = chronicle.attacks[chronicle.attacks["outcome"] == Outcome.DAMAGED]
    assert len(hurt) > 5
    assert set(hurt["phase"]) == {Phase.DEATHS}


def test_states_are_those_after_each_round():
    chronicle = chronicled("grow", games=5)
    games = Games(5, chronicle.ruleset, seed=4, pause_after_rounds=True)
    agents = seat_agents(next(Tournament(lineups=(("grow",) * 4,), num_games=20, seed=4).batches())).agents
    for number in range(len(chronicle.states)):
        while (games.player >= 0).any():
            rows = np.flatnonzero(games.player >= 0)
            games.step(agents[0].act(games, rows), rows)
        is_played = games.rounds == number + 1
        np.testing.assert_array_equal(chronicle.is_played[number], is_played)
        for name in ("marker", "bp", "amoeba_space", "genes"):
            np.testing.assert_array_equal(chronicle.states[name][number], games.state[name])
        games.resume()


def test_start_places_are_taken_once_each(chronicle):
    places = np.sort(chronicle.start_places, axis=1)
    np.testing.assert_array_equal(places, np.tile(np.arange(1, chronicle.players + 1), (len(places), 1)))
    assert len(np.unique(chronicle.start_places, axis=0)) > 3


# ---------------------------------------------------------------------- measures


def by_hand(markers, rounds, winner) -> Chronicle:
    """A chronicle of one game of 3 players with these markers, (R, 3), after each round."""
    states = np.zeros((len(markers), 1), STATE)
    states["marker"][:, 0, :3] = markers
    states["round"], states["winner"] = rounds, winner
    nothing = np.empty(0, np.dtype([("game", np.int32), ("decision", np.int8), ("action", np.int16)]))
    return Chronicle(Ruleset(players=3), states, nothing, nothing, nothing)


@pytest.mark.parametrize(
    ("markers", "rounds", "winner", "changes", "for_good"),
    [
        ([[5, 4, 3], [6, 7, 8], [9, 12, 10], [13, 20, 15]], 4, 1, 2, 3),
        ([[5, 4, 3], [9, 7, 8], [12, 10, 9], [20, 13, 15]], 4, 0, 0, 1),
        ([[5, 4, 3], [6, 7, 3], [6, 7, 3], [6, 7, 3]], 2, 1, 1, 2),  # over after round 2
    ],
)
def test_the_lead_in_games_that_one_can_follow(markers, rounds, winner, changes, for_good):
    lead = load_measure("lead")(by_hand(markers, rounds, winner))
    assert lead["changes"].tolist() == [changes]
    assert lead["winner leads for good after round"].tolist() == [for_good]
    assert lead["part of the game"].tolist() == [for_good / rounds]


def test_the_fate_of_the_first_and_the_last_after_each_round():
    chronicle = by_hand([[5, 4, 3], [6, 7, 8], [9, 12, 10], [13, 20, 15]], rounds=4, winner=2)
    leader, last = load_measure("wins_of_leader")(chronicle), load_measure("wins_of_last")(chronicle)
    assert list(leader) == ["round 1", "round 2", "round 3"]
    assert [(*found.numerator, *found.denominator) for found in leader.values()] == [(0, 1), (1, 1), (0, 1)]
    assert [int(found.numerator[0]) for found in last.values()] == [1, 0, 0, 1]  # after round 1, so it ever was


def test_a_game_that_is_over_says_nothing_of_who_leads():
    chronicle = by_hand([[5, 4, 3], [6, 7, 8], [6, 7, 8], [6, 7, 8]], rounds=2, winner=2)
    for measure in ("wins_of_leader", "wins_of_last"):
        found = load_measure(measure)(chronicle)
        assert [int(found[f"round {number}"].denominator[0]) for number in (1, 2, 3)] == [1, 0, 0]


def test_measures_agree_with_what_was_played():
    chronicle = chronicled("hunter", games=80)
    found = {name: load_measure(name)(chronicle) for name in measure_names()}
    for who in ("wins_by_seat", "wins_by_start_place"):
        np.testing.assert_array_equal(sum(values.astype(int) for values in found[who].values()), 1)
    markers = chronicle.markers[-1]
    np.testing.assert_array_equal(found["markers"]["winner"], markers.max(axis=1))
    assert (found["markers"]["winner ahead of second"] > 0).all()
    assert found["deaths"]["attack"].sum() == (chronicle.deaths["cause"] == Cause.ATTACK).sum() > 0
    assert found["decisions"]["a game"].sum() == len(chronicle.decisions)
    attacks = found["attacks"]
    ends = sum(attacks[f"for food: {end}"].numerator for end in ("killed", "fought off", "escaped"))
    np.testing.assert_array_equal(ends, attacks["for food"])
    above, below = found["amoebas"]["round 3"]
    np.testing.assert_allclose(above, chronicle.amoebas[2].mean(axis=1))
    assert below.all()
    above, below = found["amoebas"]["round 10"]
    np.testing.assert_array_equal(below, chronicle.rounds == 10)
    assert not above[chronicle.rounds < 10].any()


def test_what_ordinary_play_shows_of_genes():
    chronicle = chronicled("hunter", games=40)
    bought = np.zeros((40, 4), int)
    actions = actions_for(4)
    for made in chronicle.decisions[::-1]:
        if actions.text(int(made["action"]), 0) == "buy movement_1":
            bought[made["game"], made["player"]] = made["round"]
    np.testing.assert_array_equal(chronicle.first_purchase[:, :, 1], bought)
    of_owners = load_measure("wins_of_owners")(chronicle)["movement_1"]
    assert of_owners.denominator.sum() == (bought > 0).sum()
    assert of_owners.numerator.sum() == sum(bought[game, chronicle.winner[game]] > 0 for game in range(40))
    rounds = load_measure("genes_bought_in_round")(chronicle)["movement_1"]
    assert isinstance(rounds, Ratio)
    assert rounds.numerator.sum() / rounds.denominator.sum() == pytest.approx(bought[bought > 0].mean())


def test_a_measure_of_ones_own():
    rows, comparison = compare_variants(study(measures=("lily:last_card", "rounds")), workers=1)
    assert 0 <= rows["lily:last_card/ozone"].min() < rows["lily:last_card/ozone"].max() <= 10
    [ozone] = figures(comparison, "lily:last_card", variant=0).values()
    assert ozone.value.estimate == rows["lily:last_card/ozone"].mean()


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("luck", "there is no measure 'luck'; known are amoebas, .*, wins_of_owners, and module:function"),
        ("lily:absent", "measure 'lily:absent' cannot be loaded"),
        ("pond:frog", "there is no module pond"),
        ("lily:frog", "measure 'lily:frog' is 7; it must be a function"),
        ("lily:crash", "measure 'lily:crash' crashed: KeyError: 'food'"),
        ("lily:shapeless", r"'rounds' of measure 'lily:shapeless' has shape .* must be \(1,\)"),
        ("lily:endless", "'rounds' of measure 'lily:endless' .* finite"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_a_wrong_measure_is_refused_before_anything_is_played(measure, message):
    with pytest.raises(ValueError, match=message):
        compare_variants(study(measures=(measure,)), workers=1, on_progress=lambda over: pytest.fail("played"))


# ---------------------------------------------------------------------- comparing


def test_a_cheap_gene_is_found():
    cheap = {"cheap": {"price": {"tentacle": 0}, "cards": {"tentacle": 6}}}
    found = figures(compared(cheap, lineups=(("random",),), games=100, measures=("genes_bought",)), "genes_bought")
    assert found["tentacle"].difference.low > 0.2
    assert sum(figure.is_different for figure in found.values()) < len(found)


def test_the_same_ruleset_with_the_same_dice_is_no_different():
    comparison = compared({"same": {"price": {"speed": 4}}}, lineups=(("grow", "random", "random"),), games=36)
    for measure in ("rounds", "bp"):
        assert all(figure.difference == (0, 0, 0) for figure in figures(comparison, measure).values())


def test_all_of_a_share_have_an_exact_interval_and_a_round_that_is_always_the_first_has_none_below_it():
    one = study({}, games=36, measures=("genes_bought_in_round", "wins_of_owners"), paired=False)
    rows, _ = compare_variants(one, workers=1)
    names = [f"{measure}/speed" for measure in ("genes_bought_in_round", "wins_of_owners")]
    everything = [pl.lit(1.0).alias(name) for column in names for name in (column, column + DENOMINATOR)]
    comparison = compare(one, rows.with_columns(everything))
    first, every = (figures(comparison, name.partition("/")[0], 0)["speed"].value for name in names)
    assert first == (1, 1, 1)
    assert 0.8 < every.low < every.estimate == every.high == 1


def test_where_there_is_no_difference_a_study_shows_one_in_a_case_of_twenty():
    """100 small studies of 40 games with each of two equal rulesets, cut from a large one.

    Of single intervals one in twenty leaves out 0, so most studies have some that do.
    """
    small, number = 40, 100
    large, one = (
        study({"same": {}}, games=games, measures=("markers", "rounds", "wins_by_start_place", "bp"), paired=False)
        for games in (small * number, small)
    )
    rows, _ = compare_variants(large, workers=1)
    winner, any_interval, any_difference = 0, 0, 0
    for start in range(0, number * small, small):
        shifted = rows.with_columns(pl.col("index") - start)
        comparison = compare(one, shifted.filter(pl.col("index").is_between(0, small - 1)))
        compared = [figure for figure in comparison.figures if figure.difference is not None]
        winner += not figures(comparison, "markers")["mean"].difference.contains(0)
        any_interval += any(not figure.difference.contains(0) for figure in compared)
        any_difference += any(figure.is_different for figure in compared)
    # 5 % of 100 are 5, give or take 2.2; and bootstrap intervals of 40 seeds are a bit narrow.
    assert 1 <= winner <= 11
    assert any_interval > 40
    assert any_difference <= 11


def test_a_p_value_of_pairs_is_that_of_the_t_test():
    generator = np.random.default_rng(1)
    for seeds, shift in ((12, 0.0), (12, 0.8), (300, 0.1)):
        differences = generator.normal(shift, size=seeds)
        resampled = Resampling(seeds, generator).means(differences[:, None])[:, 0]
        found = p_value(Bootstrapped(differences.mean(), resampled), seeds)
        assert found == pytest.approx(stats.ttest_1samp(differences, 0).pvalue, rel=0.25, abs=0.01)
    nothing, certain = (Bootstrapped(mean, np.full(2000, mean)) for mean in (0.0, 0.5))
    assert (p_value(nothing, 12), p_value(certain, 12)) == (1, 0)
    assert p_value(Bootstrapped(0.5, np.empty(0)), 9) is None


def test_few_seeds_that_have_anything_of_a_figure_make_its_p_value_larger():
    again = np.random.default_rng(3).normal(0.3, 0.1, 2000)
    of_all, of_ten = (p_value(Bootstrapped(0.3, again, speaking), 200) for speaking in (np.inf, 10))
    assert of_ten > 3 * of_all
    seen = (np.arange(20) < 12)[:, None] * 1.0
    assert ratios(Sums(["rare"], seen / 2, seen), np.random.default_rng(0))["rare"].speaking == 12


def test_p_values_are_adjusted_for_all_that_was_looked_at():
    # Of five in ascending order, the k-th times 5/k; none above a later one.
    assert adjusted([0.01, None, 0.9, 0.03, 0.02, 0.029]) == pytest.approx([0.0375, None, 0.9, 0.0375, 0.0375, 0.0375])
    assert adjusted([None]) == [None]


def test_figures_of_few_seeds_have_no_intervals_and_no_differences():
    comparison = compared({"rich": {"start_bp": 24}}, games=8, measures=("amoebas", "wins_of_owners"))
    round_1 = figures(comparison, "amoebas")["round 1"]
    assert round_1.value.estimate > 0
    assert round_1.difference.estimate > 0
    assert (round_1.value.ends, round_1.difference.ends, round_1.adjusted_p) == (None, None, None)
    assert not any(figure.is_different for figure in comparison.figures)
    said = "no intervals: 8 seeds are too few, at least 10 are needed"
    assert comparison.as_dict()["intervals"] == said
    json.dumps(comparison.as_dict(), allow_nan=False)
    page = comparison_report(comparison)
    assert f"N{said[1:]}." in page
    assert "nan" not in re.sub(r"<[^>]*>", "", page)


def test_many_rulesets_have_several_tables_and_plots_each_with_the_base_and_colours_that_differ():
    variants = {f"start {bp}": {"start_bp": bp} for bp in range(5, 13)}
    page = comparison_report(compared(variants, games=2, measures=("bp",)))
    assert (page.count("<svg"), page.count("<th>base</th>")) == (3, 3)
    assert all(page.count(f"<th>start {bp}</th>") == 1 for bp in range(5, 13))
    assert len(COLOURS) >= 4
    assert "2 with each of\n9 rulesets" in page
    page = comparison_report(compared(games=1, measures=("bp",)))
    assert "<p>1 game: 1 with each of\n1 ruleset and one lineup" in page
    assert page.count("<svg") == 1


def test_rulesets_with_other_numbers_of_players_may_have_too_few_seeds_for_a_difference():
    for players, is_known in ((3, True), (4, False)):  # 12 seeds, 9 seeds
        lineups = (("grow", *["random"] * (players - 1)),)
        alone = compared(players=players, lineups=lineups, games=36, measures=("rounds",))
        assert (figures(alone, "rounds", variant=0)["played"].value.ends is not None) == is_known
    both = Bootstrapped(9.5, np.full(2000, 9.5)).minus(Bootstrapped(9.0, np.empty(0)))
    assert both.interval() == (0.5, None, None)


def test_what_few_seeds_say_anything_about_has_no_figure():
    games = pl.DataFrame({"index": range(100), "wins": [1] * 9 + [0] * 91, "owners": [1] * 9 + [0] * 91})
    for seeds_with, is_known in ((9, False), (10, True)):
        owners = pl.Series([1] * seeds_with + [0] * (100 - seeds_with))
        sums = sums_by_cluster(games.with_columns(owners=owners), 100, {"wins": "owners"})
        found = ratios(sums, np.random.default_rng(0))["wins"].interval()
        assert (found is not None) == is_known


def test_with_other_numbers_of_players_what_both_have_is_compared():
    more = study({"more": {"players": 4}}, measures=("wins_by_seat", "rounds"))
    rows, comparison = compare_variants(more, workers=1)
    assert rows.filter(variant=0)["wins_by_seat/player 3"].null_count() == 64
    found = figures(comparison, "wins_by_seat")
    assert found["player 3"].difference is None
    before, after = (figures(comparison, "wins_by_seat", variant)["player 0"].value.estimate for variant in (0, 1))
    assert found["player 0"].difference.estimate == pytest.approx(after - before)


# ---------------------------------------------------------------------- files, folders, the command


FILE = """
kind = "variants"
name = "Poor and rich"
games = 40
seed = 5
lineups = [["grow"]]
measures = ["rounds", "bp"]

[base]
players = 3

[variants.rich]
start_bp = 12

[variants.first]
own_clinging = true
free_stay = false

[sweeps]
"price.speed" = [0, 9]
income = [12]
same_victim = [true, false]
"""
FEW = FILE.partition("[sweeps]")[0].replace("games = 40", "games = 12")  # with intervals


def write(text=FILE):
    Path("study.toml").write_text(text)


def test_a_file_names_variants_and_sweeps():
    write()
    found = read_study("study.toml", games=7)
    base = Ruleset(players=3)
    assert dict(found.variants) == {
        "base": base,
        "rich": base.replace(start_bp=12),
        "first": base.replace(own_clinging=True, free_stay=False),
        "price.speed = 0": base.replace(price={"speed": 0}),
        "price.speed = 9": base.replace(price={"speed": 9}),
        "income = 12": base.replace(income=12),
        "same_victim = true": base,
        "same_victim = false": base.replace(same_victim=False),
    }
    assert (found.num_games, found.seed, found.lineups, found.measures) == (7, 5, (("grow",),), ("rounds", "bp"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"variants"', '"frogs"', "study.toml: kind is 'frogs'; it must be 'variants' or"),
        ("games = 40", "games = 0", "study.toml: games is 0; it must be an integer of at least 1"),
        ("games = 40", "", "study.toml: games is missing"),
        ("seed = 5", "sed = 5", "study.toml: there is no setting 'sed'; did you mean seed?"),
        ('[["grow"]]', '["grow"]', r"study.toml: lineups\[0\] is 'grow'; it must be a list of texts, not empty"),
        ('[["grow"]]', '[["grow", "grow"]]', "study.toml: variant base: lineup .* has 2 agents; it must have 3"),
        ('[["grow"]]', '[["nobody"]]', "there is no agent 'nobody'"),
        ('"rounds", "bp"', '"bp", "bp"', "study.toml: measures: 'bp' is given twice"),
        ("[base]\nplayers = 3", "base = 3", "study.toml: base is 3; it must be a table"),
        ("players = 3", "players = 9", "study.toml: base: players is 9"),
        ("[true, false]", "[1]", "study.toml: sweeps: same_victim is 1; it must be true or false"),
        ("same_victim = [", '"same_victim.speed" = [', "sweeps: same_victim is .*; it must be true or false"),
        ("start_bp = 12", "starting = 9", "study.toml: variants: rich: a ruleset has no field 'starting'"),
        ("[variants.rich]", "[variants.base]", "a variant is named 'base'"),
        ("[0, 9]", "9", "study.toml: sweeps.price.speed is 9; it must be a list, not empty"),
        ('"rounds", "bp"', '"luck"', "study.toml: there is no measure 'luck'"),
        ("[sweeps]", "[sweeps", "study.toml: not TOML"),
        ("income = [12]", f"income.{'a.' * 5000}b = 1", "study.toml: nested too deeply"),
        ('"grow"', '"lily:Bot"', "study.toml: lineups: agent 'lily:Bot' is from .* --allow-module lily$"),
    ],
)
def test_a_wrong_file_is_one_line_and_status_2(old, new, message, refused):
    write(FILE.replace(old, new))
    refused(["balance", "study.toml", "--workers", "1"], message)


@pytest.mark.parametrize(("old", "new"), [('"grow"', '"evil:Bot"'), ('"rounds"', '"evil:measure"')])
def test_no_module_is_imported_because_a_file_names_it(old, new, refused):
    Path("evil.py").write_text("from pathlib import Path\nPath('sprung').touch()\n")
    write(FILE.replace(old, new))
    for allowed in ([], ["--allow-module", "lily"]):
        refused(["balance", "study.toml", *allowed], "--allow-module evil")
        assert not Path("sprung").exists()
    refused(["balance", "study.toml", "--allow-module", "evil"], "has no attribute")
    assert Path("sprung").exists()  # the trap does work
    sys.modules.pop("evil", None)


@pytest.mark.parametrize(("games", "batches"), [(3, 1), (30, 1), (66, 3), (600, 4), (5100, 10)])
def test_batches_are_large_enough_to_be_quick_and_enough_for_workers(games, batches):
    assert sum(1 for _ in study(games=games).batches()) == batches


def test_a_study_that_does_not_exist(refused):
    refused(["balance", "frogs"], f"there is no study 'frogs'; known are {', '.join(study_names())}, and FILE.toml")
    refused(["balance", "frogs.toml"], "frogs.toml: No such file")


@pytest.mark.parametrize("name", study_names())
def test_the_studies_that_come_along_can_be_read(name):
    assert read_study(name).total_games > 0


def test_a_folder_has_all_results(capsys):
    write()
    told = printed(capsys, "balance", "study.toml", "--workers", "1", "--out", "out")
    assert "320 games; 95 % intervals" in told
    summary = json.loads(Path("out/summary.json").read_text())
    rows, comparison = compare_variants(read_study("study.toml"), workers=1)
    assert pl.read_parquet("out/games.parquet").equals(rows)
    assert summary == json.loads(json.dumps(comparison.as_dict()))
    by_name = {(one["variant"], one["measure"], one["figure"]): one for one in summary["figures"]}
    rich = by_name["rich", "bp", "round 1"]
    assert rich["difference"]["low"] > 0
    assert rich["is_different"]
    assert rich["adjusted_p"] <= 0.05
    page = Path("out/report.html").read_text()
    different = sum(figure["is_different"] for figure in summary["figures"])
    compared = sum(figure["adjusted_p"] is not None for figure in summary["figures"])
    said = f"{different} of {compared} figures differ from the base, at a false discovery rate of 5 %"
    assert said in told
    assert said in page
    assert page.count("<b>Δ") == different
    assert "Poor and rich" in page
    assert "same_victim = false" in page
    assert '"own_clinging": true' in page
    assert f"{rich['value']['estimate']:.3f}" in page
    assert page.count("<svg") == 3  # of bp, three rulesets and the base in each
    assert "src=" not in page


def test_the_table_of_differences_hides_nothing(monkeypatch, capsys):
    write(FEW.replace("[variants.rich]", "[variants.'very, very rich, richer than anybody ever was']"))
    for width in (60, 80, 140):
        monkeypatch.setattr("ursuppe_env.cli.consoles._WIDTH", width)
        told, _, _ = printed(capsys, "balance", "study.toml", "--workers", "1", "--out", "out").partition("out/")
        assert "…" not in told
        assert re.search(r"[+-]\d\.\d{3} to [+-]\d\.\d{3} │", told)
        assert max(map(len, told.splitlines())) <= width


def test_any_name_of_a_ruleset_is_reported_as_it_is(capsys):
    name = "_$a_{b}$ <&> \\x"
    write(FEW.replace("[variants.rich]", f"[variants.'{name}']"))
    assert name in printed(capsys, "balance", "study.toml", "--workers", "1", "--out", "out")
    page = Path("out/report.html").read_text()
    assert f"<th>{escape(name)}</th>" in page
    drawn = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert name in [element.text for svg in drawn for element in ET.fromstring(svg).iter()]  # in a legend
