"""Analysis of games: what an agent says of each decision, how certain it is, and what is called a mistake."""

import json
import re
import time
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from scipy import stats

from ursuppe_agents.registry import make_agent
from ursuppe_agents.search.playouts import play_out
from ursuppe_env import Games, Ruleset
from ursuppe_env.records import Record, record_games, write_records
from ursuppe_env.records.film import frames
from ursuppe_env.teams import DUEL, Teams
from ursuppe_play.analysis import GameAnalysis, LiveAnalysis, analyse_game, analyst_for, write_analysis
from ursuppe_play.analysis.analysts import FEWEST_PLAYOUTS, PLAYOUTS, Opinion
from ursuppe_play.analysis.judgement import judge
from ursuppe_play.analysis.report import report_page

from support.command import printed, refusal, ursuppe
from support.decisive import DECISIVE
from support.mid_game import mid_game
from support.pages import STRANGER, data_of
from support.records import left_after

ONE_ROUND = Ruleset(players=4, environment=[("west", 9), ("none", 14)])
QUICK = "search:sims=8"
ANALYSTS = ["policy:{}", "search:sims=20,policy={}"]


@pytest.fixture(scope="module")
def record() -> Record:
    return next(record_games(1, ONE_ROUND, seed=7, agents=["a", STRANGER, "c", "d"]))


@pytest.fixture(scope="module")
def analysis(record: Record) -> GameAnalysis:
    return analyse_game(record, QUICK, workers=1)


def examined(spec: str, games: Games, seed: int = 0) -> Opinion:
    examination = analyst_for(spec, seed).examine(games)
    examination.think()
    return examination.opinion()


# ---------------------------------------------------------------------- what agents say


def asked_about(fewest: int, most: int = 99) -> Games:
    """A game at a decision with so many actions."""
    games = mid_game(1)
    while not fewest <= games.state["num_legal"][0] <= most:
        games.step_random()
    return games


drift_or_move = partial(asked_about, 2, 2)


@pytest.mark.filterwarnings("ignore::ursuppe_agents.policies.agent.TrainedElsewhereWarning")
@pytest.mark.parametrize("name", DECISIVE)
def test_play_outs_see_who_has_won(name: str, policy_file: Path):
    game, wanted = DECISIVE[name]()
    judgement = judge(game.games, examined(f"policy:{policy_file}", game.games))
    wins = {action.action: action.chances[0] for action in judgement.actions}
    assert all(0 <= chance <= 1 for chance in wins.values())
    assert judgement.actions[judgement.best].action.startswith(wanted)
    assert sum(chance for action, chance in wins.items() if not action.startswith(wanted)) == 0


@pytest.mark.parametrize("analyst", ANALYSTS)
def test_an_opinion_is_complete_reproducible_and_blind_to_the_real_future(analyst: str, policy_file: Path):
    games, spec = mid_game(1), analyst.format(policy_file)
    legal = int(games.state["num_legal"][0])
    before = games.state.tobytes()
    opinion = examined(spec, games)
    assert games.state.tobytes() == before
    samples = max(PLAYOUTS // legal, FEWEST_PLAYOUTS)
    assert opinion.chances.shape == (samples, 4)
    assert opinion.chances_after.shape == (samples, legal, 4)
    assert np.allclose(opinion.chances.sum(axis=1), 1)
    assert np.allclose(opinion.chances_after.sum(axis=2), 1)
    assert opinion.priors.sum() == pytest.approx(1)
    assert opinion.votes.sum() == pytest.approx(1)
    assert opinion.visits.shape == (legal,)
    assert (opinion.visits >= samples).all()
    assert (opinion.visits.max() > samples) == spec.startswith("search")
    found = opinion.as_dict()
    assert examined(spec, games).as_dict() == found
    assert examined(spec, games.copy(reseed=99)).as_dict() == found
    assert examined(spec, games, seed=1).as_dict() != found
    assert Opinion.from_dict(json.loads(json.dumps(found))).as_dict() == found


class Counter:
    """An evaluator for which everything is as likely, and who decides is sure to win."""

    def priors(self, games, rows):
        legal = games.copy(rows).legal().astype(np.float64)
        return legal / legal.sum(axis=1, keepdims=True)

    def values(self, games, rows):
        return np.eye(games.num_players)[games.player[rows]]


def test_play_outs_go_to_the_end_of_the_game_with_the_same_dice_after_every_action():
    games = mid_game(1)
    actions = np.flatnonzero(games.legal()[0])
    before = games.state.tobytes()
    won = play_out(Counter(), games, actions, 6, stream=5)
    assert games.state.tobytes() == before
    assert won.shape == (6, len(actions), 4)
    assert np.isin(won, (0, 1)).all()  # the evaluator's own chances have no say
    assert (won.sum(axis=2) == 1).all()
    assert len({tuple(map(int, row)) for row in won.argmax(axis=2)}) > 1
    assert (play_out(Counter(), games, actions, 6, stream=5) == won).all()
    assert (play_out(Counter(), games, actions[:1], 6, stream=5) == won[:, :1]).all()


def test_with_teams_all_seats_of_the_winning_team_have_won():
    games = mid_game(1)
    actions = np.flatnonzero(games.legal()[0])
    won = play_out(Counter(), games, actions, 20, 5, Teams(DUEL))
    assert (won[:, :, 0] == won[:, :, 2]).all()
    assert (won[:, :, 1] == won[:, :, 3]).all()
    assert (won[:, :, 0] + won[:, :, 1] == 1).all()


def test_a_duel_is_analysed_by_the_policy_for_duels(capsys, tmp_path: Path):
    """The chances are the teams', and what a seat gave away is what its team lost by it."""
    duel = left_after(next(record_games(1, ONE_ROUND, seed=1, teams=DUEL, agents=["policy:duel", "x"])), 12)
    write_records(tmp_path / "duel.jsonl", [duel])
    out = tmp_path / "out"
    arguments = ["analyse", tmp_path / "duel.jsonl", "--out", out, "--workers", "1", "--playouts", "32"]
    assert "Policy (model duel) 0" in printed(capsys, *arguments)
    lines = list(map(json.loads, (out / "decisions.jsonl").read_text().splitlines()))
    assert len(lines) == sum(len(event) == 3 for event in duel.events)
    for line in lines:
        for chances in [line["chances"], *(action["chances"] for action in line["actions"])]:
            assert chances[:2] == pytest.approx(chances[2:])
            assert sum(chances) == pytest.approx(2)
    page = data_of((out / "report.html").read_text(encoding="utf-8"))
    assert page["reel"]["teams"] == [[0, 2], [1, 3]]
    assert page["reel"]["players"] == ["Policy (model duel) 0", "x 1", "Policy (model duel) 2", "x 3"]
    assert page["analysis"]["winners"] == []


def test_chances_by_play_outs_are_right_within_their_noise(policy_file: Path):
    """However sure the policy's critic is: 200 other play-outs agree, in 95 of 100 cases."""
    games, inside, off = mid_game(1), [], []
    for seed in range(12):
        for _ in range(12):
            games.step_random()
        opinion = examined(f"policy:{policy_file}", games, seed)
        judgement = judge(games, opinion)
        evaluator = make_agent(f"policy:{policy_file}", 0)
        truth = play_out(evaluator, games, np.flatnonzero(games.legal()[0])[:1], 200, seed).mean(axis=0)[0]
        action = judgement.actions[0]
        error = action.chances[judgement.player] - truth[judgement.player]
        inside.append(abs(error) <= (action.noise**2 + 0.06**2) ** 0.5)
        off.append(error)
    assert sum(inside) >= 10
    assert abs(np.mean(off)) < 0.05


def test_what_says_nothing_of_chances_is_refused():
    with pytest.raises(ValueError, match="agent is 'greedy', which says nothing of chances of winning; it must search"):
        analyst_for("greedy")
    with pytest.raises(ValueError, match="there is no agent 'nobody'"):
        analyst_for("nobody")


# ---------------------------------------------------------------------- what is made of it


def opinion_of(games: Games, won: np.ndarray) -> Opinion:
    """One by play-outs that the player who decides has won, (N, A) of 0 and 1; otherwise the player before has."""
    samples, actions = won.shape
    player = int(games.player[0])
    after = np.zeros((samples, actions, 4))
    after[:, :, player - 1] = 1 - won
    after[:, :, player] = won
    even = np.full(actions, 1 / actions)
    return Opinion(after.mean(axis=1), after, even, even, np.full(actions, samples))


def half_width(sample: np.ndarray, imagined: tuple[int, ...], level: float = 0.05) -> float:
    """Of Student's interval, as if four more games had ended this way."""
    sample = np.concatenate([sample, imagined])
    return stats.t.isf(level / 2, len(sample) - 1) * sample.std(ddof=1) / len(sample) ** 0.5


def texts(games: Games) -> list[str]:
    player = int(games.player[0])
    return [games.actions.text(int(id), player) for id in np.flatnonzero(games.legal()[0])]


def test_what_a_decision_gave_away_and_its_noise():
    games = drift_or_move()
    first, second = texts(games)
    won = np.zeros((40, 2))
    won[:12, 0] = 1
    won[8:38, 1] = 1  # 26 times only after the second action, 8 times only after the first
    opinion = opinion_of(games, won)
    judgement = judge(games, opinion, first)
    player = int(games.player[0])
    assert (judgement.player, judgement.best, judgement.taken) == (player, 1, 0)
    assert judgement.gave_away == pytest.approx(18 / 40)
    assert judgement.gave_away_noise == pytest.approx(half_width(won[:, 1] - won[:, 0], (-1, 0, 0, 1)))
    assert judgement.p_value == pytest.approx(stats.binomtest(26, 34).pvalue)
    assert judgement.actions[0].chances[player] == pytest.approx(12 / 40)
    assert judgement.actions[0].noise == pytest.approx(half_width(won[:, 0], (0, 0, 1, 1)))
    best = judge(games, opinion, second)
    assert (best.gave_away, best.p_value) == (0, 1)
    none = judge(games, opinion)
    assert (none.taken, none.gave_away, none.gave_away_noise, none.p_value) == (None, None, None, None)


def test_games_that_all_end_alike_are_not_certain():
    games = drift_or_move()
    first, _ = texts(games)
    same = judge(games, opinion_of(games, np.zeros((40, 2))), first)
    assert same.actions[0].chances[same.player] == 0
    assert 0.03 < same.actions[0].noise < 0.1  # of 40 games without a win: up to 9 % are possible
    assert same.p_value == 1
    better = judge(games, opinion_of(games, np.tile([0.0, 1.0], (40, 1))), first)
    assert better.gave_away == 1
    assert 0 < better.gave_away_noise < 0.2
    assert better.p_value == pytest.approx(2 * 0.5**40)


def test_the_interval_of_what_was_given_away_knows_among_how_many_the_best_was_sought():
    for games in (drift_or_move(), asked_about(6)):
        names = texts(games)
        won = np.repeat((np.arange(40) < 30).astype(float)[:, np.newaxis], len(names), axis=1)
        won[:15, 0] = 0
        judgement = judge(games, opinion_of(games, won), names[0])
        half = half_width(won[:, 1] - won[:, 0], (-1, 0, 0, 1), 0.05 / (len(names) - 1))
        assert judgement.gave_away_noise == pytest.approx(half)


def test_too_few_samples_have_no_noise():
    games = drift_or_move()
    judgement = judge(games, opinion_of(games, np.ones((9, 2))), texts(games)[0])
    assert judgement.noise is judgement.gave_away_noise is judgement.p_value is judgement.actions[0].noise is None
    assert judgement.gave_away == 0


def test_noise_alone_is_seldom_a_mistake():
    """Of decisions that give nothing away, at most one of twenty is said to, though the best is sought among many."""
    games = asked_about(6)
    names, rng = texts(games), np.random.default_rng(3)
    outcomes = [(rng.random((32, len(names))) < 0.3).astype(float) for _ in range(200)]
    judged = [judge(games, opinion_of(games, won), names[0]) for won in outcomes]
    assert np.mean([judgement.p_value < 0.05 for judgement in judged]) <= 0.08
    assert np.mean([judgement.gave_away > judgement.gave_away_noise for judgement in judged]) <= 0.08


# ---------------------------------------------------------------------- a whole game


def test_every_decision_is_judged(record: Record, analysis: GameAnalysis):
    asked = [(number, event) for number, event in enumerate(record.events) if len(event) == 3]
    assert len(analysis.decisions) == len(asked)
    assert analysis.samples == "256 play-outs a decision, at least 32 an action"
    for number, (decision, (place, event)) in enumerate(zip(analysis.decisions, asked, strict=True), 1):
        judgement = decision.judgement
        assert (decision.number, decision.event, decision.asked, judgement.player) == (number, place, *event[:2])
        assert judgement.actions[judgement.taken].action == event[2]
        assert judgement.gave_away >= 0
        assert decision.is_mistake <= (judgement.gave_away > judgement.gave_away_noise)
    lost = [mistake.judgement.gave_away for mistake in analysis.mistakes]
    assert lost == sorted(lost, reverse=True)
    assert len(lost) == sum(decision.is_mistake for decision in analysis.decisions)


def test_the_same_whatever_the_workers_and_interruptions(record: Record, analysis: GameAnalysis, tmp_path: Path):
    class Stop(Exception):
        pass

    def stop(done: int) -> None:
        if done >= 8:
            raise Stop

    with pytest.raises(Stop):
        analyse_game(record, QUICK, tmp_path, workers=1, on_progress=stop)
    begun: list[int] = []
    assert analyse_game(record, QUICK, tmp_path, workers=2, on_progress=begun.append) == analysis
    assert begun[0] == 8
    assert begun[-1] == len(analysis.decisions)
    done: list[int] = []
    analyse_game(record, QUICK, tmp_path, workers=1, on_progress=done.append)
    assert done == [len(analysis.decisions)]


def test_decisions_of_some_seats_are_judged_as_among_all(record: Record, analysis: GameAnalysis):
    told: list[int] = []
    some = analyse_game(record, QUICK, workers=1, seats=(1, 2), on_judged=lambda decision: told.append(decision.number))
    wanted = [decision for decision in analysis.decisions if decision.judgement.player in (1, 2)]
    assert [(one.number, one.judgement) for one in some.decisions] == [(one.number, one.judgement) for one in wanted]
    assert sorted(told) == [one.number for one in wanted]
    data = data_of(report_page(some, frames(record), "a game"))["analysis"]["decisions"]
    assert len(data) == len(analysis.decisions)
    assert [one["number"] for one in data if one is not None] == told


def test_more_play_outs_are_less_noisy(policy_file: Path):
    games = drift_or_move()
    few, many = (analyst_for(f"policy:{policy_file}", playouts=playouts).examine(games) for playouts in (None, 1024))
    few.think(), many.think()
    assert (len(few.opinion().chances), len(many.opinion().chances)) == (128, 512)


def test_a_folder_of_something_else_is_refused(record: Record, tmp_path: Path):
    short = left_after(record, 6)
    analyse_game(short, QUICK, tmp_path, workers=1)
    for other in ({"agent": "search:sims=9"}, {"seed": 1}, {"record": record}):
        arguments = {"record": short, "agent": QUICK, "folder": tmp_path, "workers": 1} | other
        with pytest.raises(ValueError, match=f"holds another run: its {next(iter(other))} is"):
            analyse_game(**arguments)


@pytest.mark.parametrize(
    ("events", "options", "says"),
    [
        (0, {}, "the record has no decisions; there is nothing to analyse"),
        (1, {"seats": (3,)}, "the record has no decisions of player 3; there is nothing to analyse"),
        (99, {"seed": -1}, "seed is -1"),
    ],
)
def test_what_cannot_be_analysed_is_refused(record: Record, events: int, options: dict, says: str):
    with pytest.raises(ValueError, match=says):
        analyse_game(left_after(record, events), QUICK, **options)


def test_a_policy_for_other_numbers_of_players_is_refused(policy_file: Path):
    game = next(record_games(1, Ruleset(players=3, environment=[("west", 9), ("none", 14)])))
    for spec in (f"policy:{policy_file}", f"search:sims=2,policy={policy_file}"):
        with pytest.raises(ValueError, match="the policy was trained with 4 players; these games have 3"):
            analyse_game(game, spec, workers=1)


# ---------------------------------------------------------------------- files


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, analysis: GameAnalysis, record: Record) -> Path:
    path = tmp_path_factory.mktemp("analysis")
    write_analysis(analysis, frames(record), path, "a game")
    return path


def test_a_line_a_decision(folder: Path, analysis: GameAnalysis):
    lines: list[dict[str, Any]] = list(map(json.loads, (folder / "decisions.jsonl").read_text().splitlines()))
    assert len(lines) == len(analysis.decisions)
    keys = "decision event round asked player chances noise taken best gave_away gave_away_noise is_mistake actions"
    for line, decision in zip(lines, analysis.decisions, strict=True):
        assert list(line) == keys.split()
        by_text = {action["action"]: action for action in line["actions"]}
        own = {text: action["chances"][line["player"]] for text, action in by_text.items()}
        assert line["gave_away"] == pytest.approx(max(own.values()) - own[line["taken"]])
        assert own[line["best"]] == max(own.values())
        assert list(line["actions"][0]) == ["action", "words", "chances", "noise", "prior", "vote", "visits"]
        assert line["decision"] == decision.number


def test_the_page_has_the_game_and_its_analysis(folder: Path, analysis: GameAnalysis, record: Record):
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page == report_page(analysis, frames(record), "a game")
    data = data_of(page)
    assert data["analysis"]["winners"] == [record.result["winner"]]
    words = [action["words"] for one in data["analysis"]["decisions"] for action in one["judgement"]["actions"]]
    told = [line for moment in data["reel"]["moments"] for line in (moment["now"], *moment["told"])]
    assert not [text for text in (*words, *told) if re.search(r"player \d(?!’s)|colour \d|[a-z]_[a-z]", text)]
    assert len(data["analysis"]["decisions"]) == len(data["reel"]["pictures"]) - 1
    assert f"Analysed by {QUICK}: 256 play-outs a decision, at least 32 an action." == data["analysis"]["about"]
    assert len(data["analysis"]["notes"]) == 4
    assert "<img" not in page
    assert page.count("<script") == 2
    script = page[page.index('<script type="module">') :]
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)
    names = re.findall(r"^(?:async )?(?:function|class|const|let) ([\w$]+)", script, re.MULTILINE)
    assert len(set(names)) == len(names)


# ---------------------------------------------------------------------- the command


@pytest.fixture
def file(tmp_path: Path, record: Record) -> Path:
    write_records(tmp_path / "game.jsonl", [record])
    return tmp_path / "game.jsonl"


def test_the_command(capsys, file: Path, analysis: GameAnalysis):
    out = file.parent / "out"
    arguments = ["analyse", file, "--agent", QUICK, "--out", out, "--workers", "1"]
    told = printed(capsys, *arguments)
    count = f"{len(analysis.decisions)} decisions"
    assert f"{count}, 256 play-outs a decision, at least 32 an action; 95 % intervals" in told
    assert "largest, points" in told
    assert f"{out / 'report.html'}: the game with its analysis; beside it decisions.jsonl" in told
    lines = (out / "decisions.jsonl").read_text()
    assert [json.loads(line) for line in lines.splitlines()] == [
        json.loads(json.dumps(decision.as_dict())) for decision in analysis.decisions
    ]
    assert "game.jsonl, game 1" in (out / "report.html").read_text(encoding="utf-8")
    printed(capsys, *arguments)
    assert (out / "decisions.jsonl").read_text() == lines


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"--game": "2"}, "there is no game 2; it has 1"),
        ({"--agent": "search:sims=0"}, "sims of agent 'search' is 0; it must be more than 0"),
    ],
)
def test_wrong_input_is_one_line(capsys, file: Path, changed: dict[str, str], says: str):
    options = {"--agent": QUICK, "--out": str(file.parent / "out")} | changed
    assert says in refusal(capsys, "analyse", file, *(word for option in options.items() for word in option))
    assert not (file.parent / "out").exists()


def test_the_games_that_a_player_lost(capsys, tmp_path: Path):
    records = list(record_games(6, ONE_ROUND, seed=3, agents=["a", "b", "b", "c"]))
    file, out = tmp_path / "games.jsonl", tmp_path / "out"
    write_records(file, records)
    lost = [record for record in records if record.result["winner"] not in (1, 2)]
    arguments = ["analyse", file, "--agent", QUICK, "--out", out, "--workers", "1", "--player", "b", "--lost"]
    printed(capsys, *arguments, "--game", "2")
    lines = list(map(json.loads, (out / "decisions.jsonl").read_text().splitlines()))
    own = [event for event in lost[1].events if len(event) == 3 and event[1] in (1, 2)]
    assert [[line["asked"], line["player"], line["taken"]] for line in lines] == own
    assert "games.jsonl, game 2 that b lost" in (out / "report.html").read_text(encoding="utf-8")
    mixed, first = tmp_path / "mixed.jsonl", list(record_games(2, ONE_ROUND, agents=list("aaaa")))
    write_records(mixed, [*first, *records])  # as those of an arena: the player is not in all games
    printed(capsys, *["analyse", mixed, *arguments[2:5], tmp_path / "mixed", *arguments[6:], "--game", "2"])
    assert (tmp_path / "mixed" / "decisions.jsonl").read_text() == (out / "decisions.jsonl").read_text()
    for wrong, says in (
        ([*arguments, "--game", "7"], f"there is no game 7 that b lost; there are {len(lost)}"),
        ([*arguments[:-3], "--player", "d"], "there is no player 'd'; they are 0 ... 3; its agents are a, b, c"),
        ([*arguments[:-3], "--lost"], "lost needs a player; give --player, too"),
    ):
        assert says in refusal(capsys, *wrong)


def test_an_interruption_says_how_to_go_on(capsys, file: Path, monkeypatch):
    def interrupted(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ursuppe_play.analysis.analyse_game", interrupted)
    out = file.parent / "out"
    status, _, err = ursuppe(capsys, "analyse", file, "--agent", QUICK, "--out", out)
    assert status == 130
    assert f"The parts that are done are in {out}; the same command resumes the run." in err


# ---------------------------------------------------------------------- live


@pytest.mark.parametrize("analyst", ANALYSTS)
def test_a_live_analysis_grows_until_it_is_stopped(analyst: str, policy_file: Path):
    games = mid_game(1)
    live = LiveAnalysis(games, analyst_for(analyst.format(policy_file)), seconds=60)
    assert live.judgement is None
    live.start()
    news = live.news(0, timeout=60)
    first = live.judgement
    for _ in range(3):
        news = live.news(news, timeout=60)
    later = live.judgement
    assert sum(a.visits for a in later.actions) > sum(a.visits for a in first.actions)
    assert [a.action for a in later.actions] == texts(games)
    Thread(target=live.stop).start()
    stopped = time.monotonic()
    while not live.is_over:
        news = live.news(news, timeout=1)
    assert time.monotonic() - stopped < 5
    assert live.error is None


def test_a_live_analysis_has_a_limit_on_time():
    games = mid_game(1)
    live = LiveAnalysis(games, analyst_for(QUICK), seconds=0.3, taken=texts(games)[0])
    live.start()
    news = 0
    while not live.is_over:
        news = live.news(news, timeout=30)
    assert live.judgement.taken == 0
    assert live.judgement.gave_away is not None
    assert live.news(news, timeout=30) == news  # at once


def test_what_goes_wrong_in_a_live_analysis_is_told(policy_file: Path):
    three = Games(1, Ruleset(players=3), seed=1)
    live = LiveAnalysis(three, analyst_for(f"policy:{policy_file}"), seconds=5)
    live.start()
    assert live.news(0, timeout=60) == 0
    assert live.is_over
    assert "the policy was trained with 4 players" in str(live.error)


def test_wrong_arguments_of_a_live_analysis():
    analyst = analyst_for(QUICK)
    with pytest.raises(ValueError, match="games has 2 games; an analysis is about one"):
        LiveAnalysis(Games(2), analyst, seconds=1)
    with pytest.raises(ValueError, match="seconds is 0; it must be more than 0"):
        LiveAnalysis(Games(1), analyst, seconds=0)
    over = Games(1, seed=1)
    over.play_random()
    with pytest.raises(ValueError, match="nobody is about to act in that game"):
        LiveAnalysis(over, analyst, seconds=1)
