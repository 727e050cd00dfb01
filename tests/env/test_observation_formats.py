"""Observations in fewer bytes, in memory that other libraries take as it is, and together with the masks."""

import numpy as np
import pytest
import torch

from ursuppe_env import Games, Ruleset
from ursuppe_env.observation import observation_bounds, observation_layout, saturating_parts
from ursuppe_env.observation.layout import parts_of
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.validation import ALIGNMENT

RICH = Ruleset(players=3, start_bp=90, income=60, mutation_points={"speed": -9, "holding": -9, "spores": 99})


def games_under_way(ruleset: Ruleset) -> Games:
    games = Games(300, ruleset, seed=2, explicit_chance=True)
    for decisions in range(30):
        rows = np.arange(10 * decisions, 10 * decisions + 10)
        part = games.copy(rows)
        part.play_random(11 * decisions)
        games._states[rows] = part.state
    return games


def counts(games: Games, rules: bool) -> np.ndarray:
    """The numbers of the state, from the observation by the table."""
    rows = games.observe(0, rules=rules)
    units = np.concatenate([np.full(part.size, part.unit) for part in parts_of(games.num_players, rules)])
    return np.round(rows * units).astype(int)


@pytest.mark.parametrize("rules", [False, True])
@pytest.mark.parametrize("ruleset", [Ruleset(), Ruleset(players=6, edition="1997"), RICH], ids=["1998", "1997", "rich"])
def test_smaller_numbers_say_the_same_within_their_bounds(ruleset: Ruleset, rules: bool):
    games = games_under_way(ruleset)
    halves = games.observe(0, rules=rules, dtype=np.float16)
    assert halves.dtype == np.float16
    np.testing.assert_array_equal(halves, games.observe(0, rules=rules).astype(np.float16))
    parts = parts_of(ruleset.players, rules)
    units = np.concatenate([np.full(part.size, part.unit) for part in parts])
    np.testing.assert_array_equal(np.round(halves.astype(float) * units), counts(games, rules))  # nothing is lost
    offsets = np.concatenate([np.full(part.size, part.offset) for part in parts])
    small = games.observe(0, rules=rules, dtype="uint8")
    assert small.dtype == np.uint8
    np.testing.assert_array_equal(small, np.clip(counts(games, rules) + offsets, 0, 255))
    for rows in (games.observe(0, rules=rules), halves, small):
        low, high = observation_bounds(ruleset, rules=rules, dtype=rows.dtype)
        assert low.dtype == high.dtype == rows.dtype
        assert ((rows >= low) & (rows <= high)).all()


def test_the_printed_games_fit_into_uint8():
    for players in (3, 4, 5, 6):
        for edition in ("1998", "1997"):
            assert saturating_parts(Ruleset(players=players, edition=edition)) == ()


def test_what_does_not_fit_into_uint8_stays_at_its_end_and_is_named():
    ruleset = Ruleset(start_bp=90, income=99, end_zone=250, mutation_points={"speed": 99, "spores": 99, "holding": 99})
    assert saturating_parts(ruleset) == ("mutation_points", "bp", "marker", "owed")
    games = Games(1, ruleset)
    games._states["bp"] = 300
    assert (games.observe(0, dtype=np.uint8)[0, observation_layout(4)["bp"]] == 255).all()
    assert saturating_parts(Ruleset(mutation_points=dict.fromkeys(GENE_NAMES[:8], -9))) == ("mutation_points",)


def test_negative_mutation_points_are_shown_from_64_on():
    games = Games(1)
    assert (games.observe(dtype=np.uint8)[0, games.observation_layout["mutation_points"]] == 64).all()


def test_masks_come_in_the_same_pass():
    for players in (3, 4, 5, 6):
        games = games_under_way(Ruleset(players=players))
        for dtype in (np.float32, np.uint8):
            masks = np.full((300, games.num_actions), 7, np.int8)
            rows = games.observe(dtype=dtype, masks=masks)
            np.testing.assert_array_equal(masks, games.legal())
            np.testing.assert_array_equal(rows, games.observe(dtype=dtype))
    with pytest.raises(ValueError, match=r"masks must be a writeable C-contiguous array of shape \(300, 313\)"):
        games.observe(masks=masks[:299])


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.uint8])
def test_results_are_taken_by_other_libraries_without_a_copy(dtype: type):
    games = Games(3)
    for array in (games.observe(dtype=dtype), games.observe(rules=True, dtype=dtype), games.legal()):
        assert address(array) % ALIGNMENT == 0
        assert array.flags.carray
        assert address(np.from_dlpack(array)) == address(array)
        assert torch.utils.dlpack.from_dlpack(array).data_ptr() == address(array)
