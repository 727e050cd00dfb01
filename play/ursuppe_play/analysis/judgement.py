"""A decision judged: what each action is worth, and what the one that was taken gave away."""

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games
from ursuppe_env.extras import extra
from ursuppe_env.render.narration import action_in_words
from ursuppe_lab.statistics import CONFIDENCE, FEWEST_SEEDS
from ursuppe_play.analysis.analysts import Opinion
from ursuppe_play.names import Names

with extra("arena"):
    import scipy  # type: ignore[import-untyped]

# Imagined beside play-outs that were won or lost (Agresti and Coull, Agresti and Min): where all of them end alike, the
# next one may end otherwise.
_WON_OR_LOST, _BETTER_OR_WORSE = (0, 0, 1, 1), (-1, 0, 0, 1)


@dataclass(frozen=True)
class RatedAction:
    """A legal action.

    Attributes:
        action: its text.
        words: what it means here.
        chances: of winning after it, for each player; with teams those of the team.
        noise: half of the 95 % interval of the chance of the player who decides; None of too few samples.
        prior: how likely the agent takes it before any search.
        vote: how much speaks for it in the end; of all actions in sum 1.
        visits: play-outs that began with it.
    """

    action: str
    words: str
    chances: tuple[float, ...]
    noise: float | None
    prior: float
    vote: float
    visits: int


@dataclass(frozen=True)
class Judgement:
    """A decision, and what it gave away. Chances are of 1.

    Attributes:
        player: who decides.
        chances: of winning before the decision, for each player.
        noise: half of the 95 % interval of the chance of the player who decides; None of too few samples.
        actions: the legal ones, in the order of their ids.
        best: the place among them of the one with the best chance for the player who decides.
        taken: the place of the one that was taken; None if none was, as yet.
        gave_away: the chance after the best one less the one after the one that was taken; None if none was.
        gave_away_noise: half of an interval of that, which is wrong in 5 % of decisions at most although the best
            action was sought among many (Bonferroni); None of too few samples.
        p_value: how likely a difference at least so large is, where there is none, with as many actions to find the
            best one among; None where there is no interval, and 1 where the best one was taken.
    """

    player: int
    chances: tuple[float, ...]
    noise: float | None
    actions: tuple[RatedAction, ...]
    best: int
    taken: int | None
    gave_away: float | None
    gave_away_noise: float | None
    p_value: float | None

    def told(self, names: Names) -> "Judgement":
        """The same with actions in words as people say them."""
        actions = (replace(action, words=names.told(action.words)) for action in self.actions)
        return replace(self, actions=tuple(actions))

    def as_dict(self) -> dict[str, Any]:
        """As JSON can write it."""
        return asdict(self)


def judge(games: Games, opinion: Opinion, taken: str | None = None) -> Judgement:
    """Judge the decision in which a game, a batch of one, stands; ``taken`` is the text of the action, if one was."""
    game, player = games.state[0], int(games.player[0])
    texts = [games.actions.text(int(id), player) for id in np.flatnonzero(games.legal()[0])]
    after = opinion.chances_after
    own = after[:, :, player]
    actions = tuple(
        RatedAction(
            action=text,
            words=action_in_words(game, games.ruleset, text),
            chances=tuple(after[:, place].mean(axis=0).tolist()),
            noise=_half_width(own[:, place], _WON_OR_LOST),
            prior=float(opinion.priors[place]),
            vote=float(opinion.votes[place]),
            visits=int(opinion.visits[place]),
        )
        for place, text in enumerate(texts)
    )
    best = int(own.mean(axis=0).argmax())
    place = None if taken is None else texts.index(taken)
    lost = None if place is None else own[:, best] - own[:, place]
    rivals = max(len(texts) - 1, 1)
    return Judgement(
        player=player,
        chances=tuple(opinion.chances.mean(axis=0).tolist()),
        noise=_half_width(opinion.chances[:, player], _WON_OR_LOST),
        actions=actions,
        best=best,
        taken=place,
        gave_away=None if lost is None else float(lost.mean()),
        gave_away_noise=None if lost is None else _half_width(lost, _BETTER_OR_WORSE if place != best else (), rivals),
        p_value=None if lost is None else _p_value(lost, rivals),
    )


def _half_width(sample: NDArray[np.float64], imagined: tuple[int, ...], rivals: int = 1) -> float | None:
    """Of the interval of a mean, by Student's t: (N,) values that know nothing of each other, and imagined ones."""
    if len(sample) < FEWEST_SEEDS:
        return None
    sample = np.concatenate([sample, imagined])
    count = len(sample)
    return float(scipy.stats.t.isf((1 - CONFIDENCE) / 2 / rivals, count - 1) * sample.std(ddof=1) / count**0.5)


def _p_value(sample: NDArray[np.float64], rivals: int) -> float | None:
    """That a mean is 0, times the rivals among which the largest one was sought (Bonferroni).

    By the exact test of how often games were won by one action alone, and how often by the other.
    """
    if len(sample) < FEWEST_SEEDS:
        return None
    better, worse = int((sample > 0).sum()), int((sample < 0).sum())
    return min(1.0, rivals * float(scipy.stats.binomtest(better, better + worse).pvalue)) if better + worse else 1.0
