"""Where a game branches at a player's purchases, and what becomes of the branches; ``trials.py`` says what they are.

Of branches that are not played to their end, agents predict the chances of winning.
"""

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent
from ursuppe_agents.evaluator import Evaluator, evaluator_of
from ursuppe_agents.registry import make_agent
from ursuppe_env import Games, Ruleset
from ursuppe_env.games import trusted_games
from ursuppe_env.positions.state_checks import fill_legal_actions
from ursuppe_env.rules.actions import FIRST_BUY, PASS
from ursuppe_env.rules.genes import BOUGHT_GENE, NO_GENE, NUM_GENES
from ursuppe_env.rules.nodes import Decision
from ursuppe_lab.arena.matches import Matches

BRANCHES = ("natural", "rich", "denied", "given", "paid")
_NATURAL, _RICH, _DENIED, _GIVEN, _PAID = range(len(BRANCHES))


def play_branches(
    matches: Matches,  # the games where they branch
    players: NDArray[np.int64],  # (N,) at whose purchases
    rows: NDArray[np.int64],  # (n,) of those that do; they are about to ask this player
    bonus: int,  # BP for the branch rich
    last_rounds: NDArray[np.int64] | None = None,  # (N,) the last round that is played in each game; None: all are
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(N, 20, branches) wins and margins of the player in each branch of each game, where it ends; NaN: there is none.

    A win is 0 or 1, or the chance that the player's agent predicts where a branch was not played to its end.
    """
    wins = np.full((len(players), NUM_GENES, len(BRANCHES)), np.nan)
    margins = wins.copy()
    if len(rows) == 0:
        return wins, margins
    row, gene, branch, games = _branches(matches.games, players, rows, bonus)
    player = players[row]
    barred = np.where(branch == _DENIED, gene, NO_GENE)
    branched = matches.branch(row, games)
    branched.agents = {member: Barred(agent, player, barred) for member, agent in matches.agents.items()}
    if last_rounds is None:
        branched.play()
    else:
        last = last_rounds[row]
        branched.play(held=lambda games: games.rounds > last)
    won = chances_of_winning(matches.branch(row, games), player, barred)
    markers = games.markers
    margin = markers[np.arange(len(games)), player] - markers.mean(axis=1)
    for values, found in ((wins, won), (margins, margin)):
        has_gene = gene != NO_GENE
        values[row[has_gene], gene[has_gene], branch[has_gene]] = found[has_gene]
        for number in (_NATURAL, _RICH):  # for all genes of the game
            values[row[branch == number], :, number] = found[branch == number][:, None]
    return wins, margins


def _branches(
    games: Games, players: NDArray[np.int64], rows: NDArray[np.int64], bonus: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Games]:
    """All B branches of these games, with the purchases made that they are about; arguments as of ``play_branches``.

    Of each the row of the game, the gene, -1 for none, and which branch it is, (B,) each; and the B games.
    """
    here, ruleset = games.copy(rows).state, games.ruleset
    buyer = players[rows]
    states = [here, with_bp(here, buyer, bonus, ruleset)]
    found = [(rows, NO_GENE, _NATURAL, PASS), (rows, NO_GENE, _RICH, PASS)]
    for gene in range(NUM_GENES):
        richer = with_bp(here, buyer, ruleset.price[gene], ruleset)
        is_open = np.ones(len(rows), bool)
        for purchase in np.flatnonzero(gene == BOUGHT_GENE).tolist():
            word, bit = divmod(FIRST_BUY + purchase, 32)  # of the mask of legal actions
            masks = (there["legal"][:, word] for there in (richer, here))
            is_possible, is_affordable = ((mask >> np.uint32(bit)) & np.uint32(1) == 1 for mask in masks)
            is_possible &= is_open  # one way to buy a gene is enough
            is_open &= ~is_possible
            is_affordable &= is_possible
            states += [here[is_possible], richer[is_possible], here[is_affordable]]
            found += [
                (rows[is_possible], gene, _DENIED, PASS),
                (rows[is_possible], gene, _GIVEN, FIRST_BUY + purchase),
                (rows[is_affordable], gene, _PAID, FIRST_BUY + purchase),
            ]
    of_game, *others = zip(*found, strict=True)
    row = np.concatenate(of_game)
    gene_of, branch, action = (np.repeat(column, [*map(len, of_game)]) for column in others)
    branches = trusted_games(np.concatenate(states), ruleset, threads=1)
    buying = np.flatnonzero(action != PASS)
    branches.step(action[buying], buying)
    return row, gene_of, branch, branches


def with_bp(states: NDArray[np.void], player: NDArray[np.int64], bp: int, ruleset: Ruleset) -> NDArray[np.void]:
    """Copies of these states, (n,), in which the player, (n,), has so many BP more."""
    richer = states.copy()
    richer["bp"][np.arange(len(richer)), player] += bp
    for state in richer:
        fill_legal_actions(state, ruleset)
    return richer


class Barred(Agent):
    """Plays as an agent would to whom, as a player, (N,), the last card of a gene, (N,), seems to be sold; -1: no gene.

    Where nothing else is left to buy, it passes. For all others the gene is there as before.
    """

    def __init__(self, agent: Agent, player: NDArray[np.int64], gene: NDArray[np.int64]) -> None:
        super().__init__(agent.generator)
        self._agent, self._player, self._gene = agent, player, gene

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        state = games.state
        is_barred = (self._gene[rows] != NO_GENE) & (state["player"][rows] == self._player[rows])
        is_barred &= state["node"][rows] == Decision.BUY
        if not is_barred.any():
            return self._agent.act(games, rows)
        sold = state[rows]
        for row in np.flatnonzero(is_barred):
            sold["supply"][row, self._gene[rows[row]]] = 0
            fill_legal_actions(sold[row], games.ruleset_of(rows[row]))
        seen = trusted_games(sold, games.rulesets, threads=1)
        asked = np.flatnonzero(sold["num_legal"] > 1)
        actions = np.full(len(rows), PASS, np.int64)
        if len(asked):
            actions[asked] = self._agent.act(seen, asked)
        return actions


def predictor_of(spec: str, agent: Agent | None = None) -> Evaluator:
    """What predicts the chances of winning of an agent, made here if it is not given: itself, or what it searches by.

    If it predicts nothing, that is a ``ValueError``.
    """
    evaluator = evaluator_of(make_agent(spec, 0) if agent is None else agent)
    if not isinstance(evaluator, Evaluator):
        right = "a policy, such as policy:default, or search with one, such as search:ms=50"
        raise ValueError(f"agent is {spec!r}, which predicts no chances of winning; for predictions it must be {right}")
    return evaluator


def chances_of_winning(matches: Matches, players: NDArray[np.int64], barred: NDArray[np.int64]) -> NDArray[np.float64]:
    """(N,) a player's chance of winning each game as it stands: 0 or 1 if it is over, else what their agent predicts.

    Each game is over, or at a decision. The agent is shown no card of the gene, (N,), that is barred to the player, as
    when it chose (``Barred``); -1: none is.
    """
    games = matches.games
    chances = (games.winner == players).astype(np.float64)
    going_on = np.flatnonzero(~games.finished)
    if len(going_on) == 0:
        return chances
    state = games.state[going_on]
    without = np.flatnonzero(barred[going_on] != NO_GENE)
    state["supply"][without, barred[going_on][without]] = 0
    seen = trusted_games(state, games.ruleset, threads=1)
    member = matches.seating[going_on, players[going_on]]
    for one in np.unique(member).tolist():
        rows = np.flatnonzero(member == one)
        of_all = predictor_of(matches.specs[one], matches.agents[one]).values(seen, rows)
        chances[going_on[rows]] = of_all[np.arange(len(rows)), players[going_on[rows]]]
    return chances
