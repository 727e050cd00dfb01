"""The findings about the balance: the sentences say what the figures say, and the page is the same again."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import special

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
from ursuppe_agents.balance.spread import Gains
from ursuppe_agents.balance.trials import GeneStudy
from ursuppe_agents.balance.verdicts import FEWEST_PAID, PValues
from ursuppe_agents.findings import results as findings
from ursuppe_agents.findings.__main__ import main
from ursuppe_agents.findings.agreement import agreement_section, judged_alike, rank_correlation
from ursuppe_agents.findings.editions import FIGURES, editions_section, fairer, unevenness
from ursuppe_agents.findings.genes import genes_in_short, genes_section
from ursuppe_agents.findings.page import findings_page
from ursuppe_agents.findings.places import places_in_short, places_section
from ursuppe_agents.findings.plots import findings_plots
from ursuppe_agents.findings.results import Compared, Results, Setting, Worths, judged_together, play_studies
from ursuppe_agents.findings.verdicts import Verdicts
from ursuppe_agents.findings.wording import Side, listed, side
from ursuppe_agents.reports.text import value
from ursuppe_agents.statistics import Interval
from ursuppe_agents.statistics.quotients import Quotient
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


def worths(agent: str = "`hunter`", setting: Setting | None = None, payable: int = 500, **means: float) -> Worths:
    """Genes that buying changes the chance of winning by so many points, ±1; all others are known to do nothing."""
    generator = np.random.default_rng(0)
    paid = {gene: means.get(gene, 0.0) / 100 for gene in GENE_NAMES}
    ratios = {gene: Bootstrapped(mean, mean + 0.005 * generator.standard_normal(2000)) for gene, mean in paid.items()}
    of_trials = planted_trials([planted_gene(gene, mean, payable) for gene, mean in paid.items()])
    weights = np.full(len(GENE_NAMES), 1 / len(GENE_NAMES))
    gains = Gains(list(GENE_NAMES), weights, list(ratios.values()), [0.02] * len(GENE_NAMES), ratios)
    return Worths(findings.GENES[0], setting or Setting(4, "1998"), agent, of_trials, gains)


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
    return replace(played[0], worths=judged_together(list(found)))


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
    assert "| Spores | +3.0 (+2.0 to +4.0) ▲▲▼ |" in section
    assert "| Spores | 4 | 5.5 (5.0 to 6.0) |" in section
    assert "by agent or setting:\nSpores and Armour." in section
    assert "5 of 60 purchases are cheap and 3 are dear, at a false discovery rate of 5 %" in section
    assert "Nowhere do the games contradict that who has more BP wins more." in section


def test_what_could_hardly_be_paid_is_not_judged(played):
    rare = worths(payable=FEWEST_PAID - 1, speed=9)
    assert "dear under none: none." in genes_in_short(with_worths(played, rare))[0]
    assert "| Speed | – |" in genes_section(with_worths(played, rare))


def test_one_gene_of_many_is_judged_less_easily_than_one_alone(played):
    """A gene whose interval does not contain 0, but only just, among those of five agents that do nothing."""
    alone = worths(speed=1.2)
    assert alone.trials.genes[GENE_NAMES.index("speed")].paid.low > 0
    section = genes_section(with_worths(played, alone, *(worths(f"`{n}`") for n in range(4))))
    assert "| Speed | +1.2 (+0.2 to +2.2) |" in section


def test_where_bp_are_no_currency_there_is_no_neutral_price(played):
    found = worths(speed=3)
    genes = [planted_gene("speed", 0.03, 500, 0.001) if one.gene == "speed" else one for one in found.trials.genes]
    section = genes_section(with_worths(played, replace(found, trials=planted_trials(genes))))
    assert "| Speed | +3.0 (+2.0 to +4.0) ▲ |" in section
    assert "| Speed | 4 | BP are no currency |" in section
    assert "(balance-lab.md#where-bp-are-no-currency) for Speed under `hunter` with 4 players, 1998." in section


# ---------------------------------------------------------------------- agents


def test_ranks_that_are_the_same_and_ranks_that_are_reversed():
    order = {gene: 3.0 * number for number, gene in enumerate(GENE_NAMES)}
    one, other = worths(**order), worths(**{gene: -mean for gene, mean in order.items()})
    assert rank_correlation(one.gains, one.gains, GENE_NAMES).estimate == pytest.approx(1)
    assert rank_correlation(one.gains, other.gains, GENE_NAMES).estimate == pytest.approx(-1)
    alike = replace(one.gains, paid={gene: Bootstrapped(0.0, np.zeros(2000)) for gene in GENE_NAMES})
    assert rank_correlation(one.gains, alike, GENE_NAMES) == (0, 0, 0)


def test_the_interval_of_a_correlation_makes_up_for_chance():
    """Worths that are the same, measured with an error as large as they differ."""
    generator = np.random.default_rng(5)
    held = 0
    for _ in range(40):
        truth = generator.standard_normal(20)
        one, other = (
            replace(
                worths().gains,
                paid={
                    gene: Bootstrapped(mean, mean + 0.5 * generator.standard_normal(400))
                    for gene, mean in zip(GENE_NAMES, truth + 0.5 * noise, strict=True)
                },
            )
            for noise in generator.standard_normal((2, 20))
        )
        mean, low, high = rank_correlation(one, other, GENE_NAMES)
        assert low <= mean <= high
        held += high > 0.9
    assert held > 32


def test_verdicts_are_compared_where_both_agents_give_one():
    one, other = judged_together([worths(speed=3, spores=3, armour=-3), worths(speed=4, spores=-3, tentacle=5)])
    assert judged_alike(one, other) == (2, 1)


def test_each_agent_has_its_verdicts(played):
    found = [worths("`hunter`", speed=3, armour=-4), worths("`grow`", spores=5, speed=3)]
    section = agreement_section(with_worths(played, *found))
    assert "| `hunter` | Speed | Armour | 500 | 2.00 (1.00 to 3.00) |" in section
    assert "| `grow` | Spores and Speed | none | 500 |" in section
    assert section.endswith(" | 1 of 1 |")
    silent = [replace(at_table, gains=None) for at_table in found]
    assert "| `grow` | – | – | 500 |" in agreement_section(with_worths(played, *silent))


# ---------------------------------------------------------------------- places and editions


def test_the_best_place_is_named_only_if_it_is_shown_to_be_favoured(played):
    def sentence(*shares: float) -> str:
        figures = {("wins_by_start_place", f"place {n}"): (about(s, 0.02), None) for n, s in enumerate(shares, 1)}
        figures |= {("wins_by_seat", f"player {n}"): (about(1 / 3, 0.02), None) for n in range(3)}
        results = replace(played[0], editions=[compared(figures, wins(0.3, 0.3, 0.4))])
        assert f"**{100 * shares[0]:.1f}**" in places_section(results) or abs(shares[0] - 1 / 3) < 0.02
        start, seats = places_in_short(results)
        assert "0 of 6 shares of seats are shown to differ from the chance level." in seats
        return start

    assert "place 3 is best under `grow` with 45.0 % (43.0–47.0)." in sentence(0.25, 0.3, 0.45)
    assert "no best place is shown under `grow`, at most 3.2 points apart." in sentence(0.33, 0.325, 0.345)
    assert "place 3 is favoured, but not shown to be better than place 2, under `grow` with" in sentence(
        0.2, 0.39, 0.41
    )


def test_places_that_win_alike_are_not_uneven():
    even, uneven = (
        unevenness(compared({}, wins(*chances)), 0, 0) for chances in ((1 / 3, 1 / 3, 1 / 3), (0.6, 0.2, 0.2))
    )
    assert even.interval().low == 0
    assert even.estimate < 0.03
    assert uneven.interval().low < 0.1886 < uneven.interval().high


def test_changes_are_called_fairer_only_where_their_interval_says_so():
    changes = {"`a`": about(-3), "`b`": about(2), "`c`": about(0.5), "`d`": about(-0.2), "`e`": None}
    judged = Verdicts({agent: (change, 0) for agent, change in changes.items()})
    assert fairer({agent: (change and change.times(0.01), judged[agent]) for agent, change in changes.items()}) == (
        "fairer under `a`; less fair under `b`; no difference is shown under `c` and `d`, at most 1.5 points either "
        "way; too few games to say under `e`"
    )


def test_of_many_statements_those_that_only_just_stand_alone_do_not_stand():
    just = about(1.05)
    assert side(just) == Side.ABOVE
    assert Verdicts({"a": (just, 0)})["a"] == Side.ABOVE
    many = Verdicts({"a": (just, 0), "b": (about(-9), 0), "c": (None, 0)} | {n: (about(0), 0) for n in range(20)})
    assert (many["a"], many["b"], many["c"]) == (Side.AROUND, Side.BELOW, Side.AROUND)
    assert many.in_words == "1 of 23"
    assert Verdicts({"a": (Interval(0.25, 0.25, 0.25), 0.25)})["a"] == Side.AROUND
    assert Verdicts({"a": (Interval(0.25, 0.25, 0.25), 0.2)})["a"] == Side.ABOVE


def test_what_a_policy_that_learnt_one_edition_does_in_the_other_is_said_to_be_that(played):
    figures = {(measure, name): (about(9, 0.1), Interval(0.5, 0.4, 0.7)) for measure, name, _ in FIGURES}
    learnt = compared(figures, pl.concat([wins(0.6, 0.2, 0.2), wins(1 / 3, 1 / 3, 1 / 3, variant=1)]))
    learnt = replace(learnt, study=replace(learnt.study, lineups=(("policy:default",),)))
    section = editions_section(replace(played[0], editions=[learnt]))
    assert "change, `policy:default` (trained on 1998)" in section
    assert "`policy:default` was trained on 1998 alone." in section


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
