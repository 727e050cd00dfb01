"""Ruleset: printed numbers and switches (rules.md sections 3-5, 10), the limits of changed ones (records.md)."""

import copy
import dataclasses
import pickle
import re

import numpy as np
import pytest

from ursuppe_env import Ruleset
from ursuppe_env.rules.ruleset import NUMBERS, PER_GENE, SWITCHES


def test_equal_numbers_make_equal_rulesets():
    assert Ruleset(price={"speed": 4}) == Ruleset()
    assert hash(Ruleset(income=10)) == hash(Ruleset())
    assert Ruleset(income=11) != Ruleset()
    assert Ruleset(edition="1997") != Ruleset()


def test_every_kind_of_number_is_among_the_changes_if_it_differs():
    changes = {"income": 12, "environment": [["none", 3], ["west", 4]], "gene_score": {"spores": 3}, "gene_places": [1]}
    assert Ruleset(**changes).changes() == changes
    assert Ruleset(gene_places=np.array([1, 2])).gene_places == (1, 2)


def test_changes_are_what_differs_from_the_edition():
    ruleset = Ruleset(players=3, edition="1997", price={"speed": 5, "spores": 3}, gene_places=[0, 1])
    assert ruleset.changes() == {"price": {"speed": 5}, "gene_places": [0, 1]}
    assert Ruleset.from_changes(3, "1997", ruleset.changes()) == ruleset


def test_replace_changes_some_numbers_and_keeps_the_others():
    ruleset = Ruleset(price={"speed": 5}).replace(price={"spores": 9}, income=1)
    assert ruleset.changes() == {"price": {"speed": 5, "spores": 9}, "income": 1}
    assert ruleset.replace(players=6).amoebas == 6
    with pytest.raises(ValueError, match="players is 0"):
        ruleset.replace(players=0)
    assert ruleset.replace(players=6).income == 1


def test_a_ruleset_cannot_be_changed_and_pickles():
    ruleset = Ruleset(income=3, own_clinging=True, free_stay=False)
    for name in ("income", "own_clinging"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(ruleset, name, 4)
    with pytest.raises(ValueError, match="read-only"):
        ruleset.record["income"] = 4
    for duplicate in (pickle.loads(pickle.dumps(ruleset)), copy.deepcopy(ruleset)):
        assert duplicate == ruleset
        assert hash(duplicate) == hash(ruleset)
        assert duplicate.own_clinging is True
        assert not duplicate.record.flags.writeable
    assert repr(ruleset) == "Ruleset(players=4, edition='1998', income=3, own_clinging=True, free_stay=False)"
    assert eval(repr(ruleset)) == ruleset


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"players": 2}, "players is 2; it must be an integer from 3 to 6"),
        ({"edition": 1998}, "edition is 1998; it must be '1998' or '1997'"),
        ({"incom": 3}, "no field 'incom'; did you mean income?"),
        ({"own_cling": True}, "no field 'own_cling'; did you mean own_clinging?"),
        ({"xyz": 3}, "no field 'xyz'; known are amoebas,"),
        ({"income": -1}, "income is -1; it must be an integer from 0 to 99"),
        ({"income": 100}, "income is 100"),
        ({"amoebas": 8}, "amoebas is 8; it must be an integer from 2 to 7"),
        ({"amoebas": 3}, "amoeba_places has 8 values; with amoebas = 3 it must have 4"),
        ({"amoeba_places": [0, 1]}, "amoeba_places has 2 values"),
        ({"amoeba_places": 3}, "amoeba_places is 3; it must be a list"),
        ({"gene_places": []}, "gene_places is []; it must be a list of 1 to 40 numbers"),
        ({"gene_places": [0] * 41}, "1 to 40 numbers"),
        ({"gene_places": [0, -1]}, "gene_places[1] is -1"),
        ({"cubes": 37}, "cubes is 37; with start_food = 2 it must be at least 38"),
        ({"cubes": 121}, "cubes is 121; it must be an integer from 0 to 120"),
        ({"end_zone": 1}, "end_zone is 1; it must be an integer from 2 to 250"),
        ({"deadly_damage": 0}, "deadly_damage is 0; it must be an integer from 1"),
        ({"carry": 10}, "carry is 10; it must be an integer from 0 to 9"),
        ({"environment": [["west", 3]]}, "it must be a list of 2 to 32 cards"),
        ({"environment": [["west", 3]] * 33}, "2 to 32 cards"),
        ({"environment": [["up", 3], ["west", 3]]}, "environment[0] is ['up', 3]"),
        ({"environment": [["west", 3], ["stay", 3]]}, "environment[1] is ['stay', 3]"),
        ({"environment": [["west", 3], ["west", 100]]}, "ozone of environment[1] is 100"),
        ({"environment": [["west", 3], "west"]}, "environment[1] is 'west'"),
        ({"price": {"sped": 3}}, "price names the gene 'sped'; did you mean speed?"),
        ({"price": {"speed": 100}}, "price of speed is 100"),
        ({"price": {7: 3}}, "price names the gene 7"),
        ({"price": [3] * 20}, "it must be a mapping of gene to number"),
        ({"mutation_points": {"speed": -10}}, "mutation_points of speed is -10; it must be an integer from -9 to 99"),
    ],
)
def test_wrong_numbers_are_refused(changes: dict, says: str):
    with pytest.raises(ValueError, match=re.escape(says)):
        Ruleset(**changes)


@pytest.mark.parametrize("name", SWITCHES)
@pytest.mark.parametrize("value", [0, 1, None, "true", "false", [True], 1.0, np.int64(1), float("nan")])
def test_a_switch_is_true_or_false_and_nothing_else(name: str, value: object):
    with pytest.raises(ValueError, match=re.escape(f"{name} is {value!r}; it must be true or false")):
        Ruleset(**{name: value})
    with pytest.raises(ValueError, match=f"{name} is .*; it must be true or false"):
        Ruleset.from_changes(4, "1998", {name: value})
    with pytest.raises(ValueError, match=f"{name} is .*; it must be true or false"):
        Ruleset().replace(**{name: value})


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("name", NUMBERS)
def test_a_bool_is_no_number_not_even_inside(name: str, value: bool):
    places = 8 if name == "amoeba_places" else 2
    if name in PER_GENE:
        wrong: object = {"speed": value}
    elif name == "environment":
        wrong = [["west", 3], ["none", value]]
    elif name in ("amoeba_places", "gene_places"):
        wrong = [0] * (places - 1) + [value]
    else:
        wrong = value
    with pytest.raises(ValueError, match=f"{value}; it must be an integer from"):
        Ruleset(**{name: wrong})


@pytest.mark.parametrize("players", [3, 4, 5, 6])
@pytest.mark.parametrize("edition", ["1998", "1997"])
@pytest.mark.parametrize("name", SWITCHES)
def test_each_switch_can_be_turned_alone(name: str, edition: str, players: int):
    printed = Ruleset(players=players, edition=edition)
    turned = not getattr(printed, name)
    ruleset = Ruleset(players=players, edition=edition, **{name: turned})
    assert ruleset.changes() == {name: turned}
    assert getattr(ruleset, name) is turned
    assert ruleset != printed
    assert printed.replace(**{name: turned}) == ruleset == Ruleset.from_changes(players, edition, {name: turned})
    assert ruleset.replace(**{name: not turned}) == printed
    # The same value as the edition's is no change; NumPy's truth values are taken, too.
    assert Ruleset(players=players, edition=edition, **{name: np.bool_(turned)}) == ruleset
    assert Ruleset(players=players, edition=edition, **{name: not turned}).changes() == {}
    # The engine reads 0 or 1, and nothing else is different there.
    assert ruleset.record[name][0] == turned
    assert [
        field for field in ruleset.record.dtype.names if (ruleset.record[field] != printed.record[field]).any()
    ] == [name]


def test_with_another_edition_the_switches_that_were_not_turned_are_that_edition_s():
    turned = Ruleset(edition="1998", own_clinging=True, same_victim=False)
    first = turned.replace(edition="1997")
    assert first == Ruleset(edition="1997")  # both are so in 1997
    assert first.early_clinging
    assert turned.replace(players=6).changes() == {"own_clinging": True, "same_victim": False}


def test_the_number_of_players_has_two_names():
    assert Ruleset(num_players=3) == Ruleset(players=3) == Ruleset(players=3, num_players=3)
    assert Ruleset().players == Ruleset(players=None, num_players=None).players == 4
    assert Ruleset(income=12).replace(num_players=5) == Ruleset(players=5, income=12)
    assert Ruleset.preset("short", num_players=6) == Ruleset.preset("short", players=6)
    with pytest.raises(ValueError, match="players is 3, but num_players is 4; give one of them"):
        Ruleset(players=3, num_players=4)


def test_wrong_changes_are_refused():
    with pytest.raises(ValueError, match="must be a mapping"):
        Ruleset.from_changes(4, "1998", [3])
    with pytest.raises(ValueError, match="'players' cannot be among the changes"):
        Ruleset.from_changes(4, "1998", {"players": 3})
    with pytest.raises(ValueError, match="'num_players' cannot be among the changes"):
        Ruleset.from_changes(4, "1998", {"num_players": 3})
    with pytest.raises(ValueError, match="3 cannot be among the changes"):
        Ruleset.from_changes(4, "1998", {3: 3})


def test_the_extremes_are_valid():
    Ruleset(players=6, amoebas=2, amoeba_places=[0, 99, 99], gene_places=[99] * 40, end_zone=250, cubes=120)
    Ruleset(start_food=0, cubes=0, environment=[["none", 0]] * 32, mutation_points={"speed": -9, "armour": 99})
