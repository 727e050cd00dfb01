"""The JSON Schemas of the messages, for programs in other languages: ``version_1/hello.json`` and so on.

``python -m ursuppe_agents.protocol.schemas`` writes them from the declarations in ``messages.py``.
"""

import json
from pathlib import Path
from typing import Any

from ursuppe_agents.protocol.messages import FROM_BOT, FROM_HOST, VERSION
from ursuppe_env.files import write_atomically

FOLDER = Path(__file__).with_name(f"version_{VERSION}")


def schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of each message, by type."""
    found = {}
    for type_, model in {**FROM_HOST, **FROM_BOT}.items():
        schema = model.model_json_schema()
        # The type has a default in Python, but no line may leave it out.
        required = ["type", *schema.get("required", ())]
        found[type_] = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "required": required}
    return found


def main() -> None:
    """Write the files."""
    for type_, schema in schemas().items():
        write_atomically(FOLDER / f"{type_}.json", (json.dumps(schema, indent=2, ensure_ascii=False) + "\n").encode())


if __name__ == "__main__":
    main()
