"""Named tasks: their figures, and checks that find every forgery."""

import gzip
import hashlib
import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from studies.benchmark import LEARNERS, SCRIPTS
from ursuppe_agents.policies.shipped import policy_path
from ursuppe_env import Ruleset
from ursuppe_env.records import read_records
from ursuppe_lab.arena import Tournament, play_tournament
from ursuppe_lab.benchmark import (
    Entry,
    entry_digest,
    read_results,
    run_task,
    shipped_results,
    table_of,
    task_named,
    task_names,
)
from ursuppe_lab.benchmark import task as tasks
from ursuppe_lab.benchmark.results import RECORDS, RESULTS

from support.benchmarks import entry_of, forge_figures, problems_of
from support.command import printed, refusal, ursuppe

ROOT = Path(__file__).parents[2]
SMALL = 'question = "Does it work?"\nplayers = 3\nedition = "1998"\nopponents = ["random", "hunter"]\nseeds = 3\n'
TASKS = {"small3-v1": SMALL, "duel-v9": SMALL.replace("players = 3", "players = 4\nteams = [[0, 2], [1, 3]]")}
MINE = "policy:default"

#: Of each task, and of games of its opponents. Who changes one of them gives the task another name: `ladder4-v2`.
DIGESTS = {
    "duel-v1": ("e7eead372c7f634f", "d806217a9f7951a2"),
    "exploit4-v1": ("8d3577988ba6f937", "3269199dbfa087f2"),
    "ladder3-v1": ("eb947e9ea286297e", "0d197a983acd97b0"),
    "ladder4-v1": ("1f554cb12ec2a837", "8ee7ba9c6b9cdeff"),
    "ladder5-v1": ("7c68e0d12c4f613e", "59bc63b914f62d5d"),
    "ladder6-v1": ("11e482b9b66e637f", "4f50e0fea2175753"),
    "logs4-v1": ("90e623716d7c2d61", "8ee7ba9c6b9cdeff"),
    "rules4-v1": ("cf86db3dbefbd987", "f3a7c991e11e6062"),
    "think4-v1": ("2cef5749973cb9c9", "c829032e583768ce"),
}


def forge_records(folder, change):
    """Change the list of records, and the digest of their file with it."""
    records = [record.to_dict() for record in read_records(folder / RECORDS)]
    changed = change(records) or records
    content = gzip.compress("".join(json.dumps(record) + "\n" for record in changed).encode())
    (folder / RECORDS).write_bytes(content)
    forge_results(folder, records=hashlib.sha256(content).hexdigest())


def forge_results(folder, **changes):
    results = json.loads((folder / RESULTS).read_bytes())
    (folder / RESULTS).write_text(json.dumps(results | changes))


@pytest.mark.parametrize("name", DIGESTS)
def test_a_task_of_the_package_never_changes(name):
    task = task_named(name)
    seats = task.players if task.teams is None else task.sides
    played = task.opponents if task.exploiters is None else (*task.opponents, task.exploiters.search)
    tournament = Tournament(
        lineups=tuple((played * seats)[first : first + seats] for first in range(len(played))),
        num_games=seats,
        ruleset=task.shells["far"][0] if task.shells else Ruleset(players=task.players, edition=task.edition),
        teams=task.teams,
        keeps_actions=True,
    )
    games, _ = play_tournament(tournament, workers=1)
    assert (task.digest, tasks.digest_of(json.dumps(games["actions"].to_list()))) == DIGESTS[name]


def test_every_task_is_pinned():
    assert task_names() == list(DIGESTS)


def test_honest_results_are_right(played):
    assert problems_of(played) == []
    assert problems_of(played, MINE) == []


def wins_in(records, one):
    """Share of the games that this agent wins alone among copies of another one, by the other one."""
    won: dict[str, list[bool]] = {}
    for record in records:
        if record.agents.count(one) == 1:
            [seat] = record.seats_of(one)
            other = next(name for name in record.agents if name != one)
            won.setdefault(other, []).append(seat in record.winners)
    return {other: np.mean(games) for other, games in won.items()}


def test_visit_is_what_it_wins_among_each_opponent_and_host_what_the_best_of_them_wins_among_it(small, played):
    figures, records = read_results(played).figures, list(read_records(played / RECORDS))
    alone = wins_in(records, "mine")
    visited = {opponent: wins_in(records, opponent)["mine"] for opponent in small.opponents}
    assert len(records) == figures["games"] == 2 * 2 * 9
    assert figures["visit"]["estimate"] == pytest.approx(np.mean(list(alone.values())))
    assert figures["host"]["estimate"] == pytest.approx(max(visited.values()) - 1 / 3)
    for pair in figures["pairings"]:
        assert pair["alone"]["estimate"] == pytest.approx(alone[pair["opponent"]])
        assert pair["visited"]["estimate"] == pytest.approx(visited[pair["opponent"]])
    seats = [seat["estimate"] for seat in figures["by_seat"]]
    assert np.mean(seats) == pytest.approx(figures["visit"]["estimate"])


def test_against_itself_an_opponent_wins_its_share(small, tmp_path):
    figures = run_task(small, entry_of(small, "hunter"), tmp_path / "run", workers=1).figures
    [pair] = figures["pairings"]
    assert pair["opponent"] == "random"
    assert figures["visit"]["estimate"] == pytest.approx((pair["alone"]["estimate"] + 1 / 3) / 2)


def test_in_the_duel_both_ways_are_the_same_games(small, tmp_path):
    task = task_named("duel-v9")
    figures = run_task(task, Entry(name="greedy", spec="greedy", digest="0"), tmp_path / "run", workers=1).figures
    assert figures["games"] == 2 * 2 * 3
    for pair in figures["pairings"]:
        assert pair["alone"]["estimate"] == pytest.approx(1 - pair["visited"]["estimate"])


def test_dice_follow_from_task_and_agent_and_those_of_development_are_the_same_for_all(small):
    seeds = {
        (digest, development): small.tournaments(Entry(name="mine", spec="mine", digest=digest), development)[0].seed
        for digest in ("a", "b")
        for development in (False, True)
    }
    assert seeds["a", True] == seeds["b", True]
    assert len(set(seeds.values())) == 3


def test_an_interrupted_run_goes_on_and_gives_the_same_whatever_the_workers(small, played, tmp_path):
    def interrupt(over):
        if over >= 6:
            raise KeyboardInterrupt

    again, entry = tmp_path / "again", entry_of(small, MINE, "mine")
    with pytest.raises(KeyboardInterrupt):
        run_task(small, entry, again, workers=1, on_progress=interrupt)
    run_task(small, entry, again, workers=2)
    assert (again / RECORDS).read_bytes() == (played / RECORDS).read_bytes()


def lost_game(records, agent="mine"):
    return next(record for record in records if agent in record["agents"] and won_by(record) != agent)


def won_by(record):
    return record["agents"][record["result"]["winner"]]


def changed_result(records):
    record = lost_game(records)
    record["result"]["winner"] = record["agents"].index("mine")


def another_opponent(records):
    for record in records:
        record["agents"] = ["mine" if name == "mine" else "random" for name in record["agents"]]


def a_weaker_move_of_an_opponent(records):
    for record in records:
        for event in record["events"]:
            if event[0] == "buy" and record["agents"][event[1]] == "hunter" and event[2] != "pass":
                event[2] = "pass"
                return


def other_dice(records):
    event = next(event for event in records[0]["events"] if event[0] in ("die", "dice"))
    event[1] = 1 + event[1] % 6 if isinstance(event[1], int) else [1 + value % 6 for value in event[1]]


def dropped_game(records):
    records.remove(lost_game(records))


def doubled_game(records):
    won = next(index for index, record in enumerate(records) if won_by(record) == "mine")
    records[records.index(lost_game(records))] = records[won]


def another_number_of_players(records):
    """With six there are actions that four have not."""
    event = next(event for event in records[2]["events"] if len(event) == 3)
    event[1:] = [2, "attack 2.7"]


def cut_game(records):
    records[3]["events"] = records[3]["events"][:-5]


@pytest.mark.parametrize(
    ("forge", "found"),
    [
        (changed_result, "the result is"),
        (another_opponent, "the agents are"),
        (a_weaker_move_of_an_opponent, "and the record says"),
        (other_dice, "the dice of the task give"),
        (dropped_game, "there are 35 games; the task has 36"),
        (doubled_game, "game "),
        (cut_game, "is missing"),
        (another_number_of_players, "is not legal"),
    ],
)
def test_a_forged_record_is_found_and_named(played, forge, found):
    forge_records(played, forge)
    problems = problems_of(played)
    assert any(found in problem for problem in problems), problems
    assert not any("crashed" in problem for problem in problems), problems


def test_an_edited_file_of_records_an_edited_figure_and_other_dice_of_the_report_are_found(played):
    honest = json.loads((played / RESULTS).read_bytes())
    forge_figures(played, visit={**honest["figures"]["visit"], "estimate": 0.99})
    [problem] = problems_of(played)
    assert problem.startswith("figures: visit.estimate is 0.99; the games give ")
    rounded = {name: end and float(np.nextafter(end, 1)) for name, end in honest["figures"]["visit"].items()}
    forge_figures(played, visit=rounded)  # by a processor that adds up in another order
    assert problems_of(played) == []
    forge_results(played, **(honest | {"records": "0" * 64}))
    assert "its digest differs" in problems_of(played)[0]
    forge_results(played, **(honest | {"entry": honest["entry"] | {"digest": "chosen"}}))
    assert problems_of(played)
    forge_results(played, **(honest | {"task_digest": "0"}))
    with pytest.raises(ValueError, match="task_digest is '0'"):
        problems_of(played)


def test_moves_that_the_agent_does_not_make_are_found_where_it_is_at_hand(small, tmp_path):
    folder = tmp_path / "run"
    false = Entry(name="mine", spec="greedy", digest=entry_digest("hunter", 3))
    run_task(small, false, folder, workers=1)
    assert problems_of(folder) == []  # nobody has the agent
    assert any("hunter" in problem or "mine takes" in problem for problem in problems_of(folder, "hunter"))


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"format": "ursuppe-benchmark/2"}'])
def test_what_is_no_file_of_results_is_refused_in_one_line(played, content):
    (played / RESULTS).write_text(content)
    with pytest.raises(ValueError, match=r"results\.json: ") as refused:
        problems_of(played)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("figures", [{}, {"visit": 5}, {"visit": {"estimate": "much", "low": None, "high": None}}])
def test_figures_that_are_none_are_refused_in_one_line(played, figures):
    honest = json.loads((played / RESULTS).read_bytes())["figures"]
    forge_results(played, figures=honest | figures if figures else {})
    with pytest.raises(ValueError, match=r"results\.json: figures are not those of a task: ") as refused:
        problems_of(played)
    assert "\n" not in str(refused.value)


def test_the_name_of_an_opponent_is_its_own(small, tmp_path):
    with pytest.raises(ValueError, match="name is 'hunter', which is an opponent"):
        run_task(small, entry_of(small, "greedy", "hunter"), tmp_path / "run")
    run_task(small, Entry(name="hunter", spec="hunter", digest=entry_digest("greedy", 3)), tmp_path / "run", workers=1)
    [problem] = problems_of(tmp_path / "run")
    assert problem.startswith("the agent hunter has the digest")


def test_another_agent_against_each_opponent_enters_only_tasks_that_have_exploiters(small, tmp_path):
    with pytest.raises(ValueError, match="one for each opponent; small3-v1 takes the same for all"):
        run_task(small, Entry(name="mine", spec="{opponent}", digest="0"), tmp_path / "run")


def test_the_digest_of_an_agent_follows_its_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bot = tmp_path / "benchmark_bot.py"
    code = "from ursuppe_agents.simple_agent import RandomAgent\n\n\nclass Bot(RandomAgent):\n    pass\n"
    bot.write_text(code)
    first = entry_digest("benchmark_bot:Bot", 3)
    bot.write_text(code + "# better\n")
    assert entry_digest("benchmark_bot:Bot", 3) != first
    guided = "from ursuppe_agents import make_agent\n" + code.replace(
        "pass", "evaluator = make_agent('policy:default', 0)"
    )
    bot.write_text(guided)
    first = entry_digest("benchmark_bot:Bot", 3)
    bot.write_text(guided + "# better\n")
    assert entry_digest("benchmark_bot:Bot", 3) != first
    takes_name = "    def __init__(self, rng, *, model: str = ''):\n        super().__init__(rng)"
    (tmp_path / "benchmark_llm.py").write_text(code.replace("    pass", takes_name))
    assert len({entry_digest(f"benchmark_llm:Bot{of}", 3) for of in ("", ":model=gpt-4o", ":model=gpt-5")}) == 3
    assert entry_digest("search:sims=4", 3) != entry_digest("search:sims=8", 3)
    expecting, digests = 'search:sims=4,others="policy:other.zip,deterministic=true"', set()
    for number in (3, 4):
        (tmp_path / "other.zip").write_bytes(policy_path("default", number).read_bytes())
        digests.add(entry_digest(expecting, 3))
    assert len(digests) == 2
    assert entry_digest("policy:default", 3) != entry_digest("policy:default", 4)


def test_commands_play_check_and_show(small, tmp_path, capsys):
    benchmark = partial(printed, capsys, "benchmark")
    folder = tmp_path / "run"
    assert "mine" in benchmark("run", small.name, "greedy", "--out", folder, "--name", "mine", "--workers", "1")
    assert (folder / "row.md").read_text().startswith("| `mine` |")
    assert "<h1>mine in small3-v1</h1>" in (folder / "report.html").read_text()
    told = benchmark("verify", folder, "--agent", "greedy", "--workers", "1")
    assert "all is right: 36 games played again" in told
    assert "mine" in benchmark("table", small.name, folder)
    assert small.name in benchmark("tasks")
    forge_records(folder, changed_result)
    status, told, _ = ursuppe(capsys, "benchmark", "verify", folder, "--workers", "1")
    assert (status, "the result is" in told) == (1, True)
    wrong = refusal(capsys, "benchmark", "run", "ladder4-v9", "greedy", "--out", folder)
    assert "task is 'ladder4-v9'; it must be one of" in wrong


def test_runs_of_an_algorithm_are_one_line_with_their_mean_and_of_five_the_lowest_and_highest(small, played):
    one = read_results(played)

    def run_of(seed, visit, name="mine"):
        entry = one.entry.model_copy(update={"name": name, "digest": f"{seed}", "training_seed": seed, "learned": 900})
        share = {"estimate": visit, "low": visit - 0.01, "high": visit + 0.01}
        changed = {"entry": entry, "figures": one.figures | {"visit": share}, "development": name == "early"}
        return one.model_copy(update=changed)

    mine = [run_of(seed, visit) for seed, visit in enumerate((0.5, 0.6, 0.7, 0.6, 0.8))]
    rows = table_of(small, [*mine, run_of(7, 0.9, "other"), run_of(8, 0.1, "two"), run_of(9, 0.3, "two"), one])
    rows = {(row.name, row.learned): row for row in rows}
    assert set(rows) == {("mine", "5 × 900"), ("other", "900"), ("two", "2 × 900"), ("mine", "–")}
    assert rows["mine", "5 × 900"].visit == pytest.approx((0.64, 0.5, 0.8))
    assert "| `mine` | 5 × 900 | 64.0 (50.0 to 80.0) |" in rows["mine", "5 × 900"].in_markdown()
    assert rows["other", "900"].visit == pytest.approx((0.9, 0.89, 0.91))
    assert rows["two", "2 × 900"].visit == (0.2, None, None)
    early, late = run_of(1, 0.5, "early"), run_of(2, 0.5, "late")
    renamed = early.model_copy(update={"entry": early.entry.model_copy(update={"name": "late"})})
    assert {row.name for row in table_of(small, [renamed, late])} == {"late (development)", "late"}


@pytest.mark.parametrize(
    ("task", "changes", "says"),
    [
        ("ladder4-v1", {"task": "ladder3-v1"}, "this is the table of ladder4-v1"),
        ("ladder4-v1", {"task_digest": "0"}, "results of another version of ladder4-v1"),
        ("rules4-v1", {"shells": {"near": None}}, "figures of other shells or sets"),
        ("logs4-v1", {"brier": {"mine": None}}, "figures of other shells or sets"),
    ],
)
def test_no_table_has_what_is_of_another_task_or_version(task, changes, says):
    one = next(one for one in shipped_results(task_named(task)) if one.found.brier or task != "logs4-v1")
    for name, value in changes.items():
        if name in one.figures:
            value = one.figures | {name: dict.fromkeys(value, one.figures["visit"])}
            name = "figures"
        one = one.model_copy(update={name: value})
    with pytest.raises(ValueError, match=says):
        table_of(task_named(task), [one])


@pytest.mark.parametrize("task", LEARNERS)
def test_the_rows_of_training_scripts_are_those_of_the_policies_that_ship(task, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(ROOT / SCRIPTS)
    entries = [results.entry for results in shipped_results(task_named(task))]
    shipped = [entry for entry in entries if entry.training_seed is not None]
    assert shipped == [learner.entry(seed, task_named(task)) for learner in LEARNERS[task] for seed in learner.seeds]


def test_every_task_has_a_table_of_the_package_in_order():
    for name in task_names():
        task = task_named(name)
        rows = table_of(task)
        itself = "policy:duel" if task.teams else "policy:default"
        expected = {*task.opponents, itself} if len(task.opponents) > 1 else {f"{itself} (itself)", "random"}
        if task.logs is not None or task.exploiters is not None:
            expected = {"random", itself}
        assert expected <= {row.name for row in rows}
        shells = [f"{shell}, %" for shell in task.shells]
        assert all([name for name in row.more if name.endswith(", %")] == shells for row in rows)
        visits = [row.visit.estimate for row in rows]
        assert visits == sorted(visits, reverse=True)


def test_a_training_seed_of_the_package_that_is_played_again_stays_in_its_line():
    ladder = task_named("ladder4-v1")
    [seed, *_] = [one for one in shipped_results(ladder) if one.entry.name == "ppo.py"]
    assert [row.learned for row in table_of(ladder, [seed]) if row.name == "ppo.py"] == ["5 × 10,000,000", "10,000,000"]
