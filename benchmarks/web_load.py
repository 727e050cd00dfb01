"""How long ``ursuppe web`` takes to answer with many games at once: ``python benchmarks/web_load.py``.

A server of its own has 100 games, each of a person against three agents. A person looks at the game, thinks for a
moment, decides, and looks at what has come of it: these two are the answer. In between the agents of all games decide.
Afterwards every game is compared with what the persons have done: nothing may be lost.
"""

import argparse
import asyncio
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

_CODE = "from ursuppe_env.cli import main; main()"


async def sit_down(client: httpx.AsyncClient, agent: str, seed: int) -> str:
    """A new game, when its person is asked for the first time."""
    seats = [{"who": "person"}, *[{"who": "agent", "agent": agent}] * 3]
    game = (await ask(client, "/api/games", {"seed": seed, "seats": seats}))["id"]
    await until_asked(client, game)
    return game


async def person(client: httpx.AsyncClient, game: str, decisions: int, think: float, seed: int) -> list[float]:
    """Take so many decisions in a game; how long each took to be answered, in seconds."""
    rng = random.Random(seed)
    taken, times = [], []
    for _ in range(decisions):
        view = await until_asked(client, game)
        if view["isOver"]:
            break
        await asyncio.sleep(rng.expovariate(1 / think))
        action = rng.choice(view["choices"])["action"]
        began = time.perf_counter()
        await ask(client, f"/api/games/{game}/choose", {"action": action, "version": view["version"]})
        await ask(client, f"/api/games/{game}")
        times.append(time.perf_counter() - began)
        taken.append(action)
    record = await ask(client, f"/api/games/{game}/record")
    kept = [event[2] for event in record["events"] if len(event) == 3 and event[1] == 0]
    if kept != taken:
        sys.exit(f"game {game} has lost decisions: {len(kept)} are kept of {len(taken)}")
    return times


async def until_asked(client: httpx.AsyncClient, game: str) -> Any:
    """The game when its person is asked, or it is over."""
    while True:
        view = await ask(client, f"/api/games/{game}")
        if view["choices"] or view["isOver"]:
            return view
        await asyncio.sleep(0.2)


async def ask(client: httpx.AsyncClient, path: str, body: Any = None) -> Any:
    """What the server answers."""
    answer = await (client.get(path) if body is None else client.post(path, json=body))
    if answer.status_code != 200:
        sys.exit(f"{path}: {answer.status_code} {answer.text}")
    return answer.json()


async def everybody(address: str, games: int, decisions: int, agent: str, think: float) -> list[float]:
    """All persons at once; how long each of their decisions took to be answered."""
    limits = httpx.Limits(max_connections=games)
    async with httpx.AsyncClient(base_url=address, headers={"origin": address}, limits=limits, timeout=120) as client:
        each = -(-decisions // games)
        tables = await asyncio.gather(*(sit_down(client, agent, seed) for seed in range(games)))
        people = (person(client, game, each, think, seed) for seed, game in enumerate(tables))
        return [one for times in await asyncio.gather(*people) for one in times]


def main() -> None:
    """Measure, and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100, help="at once")
    parser.add_argument("--decisions", type=int, default=1000, help="of all persons together")
    parser.add_argument("--agent", default="greedy", help="that plays the other seats")
    parser.add_argument("--think", type=float, default=5.0, help="mean seconds that a person thinks")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", _CODE, "web", "--port", "0", "--no-browser", "--folder", str(Path(folder))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                address = server.stdout.readline().split()[-1].rstrip("/")
                arguments = options.games, options.decisions, options.agent, options.think
                times = asyncio.run(everybody(address, *arguments))
            finally:
                server.terminate()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    times.sort()
    figures = {
        "decisions": len(times),
        "median_ms": round(1000 * statistics.median(times), 1),
        "p95_ms": round(1000 * times[int(0.95 * len(times))], 1),
        "slowest_ms": round(1000 * times[-1], 1),
        "server_cpu_ms": round(1000 * (used.ru_utime + used.ru_stime) / len(times), 1),  # with start and agents
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
