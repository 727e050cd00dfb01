"""The findings about the balance: the sentences say what the figures say, and the page is the same again."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ursuppe_agents.balance import (
    Comparison,
    GeneFigures,
    TrialFigures,
    VariantFigure,
    VariantStudy,
    read_study,
    report,
)
from ursuppe_agents.balance.fairer import FairerSearch
from ursuppe_agents.balance.spread import Surpluses
from ursuppe_agents.balance.trials import GeneStudy
from ursuppe_agents.findings import results as findings
from ursuppe_agents.findings.__main__ import main
from ursuppe_agents.findings.agreement import agreement_section, judged_alike, rank_correlation
from ursuppe_agents.findings.editions import FIGURES, editions_section, fairer, unevenness
from ursuppe_agents.findings.genes import FEWEST_TRIALS, genes_in_short, genes_section
from ursuppe_agents.findings.page import findings_page
from ursuppe_agents.findings.places import places_in_short, places_section
from ursuppe_agents.findings.plots import findings_plots
from ursuppe_agents.findings.results import Compared, Results, Setting, Worths, play_studies
from ursuppe_agents.findings.wording import Side, listed, side
from ursuppe_agents.reports.text import value
from ursuppe_agents.statistics import Interval
from ursuppe_agents.statistics.ratios import Bootstrapped
from ursuppe_env import Ruleset
from ursuppe_env.rules.genes import GENE_NAMES

GROW = (("grow",),)
MEASURES = ("rounds", "markers", "deaths", "attacks", "wins_by_seat", "wins_by_start_place")


def small(name: str):
    """A study of the package that takes a second."""
    study = read_study(name)
    if isinstance(study, VariantStudy):
        measures = ("genes_bought", "wins_of_owners") if name == findings.PRICES else MEASURES
        return replace(study, lineups=GROW, num_games=12, variants=study.variants[:3], measures=measures)
    if isinstance(study, GeneStudy):
        return replace(study, lineups=(("hunter",),), num_games=4, rounds=(3,), bonus=20)
    assert isinstance(study, FairerSearch)
    trials = replace(study.trials, lineups=(("hunter",),), num_games=24, rounds=(4,), bonus=40)
    return replace(study, trials=trials, candidates=1, check_games=24)


def use_small_studies(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(findings, "read_study", small)
    for kind in (
        "comparison",
        "worth",
        "fairer",
    ):  # their pictures take longer than the games
        patch.setattr(report, f"{kind}_report", lambda _: "")


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> tuple[Results, Path]:
    """The results of small studies, and their folder."""
    folder = tmp_path_factory.mktemp("findings")
    with pytest.MonkeyPatch.context() as patch:
        use_small_studies(patch)
        return play_studies(folder, workers=1), folder


def about(mean: float, width: float = 1.0) -> Interval:
    return Interval(mean, mean - width, mean + width)


def worths(agent: str = "`hunter`", setting: Setting | None = None, trials: int = 500, **means: float) -> Worths:
    """Genes with these surpluses, ±1 BP; all others are known to cost what they are worth."""
    generator = np.random.default_rng(0)
    surplus = {gene: means.get(gene, 0.0) for gene in GENE_NAMES}
    ratios = [Bootstrapped(mean, mean + 0.5 * generator.standard_normal(2000)) for mean in surplus.values()]
    figures = [planted_gene(gene, about(mean), trials) for gene, mean in surplus.items()]
    of_trials = planted_trials(figures)
    weights = np.full(len(GENE_NAMES), 1 / len(GENE_NAMES))
    setting = setting or Setting(4, "1998")
    return Worths(findings.GENES[0], setting, agent, of_trials, Surpluses(list(GENE_NAMES), weights, ratios))


def planted_gene(gene: str, surplus: Interval, trials: int):
    unknown = dict.fromkeys(
        ("given", "margin", "paid", "worth", "per_price", "per_mutation_point", "bought", "owners_win")
    )
    return GeneFigures(gene=gene, round=0, price=4, mutation_points=3, trials=trials, surplus=surplus, **unknown)


def planted_trials(figures):
    return TrialFigures(0, 0, 500, 500, about(0.02, 0.01), figures, [])


def compared(figures: Mapping[tuple[str, str], tuple[Interval, Interval | None]], games: pl.DataFrame) -> Compared:
    """Both editions with 3 players: (measure, figure): what it is in 1998, and 1997 minus 1998."""
    study = VariantStudy(
        name="planted",
        lineups=GROW,
        num_games=600,
        seed=1,
        variants=(("base", Ruleset(players=3)), ("1997", Ruleset(players=3, edition="1997"))),
        measures=("rounds",),
    )
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


def with_worths(played, *found: Worths) -> Results:
    return replace(played[0], worths=list(found))


# ---------------------------------------------------------------------- what an interval says


def test_an_interval_that_holds_the_number_shows_no_difference():
    assert [side(about(mean)) for mean in (2, 0.9, 0, -0.9, -2)] == [Side.ABOVE, 0, 0, 0, Side.BELOW]
    assert side(about(0.27, 0.01), 0.25) == Side.ABOVE
    assert side(None) == Side.AROUND


def test_figures_are_written_with_their_intervals():
    assert value(Interval(0.001, -0.2, 0.3), "+.1f") == "0.0 (-0.2 to +0.3)"
    assert listed([]) == "none"
    assert listed(["a", "b", "c"]) == "a, b and c"


# ---------------------------------------------------------------------- genes


def test_a_gene_above_0_is_cheap_one_below_is_dear_and_one_around_it_is_not_named(played):
    [sentence] = genes_in_short(with_worths(played, worths(speed=3, spores=0.5, armour=-4)))
    assert sentence == (
        "**Genes with 4 players, 1998.** Cheap under most of `hunter` and dear under none: Speed. "
        "Dear under most and cheap under none: Armour."
    )


def test_most_agents_decide_unless_one_says_the_contrary(played):
    found = [
        worths("`hunter`", speed=3, spores=3, armour=-3),
        worths("`breeder`", speed=3, spores=3, armour=3),
        worths("`grow`", spores=-3, armour=-3),
    ]
    results = with_worths(played, *found)
    [sentence] = genes_in_short(results)
    assert "dear under none: Speed. Dear under most and cheap under none: none." in sentence
    section = genes_section(results)
    assert "| Spores | 4 | +3.0 (+2.0 to +4.0) ▲▲▼ |" in section
    assert "by agent or setting: Spores and Armour." in section


def test_what_was_hardly_tried_is_not_judged(played):
    rare = worths(trials=FEWEST_TRIALS - 1, speed=9)
    assert "dear under none: none." in genes_in_short(with_worths(played, rare))[0]
    assert "| Speed | 4 | – |" in genes_section(with_worths(played, rare))


# ---------------------------------------------------------------------- agents


def test_ranks_that_are_the_same_and_ranks_that_are_reversed():
    order = {gene: 3.0 * number for number, gene in enumerate(GENE_NAMES)}
    one, other = worths(**order), worths(**{gene: -mean for gene, mean in order.items()})
    assert rank_correlation(one.surpluses, one.surpluses, GENE_NAMES).estimate == pytest.approx(1)
    assert rank_correlation(one.surpluses, other.surpluses, GENE_NAMES).estimate == pytest.approx(-1)


def test_the_interval_of_a_correlation_makes_up_for_chance():
    """Worths that are the same, measured with an error as large as they differ."""
    generator = np.random.default_rng(5)
    held = 0
    for _ in range(40):
        truth = generator.standard_normal(20)
        one, other = (
            Surpluses(
                list(GENE_NAMES),
                np.full(20, 0.05),
                [Bootstrapped(mean, mean + 0.5 * generator.standard_normal(400)) for mean in truth + 0.5 * noise],
            )
            for noise in generator.standard_normal((2, 20))
        )
        mean, low, high = rank_correlation(one, other, GENE_NAMES)
        assert low <= mean <= high
        held += high > 0.9
    assert held > 32


def test_verdicts_are_compared_where_both_agents_give_one():
    one, other = worths(speed=3, spores=3, armour=-3), worths(speed=4, spores=-3, tentacle=5)
    assert judged_alike(one, other) == (2, 1)


def test_each_agent_has_its_verdicts(played):
    found = [worths("`hunter`", speed=3, armour=-4), worths("`grow`", spores=5, speed=3)]
    section = agreement_section(with_worths(played, *found))
    assert "| `hunter` | Speed | Armour | 500 | 2.00 (1.00 to 3.00) |" in section
    assert "| `grow` | Spores and Speed | none | 500 |" in section
    assert section.endswith(" | 1 of 1 |")
    silent = [replace(at_table, surpluses=None) for at_table in found]
    assert "| `grow` | – | – | 500 |" in agreement_section(with_worths(played, *silent))


# ---------------------------------------------------------------------- places and editions


def test_the_best_place_is_named_only_if_it_is_shown_to_be_favoured(played):
    def sentence(*shares: float) -> str:
        figures = {("wins_by_start_place", f"place {n}"): (about(s, 0.02), None) for n, s in enumerate(shares, 1)}
        figures |= {("wins_by_seat", f"player {n}"): (about(1 / 3, 0.02), None) for n in range(3)}
        results = replace(played[0], editions=[compared(figures, wins(0.3, 0.3, 0.4))])
        assert f"**{100 * shares[0]:.1f}**" in places_section(results) or abs(shares[0] - 1 / 3) < 0.02
        start, seats = places_in_short(results)
        assert "6 of 6 intervals contain the chance level" in seats
        return start

    assert "place 3 is best under `grow` with 45.0 % (43.0–47.0)." in sentence(0.25, 0.3, 0.45)
    assert "no best place is shown under `grow`, at most 3.2 points apart." in sentence(0.33, 0.325, 0.345)


def test_places_that_win_alike_are_not_uneven():
    even, uneven = (
        unevenness(compared({}, wins(*chances)), 0, 0) for chances in ((1 / 3, 1 / 3, 1 / 3), (0.6, 0.2, 0.2))
    )
    assert even.interval().low == 0
    assert even.estimate < 0.03
    assert uneven.interval().low < 0.1886 < uneven.interval().high


def test_changes_are_called_fairer_only_where_their_interval_says_so():
    changes = {"`a`": about(-3), "`b`": about(2), "`c`": about(0.5), "`d`": about(-0.2), "`e`": None}
    assert fairer(changes, 1, "BP") == (
        "fairer under `a`; less fair under `b`; no difference is shown under `c` and `d`, at most 1.5 BP either way; "
        "too few games to say under `e`"
    )


def test_the_change_is_1998_minus_1997(played):
    figures = {(measure, name): (about(9, 0.1), Interval(0.5, 0.4, 0.7)) for measure, name, _ in FIGURES}
    games = pl.concat([wins(0.6, 0.2, 0.2), wins(1 / 3, 1 / 3, 1 / 3, variant=1)])
    section = editions_section(replace(played[0], editions=[compared(figures, games)]))
    assert "| rounds | 9.00 (8.90 to 9.10) | **-0.50 (-0.70 to -0.40)** |" in section
    [line] = (line for line in section.splitlines() if line.startswith("| unevenness"))
    assert line.split("|")[3].startswith(" **+1")  # the corrected game is less fair here


# ---------------------------------------------------------------------- the page


def test_the_page_and_its_pictures_are_the_same_again(played, monkeypatch):
    results, folder = played
    use_small_studies(monkeypatch)
    again = play_studies(folder, workers=2)
    page = findings_page(results, "images")
    assert findings_page(again, "images") == page
    pictures = findings_plots(results)
    assert findings_plots(again) == pictures
    for name in pictures:
        assert f"(images/{name})" in page
    for name in findings.STUDIES:
        assert (folder / name / "summary.json").exists()
        assert f"| `{name}` |" in page


def test_another_study_in_the_folder_is_one_line(tmp_path, capsys):
    (tmp_path / "editions").mkdir()
    (tmp_path / "editions" / "settings.json").write_text('{"games": 3}')
    with pytest.raises(SystemExit) as stopped:
        main(tmp_path / "balance.md", tmp_path)
    assert stopped.value.code == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert captured.err.startswith(f"findings: {tmp_path / 'editions'} holds another run: its ")
    assert not (tmp_path / "balance.md").exists()
