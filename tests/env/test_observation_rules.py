"""The second part of an observation: the ruleset of each game, all of it, in numbers that agents can be trained on."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given

from ursuppe_env import Games, Ruleset
from ursuppe_env.observation import observation_bounds, observation_layout, observation_size, rules_index_table
from ursuppe_env.observation.parts import rules_parts, rules_rows
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.ruleset import EDITIONS, NUMBERS, PER_GENE, SWITCHES

from support.rulesets import examples, rulesets

DIRECTIONS = ("west", "north", "east", "south", "none")
SHORT = Ruleset(end_zone=30, income=7, price={"speed": 9}, own_clinging=True)


def rules_seen(row: np.ndarray, players: int) -> dict[str, np.ndarray]:
    """The second part of an observation, taken apart by the layout alone, in the ruleset's own numbers."""
    layout = observation_layout(players, rules=True)
    seen = {}
    for part in rules_parts():
        numbers = (row[layout[part.name]] * part.unit).reshape(part.shape)
        assert np.allclose(numbers, np.round(numbers), atol=1e-3)
        seen[part.name.removeprefix("rules_")] = np.round(numbers).astype(int)
    return seen


def rebuilt(seen: dict[str, np.ndarray], players: int, edition: str) -> Ruleset:
    """The ruleset that the numbers describe; the edition is only a name."""
    fields: dict = {name: bool(seen[name][0]) for name in SWITCHES}
    for name in NUMBERS:
        if name in PER_GENE:
            fields[name] = dict(zip(GENE_NAMES, seen[name].tolist(), strict=True))
        elif name == "environment":
            cards = zip(seen["card_direction"], seen["ozone"].tolist(), strict=True)
            fields[name] = [(DIRECTIONS[flags.argmax()], ozone) for flags, ozone in cards if flags.any()]
        elif name == "amoeba_places":
            fields[name] = seen[name].tolist()[: seen["amoebas"][0] + 1]
        else:
            fields[name] = seen[name].tolist() if seen[name].size > 1 else int(seen[name][0])
    return Ruleset(players=players, edition=edition, **fields)


def as_far_as_it_counts(ruleset: Ruleset) -> Ruleset:
    """The same rules; the last number of ``gene_places`` holds for more points, however often it is repeated."""
    places = list(ruleset.gene_places)
    while len(places) > 1 and places[-1] == places[-2]:
        places.pop()
    return ruleset.replace(gene_places=places)


@examples(40)
@given(ruleset=rulesets(most_cards=32))
def test_it_tells_the_whole_ruleset(ruleset: Ruleset):
    games = Games(1, ruleset, explicit_chance=True)
    seen = rules_seen(games.observe(0, rules=True)[0], ruleset.players)
    found = rebuilt(seen, ruleset.players, ruleset.edition)
    assert as_far_as_it_counts(found) == as_far_as_it_counts(ruleset)


@pytest.mark.parametrize(("players", "edition"), list(product((3, 4, 5, 6), EDITIONS)))
def test_it_follows_the_first_part_and_lies_within_its_bounds(players: int, edition: str):
    games = Games(5, Ruleset(players=players, edition=edition), seed=1)
    games.play_random(60)
    rows = games.observe(rules=True)
    assert rows.shape == (5, games.observation_size_with_rules)
    assert games.observation_size_with_rules - games.observation_size <= 350
    np.testing.assert_array_equal(rows[:, : games.observation_size], games.observe())
    low, high = observation_bounds(games.ruleset, rules=True)
    assert low.shape == high.shape == (observation_size(players, rules=True),)
    assert ((rows >= low) & (rows <= high)).all()
    assert np.abs(rows[:, games.observation_size :]).max() < 1.001  # in the printed game


def test_every_field_of_the_ruleset_has_its_part():
    shown = {part.name.removeprefix("rules_") for part in rules_parts()}
    assert {*NUMBERS, *SWITCHES} - {"environment"} | {"card_direction", "ozone"} == shown
    table = rules_index_table()
    assert "| 17 | `rules_kill_food` | 1 | 1 | " in table
    assert "| `rules_price` | 20 | 6 | BP |" in table


def test_each_row_shows_the_ruleset_of_its_game():
    games = Games(6, [Ruleset(), SHORT, Ruleset(edition="1997")], ruleset_index=[0, 1, 2, 2, 1, 0])
    rows = games.observe(0, rules=True)
    for row, ruleset in zip(rows, [games.ruleset_of(i) for i in range(6)], strict=True):
        assert rebuilt(rules_seen(row, 4), 4, ruleset.edition).end_zone == ruleset.end_zone
        assert bool(rules_seen(row, 4)["own_clinging"][0]) == ruleset.own_clinging
    games.reset(rulesets=[SHORT, Ruleset(end_zone=50)], ruleset_index=[0, 1, 0, 1, 0, 1])
    seen = [rules_seen(row, 4)["end_zone"][0] for row in games.observe(rules=True)]
    assert seen == [30, 50, 30, 50, 30, 50]
    assert rules_seen(games.copy([1]).observe(rules=True)[0], 4)["end_zone"][0] == 50


def test_what_is_shown_of_many_rulesets_is_computed_once_for_all_copies(monkeypatch):
    asked = []
    monkeypatch.setattr("ursuppe_env.batch.rules_rows", lambda rulesets: asked.append(1) or rules_rows(rulesets))
    games = Games(4, [Ruleset(), SHORT])
    copies = [games.copy([0, 1]), games.copy([2, 3]), games.copy().copy([3])]
    assert not asked
    for copy in (*copies, games):
        copy.observe(rules=True)
    assert asked == [1]
    games.reset(rulesets=[SHORT], ruleset_index=[0] * 4)
    assert rules_seen(games.observe(rules=True)[0], 4)["end_zone"][0] == 30
    assert len(copies[0].rulesets) == 2


def test_rows_of_games_in_which_nobody_decides_are_0():
    games = Games(2, seed=1)
    games.play_random()
    assert not games.observe(rules=True).any()
    assert games.observe(0, rules=True)[:, games.observation_size :].any()
