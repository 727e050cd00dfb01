"""A bot for Ursuppe in plain Python: it needs nothing but the standard library (docs/protocol.md).

ursuppe bot check "python examples/bot.py"
ursuppe arena "process:python examples/bot.py" hunter random random --games 100
"""

import json
import random
import sys

generators = {}  # a random generator for each game, so that the same seeds give the same games


def choose(decision):
    """Eat, attack and buy where it is possible; else anything that is legal."""
    legal = decision["legal"]
    for wish in ("meal", "eat", "attack", "buy", "space"):
        wanted = [action for action in legal if action.startswith(wish)]
        if wanted:
            return generators[decision["game"]].choice(wanted)
    return generators[decision["game"]].choice(legal)


def say(**message):
    """Write a line, at once."""
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    match message["type"]:
        case "hello":
            say(type="ready", name="Glutton", sees=[])  # the legal actions are enough for it
        case "game":
            generators[message["game"]] = random.Random(message["seed"])
        case "decide":
            actions = [{"game": asked["game"], "action": choose(asked)} for asked in message["decisions"]]
            say(type="action", request=message["request"], actions=actions)
        case "over":
            del generators[message["game"]]
        case "bye":
            break
