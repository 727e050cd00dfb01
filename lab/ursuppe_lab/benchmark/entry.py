"""Who enters a task: a spec, the name that others read, and a digest of what plays."""

import shlex
from importlib.util import find_spec
from pathlib import Path

from ursuppe_agents.registry import agent_spec, foreign_code, make_agent, parameters_of
from ursuppe_lab.benchmark.task import digest_of
from ursuppe_lab.jobs.origins import origin_of


def entry_digest(spec: str, players: int) -> str:
    """Of an agent: its parameters, and the content of the files that play.

    These are the file of its policy or model, of its module, or those that its command names. What a module imports, or
    a program reads, is not seen.

    Raises:
        ValueError: there is no such agent, or it does not play with so many players.
        OSError: a file cannot be read.
    """
    agent = make_agent(spec, 0)  # now its module is imported
    name, parameters = parameters_of(spec)
    code, contents = foreign_code(spec), []
    origin = origin_of(spec, players)
    if origin is not None:
        contents.append(origin.digest if hasattr(agent, "evaluator") else origin.actor)  # a search asks the critic, too
        parameters = parameters | {"policy": "", "model": ""}  # where it lies does not matter
    elif code is not None and "command" in parameters:
        named = [Path(word) for word in shlex.split(parameters["command"])]
        contents = [digest_of(file.read_bytes()) for file in named if file.is_file()]
    elif code is not None and "model" in parameters:
        contents = [digest_of(Path(parameters.pop("model")).read_bytes())]
    elif code is not None and (module := find_spec(code)) is not None and module.origin is not None:
        contents = [digest_of(Path(module.origin).read_bytes())]
    return digest_of("\n".join([agent_spec(name, **parameters), *contents]))
