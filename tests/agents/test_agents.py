"""The agent interface, and agents by their specs."""

import gzip
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from pettingzoo import AECEnv

from ursuppe_agents import Agent, SimpleAgent, agent_names, make_agent
from ursuppe_agents.agent import Fault
from ursuppe_agents.registry import agent_spec, foreign_code, registered, split_specs
from ursuppe_env import Games, Ruleset, ursuppe_v0
from ursuppe_env.cli import run
from ursuppe_env.records import read_records, record_games
from ursuppe_lab.recording import Recording, write_recording

from support.bots import play_out


class Fussy(Agent):
    """An agent with a parameter of each type; it takes the legal action of the highest id."""

    deterministic = True

    def __init__(
        self,
        generator: np.random.Generator,
        *,
        depth: int = 3,
        weight: float = 0.5,
        name: str = "x",
        brave: bool = False,
        limit: int | None = None,
    ) -> None:
        super().__init__(generator)
        if name == "nobody":
            raise ValueError("nobody cannot play")
        self.parameters = (depth, weight, name, brave, limit)

    def act(self, games, rows):
        masks = games.copy(rows).legal()
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


class Needy(Fussy):
    def __init__(self, generator: np.random.Generator, *, model: str, depth=0) -> None:
        super().__init__(generator, name=model, depth=1 // depth)


class Positional(Fussy):
    def __init__(self, generator: np.random.Generator, depth: int = 3) -> None:
        super().__init__(generator, depth=depth)


class Unfinished(Agent):
    pass


FUSSY, NEEDY = f"{__name__}:Fussy", f"{__name__}:Needy"
FILE = """
from ursuppe_agents import Agent

class Last(Agent):
    def __init__(self, generator, *, shift: int = 0):
        super().__init__(generator)
        self.shift = shift

    def act(self, games, rows):
        return games.legal()[rows].shape[1] - 1 - games.legal()[rows][:, ::-1].argmax(axis=1) + self.shift
"""


@pytest.fixture
def my_bots(tmp_path: Path, monkeypatch):
    """A user's own file, in the current folder."""
    (tmp_path / "my_own_bots.py").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    yield "my_own_bots:Last"
    sys.modules.pop("my_own_bots", None)


# ---------------------------------------------------------------------- specs


def test_the_names_are_in_alphabetical_order_and_make_agents():
    names = agent_names()
    assert list(names) == sorted(names)
    assert {"random", "grow", "hunter", "policy", "process", "sb3"} <= set(names)
    for name in set(names) - {"policy", "process", "sb3"}:
        assert isinstance(make_agent(name, 0), Agent)


@pytest.mark.parametrize(
    ("parameters", "are"),
    [
        ("", (3, 0.5, "x", False, None)),
        (":depth=5", (5, 0.5, "x", False, None)),
        (":7", (7, 0.5, "x", False, None)),
        (":7,brave=yes,limit=20", (7, 0.5, "x", True, 20)),
        (":weight=1e-3,name=runs/a:b.zip,brave=False", (3, 0.001, "runs/a:b.zip", False, None)),
        (":name=", (3, 0.5, "", False, None)),
    ],
)
def test_parameters_are_read_by_their_types(parameters: str, are: tuple):
    agent = make_agent(FUSSY + parameters, 0)
    assert agent.parameters == are
    assert [type(value) for value in agent.parameters] == [type(value) for value in are]


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("genius", "there is no agent 'genius'; known are .*, random, .*, and module:Class for one of your own"),
        ("", "there is no agent ''; known are "),
        (":", "there is no agent ':'; known are "),
        ("genius:", "there is no agent 'genius:'; known are "),
        ("random:depth=3", "agent 'random' has no parameter 'depth'; it has none"),
        (FUSSY + ":dept=3", "has no parameter 'dept'; it has depth, weight, name, brave, limit"),
        (FUSSY + ":generator=3", "has no parameter 'generator'"),
        (FUSSY + ":depth=3,4", "has no parameter '4'"),
        (f"{__name__}:Positional:depth=4", "has no parameter 'depth'; in its __init__ it must stand after *"),
        ("bots.py:Last", "there is no module bots, installed or here; did you mean bots:Last?"),
        (FUSSY + ":depth=3,depth=4", "depth is given twice"),
        (FUSSY + ":depth=", "depth of agent .* is ''; it must be an integer"),
        (FUSSY + ":depth=1.5", "depth of agent .* is '1.5'; it must be an integer"),
        (FUSSY + ":weight=heavy", "weight of agent .* is 'heavy'; it must be a number"),
        (FUSSY + ":brave=perhaps", "brave of agent .* is 'perhaps'; it must be true or false"),
        (FUSSY + ":limit=none", "limit of agent .* is 'none'; it must be an integer"),
        (FUSSY + ':name="a', 'name of agent .* is "a; what begins with a quotation mark must be a text as in JSON'),
        (FUSSY + ':name="a"b', 'name of agent .* is "a"b; what begins with a quotation mark must be a text'),
        (FUSSY + ':depth="many"', "depth of agent .* is 'many'; it must be an integer"),
        (FUSSY + ":name=two\nlines", "has characters that cannot be printed"),
        (FUSSY + ":name=\udcff", "has characters that cannot be printed"),
        ("random or not:Bot", "there is no agent 'random or not:Bot'"),
        ("serach:ms=20", "there is no agent 'serach:ms=20'; known are "),
        (NEEDY, "agent .* needs a value for model, as in .*:model=..."),
        ("no_such_module:Bot", "agent 'no_such_module:Bot' cannot be loaded: there is no module no_such_module"),
        (NEEDY + ":model=a,depth=3", "depth of agent .* cannot be in a spec; annotate it with int, float, "),
        (FUSSY + ":name=nobody", "agent .*:name=nobody' cannot be made: ValueError: nobody cannot play"),
        (NEEDY + ":model=a", "agent .*:model=a' cannot be made: ZeroDivisionError: integer division"),
        (f"{__name__}:Missing", "cannot be loaded: module .* has no attribute 'Missing'"),
        (f"{__name__}:Unfinished", "is no agent; it must be a class derived from ursuppe_agents.Agent with act"),
        ("json:dumps", "'json:dumps' is no agent"),
        ("numpy:ndarray", "'numpy:ndarray' is no agent"),
        ("process", "agent 'process' needs a value for command, as in process:command=..."),
        ("process:", "agent 'process' needs a value for command, as in process:command=..."),
        ("process:no-such-program x", "there is no program 'no-such-program'"),
        ("process:command=", "the command is ''; it must name a program"),
        ('process:"a \'b"', "the command .* is not one: No closing quotation"),
        ("process:true,ms=0", "ms of agent 'process' is 0.0; it must be more than 0"),
        ("process:true,late=never", "late of agent 'process' is 'never'; it must be 'fail' or 'random'"),
        ("process:true,faults=maybe", "faults of agent 'process' is 'maybe'; it must be 'fail' or 'forfeit'"),
        ("search:ms=0", "ms of agent 'search' is .*; it must be more than 0"),
        ("search:ms=nan", "ms of agent 'search' is .*; it must be more than 0"),
        ("search:sims=0", "sims of agent 'search' is .*; it must be more than 0"),
        *(
            (f"search:others={others}", f"others of agent 'search' is '{others}'; it must be an agent of the package")
            for others in ("random", "policy:default", "search", "my_bots:Bot", "process:bot")
        ),
    ],
)
def test_a_wrong_code_is_answered_in_one_line_with_what_exists(spec: str, says: str):
    with pytest.raises(ValueError, match=says) as error:
        make_agent(spec, 0)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import no_such_library", "it needs the module no_such_library"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def", "SyntaxError"),
    ],
)
def test_a_file_that_does_not_load_says_why(my_bots, tmp_path, text: str, says: str):
    (tmp_path / "my_own_bots.py").write_text(text)
    with pytest.raises(ValueError, match=f"agent 'my_own_bots:Last' cannot be loaded: {says}"):
        make_agent(my_bots, 0)


@pytest.mark.parametrize(
    "value",
    ["plain", "", "a b", "lr=1,e=2", ",", "=", ":", '"', 'a"b', 'x="y",z=1', "it's", "\\", "ünï", "-x", "new\nline\t",
     "non\u00a0breaking", "\udcff", "$x$ [/b]", 'random,random'],
)  # fmt: skip
def test_a_code_carries_any_value(value: str):
    spec = agent_spec(FUSSY, depth=4, name=value, weight=0.25, brave=True)
    assert spec.isprintable()
    assert make_agent(spec, 0).parameters == (4, 0.25, value, True, None)
    assert split_specs(f"random,{spec},{spec},grow") == ["random", spec, spec, "grow"]
    assert split_specs(spec) == [spec]
    assert make_agent(f"{FUSSY}:depth=4,name={json.dumps(value)}", 0).parameters[2] == value


def test_the_first_value_may_have_equals_signs_and_quotation_marks():
    assert make_agent('policy:"default"', 0).act(Games(1), np.zeros(1, np.int64)).shape == (1,)
    with pytest.raises(FileNotFoundError, match=r"runs/lr=1,e=2/best\.zip"):
        make_agent('policy:"runs/lr=1,e=2/best.zip"', 0)
    with pytest.raises(FileNotFoundError, match=r"there is no policy 'defualt'; known are default, duel, replay-1 "):
        make_agent("policy:defualt", 0)
    with pytest.raises(FileNotFoundError, match=r"runs/lr=1/best\.zip"):
        make_agent("policy:runs/lr=1/best.zip", 0)


def test_code_of_ones_own_is_a_module_or_a_program():
    specs = ["random", "search:ms=20", "policy:evil:Bot", "nobody", "self", "a:", ":b", "a:b", "a.b:C:depth=3", "x:d=3"]
    assert [foreign_code(spec) for spec in specs] == [None] * 7 + ["a", "a.b", None]
    assert foreign_code('process:ms=5,command="./bot a,b"') == "process:./bot a,b"


def test_what_is_installed_imports_nothing_from_the_current_folder(tmp_path, monkeypatch):
    # The package of the agent is installed, the library that it needs is not, and a file here has its name.
    installed = tmp_path / "installed"
    (installed / "frogs-1.0.dist-info").mkdir(parents=True)
    (installed / "frogs-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: frogs\nVersion: 1.0\n")
    (installed / "frogs-1.0.dist-info" / "entry_points.txt").write_text("[ursuppe.agents]\nfrog = frogs:Frog\n")
    (installed / "frogs.py").write_text("import needed_by_frogs\n")
    here = tmp_path / "here"
    here.mkdir()
    (here / "needed_by_frogs.py").write_text("from pathlib import Path\nPath('sprung').touch()\n")
    monkeypatch.syspath_prepend(installed)
    monkeypatch.chdir(here)
    registered.cache_clear()
    try:
        with pytest.raises(
            ValueError, match=r"'frog' cannot be loaded: it needs the module needed_by_frogs, installed$"
        ):
            make_agent("frog", 0)
    finally:
        registered.cache_clear()
    assert not (here / "sprung").exists()


def test_an_agent_of_ones_own_is_found_in_the_current_folder(my_bots):
    before = list(sys.path)
    assert make_agent(my_bots + ":shift=0", 0).shift == 0
    assert sys.path == before


def test_lists_of_codes_keep_the_parameters_together():
    assert split_specs(agent_spec("random")) == ["random"]
    assert split_specs("greedy,search:ms=20,threads=1,random") == ["greedy", "search:ms=20,threads=1", "random"]
    assert split_specs("policy:a.zip,deterministic=true,my:Bot:3") == ["policy:a.zip,deterministic=true", "my:Bot:3"]


# ---------------------------------------------------------------------- acting


@pytest.mark.parametrize("spec", ["random", "hunter", FUSSY])
def test_an_agent_plays_in_the_environment_as_in_the_games(spec: str):
    games = Games(1, Ruleset(players=3), seed=4)
    play_out(make_agent(spec, 0), games)
    for env in (ursuppe_v0.env(num_players=3), ursuppe_v0.raw_env(num_players=3)):
        env.reset(seed=4)
        agent = make_agent(spec, 0)
        for _ in env.agent_iter():
            env.step(agent.act_in(env))
        assert not env.agents
        assert env.unwrapped.games.state.tobytes() == games.state.tobytes()


def test_a_seed_in_place_of_a_generator_is_refused():
    with pytest.raises(ValueError, match="generator is 7; it must be a random generator of NumPy"):
        Fussy(7)


def test_another_environment_is_refused():
    for other in (AECEnv(), 3):
        with pytest.raises(ValueError, match="it must be an environment of ursuppe_v0"):
            make_agent("random", 0).act_in(other)


# ---------------------------------------------------------------------- in records


def test_a_record_is_of_the_agents_that_are_named(tmp_path: Path, capsys):
    file = tmp_path / "games.jsonl"
    arguments = ["--games", "3", "--players", "3", "--seed", "5", "--agents", f"grow,{FUSSY}:2,brave=yes,random"]
    assert run(["record", *arguments, str(file)]) == 0
    assert run(["check", str(file)]) == 0
    records = list(read_records(file))
    assert [record.agents for record in records] == [["grow", f"{FUSSY}:2,brave=yes", "random"]] * 3
    bought = {event[1] for record in records for event in record.events if event[2:3] and event[2][:4] == "buy "}
    assert 0 not in bought  # grow never buys
    assert 1 in bought  # the last legal action is no pass


def test_the_same_games_give_the_same_bytes_whatever_the_workers(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("ursuppe_lab.recording.GAMES_AT_ONCE", 4)
    ruleset, agents = Ruleset(players=3), ("grow", f"{FUSSY}:2,brave=yes", "random")
    told: list[int] = []

    def written(name: str, workers: int) -> bytes:
        recording = Recording(10, ruleset, agents, seed=5, legal=True, rounds=True)
        write_recording(tmp_path / name, [recording], workers, told.append)
        return (tmp_path / name).read_bytes()

    packed = written("one.jsonl.gz", 1)
    assert written("two.jsonl.gz", 2) == packed
    assert written("plain.jsonl", 1) == gzip.decompress(packed)
    assert told == [4, 8, 10] * 3
    assert [record.seed for record in read_records(tmp_path / "plain.jsonl")] == [*range(5, 15)]


def test_random_players_beside_others_draw_from_the_games_own_streams():
    (alone,) = record_games(1, Ruleset(players=3), seed=9)
    (random,) = record_games(1, Ruleset(players=3), seed=9, players=[None, None, None])
    assert alone == random


def test_an_illegal_action_leaves_no_record_behind(my_bots, tmp_path, capsys):
    assert run(["record", "--games", "1", "--agents", f"{my_bots}:shift=-100", "out.jsonl"]) == 2
    told = r"ursuppe: agent my_own_bots:Last:shift=-100 gave the illegal action -14 .* player 1 in the game of seed 1\n"
    assert re.fullmatch(told, capsys.readouterr().err)
    assert not (tmp_path / "out.jsonl").exists()


# ---------------------------------------------------------------------- agents of one game


class Last(SimpleAgent):
    """Takes the last action after playing the copy to its end."""

    def choose(self, game: Games, actions: list[str]) -> str:
        assert len(game) == 1
        player = int(game.player[0])
        assert actions == [game.actions.text(int(id), player) for id in np.flatnonzero(game.legal()[0])]
        game.play_random()
        return actions[-1]


class Flying(SimpleAgent):
    def choose(self, game: Games, actions: list[str]) -> str:
        return "fly"


def test_an_agent_of_one_game_is_asked_about_each_and_changes_none():
    games = Games(6, seed=2, explicit_chance=False)
    games.play_random(30)
    before, rows = games.state.tobytes(), np.flatnonzero(games.player >= 0)[::2]
    actions = Last(np.random.default_rng(0)).act(games, rows)
    assert games.state.tobytes() == before
    assert actions.tolist() == [np.flatnonzero(games.legal()[row])[-1] for row in rows]


def test_an_agent_of_one_game_does_not_see_the_dice_that_will_come():
    seen: list[list[int]] = []

    class Peeping(SimpleAgent):
        def choose(self, game: Games, actions: list[str]) -> str:
            game.play_random()
            seen.append(game.markers[0].tolist())
            return actions[0]

    games = Games(1, seed=2)
    for seed in range(4):
        Peeping(np.random.default_rng(seed)).act(games, np.zeros(1, np.int64))
    assert len({tuple(markers) for markers in seen}) > 1


@pytest.mark.parametrize("spec", ["random", "policy:default", "search:sims=12"])
def test_what_an_agent_draws_depends_on_the_game_and_its_position_alone(spec):
    games = Games(30, seed=5)
    games.play_random(60)
    rows = np.flatnonzero(games.player >= 0)
    together = make_agent(spec, 3).act(games, rows)
    agent = make_agent(spec, 3)
    by_others = np.concatenate([agent.act(games.copy(part), np.arange(len(part))) for part in np.split(rows, [1, 8])])
    np.testing.assert_array_equal(together, by_others)
    np.testing.assert_array_equal(make_agent(spec, np.random.default_rng(3)).act(games, rows), together)
    assert (make_agent(spec, 4).act(games, rows) != together).any()
    assert make_agent(spec, 4).act(games, rows[:0]).size == 0


def test_what_is_no_action_is_a_fault_that_names_those_that_are():
    with pytest.raises(
        Fault, match=r"the agent chose 'fly'; it must choose one of: start 1, .* \(row 1 of its games\)"
    ):
        Flying(np.random.default_rng(0)).act(Games(2, seed=1), np.array([1]))
