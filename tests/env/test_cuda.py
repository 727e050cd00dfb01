"""``GamesCuda`` without a GPU: what its threads do, done row by row on the processor, is what ``Games`` do."""

import copy
import importlib.util
import pickle
import re
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from ursuppe_env import Games, Ruleset
from ursuppe_env.cuda import GamesCuda, bodies, bytewise
from ursuppe_env.observation.encoding import copy_cards, show_cards_left
from ursuppe_env.rules.genes import NUM_GENES
from ursuppe_env.rules.legal import write_mask
from ursuppe_env.rules.nodes import PAUSED, Stage
from ursuppe_env.rules.ruleset import MAX_CARDS

from support.host_device import Elsewhere, HostDevice

ROOT = Path(__file__).parents[2]
EXAMPLES = re.findall(r"^```py\n(.*?)^```$", (ROOT / "docs" / "gpu.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)


def both(
    num_games: int, ruleset: Ruleset | Sequence[Ruleset] | None = None, seed: int = 0, decisions: int = 0
) -> tuple[Games, GamesCuda, HostDevice]:
    """The same games here and there, after so many decisions of random play."""
    device = HostDevice()
    games, there = Games(num_games, ruleset, seed), GamesCuda(num_games, ruleset, seed, device=device)
    games.play_random(decisions)
    there.play_random(decisions)
    return games, there, device


def assert_same(games: Games, there: GamesCuda) -> None:
    """The same states byte for byte, and the same shown of them."""
    assert there.to_games().state.tobytes() == games.state.tobytes()
    for name in ("player", "decision", "finished", "winner", "rounds", "markers"):
        shown, expected = np.asarray(getattr(there, name)), getattr(games, name)
        assert shown.dtype == expected.dtype, name
        np.testing.assert_array_equal(shown, expected, name)
    np.testing.assert_array_equal(np.asarray(there.legal()), games.legal())
    for arguments in ({}, {"seat": 1}, {"rules": True}):
        assert there.observe(**arguments).tobytes() == games.observe(**arguments).tobytes()


# ---------------------------------------------------------------------- byte for byte


def test_with_several_rulesets():
    batch = [Ruleset(), Ruleset(edition="1997"), Ruleset(income=4, price={"speed": 1})]
    games, there, _ = both(7, batch, seed=9)
    mask, played = np.arange(7) % 2 == 0, np.array([2, 0, 1, 2, 0, 1, 2])
    for some in (games, there):
        some.reset(mask=mask, ruleset_index=played)
        some.play_random(60)
    assert_same(games, there)
    with pytest.raises(ValueError, match=r"^these games have 3 rulesets; "):
        there.ruleset  # noqa: B018
    games.reset(ruleset_index=played[::-1])
    there.reset(ruleset_index=Elsewhere(played[::-1].copy()))
    assert_same(games, there)


def test_games_that_are_not_to_go_on_stand_still():
    games, there, device = both(6, seed=1)
    mask = np.arange(6) % 2 == 0
    for _ in range(30):
        actions = np.where(mask, games.legal().argmax(1), -1)  # -1 would be refused of those that go on
        there.step(actions, mask=Elsewhere(mask))
        games.step(actions[mask], rows=np.flatnonzero(mask))
    assert_same(games, there)
    before = device.waited
    there.step(Elsewhere(np.full(6, -1)), wait=False, mask=Elsewhere(np.zeros(6, bool)))
    assert device.waited == before
    there.synchronize()
    assert_same(games, there)
    with pytest.raises(ValueError, match=r"^mask is not on the GPU; "):
        there.step(actions, mask=mask)


def test_actions_are_taken_from_either_memory():
    games, there, device = both(6, seed=1)
    for turn in range(120):
        actions = games.legal().argmax(1)
        games.step(actions)
        there.step([*map(int, actions)] if turn % 2 else Elsewhere(actions))
    assert_same(games, there)
    before = device.waited
    actions = games.legal().argmax(1)
    games.step(actions)
    there.step(Elsewhere(actions), wait=False)
    there.step_random()
    there.legal()
    assert device.waited == before
    games.step_random()
    assert_same(games, there)


def test_a_rollout_neither_waits_nor_copies():
    _, there, device = both(3, seed=1)
    masks, seen = there.legal(), there.observe()
    before = device.waited
    for _ in range(5):
        there.observe(out=seen, masks=masks)
        there.observe(seat=Elsewhere(np.zeros(3, np.int64)))
        there.step(Elsewhere(np.asarray(masks).argmax(1)), wait=False)
        there.play_random(50)
        there.reset(mask=there.finished)
        there.step_random()
    assert device.waited == before
    there.synchronize()


@pytest.mark.parametrize("from_gpu", [True, False])
def test_rows_begin_again(from_gpu: bool):
    games, there, _ = both(5, seed=4, decisions=800)
    mask = np.array([True, False, True, True, False])
    for arguments in ({}, {"seed": 2**64 - 1}, {"index": [9, 8, 7, 6, 5]}, {"seed": 5, "index": [0, 0, 0, 1, 1]}):
        games.reset(mask=mask, **arguments)
        there.reset(mask=Elsewhere(mask) if from_gpu else mask, **arguments)
        assert_same(games, there)
        games.play_random(30)
        there.play_random(30)
    games.reset()
    there.reset()
    assert_same(games, there)


@pytest.mark.parametrize("index", [None, [4, 0, 0, -1], slice(1, 4), np.arange(5) > 2])
def test_copies_have_the_same_future_or_another_one(index):
    games, there, _ = both(5, seed=6, decisions=100)
    for reseed in (None, 17):
        copies, copies_there = games.copy(index, reseed), there.copy(index, reseed)
        copies.play_random(100)
        copies_there.play_random(100)
        assert_same(copies, copies_there)
    assert_same(games, there)


def test_a_deep_copy_is_a_copy_and_a_pickle_is_refused():
    games, there, _ = both(3, seed=2)
    copies = copy.deepcopy(there)
    there.play_random(9)
    assert_same(games, copies)
    with pytest.raises(TypeError, match=r"^games on a GPU cannot be pickled; pickle games\.to_games\(\)$"):
        pickle.dumps(there)


def test_games_go_there_and_back():
    games = Games(4, [Ruleset(), Ruleset(edition="1997")], seed=8)
    games.play_random(77)
    there = GamesCuda.from_games(games, HostDevice())
    assert_same(games, there)
    there.play_random(50)
    back = there.to_games(threads=1)
    games.play_random(50)
    assert back.state.tobytes() == games.state.tobytes()
    assert back.rulesets == games.rulesets
    there.play_random(50)
    assert back.state.tobytes() == games.state.tobytes()


def test_observations_are_written_where_they_are_wanted():
    games, there, device = both(5, seed=3, decisions=200)
    out = device.empty((5, games.observation_size), np.float32)
    masks = device.empty((5, games.num_actions), np.int8)
    seats = np.array([0, 3, 2, 1, 0])
    for given_seats in (seats, Elsewhere(seats), list(map(int, seats))):
        assert there.observe(given_seats, out=out, masks=masks) is out
        assert out.tobytes() == games.observe(seats).tobytes()
        np.testing.assert_array_equal(np.asarray(masks), games.legal())
    assert there.legal(out=masks) is masks
    shown = there.observe(Elsewhere(np.array([0, 4, -1, 2**40, 3])))
    assert not shown[1:4].any()
    assert shown[[0, 4]].tobytes() == games.observe([0, 0, 0, 0, 3])[[0, 4]].tobytes()


# ---------------------------------------------------------------------- what is wrong


@pytest.mark.parametrize("wrong", [150, 151, -1, 10**6])
def test_an_illegal_action_is_the_error_of_games_and_changes_nothing(wrong: int):
    games, there, _ = both(3, seed=5, decisions=20)
    actions = games.legal().argmax(1)
    actions[1] = wrong
    with pytest.raises(ValueError, match=r"^game 1: ") as expected:
        games.step(actions)
    with pytest.raises(ValueError, match=r"^game 1: ") as raised:
        there.step(actions)
    assert str(raised.value) == str(expected.value)
    assert_same(games, there)
    there.step_random()  # goes on
    games.step_random()
    assert_same(games, there)


def test_without_waiting_it_is_told_later_and_nothing_changes_until_then():
    games, there, _ = both(3, seed=5)
    there.step([150, 150, 150], wait=False)
    there.step_random()
    there.reset()
    assert not np.asarray(there.play_random(10)).any()
    with pytest.raises(ValueError, match=r"^an action given to an earlier step\(wait=False\) was not legal; "):
        there.synchronize()
    there.synchronize()
    assert_same(games, there)


def test_a_game_that_is_stuck_is_told_by_what_waits_next():
    _, there, _ = both(3, seed=1)
    there.play_random(60)
    game = there.state[1]
    game["drawn"] = (1 << len(there.ruleset.environment)) - 1
    game["node"], game["player"] = Stage.ENVIRONMENT, PAUSED
    there.play_random(5)
    with pytest.raises(RuntimeError, match=r"^game 1 stands still without a card to turn up: "):
        there.synchronize()
    there.synchronize()
    assert np.asarray(there.step_random())[1] == -1


def test_arguments_that_are_wrong_are_named():
    _, there, device = both(4)
    A, F = there.num_actions, there.observation_size
    cases = [
        (lambda: there.step(np.zeros(3, int)), "actions has shape (3,)"),
        (lambda: there.step(device.empty((4,), np.int32)), "actions has shape (4,) and dtype int32; it must be a C-"),
        (lambda: there.step([0] * 4, wait=1), "wait is 1; it must be True or False"),
        (lambda: there.legal(out=np.zeros((4, A), np.int8)), "out is not on the GPU; it must be a C-contiguous array"),
        (lambda: there.legal(out=device.empty((4, A + 1), np.int8)), f"out has shape (4, {A + 1}) and dtype int8; it"),
        (lambda: there.legal(out=device.empty((A, 4), np.int8).T), f"out has shape (4, {A}) and dtype int8; it must"),
        (lambda: there.observe(out=device.empty((4, F), np.float16)), f"out has shape (4, {F}) and dtype float16; it"),
        (lambda: there.observe(masks=device.empty((4, F), np.int8)), f"masks has shape (4, {F})"),
        (lambda: there.observe(seat=4), "seat is 4; it must be 0 ... 3"),
        (lambda: there.observe(seat=device.empty((3,), np.int64)), "seat has shape (3,) and dtype int64"),
        (lambda: there.observe(rules="yes"), "rules is 'yes'; it must be True or False"),
        (lambda: there.play_random(-1), "max_decisions is -1"),
        (lambda: there.play_random(restart=True), "restart is True without max_decisions"),
        (lambda: there.reset(mask=[1, 0, 1, 0]), "mask has shape (4,) and dtype int64"),
        (lambda: there.reset(mask=device.empty((4,), np.int8)), "mask has shape (4,) and dtype int8"),
        (lambda: there.reset(seed=-1), "seed is -1"),
        (lambda: there.reset(index=[0]), "index has shape (1,)"),
        (lambda: there.reset(ruleset_index=[0, 0, 0, 1]), "ruleset_index has 1; with 1 ruleset it must be 0 ... 0"),
        (lambda: there.copy([4]), "index has 4"),
        (lambda: there.copy(reseed=-1), "reseed is -1"),
        (lambda: GamesCuda(0, device=device), "num_games is 0"),
        (lambda: GamesCuda(2, seed="x", device=device), "seed is 'x'"),
        (lambda: GamesCuda(2, ruleset=4, device=device), "ruleset is 4"),
        (lambda: GamesCuda.from_games(Games(1, explicit_chance=True), device), "games has explicit_chance=True; on a"),
        (lambda: GamesCuda.from_games(Games(1, pause_after_rounds=True), device), "games has pause_after_rounds=True"),
    ]
    before = there.to_games().state.tobytes()
    for call, says in cases:
        with pytest.raises(ValueError, match=r"^[a-z]") as raised:
            call()
        assert str(raised.value).startswith(says), str(raised.value)
    assert there.to_games().state.tobytes() == before


def test_what_they_say_of_themselves():
    _, there, device = both(2)
    assert repr(there) == "<GamesCuda: 2 games, Ruleset(players=4, edition='1998')>"
    assert repr(GamesCuda(1, [Ruleset(), Ruleset(income=3)], device=device)) == "<GamesCuda: 1 game, 2 rulesets>"
    assert (len(there), there.num_players, there.device) == (2, 4, device)


# ---------------------------------------------------------------------- byte by byte


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_masks_byte_by_byte_are_those_in_words(players: int):
    games = Games(40, Ruleset(players=players), seed=players)
    games.play_random(300)
    for row in range(40):
        masks = np.full((2, games.num_actions), 7, np.int8)
        write_mask(games.state[row], masks[0])
        bytewise.write_mask(games.state[row], masks[1])
        np.testing.assert_array_equal(*masks)


def test_cards_byte_by_byte_are_those_in_words():
    generator = np.random.default_rng(0)
    for _ in range(50):
        cards = generator.integers(-128, 128, NUM_GENES).astype(np.int8)
        shown = np.full((2, NUM_GENES), 7, np.int8)
        copy_cards(cards, shown[0])
        bytewise.copy_cards(cards, shown[1])
        np.testing.assert_array_equal(*shown)
        left = np.uint32(generator.integers(2**32))
        flags = np.full((2, MAX_CARDS), 7, np.int8)
        show_cards_left(left, flags[0])
        bytewise.show_cards_left(left, flags[1])
        np.testing.assert_array_equal(*flags)


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_examples_of_the_page_run(code: str, monkeypatch):
    monkeypatch.setattr("ursuppe_env.cuda.games._current_gpu", HostDevice)
    exec(compile(code, "docs/gpu.md", "exec"), {})


# ---------------------------------------------------------------------- make gpu-test


@pytest.fixture(scope="module")
def comparison() -> ModuleType:
    """The script that compares games on a real GPU."""
    spec = importlib.util.spec_from_file_location("gpu_compare", ROOT / "tests" / "gpu" / "compare.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_comparison_with_a_gpu_finds_all_the_same(comparison):
    found = comparison.settings()
    assert len(found) == 4 * (2 * 3 + 1)
    for name, batch in found:
        assert comparison.compare(batch, 2, HostDevice()) == [], name


def test_it_finds_what_differs(comparison):
    class Faulty(HostDevice):
        def launch(self, body, rows, *arguments) -> None:
            super().launch(body, rows, *arguments)
            if body is bodies.write_mask:
                arguments[1][0, 0] ^= 1
            if body is bodies.read_winner:
                arguments[1][:] = 9

    assert comparison.compare([Ruleset()], 2, Faulty()) == ["winner", "legal"]
