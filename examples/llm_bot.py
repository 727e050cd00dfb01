"""A language model as a bot for Ursuppe, behind any address that speaks OpenAI's protocol (docs/protocol.md).

    export OPENAI_API_KEY=...   # if the address wants one
    BOT="python examples/llm_bot.py --url http://localhost:8000/v1 --model my-model"
    ursuppe bot check "$BOT" --ms 60000
    ursuppe arena "process:$BOT,ms=60000" random random random --games 4

It needs the standard library alone. The model sees the position and the legal actions in English (--no-position and
--no-meanings leave parts of it out), and is to answer with the number of an action, on the last line. If it answers
anything else, too late or not at all, it is asked again, --attempts times in all; then a random action is taken, and
the reason is on stderr. Several games are asked about at the same time.
"""

import argparse
import json
import os
import random
import re
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

RULES = (
    "You play the board game Ursuppe (Primordial Soup). Each round: (1) amoebas drift with the current or pay to "
    "move, eat cubes of other colours than their own, and starve if they cannot (damage points, DP); (2) the next "
    "environment card: whose genes have more mutation points (MP) than its ozone gives up genes or pays; (3) "
    "players buy genes; (4) players get biological points (BP) and divide amoebas; (5) amoebas with too many DP "
    "die; (6) amoebas and genes score places on the track. You want to be furthest on the track in the end."
)

HOW_TO_ANSWER = "Think briefly. Then write the number of one action alone on the last line."


def question(decision, arguments):
    """What the model is asked."""
    position, _, actions = decision["text"].rpartition("\n\n")
    meanings = [action.partition(": ")[2] for action in actions.strip().splitlines()[1:]]
    shown = zip(decision["legal"], meanings, strict=True)
    lines = [
        f"{number}. {text}{f': {meaning}' if arguments.meanings else ''}"
        for number, (text, meaning) in enumerate(shown, start=1)
    ]
    parts = [position] * arguments.position + [actions.splitlines()[0], "\n".join(lines), HOW_TO_ANSWER]
    return "\n\n".join(parts)


def number_in(answer, count):
    """The action in an answer, counted from 0: the last number on the last line that has one.

    Raises:
        ValueError: there is none.
    """
    numbers = [re.findall(r"\d+", line) for line in str(answer).splitlines()]
    number = next((int(found[-1]) for found in reversed(numbers) if found and len(found[-1]) < 9), 0)
    if not 1 <= number <= count:
        raise ValueError(f"{str(answer)[-100:]!r} ends in no number from 1 to {count}")
    return number - 1


def ask(content, arguments):
    """What the model answers.

    Raises:
        OSError: the address does not answer, or refuses.
        ValueError: the answer is not what such an address answers.
    """
    messages = [{"role": "system", "content": RULES}, {"role": "user", "content": content}]
    body = {"model": arguments.model, "messages": messages, "temperature": arguments.temperature}
    headers = {"Content-Type": "application/json"}
    if "OPENAI_API_KEY" in os.environ:
        headers["Authorization"] = f"Bearer {os.environ['OPENAI_API_KEY']}"
    url = f"{arguments.url.rstrip('/')}/chat/completions"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=arguments.seconds) as response:
        found = json.loads(response.read(1_000_000))
    try:
        return found["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise ValueError(f"no answer of a model: {json.dumps(found)[:100]}") from None


def choose(decision, seed, arguments):
    """The id of an action, and a comment."""
    content = question(decision, arguments)
    for _ in range(arguments.attempts):
        try:
            answer = ask(content, arguments)
            return decision["ids"][number_in(answer, len(decision["ids"]))], str(answer)[-500:]
        except (OSError, ValueError) as error:  # a time limit is an OSError, what is no JSON is a ValueError
            print(f"game {decision['game']}: {error}", file=sys.stderr, flush=True)
    return random.Random(f"{seed} {content}").choice(decision["ids"]), "random"


def main():
    """Answer the host."""
    parser = argparse.ArgumentParser(description="A language model as a bot for Ursuppe.")
    parser.add_argument("--url", default="http://localhost:8000/v1", help="what /chat/completions follows")
    parser.add_argument("--model", required=True, help="its name")
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--position", action=argparse.BooleanOptionalAction, default=True, help="show the position")
    parser.add_argument("--meanings", action=argparse.BooleanOptionalAction, default=True, help="say what actions mean")
    parser.add_argument("--seconds", type=float, default=20.0, help="for an answer")
    parser.add_argument("--attempts", type=int, default=2)
    parser.add_argument("--at-once", type=int, default=8, help="questions at the same time")
    arguments = parser.parse_args()
    seeds = {}  # by game
    with ThreadPoolExecutor(arguments.at_once) as pool:
        for line in sys.stdin:
            message = json.loads(line)
            match message["type"]:
                case "hello":
                    answer = {"type": "ready", "name": arguments.model, "sees": ["text"]}
                case "game":
                    seeds[message["game"]] = message["seed"]
                    continue
                case "decide":
                    decisions = message["decisions"]
                    chosen = pool.map(lambda one: choose(one, seeds[one["game"]], arguments), decisions)
                    actions = [
                        {"game": one["game"], "action": action, "comment": comment}
                        for one, (action, comment) in zip(decisions, chosen, strict=True)
                    ]
                    answer = {"type": "action", "request": message["request"], "actions": actions}
                case "over":
                    del seeds[message["game"]]
                    continue
                case "bye":
                    break
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
