"""The JSON Schemas of the messages, for programs in other languages: ``version_1/hello.json`` and so on.

``python -m ursuppe_agents.protocol.schemas`` writes them from the declarations in ``messages.py``.
"""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from ursuppe_agents.protocol.messages import FROM_BOT, FROM_HOST, VERSION
from ursuppe_env.files import write_atomically

FOLDER = f"version_{VERSION}"


def schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of each message, by type."""
    return {
        type_: {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            **model.model_json_schema(),
            "required": _required(model.model_json_schema()),
        }
        for type_, model in {**FROM_HOST, **FROM_BOT}.items()
    }


def written_schemas() -> dict[str, dict[str, Any]]:
    """Those that come with the package, by type."""
    folder = files("ursuppe_agents.protocol") / FOLDER
    return {
        file.name.removesuffix(".json"): json.loads(file.read_text(encoding="utf-8"))
        for file in folder.iterdir()
        if file.name.endswith(".json")
    }


def _required(schema: dict[str, Any]) -> list[str]:
    """The type has a default in Python, but no line may leave it out."""
    return ["type", *schema.get("required", ())]


def main() -> None:
    """Write the files."""
    for type_, schema in schemas().items():
        path = Path(__file__).parent / FOLDER / f"{type_}.json"
        write_atomically(path, (json.dumps(schema, indent=2, ensure_ascii=False) + "\n").encode())


if __name__ == "__main__":
    main()
