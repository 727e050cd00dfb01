"""Rulesets with names: what each of them is."""

import pytest

from ursuppe_env import Ruleset
from ursuppe_env.rules.ruleset import PRESETS, SWITCHES


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_the_presets_of_the_editions_are_the_editions(players: int):
    assert Ruleset.preset("1998", players=players) == Ruleset(players=players)
    assert Ruleset.preset("1997", players=players) == Ruleset(players=players, edition="1997")


def test_short_ends_earlier_and_is_else_as_printed():
    assert Ruleset.preset("short").changes() == {"end_zone": 30}


def test_2004_has_no_cubes_after_a_kill_and_clinging_amoebas_carry():
    ruleset = Ruleset.preset("2004", players=3)
    assert (ruleset.edition, ruleset.changes()) == ("1998", {"kill_food": 0, "clinging_carries": True})
    assert {name for name in SWITCHES if getattr(ruleset, name)} == {"free_stay", "same_victim", "clinging_carries"}


def test_fields_given_with_the_name_are_changed_on_top():
    ruleset = Ruleset.preset("short", players=6, income=12, end_zone=25, price={"speed": 3})
    assert ruleset == Ruleset(players=6, income=12, end_zone=25, price={"speed": 3})


def test_all_presets_are_listed_and_can_be_made_for_any_number_of_players():
    assert list(Ruleset.presets()) == list(PRESETS) == ["1998", "1997", "2004", "short"]
    assert all(Ruleset.presets().values())
    for name in Ruleset.presets():
        assert {Ruleset.preset(name, players=players).players for players in range(3, 7)} == {3, 4, 5, 6}


@pytest.mark.parametrize("name", ["1999", "Short", "", 1998, None])
def test_an_unknown_name_is_refused_with_the_known_ones(name: object):
    with pytest.raises(ValueError, match=r"there is no preset .*; known are 1998, 1997, 2004, short"):
        Ruleset.preset(name)


def test_what_is_wrong_beside_the_name_is_refused_as_in_any_ruleset():
    with pytest.raises(ValueError, match=r"a ruleset has no field 'incom'; did you mean income\?"):
        Ruleset.preset("short", incom=12)
    with pytest.raises(ValueError, match="'edition' cannot be among the changes of a ruleset"):
        Ruleset.preset("short", edition="1997")
    with pytest.raises(ValueError, match="players"):
        Ruleset.preset("short", players=7)
