"""Who enters a task: a spec, the name that others read, and a digest of what plays."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ursuppe_agents.policies.provenance import digest_of, file_digest
from ursuppe_agents.registry import agent_spec, make_agent, parameters_of
from ursuppe_lab.jobs.folder import foreign_files, origin_of

_OPPONENT = "{opponent}"  # in a spec: an agent for each opponent


class Entry(BaseModel):
    """Who entered.

    Attributes:
        name: that stands in tables, and in the seats of records.
        spec: by which the agent was made; where its files lay is of no matter to others. With ``{opponent}`` in it, it
            is another agent against each opponent: of ``policy:replay-1`` it has ``replay-1`` there.
        digest: of its parameters and files (``entry_digest``).
        learned: decisions that it learned from; None: not told, or it did not learn.
        training_seed: of its training; entries of one name that have one are runs of the same algorithm, and one line
            of a table.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    spec: str
    digest: str
    learned: int | None = None
    training_seed: int | None = None

    @property
    def only_attacks(self) -> bool:
        """Is it another agent against each opponent? Then nobody can be against it."""
        return _OPPONENT in self.spec

    def specs(self, opponents: Sequence[str]) -> dict[str, str]:
        """The specs of all that it plays by, by their names in the seats."""
        return {self.name_against(opponent): spec_against(self.spec, opponent) for opponent in opponents}

    def name_against(self, opponent: str) -> str:
        """In the seats."""
        return f"{self.name}, {_short(opponent)}" if self.only_attacks else self.name


def spec_against(spec: str, opponent: str) -> str:
    """The spec with which an entry plays against an opponent."""
    return spec.replace(_OPPONENT, _short(opponent))


def entry_digest(spec: str, players: int, opponents: Sequence[str] = ()) -> str:
    """Of an agent: its parameters, and the files of its policy, model or module, or those that its command names.

    What these import or read is not seen.

    Args:
        spec: of the agent.
        players: in the games.
        opponents: of the task; for a spec with ``{opponent}`` the digest is of all agents that it stands for.

    Raises:
        ValueError: there is no such agent, or it does not play with so many players.
        OSError: a file cannot be read.
    """
    if _OPPONENT in spec and opponents:
        return digest_of("\n".join(entry_digest(spec_against(spec, opponent), players) for opponent in opponents))
    agent = make_agent(spec, 0)  # now its module is imported
    name, parameters = parameters_of(spec)
    files = foreign_files(spec)
    if "command" not in parameters:
        files = files[:1]  # a model stands for the module that plays by it
    if files == [Path(parameters.get("model", ""))]:
        del parameters["model"]
    contents = [file_digest(file) for file in files]
    if "others" in parameters and (model := Path(parameters_of(parameters["others"])[1].get("model", ""))).is_file():
        contents.append(file_digest(model))  # of a policy that a search expects in the other seats
    if (origin := origin_of(spec, players)) is not None:
        contents.append(origin.digest if hasattr(agent, "evaluator") else origin.actor)  # a search asks the critic, too
        parameters = parameters | {"policy": "", "model": ""}  # where it lies does not matter
    return digest_of("\n".join([agent_spec(name, **parameters), *contents]))


def _short(opponent: str) -> str:
    """Of ``policy:replay-1`` the ``replay-1``."""
    return opponent.rpartition(":")[2]
