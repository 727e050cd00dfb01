"""Where a policy comes from: what it was trained on, for how long, with which settings and versions."""

import hashlib
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from ursuppe_agents.policies.rulesets import RulesetsOfTraining
from ursuppe_agents.settings import Settings
from ursuppe_env import Ruleset
from ursuppe_env.teams import Score, Teams, read_teams, teams_or_none

#: NumPy's global generator, which Stable-Baselines3 seeds, takes no more.
LARGEST_SEED = 2**32 - 1

_DIGITS = 16  # of a digest
_LARGEST_COUNT = 2**63 - 1
_MOST_AVERAGED = 64

_Digest = Annotated[str, Field(pattern=rf"^[0-9a-f]{{{_DIGITS}}}$", examples=["0123456789abcdef"])]
_Name = Annotated[str, Field(pattern=r"^[\w.-]{1,40}$", examples=["standard"])]
_Partition = Annotated[str, Field(pattern=r"^([0-9+,]{3,20})?$", examples=["0+2,1+3"])]
_Version = Annotated[str, Field(pattern=r"^[\w.+!-]{1,40}$", examples=["2.4.6"])]


class Provenance(Settings):
    """Where a policy comes from, as its file says. Anybody can write anything into a file: this is no proof.

    Attributes:
        players: of the games that it was trained with.
        teams: the seats of each team, such as ``0+2,1+3``; nothing: each seat for itself.
        score: which place was a team's.
        edition: of the games.
        ruleset: what differed from the printed edition, as in records; nothing if it was as printed.
        rulesets: "given", if all of it was trained with this ruleset; "varied", if each game drew one of
            ``ursuppe_agents.policies.rulesets``, and the given one is that of the evaluations.
        decisions: that it learned from; None if that is unknown.
        seed: of the training.
        preset: whose settings it was trained with, the seed aside; None if there was none.
        settings: a digest of all settings that decide what is learned, the seed aside.
        initial_policy: the digest of the file of the policy that its training began from; None: from random weights.
        decisions_before: that this one had learned from, with those of what its own training began from; 0 if there
            were none, or nobody says.
        mean_of: the digests of the files of those of whose weights its own are the means; none: it was trained as it
            is. All else is then said of the one of them that had learned most.
        critic_games: that a critic of its own was fitted to; 0: it has none.
        commit: of ursuppe-env, or "unknown".
        dirty: whether the files of the package differed from the commit.
        versions: of the packages that matter, by name.

    Raises:
        ValueError: one of them is out of its range; the message begins with its name.
    """

    players: int
    teams: _Partition = ""  # what a file says that was written before there were any
    score: Score = "worst"
    edition: str
    ruleset: dict[str, Any]
    rulesets: RulesetsOfTraining = "given"  # what a file says that was written before there were varied ones
    decisions: Annotated[int, Field(ge=0, le=_LARGEST_COUNT)] | None
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED)]
    preset: _Name | None
    settings: _Digest
    initial_policy: _Digest | None
    decisions_before: Annotated[int, Field(ge=0, le=_LARGEST_COUNT)] = 0
    mean_of: Annotated[tuple[_Digest, ...], Field(strict=False, max_length=_MOST_AVERAGED)] = ()
    critic_games: Annotated[int, Field(ge=0, le=_LARGEST_COUNT)] = 0
    commit: Annotated[str, Field(pattern=r"^([0-9a-f]{7,40}|unknown)$", examples=["0123456789"])]
    dirty: bool
    versions: Annotated[dict[_Name, _Version | None], Field(max_length=16)]

    @model_validator(mode="after")
    def _check_ruleset(self) -> Self:
        _ = self.played, self.partition  # checks players, edition, changes and teams
        return self

    @model_serializer(mode="wrap")
    def _leave_out_what_says_nothing(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Files of policies without a critic of their own are what they were before there were any."""
        said: dict[str, Any] = dump(self)
        return {name: value for name, value in said.items() if name != "critic_games" or value}

    @property
    def partition(self) -> Teams | None:
        """Who played together, if there were teams."""
        return partition_of(self.teams, self.score, self.players)

    @property
    def played(self) -> Ruleset:
        """The numbers that it was trained with; of varied ones those that it was evaluated with."""
        return Ruleset.from_changes(self.players, self.edition, self.ruleset)

    @property
    def all_decisions(self) -> int | None:
        """That it learned from since it had random weights, as far as files say; None if that is unknown."""
        return None if self.decisions is None else self.decisions + self.decisions_before

    def rules_in_words(self) -> str:
        """Such as ``edition 1998 as printed``, or ``varied rulesets, both editions``."""
        return "varied rulesets, both editions" if self.rulesets == "varied" else edition_in_words(self.played)

    def in_words(self) -> str:
        """All that matters in one line."""
        decisions = "an unknown number of" if self.decisions is None else f"{self.decisions:,}"
        before = f" of {self.decisions_before:,}" if self.decisions_before > 0 else ""
        begun = "" if self.initial_policy is None else f", begun from policy {self.initial_policy}{before}"
        mean = f"; the mean of policies {', '.join(self.mean_of)}" if self.mean_of else ""
        critic = f"; a critic of its own, fitted to {self.critic_games:,} games" if self.critic_games else ""
        settings = f"preset {self.preset}" if self.preset is not None else f"settings {self.settings}"
        changed = " with changed files" if self.dirty else ""
        together = "" if self.partition is None else f" {teams_in_words(self.partition)}"
        return (
            f"trained with {self.players} players{together} on {self.rules_in_words()}, {decisions} decisions"
            f"{begun}; {settings}, seed {self.seed}, commit {self.commit}{changed}{mean}{critic}"
        )


def partition_of(teams: str, score: str, players: int) -> Teams | None:
    """The teams of such settings: ``0+2,1+3`` has the seats of each, an empty text says that there are none.

    Raises:
        ValueError: they are no partition of the seats of so many players, or there is no such score.
    """
    return teams_or_none(read_teams(teams) if teams else None, score, players)


def file_digest(path: Path) -> str:
    """16 hexadecimal digits of what is in a file.

    Raises:
        OSError: it cannot be read.
    """
    return digest_of(path.read_bytes())


def edition_in_words(ruleset: Ruleset) -> str:
    """Such as ``edition 1998 as printed``; of fields that differ only the names."""
    changes = ruleset.changes()
    return f"edition {ruleset.edition} " + (f"with changed {', '.join(changes)}" if changes else "as printed")


def teams_in_words(teams: Teams | None) -> str:
    """Such as ``in teams 0+2,1+3 (score worst)``, or ``each seat for itself``."""
    return "each seat for itself" if teams is None else f"in teams {teams} (score {teams.score})"


def digest_of(content: str | bytes) -> str:
    """16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()[:_DIGITS]
