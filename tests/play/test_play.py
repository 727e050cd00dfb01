"""``ursuppe play``: a person against agents, without a terminal and through one."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ursuppe_agents import Agent, agent_names, make_agent
from ursuppe_agents.agent import Fault
from ursuppe_env import Games, Ruleset
from ursuppe_env.records import check, read_records, record_games, write_records
from ursuppe_env.teams import DUEL, Teams
from ursuppe_play import hints
from ursuppe_play.hints import advised_action
from ursuppe_play.names import Names
from ursuppe_play.session import Session, game_at, new_game, replayed
from ursuppe_play.terminal import Terminal as TerminalOfGame

from support.command import printed, refusal
from support.decisive import DECISIVE
from support.terminal import Terminal

# ---------------------------------------------------------------------- the session


def session(seed: int = 1, players: int = 3, seat: int = 0, **arguments) -> Session:
    games = arguments.pop("games", None) or new_game(Ruleset(players=players), seed)
    agents = [None if player == seat else make_agent("random", player) for player in range(players)]
    names = ["person" if player == seat else "random" for player in range(players)]
    return Session(games, agents, names, **arguments)


def play_on(game: Session, seed: int, decisions: int | None = None) -> None:
    """The person takes random actions, so many or to the end."""
    rng = np.random.default_rng(seed)
    game.go_on()
    while not game.is_over and decisions != 0:
        choices = game.choices()
        assert len(choices) == game.games.legal()[0].sum()
        game.choose(choices[rng.integers(len(choices))].action)
        game.go_on()
        decisions = None if decisions is None else decisions - 1


@pytest.mark.parametrize(("players", "seat"), [(3, 0), (4, 3), (5, 2), (6, 4)])
def test_a_whole_game_is_recorded(players: int, seat: int):
    game = session(seed=players, players=players, seat=seat)
    play_on(game, seed=1)
    record = game.record()
    assert record.is_finished
    assert check(record) is None
    assert record.agents[seat] == "person"


def test_news_tell_what_has_happened_since_the_last_own_decision():
    game = session(seed=4)
    game.go_on()
    assert game.news[0].startswith("environment card: ")
    assert game.news[1].startswith("the start order is player ")
    game.choose(game.choices()[0].action)
    game.go_on()
    assert game.news == ["you: take start place 1", "player 1 takes start place 3"]


def test_own_decisions_are_taken_back_one_by_one_and_can_be_taken_again():
    game = session(seed=1)
    game.go_on()
    with pytest.raises(ValueError, match="there is nothing to take again: no decision has been taken back"):
        game.redo()
    moments = []
    while "amoeba 2" not in [choice.action for choice in game.choices()]:  # a space was chosen just before
        if not game.can_undo:
            moments.clear()
        moments.append((game.games.state.copy(), game.news, game.record()))
        game.choose(game.choices()[0].action)
        game.go_on()
    assert moments
    last = game.record()
    for state, news, record in reversed(moments):
        assert game.can_undo
        game.undo()
        assert (game.games.state == state).all()
        assert game.news == news
        assert game.record() == record
    assert not game.can_undo
    with pytest.raises(ValueError, match="nothing to take back: another player or chance has decided since"):
        game.undo()
    for _ in moments:
        assert game.can_redo
        game.redo()
        game.go_on()
    assert game.record() == last
    assert not game.can_redo
    game.undo()
    game.choose(game.choices()[-1].action)
    assert not game.can_redo
    play_on(game, seed=2)
    assert check(game.record()) is None


def test_undo_never_reaches_over_a_die_a_card_or_another_player():
    """What was decided by others or by chance stays in the record."""
    game, rng = session(seed=8), np.random.default_rng(8)
    game.go_on()
    taken_back = 0
    while not game.is_over:
        before = game.record().events
        if game.can_undo and rng.random() < 0.5:
            game.undo()
            taken_back += 1
            lost = before[len(game.record().events) :]
            assert len(lost) == 1
            assert lost[0][1] == 0
            assert len(lost[0]) == 3
        else:
            game.choose(game.choices()[rng.integers(len(game.choices()))].action)
            game.go_on()
    assert taken_back > 10
    assert check(game.record()) is None


def test_persons_take_back_only_what_nobody_has_answered():
    """Two persons decide one after the other; each takes the own decision back, in the order in which they came."""
    game = Session(
        new_game(Ruleset(players=3), 2), [None, None, make_agent("random", 0)], ["person", "person", "random"]
    )
    rng, seen = np.random.default_rng(2), set()
    game.go_on()
    while not game.is_over and len(seen) < 2:
        before = int(game.games.player[0])
        game.choose(game.choices()[rng.integers(len(game.choices()))].action)
        game.go_on()
        if game.is_asked and game.can_undo:
            seen.add(int(game.games.player[0]) == before)
            assert game.undo_seats == (before,)
            record = game.record()
            game.undo()
            assert int(game.games.player[0]) == before
            game.redo()
            game.go_on()
            assert game.record() == record
    assert seen == {True, False}


def test_an_agent_finishes_what_a_person_has_begun():
    game = session(seed=3)
    play_on(game, seed=1, decisions=5)
    game.take_seat(0, make_agent("random", 5), "random")
    assert game.seats == ()
    game.go_on()
    assert game.is_over
    assert game.record().agents == ["random"] * 3
    assert check(game.record()) is None
    game = session(seed=3)
    game.take_seat(1, None, "person")
    assert game.seats == (0, 1)


def test_only_what_is_possible_can_be_chosen():
    game = session()
    assert game.choices() == []  # a card is to be turned up
    with pytest.raises(ValueError, match="'drift' cannot be chosen; possible are: none now"):
        game.choose("drift")
    game.go_on()
    before = game.games.state.copy()
    with pytest.raises(ValueError, match="'fly' cannot be chosen; possible are: start 1"):
        game.choose("fly")
    assert (game.games.state == before).all()
    assert not game.can_undo


def test_everybody_has_one_seat():
    agent = make_agent("random", 1)
    with pytest.raises(ValueError, match="agents has 2 entries; it must have 3, one a seat"):
        Session(new_game(Ruleset(players=3), 1), [None, agent], ["person", "a", "b"])
    with pytest.raises(ValueError, match="names has 1 entry; it must have 3, one a seat"):
        Session(new_game(Ruleset(players=3), 1), [None, agent, agent], ["person"])
    with pytest.raises(ValueError, match="games has 2 games"):
        Session(Games(2, Ruleset(players=3)), [None, agent, agent], ["person", "a", "b"])


def test_a_game_goes_on_from_its_record_with_the_same_dice():
    whole, part = session(seed=6), session(seed=6)
    play_on(whole, seed=1)
    play_on(part, seed=1, decisions=25)
    assert check(part.record()) is None
    games, happenings = replayed(part.record())
    assert (games.state == part.games.state).all()
    again = session(games=games, happenings=happenings)
    assert again.news == part.news
    play_on(again, seed=2)
    assert check(again.record()) is None
    assert again.record().events[: len(part.record().events)] == part.record().events


def test_a_record_with_other_dice_goes_on_with_these():
    part = session(seed=6)
    play_on(part, seed=1, decisions=10)
    record = part.record()
    of_another_seed, _ = replayed(type(record)(**{**record.__dict__, "seed": 7}))
    for name in ("food", "amoeba_space", "bp", "legal", "drawn"):
        assert (of_another_seed.state[name] == part.games.state[name]).all()


def test_all_that_happened_is_told_again_from_a_record():
    game = session(seed=11)
    play_on(game, seed=1)
    games, happenings = replayed(game.record())
    assert games.finished[0]
    assert [happening.told((0,)) for happening in happenings] == [one.told((0,)) for one in game.happenings]
    assert ["round 2 begins"] in [happening.told()[:1] for happening in happenings]


def test_a_game_from_a_position_is_recorded_with_it():
    games = Games(1, Ruleset(players=3), seed=5)
    games.play_random(70)
    position = games.to_dict(0)
    game = session(games=game_at(position), position=position)
    play_on(game, seed=3, decisions=12)
    assert check(game.record()) is None
    assert (replayed(game.record())[0].state == game.games.state).all()
    play_on(game, seed=4)
    assert check(game.record()) is None


def test_agents_get_games_that_do_not_stop_at_chance():
    """So an agent may play copies of them on."""

    class Curious:
        def act(self, games: Games, rows: np.ndarray) -> np.ndarray:
            trial = games.copy(reseed=1)
            while not trial.finished[0]:
                assert trial.player[0] >= 0
                trial.step_random()
            return games.copy().step_random()

    game = Session(new_game(Ruleset(players=3), 1), [None, Curious(), Curious()], ["person", "a", "b"])
    play_on(game, seed=1, decisions=6)


def duel(seed: int) -> Session:
    """The person has two colours, and so has the agent."""
    agent = make_agent("random", seed)
    names = ["person", "random"] * 2
    return Session(new_game(Ruleset(players=4), seed), [None, agent] * 2, names, teams=Teams(DUEL))


@pytest.fixture
def at_once(monkeypatch):
    """Hints rest on so many play-outs of each action, however long they take: the same position gets the same one."""
    monkeypatch.setattr(hints, "SECONDS", 0)
    monkeypatch.setattr(hints, "_FIRST_DRAWS", 32)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("begun", [session, duel])
def test_a_hint_is_a_choice_and_changes_nothing(begun):
    game = begun(seed=5)
    with pytest.raises(ValueError, match="there is nothing to decide now"):
        game.hint()
    game.go_on()
    for _ in range(4):
        state, record = game.games.state.copy(), game.record()
        hint = game.hint()
        assert (game.games.state == state).all()
        assert game.record() == record
        assert hint == game.standing_still().hint()
        game.choose(hint.action)
        game.go_on()
    assert check(game.record()) is None


class Sure:
    """An evaluator that is nearly sure of one action where one player decides, and draws evenly elsewhere."""

    def __init__(self, player: int, action: int) -> None:
        self.player, self.action = player, action

    def priors(self, games, rows):
        legal = games.copy(rows).legal().astype(np.float64)
        legal[(games.player[rows] == self.player) & (legal[:, self.action] > 0), self.action] = 999
        return legal / legal.sum(axis=1, keepdims=True)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("name", DECISIVE)
def test_a_hint_is_not_the_blunder_of_which_the_policy_is_sure(name: str):
    game, wanted = DECISIVE[name]()
    games, player = game.games, int(game.games.player[0])
    by_text = {games.actions.text(int(id), player): int(id) for id in np.flatnonzero(games.legal()[0])}
    blunder = next(id for text, id in by_text.items() if not text.startswith(wanted))
    advised = advised_action(Sure(player, blunder), games)
    assert games.actions.text(advised, player).startswith(wanted)


@pytest.mark.usefixtures("at_once")
def test_a_hint_is_the_likeliest_action_where_play_outs_show_no_better_one():
    games = session(seed=5)
    games.go_on()
    shown = games.shown_to_agents()
    for action in np.flatnonzero(shown.legal()[0])[:3]:
        assert advised_action(Sure(-1, 0), shown) == advised_action(Sure(-1, 0), shown)
        assert advised_action(Sure(0, int(action)), shown) == action


def test_a_hint_takes_half_a_second():
    games = session(seed=5)
    games.go_on()
    games.hint()  # what is not yet compiled or read
    began = time.monotonic()
    assert games.hint()
    assert 0.1 < time.monotonic() - began < 5  # half a second where nothing else runs


# ---------------------------------------------------------------------- the command line


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--seat", "4"], "seat is 4; it must be 0 ... 3"),
        (["--agents", "random,random"], "agents names 2 agents; it must name 1 for all other seats, or 3"),
        (["--teams", "0+2,1+3", "--agents", "random,random"], "it must name 1 for all other teams, or 1, one for each"),
        (["--teams", "0+2,1+3", "--seat", "4"], "seat is 4; it must be 0 ... 3"),
        (["--score", "best"], "there are no teams"),
        (["--seed", "-1"], "seed is -1; it must be"),
        (["--record", "there.jsonl"], "there.jsonl exists already; give another name, or resume it with --continue"),
        (["--record", "nowhere/game.jsonl"], "there is no folder nowhere"),
        (["--continue", "nowhere.jsonl"], "nowhere.jsonl: No such file"),
        (["--continue", "finished.jsonl"], "finished.jsonl: the game is over"),
        (["--continue", "two.jsonl"], "two.jsonl has several games; to go on it must have one"),
        (["--continue", "finished.jsonl", "--players", "3"], "--players cannot be given with --continue"),
        (["--continue", "finished.jsonl", "--position", "p.json"], "--position cannot be given with --continue"),
        (["--continue", "finished.jsonl", "--teams", "0+2,1+3"], "--teams cannot be given with --continue"),
        (["--continue", "evil.jsonl"], "evil.jsonl: agent 'evil:Bot' runs code of its own; name the agents with"),
        (["--continue", "program.jsonl"], "agent 'process:touch sprung' runs code of its own; name the agents with"),
        (["--continue", "shared.jsonl"], "shared.jsonl: another seat is a person's, too; say with --agents who plays"),
        (["--position", "nowhere.json"], "nowhere.json: No such file"),
        (["--position", "there.jsonl"], "there.jsonl: not JSON"),
        (["--position", "impossible.json"], "impossible.json: the markers of players 0 and 1 both stand on place 2"),
        (["--position", "over.json"], "over.json: the game is over"),
        (["--position", "deep.json"], "deep.json: nested too deeply"),
        (["--position", "long.json"], "long.json: longer than 4,000,000 bytes; no position is so long"),
        (["--position", "over.json", "--seed", "1"], "--seed cannot be given with --position"),
    ],
)
def test_wrong_options_are_one_line_and_status_2(capsys, tmp_path, monkeypatch, arguments: list[str], says: str):
    monkeypatch.chdir(tmp_path)
    Path("there.jsonl").write_text("")
    write_records("finished.jsonl", record_games(1, Ruleset()))
    write_records("two.jsonl", record_games(2, Ruleset()))
    Path("impossible.json").write_text('{"decision": "buy", "player": 0, "markers": [2, 2, 3, 4]}')
    Path("deep.json").write_text('{"bp": ' + "[" * 900 + "]" * 900 + "}")
    Path("long.json").write_text(" " * 4_000_001)
    agents = [None, make_agent("random", 0), make_agent("random", 0)]
    specs = {"evil": "evil:Bot", "program": "process:touch sprung", "shared": "person"}
    for name, spec in specs.items():
        begun = Session(new_game(Ruleset(players=3), 1), agents, ["person", spec, "random"])
        write_records(f"{name}.jsonl", [begun.record()])
    Path("evil.py").write_text("from pathlib import Path\nPath('sprung').touch()\n")
    Path("over.json").write_text('{"finished": true, "markers": [50, 2, 3, 4]}')
    files = sorted(Path().iterdir())
    if "--agents" not in arguments and not {f"{name}.jsonl" for name in specs} & set(arguments):
        arguments = [*arguments, "--agents", "random"]
    assert says in refusal(capsys, "play", *arguments)
    assert sorted(Path().iterdir()) == files


def test_an_agent_that_fails_ends_the_play(monkeypatch):
    class Fails(Agent):
        def act(self, games, rows):
            raise Fault(int(rows[0]), "gave up")

    fails = Fails(np.random.default_rng(0))
    game = Session(new_game(Ruleset(players=3), 0), [None, fails, fails], ["person", "a", "b"])
    game.go_on()  # the person is asked first
    monkeypatch.setattr("rich.console.Console.input", lambda *_: "1")
    with pytest.raises(Fault, match="gave up"):
        TerminalOfGame(game, None).play()


def test_play_explains_itself(capsys):
    told = printed(capsys, "play", "--help")
    assert "--continue" in told
    assert any(f"[default: ({name})]" in told for name in agent_names())


# ---------------------------------------------------------------------- at the terminal


class Person(Terminal):
    """Reads what ``ursuppe play`` shows, and types."""

    def look(self) -> str:
        """What comes up to a prompt, or to the end of the program."""
        return self.read(r"action \[.*:\s*$")

    def type(self, line: str) -> str:
        self.press(f"{line}\n")
        return self.look()

    def interrupt(self) -> str:
        """Ctrl-C, again after a while if it came in the moment before the program listens."""
        shown = ""
        for _ in range(10):
            self.press("\x03")
            shown += self.read(None, seconds=5)
            if self.process.poll() is not None:
                break
        return shown


@pytest.fixture
def sit_down(tmp_path: Path) -> Iterator:
    people = []

    def sit(*arguments: str, **size: int) -> Person:
        people.append(Person("play", *arguments, folder=tmp_path, **size))
        return people[-1]

    yield sit
    for person in people:
        person.close()


def highest(shown: str) -> int:
    return int(re.findall(r"action \[1-(\d+)", shown)[-1])


def test_a_whole_game_with_all_that_can_be_typed(sit_down, tmp_path: Path):
    person = sit_down("--players", "3", "--agents", "random", "--seed", "1", "--record", "game.jsonl")
    shown = person.look()
    assert "Ursuppe, seed 1." in shown
    assert "score track" in shown
    assert "Since your last decision:" in shown
    assert "1  take start place 2" in shown
    assert "'99' is no action and no command; give a number from 1 to" in person.type("99")
    assert "is no action and no command" in person.type("0")
    assert "is no action and no command" in person.type("fly away")
    assert "is no action and no command" in person.type("")
    assert "there is nothing to take back" in person.type("undo")
    assert "take this action; its name" in person.type("help")
    assert "score track" in person.type("board")
    assert "the start order is" in person.type("news")
    assert re.search(r"hint: \d: take start place \d", person.type("hint"))
    assert "struggle_for_survival" in person.type("genes")
    assert "a second step for the same price" in person.type("help speed")
    assert "there is no gene 'wings'" in person.type("help wings")
    assert "save needs the name of a file" in person.type("save")
    assert "must end in .jsonl or .jsonl.gz" in person.type("save game.txt")
    assert "exists already" in person.type("save game.jsonl")
    assert "saved: copy.jsonl.gz" in person.type("save copy.jsonl.gz")
    shown = person.type("1")
    undone = 0
    for decision in range(30):
        shown = person.type("pass" if re.search(r" (buy|divide) no", shown) and decision % 2 else "1")
        if "you: it is amoeba" in shown and undone < 2:
            undone += 1
            assert "you: it is amoeba" not in person.type("u")
            shown = person.type("2")
    assert undone == 2
    assert "saved: game.jsonl; resume with: ursuppe play --continue game.jsonl" in person.type("q")
    assert person.status() == 0
    (unfinished,) = read_records(tmp_path / "game.jsonl")
    (copy,) = read_records(tmp_path / "copy.jsonl.gz")
    assert check(unfinished) is None
    assert check(copy) is None
    assert not unfinished.is_finished
    assert unfinished.events[: len(copy.events)] == copy.events
    assert unfinished.agents == ["person", "random", "random"]

    person = sit_down("--continue", "game.jsonl")
    shown = person.look()
    while person.process.poll() is None and "action [" in shown:
        shown = person.type(str(highest(shown)))
    assert "game over" in shown
    assert re.search(r"1\. player \d( \(you\))?, place \d+", shown)
    assert "saved: game.jsonl" in shown
    assert person.status() == 0
    (finished,) = read_records(tmp_path / "game.jsonl")
    assert finished.is_finished
    assert check(finished) is None
    assert finished.events[: len(unfinished.events)] == unfinished.events
    assert sorted(file.name for file in tmp_path.iterdir()) == ["copy.jsonl.gz", "game.jsonl"]


def test_ctrl_d_and_ctrl_c_leave_a_record(sit_down, tmp_path: Path):
    person = sit_down("--agents", "random", "--seed", "2", "--seat", "3", "--record", "d.jsonl")
    assert "You are player 3" in person.look()
    person.press("\x04")
    assert "saved: d.jsonl" in person.read(None)
    assert person.status() == 0
    person = sit_down("--continue", "d.jsonl", "--record", "c.jsonl")
    assert "You are player 3" in person.look()
    person.type("1")
    shown = person.interrupt()
    assert "saved: c.jsonl" in shown
    assert "Traceback" not in shown
    assert person.status() == 130
    records = [next(read_records(tmp_path / name)) for name in ("d.jsonl", "c.jsonl")]
    assert [check(record) for record in records] == [None, None]
    assert len(records[1].events) > len(records[0].events)


def test_from_a_position_without_a_file(sit_down, tmp_path: Path):
    position = {"players": 3, "round": 3, "card": ["north", 9], "player": 0, "bp": [9, 9, 9]}
    position |= {"amoebas": [[[1, 13, 0]], [[3, 13, 1]], [[1, 13, 0]]]}
    position |= {"decision": "buy", "genes": [{"speed": 1}, {}, {}]}
    (tmp_path / "position.json").write_text(json.dumps(position))
    person = sit_down("--position", "position.json", "--agents", "random")
    shown = person.look()
    assert "You are player 0 – buy: which gene to buy" in shown
    assert "buy endurance (4 BP, 4 MP), giving up speed" in shown
    assert "player_0 " in person.type("buy endurance")
    shown = person.type("q")
    assert "not saved; with --record FILE the game is written as it is played" in shown
    assert person.status() == 0


def test_without_a_terminal_lines_are_read_too(tmp_path: Path):
    options = ["--agents", "random", "--seed", "1", "--record", "game.jsonl"]
    command = [sys.executable, "-m", "ursuppe_env", "play", *options]
    done = subprocess.run(command, cwd=tmp_path, input="1\n", capture_output=True, text=True)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "you: take start place" in done.stdout
    assert check(next(read_records(tmp_path / "game.jsonl"))) is None


def lines_needed(shown: str, columns: int) -> int:
    """How many lines of the terminal the last board, the question and the prompt take."""
    screen = shown.replace("\r", "")
    board = screen[screen.rindex("\n                 1") + 1 :]  # space 1 is in the second column, alone
    return sum(max(1, -(-len(line) // columns)) for line in board.split("\n"))


def test_all_that_is_asked_fits_into_80_columns_and_24_lines(sit_down):
    arguments = ["--players", "6", "--agents", "random", "--seed", "3", "--record", "game.jsonl"]
    person = sit_down(*arguments, columns=80, lines=24)
    shown = person.look()
    asked = []
    for decision in range(40):
        assert lines_needed(shown, 80) <= 24, shown
        board = shown[shown.rindex("                 1") :]
        assert max(map(len, board.splitlines())) <= 80
        asked += re.findall(r"You are player 0 – (\w+)", shown)
        shown = person.type("1" if decision % 3 else str(highest(shown)))
    assert {"move", "buy", "divide"} <= set(asked)
    for command in ("genes", "help"):
        assert max(map(len, person.type(command).splitlines())) <= 80
    person.type("q")


def test_more_actions_than_fit_are_listed_on_demand(sit_down, tmp_path: Path):
    position = {"players": 6, "round": 3, "card": ["none", 14], "player": 0, "decision": "meal"}
    position |= {
        "amoebas": [[[1, 13, 0]], [], [], [], [], []],
        "food": {"13": [0, 9, 9, 9, 9, 9]},
        "genes": [{"substitution": 1}, {}, {}, {}, {}, {}],
    }
    (tmp_path / "position.json").write_text(json.dumps(position))
    person = sit_down("--position", "position.json", "--agents", "random", columns=80, lines=24)
    shown = person.look()
    count = highest(shown)
    assert lines_needed(shown, 80) == 24
    assert f"... {count} in all; l lists them" in shown
    listed = person.type("l")
    assert [int(number) for number in re.findall(r"(\d+)  eat ", listed)] == list(range(1, count + 1))


def test_a_terminal_that_is_too_small_says_what_is_needed(sit_down):
    person = sit_down("--agents", "random", columns=79, lines=20)
    shown = person.look()
    assert "The board needs 80 columns and 24 lines; this terminal has 79 and 20. Make it larger, and type b." in shown
    assert "player place" not in shown
    assert "You are player 0" in shown


def test_people_of_one_name_are_told_apart():
    assert Names(["Ann", "Bea", "Eve"]).players == ["Ann", "Bea", "Eve"]
    assert Names(["Ann", "Bea", "Ann"]).players == ["Ann 0", "Bea", "Ann 2"]
    assert Names(["Ann", "Ann", "Ann 1"]).players == ["Ann 0", "Ann 1", "Ann 1 2"]
