"""Phase 1a: what to take along with a Tentacle, and which amoeba to hold on to."""

import numpy as np

from ursuppe_agents.scripted.tactics import compiled
from ursuppe_agents.scripted.tactics.food import ENOUGH
from ursuppe_agents.scripted.tactics.movement import STANDING, landing
from ursuppe_env.rules import actions
from ursuppe_env.rules.legal import is_legal
from ursuppe_env.rules.phases.displacement import asked_to_cling, on_their_way
from ursuppe_env.rules.state import NOBODY


@compiled
def decide_carry(game, rules):
    """Bring what is scarcest at the other end.

    Colours are taken in order, so the number of cubes to have of each is raised only when all colours have as many.
    Nothing goes into the unknown.
    """
    if game["direction"] == NOBODY:
        return actions.PASS
    player = np.int64(game["carrier"])
    space = np.int64(game["amoeba_space"][player, game["carrier_amoeba"]])
    end = landing(space, np.int64(game["direction"]))
    for wanted in range(1, ENOUGH + 1):
        for colour in range(rules["players"]):
            action = actions.first_carry(rules) + actions.seen_from(player, colour, rules)
            there = np.int64(game["food"][end, colour]) + on_their_way(game, rules, colour)  # at the end
            if colour != player and is_legal(game, action) and there < wanted:
                return action
    return actions.PASS


@compiled
def decide_cling(game, rules, soup):
    """Come along to where there is more to eat; not into the unknown (with ``early_clinging``)."""
    if game["direction"] == NOBODY:
        return actions.PASS
    player, amoeba = asked_to_cling(game, rules)
    space = np.int64(game["amoeba_space"][player, amoeba])
    end = landing(space, np.int64(game["direction"]))
    return actions.CLING if soup[STANDING, end] > soup[STANDING, space] else actions.PASS
