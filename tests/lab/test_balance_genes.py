"""Trials of genes: who is denied or given what, and what comes out."""

import io
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from rich.console import Console

from ursuppe_agents import make_agent
from ursuppe_env import Games, Ruleset
from ursuppe_env.rules.genes import GENE_NAMES, NO_GENE, Gene
from ursuppe_env.rules.nodes import Decision
from ursuppe_lab.arena.matches import seat_agents
from ursuppe_lab.balance import gene_worth, measure_genes, read_study
from ursuppe_lab.balance.branching import Barred
from ursuppe_lab.balance.figures.verdicts import Verdict
from ursuppe_lab.balance.report import worth_report
from ursuppe_lab.balance.trials import COLUMNS
from ursuppe_lab.commands.balance import print_worth
from ursuppe_lab.reports.text import ends, value
from ursuppe_lab.statistics.quotients import Quotient

from support.command import printed
from support.studies import gene_study


@pytest.fixture(scope="module")
def trials():
    return measure_genes(gene_study(), workers=1)[0]


def test_who_is_barred_never_gets_the_gene_and_everybody_else_may():
    games = Games(40, seed=3)
    player, gene = np.arange(40) % 4, np.full(40, Gene.MOVEMENT_1)
    gene[20:] = NO_GENE
    agent = Barred(make_agent("hunter", 0), player, gene)
    owned = np.zeros((40, 4), bool)
    while not games.finished.all():
        rows = np.flatnonzero(games.player >= 0)
        games.step(agent.act(games, rows), rows)
        owned |= games.state["genes"][:, :4, Gene.MOVEMENT_1] > 0
    assert not owned[np.arange(20), player[:20]].any()
    assert owned[20:][np.arange(20), player[20:]].any()
    assert owned[:20].sum() == 2 * 20  # both cards are bought by others


def test_who_is_barred_from_all_that_he_can_afford_passes():
    cheap = Ruleset(price=dict.fromkeys(GENE_NAMES, 99) | {"speed": 0}, cards={"speed": 6})
    games = Games(1, cheap, seed=1)
    agent = Barred(make_agent("random", 0), np.array([0]), np.array([int(Gene.SPEED)]))
    asked = 0
    while not games.finished[0]:
        action = agent.act(games, np.zeros(1, np.int64))
        if games.decision[0] == Decision.BUY and games.player[0] == 0:
            assert games.actions.text(int(action[0]), 0) == "pass"
            asked += 1
        games.step(action)
    assert asked > 5


def test_each_game_has_a_row_for_each_gene(trials):
    assert trials.schema == COLUMNS
    assert len(trials) == 24 * 20
    alike = ("round", "player", "asked", "natural", "rich")
    of_games = trials.group_by("index").agg(pl.col("gene"), pl.col(alike).n_unique())
    assert all(sorted(genes) == sorted(GENE_NAMES) for genes in of_games["gene"].to_list())
    assert (of_games.select(alike).to_numpy() == 1).all()
    assert sorted(trials["round"].unique()) == [1, 2, 3]
    assert sorted(trials["player"].unique()) == [0, 1, 2]


def test_branches_are_where_a_gene_can_be_had(trials):
    tried = trials.filter(pl.col("denied").is_not_null())
    assert tried["asked"].all()
    assert tried["given"].null_count() == 0
    others = trials.filter(pl.col("denied").is_null())
    assert others["given", "paid"].null_count().row(0) == (len(others), len(others))
    assert 0 < tried["paid"].null_count() < len(tried)
    assert set(tried.filter(round=1)["gene"]).isdisjoint({"endurance", "movement_2", "aggression", "armour"})
    assert trials.filter(pl.col("gene").is_in(["frugality", "parasitism"]))["denied"].null_count() == 48  # no cards


def test_without_interference_the_game_goes_on_as_it_would(trials):
    """The hunter draws nothing at random."""
    [tournament] = gene_study().tournaments(0)
    matches = seat_agents(next(tournament.batches()))
    matches.play()
    winner = dict(zip(matches.index.tolist(), matches.games.winner.tolist(), strict=True))
    asked = trials.filter(pl.col("asked") & pl.col("index").is_in(list(winner)))
    assert len(asked) > 0
    for row in asked.rows(named=True):
        assert row["natural"] == (winner[row["index"]] == row["player"])


def test_what_nobody_buys_later_is_denied_without_a_consequence(trials):
    """Denying a gene that the hunter does not want changes nothing for it."""
    unwanted = trials.filter(pl.col("gene").is_in(["tentacle", "holding"]) & pl.col("asked"))
    assert (unwanted["buyers"] == 0).all()
    assert unwanted["denied"].equals(unwanted["natural"].alias("denied"))


def test_a_gene_without_a_price_is_the_same_whether_given_or_paid():
    free = Ruleset(players=3, price=dict.fromkeys(GENE_NAMES, 0))
    trials, _ = measure_genes(gene_study(free, num_games=8), workers=1)
    assert trials["given"].drop_nulls().len() > 50
    for end in ("", "_margin"):
        assert trials["given" + end].equals(trials["paid" + end].alias("given" + end))


def test_ordinary_play_is_counted(trials):
    wins = trials.filter(gene="movement_1")
    assert wins["buyers"].is_between(1, 3).all()
    assert (trials["winner_bought"] <= trials["buyers"]).all()


def by_hand(changes):
    """Trials of 40 games in which speed changes who wins as said: (denied, given, paid) of each game in turn."""
    rows = []
    for index in range(40):
        denied, given, paid = changes[index % len(changes)]
        for gene in GENE_NAMES:
            row = dict.fromkeys(COLUMNS) | {"index": index, "rotation": 0, "gene": gene, "round": 1 + index % 2}
            row |= {"asked": True, "natural": int(index % 5 == 0), "rich": int(index % 5 < 4)}
            row |= {"buyers": 2, "winner_bought": int(index % 4 == 0)}
            if gene == "speed":
                row |= {"denied": denied, "given": given, "paid": paid, "given_margin": 3.0, "denied_margin": 1.0}
            rows.append(row)
    return pl.DataFrame(rows, schema=COLUMNS).with_columns(pl.col("variant", "lineup").fill_null(0))


def test_the_figures_of_trials_that_one_can_count():
    of_study = gene_study(num_games=40, rounds=(1, 2))
    [found] = gene_worth(of_study, by_hand([(0, 1, 0), (0, 0, None), (1, 1, 0), (0, 1, 1)])).trials
    assert (found.games, found.asked) == (40, 40)
    assert found.bp.estimate == pytest.approx(24 / 40 / 5)  # 24 games more were won with 5 BP
    speed = found.genes[0]
    assert (speed.gene, speed.price, speed.mutation_points) == ("speed", 4, 3)
    assert (speed.trials, speed.payable) == (40, 30)
    assert speed.given.estimate == pytest.approx(2 / 4)
    assert speed.paid.estimate == pytest.approx(0)  # of 30: ten won more, ten lost more
    assert speed.margin == pytest.approx((2, 2, 2))
    assert speed.bp == pytest.approx(found.bp)  # it was tried in all of them
    assert speed.neutral_price.estimate == pytest.approx(0.5 / 0.12)
    assert speed.surplus.estimate == pytest.approx(0.5 / 0.12 - 4)
    assert speed.bought == pytest.approx((2 / 3,) * 3)
    assert speed.owners_win.estimate == pytest.approx(10 / 80)
    assert speed.given.low < 0.5 < speed.given.high
    by_round = {figures.round: figures for figures in found.by_round if figures.gene == "speed"}
    assert (by_round[1].trials, by_round[1].given.estimate, by_round[2].given.estimate) == (20, 0.5, 0.5)
    assert by_round[1].paid.estimate == pytest.approx(-0.5)
    assert by_round[1].judgement is None
    assert all(figures.neutral_price is None for figures in found.genes[1:])
    assert found.price_spread == pytest.approx(0.5 / 0.12 - 4)  # of speed alone
    unbounded = replace(speed, neutral_price=Quotient(1.0, ((-math.inf, math.inf),)))
    assert replace(found, genes=[speed, unbounded]).price_spread is None
    assert replace(found, genes=found.genes[1:]).price_spread is None


def test_the_worth_of_a_bp_is_that_of_the_games_in_which_the_gene_was_tried():
    """A present of BP helps in round 1 alone, and so does the gene, which can be had in that round alone."""
    rows = by_hand([(0, 1, 0), (0, 0, 0)]).with_columns(
        rich=pl.when(pl.col("round") == 1).then(pl.lit(1)).otherwise("natural").cast(pl.Int8),
        natural=pl.when(pl.col("round") == 1).then(pl.lit(0)).otherwise("natural").cast(pl.Int8),
    )
    only_first = [
        pl.when(pl.col("round") == 1).then(name).alias(name) for name in ("denied", "given", "paid", "given_margin")
    ]
    [found] = gene_worth(gene_study(num_games=40, rounds=(1, 2)), rows.with_columns(only_first)).trials
    [speed] = [gene for gene in found.genes if gene.gene == "speed"]
    assert found.bp.estimate == pytest.approx(0.2 / 2)
    assert speed.bp.estimate == pytest.approx(0.2)
    assert speed.neutral_price.estimate == pytest.approx(1 / 0.2)


def test_planted_worths_are_found():
    """Spores score as four genes; Tentacle can carry nothing, and scores nothing."""
    scores = {"spores": 4, "tentacle": 0}
    planted = Ruleset(players=3, gene_score=scores, mutation_points=dict.fromkeys(scores, 0), carry=0)
    _, worth = measure_genes(gene_study(planted, num_games=240), workers=1)
    genes = {figures.gene: figures for figures in worth.trials[0].genes}
    assert genes["spores"].given.low > 0.1
    assert genes["spores"].judgement.verdict == Verdict.CHEAP
    assert genes["spores"].surplus.pieces[0][0] > 0
    assert worth.trials[0].genes.index(genes["spores"]) < 5
    assert genes["tentacle"].given == (0, 0, 0)
    assert genes["tentacle"].paid.high < 0.02
    assert genes["tentacle"].neutral_price.estimate == pytest.approx(0)


def test_a_round_without_a_game_has_figures_that_say_nothing():
    _, worth = measure_genes(gene_study(num_games=2), workers=1)
    trials = dict.fromkeys((1, 2, 3), 0)
    for figures in worth.trials[0].by_round:
        trials[figures.round] += figures.trials
        assert figures.trials or figures.given is None
    assert sorted(trials.values())[0] == 0 < sorted(trials.values())[-1]


FILE = """
kind = "genes"
name = "Genes"
games = 8
lineups = [["hunter"], ["grow"]]
rounds = [1, 3]
bonus = 4

[base]
players = 3

[variants.four]
players = 4
"""


def test_a_study_of_genes_from_file_to_report(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("genes.toml").write_text(FILE)
    of_study = read_study("genes.toml")
    assert (of_study.rounds, of_study.bonus, of_study.total_games) == ((1, 3), 4, 32)
    told = printed(capsys, "balance", "genes.toml", "--workers", "1", "--out", "out")
    assert "four, grow: " in told
    assert "life_expectancy" in told
    summary = json.loads(Path("out/summary.json").read_text())
    played = [(found["variant"], found["lineup"]) for found in summary["trials"]]
    assert played == [(variant, agent) for variant in ("base", "four") for agent in ("hunter", "grow")]
    page = Path("out/report.html").read_text()
    assert page.count("<svg") == 2 * 4
    assert all(f"<th>{name}</th>" in page for name in ("paid:<br>chance, points", "verdict", "neutral<br>price, BP"))
    trials, worth = measure_genes(of_study, Path("out"), workers=1)  # nothing is left to be played
    assert pl.read_parquet("out/games.parquet").equals(trials)
    assert json.loads(json.dumps(worth.as_dict())) == summary


@pytest.fixture(scope="module")
def judged():
    """A study in which every figure of most genes is known."""
    return measure_genes(gene_study(num_games=40, bonus=20), workers=1)[1]


@pytest.mark.parametrize(("width", "hidden"), [(60, 6), (76, 5), (80, 5), (100, 4), (140, 0)])
def test_the_table_of_genes_shows_what_judges_them_at_any_width(width, hidden, judged):
    console = Console(width=width, file=io.StringIO())
    print_worth(console, judged)
    printed = console.file.getvalue()
    assert "…" not in printed
    assert max(map(len, printed.splitlines())) <= width
    table = "".join(line for line in printed.splitlines() if "┃" in line)
    assert all(heading in table for heading in ("paid", "neutral", "verdict"))
    left_out = re.search(r"Not shown for want of room: (.*)\.", printed, re.DOTALL)
    assert (len(left_out[1].split(";")) if left_out else 0) == hidden
    if width >= 76:  # whole cells, and not folded ones
        for gene in judged.trials[0].genes:
            if gene.paid is not None:
                assert f"{gene.gene} " in printed
                assert f" {value(gene.paid, '+.1f', 100).partition(' ')[0]} │" in printed
                assert f"{ends(gene.paid, '+.1f', 100)} │" in printed


def test_few_trials_are_figures_without_intervals():
    _, worth = measure_genes(gene_study(num_games=8), workers=1)
    [found] = worth.trials
    assert found.bp.ends is None
    assert all(not gene.neutral_price.pieces for gene in found.genes if gene.neutral_price is not None)
    assert {gene.judgement.verdict for gene in found.genes} == {Verdict.OPEN}
    assert {gene.given.ends for gene in found.genes if gene.given is not None} == {None}
    assert worth.as_dict()["intervals"] == "no intervals: 8 seeds are too few, at least 10 are needed"
    json.dumps(worth.as_dict(), allow_nan=False)
    assert "No intervals: 8 seeds are too few" in worth_report(worth)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[1, 3]", "[1, 11]", "genes.toml: rounds has 11; with these rulesets it must be at most 10"),
        ("[1, 3]", "[]", r"genes.toml: rounds is \[\]; it must be a list of integers of at least 1, not empty"),
        ("bonus = 4", "bonus = 0", "genes.toml: bonus is 0; it must be "),
        ("bonus = 4", "bonus = 1000000", "genes.toml: bonus is 1000000; it must be "),
        ("bonus = 4", 'measures = ["rounds"]', "genes.toml: there is no setting 'measures'"),
    ],
)
def test_a_wrong_study_of_genes_is_one_line(old, new, message, tmp_path, refused):
    (tmp_path / "genes.toml").write_text(FILE.replace(old, new))
    refused(["balance", tmp_path / "genes.toml"], message)
