"""The studies behind docs/balance.md: what is computed, and that it is written into its places in the page."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
import typer
from matplotlib.figure import Figure
from scipy import special
from typer.testing import CliRunner

from studies import balance, exploits, results
from studies.bids import BONUS, Bids, bid_study, bids_of, play_bids
from studies.duel import wins_of_first_to_choose, wins_of_leading_side, wins_of_places
from studies.exploits import KNOWN_EXPLOITS, Exploited, exploited
from studies.genes import gene_tables, history, rank_correlation, rated, reflected, strength_tables, trend
from studies.lead import tables_of
from studies.pages import Side, fill, how_many, judged
from studies.pictures import changed_in_words, draw_prices
from studies.places import best_place, edition_tables, place_tables, unevenness
from studies.results import Compared, Setting, StudyResults, Worths, judged_together, origins_of, play_studies
from ursuppe_agents import make_agent
from ursuppe_env import Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance import Comparison, GeneFigures, TrialFigures, VariantFigure, VariantStudy, read_study, report
from ursuppe_lab.balance.fairer import FairerSearch
from ursuppe_lab.balance.figures.spread import Gains
from ursuppe_lab.balance.figures.verdicts import FEWEST_PAID, PValues, Verdict
from ursuppe_lab.balance.trials import GeneStudy
from ursuppe_lab.jobs.folder import origin_of
from ursuppe_lab.reports.plotting import INK
from ursuppe_lab.statistics import Interval
from ursuppe_lab.statistics.quotients import Quotient
from ursuppe_lab.statistics.ratios import Bootstrapped

PAGE = Path(__file__).parents[2] / "docs/balance.md"
command = typer.Typer()
command.command()(balance.main)
GROW = (("grow",),)
MEASURES = (
    *("rounds", "markers", "deaths", "attacks", "wins_by_seat", "wins_by_start_place"),
    *("wins_of_leader", "wins_of_last"),
)
AGENTS = {"genes_trained": ("hunter",), "genes": ("grow", "breeder"), "genes_greedy": ("scavenger",)}


def small(name: str):
    """A study of the package that takes a second."""
    study = read_study(name)
    if isinstance(study, VariantStudy):
        return replace(study, lineups=GROW, num_games=12, measures=MEASURES)
    if isinstance(study, GeneStudy):
        return replace(study, lineups=tuple((agent,) for agent in AGENTS[name]), num_games=4, rounds=(3,), bonus=20)
    assert isinstance(study, FairerSearch)
    trials = replace(study.trials, lineups=(("hunter",),), num_games=24, rounds=(4,), bonus=40)
    return replace(study, trials=trials, candidates=1, check_games=24)


def use_small_studies(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(results, "read_study", small)
    patch.setattr(results, "DUELLIST", "breeder")
    patch.setattr(results, "RATING_GAMES", 8)
    for kind in ("comparison", "worth", "fairer"):  # their pictures take longer than the games
        patch.setattr(report, f"{kind}_report", lambda *_: "")


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> tuple[StudyResults, Path]:
    """The results of small studies, and their folder."""
    folder = tmp_path_factory.mktemp("studies")
    with pytest.MonkeyPatch.context() as patch:
        use_small_studies(patch)
        return play_studies(folder, 1), folder


def about(mean: float, width: float = 1.0) -> Interval:
    return Interval(mean, mean - width, mean + width)


def worths(agent: str = "`hunter`", setting: Setting | None = None, payable: int = 500, **means: float) -> Worths:
    """Genes that buying changes the chance of winning by so many points, ±1; all others are known to do nothing."""
    generator = np.random.default_rng(0)
    paid = {gene: means.get(gene, 0.0) / 100 for gene in GENE_NAMES}
    ratios = {gene: Bootstrapped(mean, mean + 0.005 * generator.standard_normal(2000)) for gene, mean in paid.items()}
    of_trials = planted_trials([planted_gene(gene, mean, payable) for gene, mean in paid.items()])
    weights = np.full(len(GENE_NAMES), 1 / len(GENE_NAMES))
    gains = Gains(list(GENE_NAMES), weights, list(ratios.values()), [0.02] * len(GENE_NAMES))
    return Worths(results.GENES[0], setting or Setting(4, "1998"), agent, of_trials, gains)


def planted_gene(gene: str, paid: float, payable: int, thrift: float = 0.9):
    p_positive = float(special.ndtr(-paid / 0.005))
    return GeneFigures(
        gene=gene,
        round=0,
        price=4,
        mutation_points=3,
        trials=500,
        payable=payable,
        paid=about(paid, 0.01),
        neutral_price=Quotient(4 + 50 * paid, ((3.5 + 50 * paid, 4.5 + 50 * paid),)),
        p_values=PValues(payable, p_positive, p_positive, thrift, 0.001),
        **dict.fromkeys(("given", "margin", "bp", "bought", "owners_win")),
    )


def planted_trials(figures):
    bp = about(0.02, 0.01)
    return TrialFigures(0, 0, 500, 500, bp, {1: bp, 2: None}, figures, [])


def compared(figures: Mapping[tuple[str, str], tuple[Interval, Interval | None]], games: pl.DataFrame) -> Compared:
    """Both editions with 3 players: (measure, figure): what it is in 1998, and 1997 minus 1998."""
    variants = (("base", Ruleset(players=3)), ("1997", Ruleset(players=3, edition="1997")))
    study = replace(read_study("editions"), lineups=GROW, num_games=600, variants=variants, measures=("rounds",))
    found = [
        VariantFigure(0, variant, *name, base, difference if variant else None, None)
        for variant in range(2)
        for name, (base, difference) in figures.items()
    ]
    return Compared("planted", study, games, Comparison(study, len(games), found))


def wins(*chances: float, variant: int = 0, seed: int = 0, games: int = 600) -> pl.DataFrame:
    """Games in which the start places win with these chances."""
    winner = np.random.default_rng(seed).choice(len(chances), games, p=chances)
    places = {f"wins_by_start_place/place {place + 1}": winner == place for place in range(len(chances))}
    return pl.DataFrame({"index": range(games), "lineup": 0, "variant": variant, **places})


def with_worths(played, *found: Worths) -> StudyResults:
    return replace(played[0], worths=judged_together(list(found)))


def test_each_gene_has_its_verdict_in_each_setting(played):
    old = worths(setting=Setting(4, "1997"), speed=-3, spores=3)
    tables = gene_tables(with_worths(played, worths(speed=3, spores=3, armour=-3), old))
    assert "| Speed | +3.0 (+2.0 to +4.0) ▲ | -3.0 (-4.0 to -2.0) ▼ |" in tables["genes paid"]
    assert "| Speed | +3.0 (+2.0 to +4.0) ▲ |\n" in tables["genes paid-in-edition"]
    assert tables["genes shown"].startswith("3 of 40 purchases are cheap and 2 are dear")


def test_what_could_hardly_be_paid_is_not_judged(played):
    tables = gene_tables(with_worths(played, worths(payable=FEWEST_PAID - 1, speed=9)))
    assert "| Speed | – |" in tables["genes paid"]


def test_one_gene_of_many_is_judged_less_easily_than_one_alone(played):
    """A gene whose interval does not contain 0, but only just, among those of five agents that do nothing."""
    alone = worths(speed=1.2)
    assert alone.trials.genes[GENE_NAMES.index("speed")].paid.low > 0
    others = (replace(worths(f"`{n}`"), study=results.GENES[1]) for n in range(4))
    assert "| Speed | +1.2 (+0.2 to +2.2) |" in gene_tables(with_worths(played, alone, *others))["genes paid"]


def test_what_the_designers_changed_is_read_from_the_rulesets():
    old, new = Ruleset(edition="1997"), Ruleset(edition="1998")
    said = {gene: changed_in_words(gene, old, new) for gene in GENE_NAMES}
    assert {gene: words for gene, words in said.items() if words} == {
        "defense": "← 4 MP, was 3",
        "substitution": "← cards 1, was 2",
        "division_rate": "→ 5 MP, was 6",
        "armour": "← 6 MP, was 5",
        "aggression": "→ 5 MP, was 6",
    }
    dearer = new.replace(price={"speed": 6}, cards={"speed": 4})
    assert changed_in_words("speed", new, dearer) == "← 6 BP, was 4; → cards 4, was 2"


def test_the_picture_has_a_price_for_each_gene_and_a_mark_where_there_is_a_neutral_one():
    found = worths(armour=-2)
    genes = {one.gene: one for one in found.trials.genes} | {"speed": planted_gene("speed", 0.03, 500, thrift=0.001)}
    [judged] = judged_together([replace(found, trials=planted_trials(list(genes.values())))])
    axes = Figure().subplots()
    draw_prices(axes, judged.trials.genes, Ruleset(edition="1997"), Ruleset())
    marks = {marker: [line for line in axes.lines if line.get_marker() == marker] for marker in "|^vo"}
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert len(marks["|"]) == len(names) == 20
    assert names[-1] == "Speed"  # who keeps its price wins less, so there BP are no currency: a price alone
    assert marks["^"] == []
    [dear] = marks["v"]
    assert (dear.get_xdata()[0], names[int(dear.get_ydata()[0])]) == (pytest.approx(3), "Armour")
    assert len(marks["o"]) == 18
    assert {line.get_color() for line in axes.lines} == {INK}  # nothing rests on colour


def test_what_becomes_of_the_strongest_ones_verdict():
    cheap, dear, unclear = Verdict.CHEAP, Verdict.DEAR, Verdict.OPEN
    assert history([dear, cheap, unclear], "abc") == "it has none"
    assert history([unclear, cheap, cheap], "abc") == "cheap, contradicted by nobody; 2 of 3 say so"
    assert history([dear, cheap, dear, unclear, cheap], "abcde") == "cheap, contradicted up to c"
    assert history([cheap, dear, dear], "abc") == "dear, contradicted up to a"


def test_ranks_that_are_the_same_and_ranks_that_are_reversed():
    order = {gene: 3.0 * number for number, gene in enumerate(GENE_NAMES)}
    one, other = worths(**order), worths(**{gene: -mean for gene, mean in order.items()})
    assert rank_correlation(one.gains, one.gains).estimate == pytest.approx(1)
    assert rank_correlation(one.gains, other.gains).estimate == pytest.approx(-1)
    alike = replace(one.gains, gain=[Bootstrapped(0.0, np.zeros(2000)) for _ in GENE_NAMES])
    assert reflected(rank_correlation(one.gains, alike)) == (0, 0, 0)
    few = replace(one.gains, genes=["speed", "spores"], gain=one.gains.gain[:2])
    assert rank_correlation(one.gains, few) is None


def test_the_interval_of_a_correlation_makes_up_for_chance():
    """Worths that are the same, measured with an error as large as they differ."""
    generator = np.random.default_rng(5)
    held = 0
    for _ in range(40):
        truth = generator.standard_normal(20)
        gains = []
        for noise in generator.standard_normal((2, 20)):
            means = truth + 0.5 * noise
            gain = [Bootstrapped(mean, mean + 0.5 * generator.standard_normal(400)) for mean in means]
            gains.append(replace(worths().gains, gain=gain))
        mean, low, high = reflected(rank_correlation(*gains))
        assert low <= mean <= high
        held += high > 0.9
    assert held > 32


def planted_agents(played, agreements: Sequence[float], seed: int = 0) -> StudyResults:
    """Agents of rising strength, whose worths of genes go so far with those of the strongest, and some beyond."""
    generator = np.random.default_rng(seed)
    truth = generator.standard_normal(20)
    found = []
    for number, agreement in enumerate([*agreements, 1.0]):
        own = agreement * truth + (1 - agreement**2) ** 0.5 * generator.standard_normal(20)
        measured = own + 0.2 * generator.standard_normal(20)
        gain = [Bootstrapped(mean, mean + 0.2 * generator.standard_normal(2000)) for mean in measured]
        one = worths(f"`policy:{number}.zip`", speed=3, spores=3 - 6 * (number == 1))
        found.append(replace(one, gains=replace(one.gains, gain=gain)))
    figures = [
        replace(played[0].ratings.agents[0], agent=f"policy:{number}.zip", rating=about(100.0 * number, 10))
        for number in range(len(found))
    ]
    results = with_worths(played, *found)
    return replace(results, ratings=replace(results.ratings, agents=figures))


def test_that_stronger_agents_agree_more_is_shown_where_it_is_so_and_only_there(played):
    assert trend(rated(planted_agents(played, [-0.6, -0.4, -0.2, 0.0, 0.2, 0.4, 0.6, 0.8]))).low > 0
    slopes = [trend(rated(planted_agents(played, [0.5] * 8, seed))) for seed in range(20)]
    assert sum(slope.contains(0) for slope in slopes) >= 17  # of 19 by design
    assert trend(rated(planted_agents(played, [0.1, 0.9]))) is None


def test_the_strongest_ones_verdict_stands_beside_those_of_the_others(played):
    tables = strength_tables(planted_agents(played, [0.1, 0.9]))
    assert "| ▲▲▲ | cheap, contradicted by nobody; 3 of 3 say so |" in tables["strength genes"]
    assert "| ▲▼▲ | cheap, contradicted up to `policy:1.zip` (+100) |" in tables["strength genes"]


def bids(chances: Sequence[float], bp: float, games: int = 4000, seed: int = 0) -> Bids:
    """Of games in which places win with these chances, and a BP is worth so much."""
    players = len(chances)
    variants = (("base", Ruleset(players=players)),)
    study = bid_study(replace(read_study("editions_trained"), num_games=games, lineups=GROW, variants=variants))
    generator = np.random.default_rng(seed)
    rich, poor = (generator.random(games) < 1 / players + sign * bp * BONUS for sign in (1, -1))
    trials = pl.DataFrame({"index": range(games), "rich": rich.astype(np.int8), "poor": poor.astype(np.int8)})
    return bids_of(study, trials, wins(*chances, seed=seed, games=games))


def test_a_place_is_worth_its_wins_beyond_an_equal_share_divided_by_what_a_bp_does():
    truth = {"place 1": -2.0, "place 2": -0.5, "place 3": 2.5}
    chances = [1 / 3 + 0.03 * price for price in truth.values()]
    held = []
    for seed in range(60):
        found = bids(chances, 0.03, seed=seed)
        assert list(found.prices) == list(truth)
        held += [found.prices[place].contains(price) for place, price in truth.items()]
        held.append(found.bp.contains(0.03))
    assert 0.9 < np.mean(held) < 0.99


def test_bids_are_tried_in_the_games_of_the_places(played):
    for players, compared in played[0].tables.items():
        table, study = compared.study, played[0].bids[players].study
        assert (study.seed, study.num_games, study.lineups) == (table.seed, table.num_games, table.lineups)
        assert study.ruleset(0).players == players


def test_a_player_with_more_bp_at_the_beginning_wins_more():
    variants = (("base", Ruleset(players=3)),)
    table = replace(read_study("editions_trained"), lineups=(("hunter",),), num_games=60, variants=variants)
    rows = pl.concat(map(play_bids, bid_study(table).batches()))
    assert (rows["player"] == rows["index"] % 3).all()
    assert rows["rich"].mean() > 1 / 3 - 0.1 > rows["poor"].mean()


def test_in_the_duel_the_worse_colour_of_a_side_counts():
    markers = [[[9, 2, 3, 8], [1, 4, 9, 5]], [[9, 5, 6, 8], [2, 5, 9, 6]], [[9, 12, 13, 14], [20, 10, 15, 11]]]
    chronicle = SimpleNamespace(  # of two games
        players=4,
        markers=np.array(markers),
        rounds=np.array([3, 3]),
        start_places=np.array([[4, 1, 2, 3], [1, 2, 3, 4]]),
        decisions=np.array([(0, 1), (0, 3), (1, 2)], [("game", int), ("player", int)]),
    )
    figures = wins_of_leading_side(chronicle)  # side 0 leads game 0, side 1 game 1; both are behind in the end
    assert [figures[f"round {number}"].numerator.tolist() for number in (1, 2)] == [[0, 0], [0, 0]]
    assert figures["round 1"].denominator.tolist() == [1, 1]
    assert figures["winner was ever behind"].numerator.tolist() == [1, 1]
    assert list(figures) == ["round 1", "round 2", "winner was ever behind"]
    pairs = wins_of_places(chronicle)
    assert list(pairs) == ["places 1 and 4", "places 2 and 4", "places 3 and 4"]
    assert [ratio.numerator.tolist() for ratio in pairs.values()] == [[0, 0]] * 3
    assert [ratio.denominator.tolist() for ratio in pairs.values()] == [[0, 0], [1, 1], [0, 0]]
    assert wins_of_first_to_choose(chronicle)["first"].tolist() == [True, True]


def test_of_two_sides_the_one_that_does_not_lead_is_last(played):
    duel, *others = tables_of(played[0])
    assert [table.sides for table in (duel, *others)] == [2, 3, 4, 5, 6]
    assert duel.leader(3).estimate + duel.last(3).estimate == pytest.approx(1)
    assert duel.last(3).low <= duel.last(3).estimate <= duel.last(3).high
    assert others[0].leader(9) is None  # no game of these went on after round 9


def test_what_was_found_against_a_policy_is_not_said_of_another_one_of_its_name(monkeypatch):
    assert exploited("hunter", 4, "1998", None).wins > 0.25
    shares = {"wins": 0.3, "low": 0.2, "high": 0.4, "by": "somebody"}
    known = Exploited(agent="policy:default", players=4, edition="1998", policy="0" * 16, **shares)
    monkeypatch.setattr(exploits, "KNOWN_EXPLOITS", (known,))
    assert exploited("policy:default", 4, "1998", known.policy) == known
    assert exploited("policy:default", 4, "1998", "0123456789abcdef") is None
    assert exploited("policy:default", 5, "1998", known.policy) is None


def test_intervals_of_the_table_hold_their_estimates():
    assert all(bound.low <= bound.wins <= bound.high for one in KNOWN_EXPLOITS for bound in (one, *one.thinking))


def test_the_table_has_no_policy_that_the_package_has_not():
    """After a new policy: measure how far it can be exploited, or take the old figures out."""
    there = {make_agent("policy:default", 0).origin(players).actor for players in (3, 4, 5, 6)}
    there.add(make_agent("policy:duel", 0).origin(4).actor)
    assert {one.policy for one in KNOWN_EXPLOITS if one.policy is not None} <= there


def test_policies_are_named_with_where_they_come_from():
    study = read_study("genes_trained")
    trained = replace(study, lineups=(("policy:default",), ("grow",)), variants=study.variants[:1])
    assert origins_of([trained]) == {"`policy:default` with 4 players": origin_of("policy:default", 4)}


def test_places_that_win_alike_are_not_uneven():
    chances = (1 / 3, 1 / 3, 1 / 3), (0.6, 0.2, 0.2)
    even, uneven = (unevenness(compared({}, wins(*of_places)), 0, 0) for of_places in chances)
    assert even.interval().low == 0
    assert even.estimate < 0.03
    assert uneven.interval().low < 0.1886 < uneven.interval().high


def test_of_many_statements_those_that_only_just_stand_alone_do_not_stand():
    just = about(1.05)
    assert judged({"a": (just, 0)})["a"] == Side.ABOVE
    many = judged({"a": (just, 0), "b": (about(-9), 0), "c": (None, 0)} | {n: (about(0), 0) for n in range(20)})
    assert (many["a"], many["b"], many["c"]) == (Side.AROUND, Side.BELOW, Side.AROUND)
    assert how_many(many) == "1 of 23"
    assert judged({"a": (Interval(0.25, 0.25, 0.25), 0.25)})["a"] == Side.AROUND
    assert judged({"a": (Interval(0.25, 0.25, 0.25), 0.2)})["a"] == Side.ABOVE


def test_the_change_is_1998_minus_1997(played):
    games = pl.concat([wins(0.6, 0.2, 0.2), wins(1 / 3, 1 / 3, 1 / 3, variant=1)])
    tables = edition_tables(replace(played[0], editions=[compared({}, games)]))
    [line] = (line for line in tables["editions"].splitlines() if line.startswith("| start places | 3 | `grow` |"))
    assert line.split("|")[6].startswith(" **+1")  # the corrected game is less fair here


def test_how_many_places_are_shown_to_differ_is_said(played):
    shares = (0.22, 0.33, 0.45)
    figures = {("wins_by_start_place", f"place {n}"): (about(s, 0.02), None) for n, s in enumerate(shares, 1)}
    figures |= {("wins_by_seat", f"player {n}"): (about(1 / 3, 0.02), None) for n in range(3)}
    tables = place_tables(replace(played[0], editions=[compared(figures, wins(*shares))]))
    # Of each edition places 1 and 3, and that the best is better than the second.
    assert tables["places shown"] == "6 of 8 statements about places, 0 of 6 about seats"


@pytest.mark.parametrize(
    ("shares", "best"),
    [((0.25, 0.3, 0.45), "place 3"), ((0.2, 0.39, 0.41), "place 3"), ((0.33, 0.325, 0.345), None)],
)
def test_a_place_is_recommended_only_if_it_is_shown_to_be_favoured(played, shares, best):
    figures = {("wins_by_start_place", f"place {n}"): (about(s, 0.02), None) for n, s in enumerate(shares, 1)}
    one = compared(figures, wins(*shares))
    assert best_place(replace(played[0], editions=[one]), one) == best


def test_tables_are_written_into_their_places_and_nothing_else_changes(played, tmp_path, monkeypatch):
    use_small_studies(monkeypatch)
    page = tmp_path / "balance.md"
    page.write_text(PAGE.read_text())
    options = [str(page), "--folder", str(played[1])]
    found = CliRunner().invoke(command, [*options, "--workers", "1"])
    assert found.exit_code == 0, found.output
    assert "\nplaces shown: " in found.output
    there, before = page.read_text(), PAGE.read_text()
    place = re.compile(r"(<!-- studies: .+? -->).*?(<!-- end -->)", re.DOTALL)
    assert place.sub(r"\1\2", there) == place.sub(r"\1\2", before)
    written = {name for name in places_of(before) if places_of(there)[name] != places_of(before)[name]}
    assert {name.split()[0] for name in written} == {name.split()[0] for name in places_of(before)}
    for name in ("genes", "strength", "places", "lead"):
        assert (tmp_path / "images" / f"balance-{name}.svg").read_bytes().startswith(b"<svg")
    assert CliRunner().invoke(command, options).exit_code == 0
    assert page.read_text() == there


def places_of(page: str) -> dict[str, str]:
    """What stands in each place."""
    return dict(re.findall(r"<!-- studies: (.+?) -->\n(.*?)<!-- end -->", page, re.DOTALL))


def test_a_place_that_its_part_has_no_table_for_is_refused():
    page = "text\n<!-- studies: lead first -->\nold\n<!-- end -->\n<!-- studies: predictions -->\nold\n<!-- end -->\n"
    filled = fill(page, {"lead first": "new"})
    assert filled == page.replace("old\n", "new\n\n", 1)  # that of another part stays
    with pytest.raises(ValueError, match="there is no table 'lead first'; known are lead last"):
        fill(page, {"lead last": "new"})


def test_another_study_in_the_folder_is_one_line(tmp_path):
    (tmp_path / "editions").mkdir()
    (tmp_path / "editions" / "settings.json").write_text('{"games": 3}')
    found = CliRunner().invoke(command, [str(tmp_path / "balance.md"), "--folder", str(tmp_path)])
    assert found.exit_code == 2
    assert f"balance: {tmp_path / 'editions'} holds another run: its " in found.output
