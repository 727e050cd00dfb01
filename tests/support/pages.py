"""Reading pages that need nothing else."""

import json
import re
import zlib
from base64 import b64decode
from typing import Any

#: A name that would do harm on a page that took it for markup.
STRANGER = "</script><img src=x onerror=alert(1)>"


def between(page: str, begin: str, end: str) -> str:
    """What stands between these texts, which come once."""
    (found,) = re.findall(f"{re.escape(begin)}(.*?){re.escape(end)}", page, re.DOTALL)
    return found


def data_of(page: str) -> Any:
    """The data that a page holds."""
    packed = between(page, '<script type="application/octet-stream" id="data">', "</script>")
    return json.loads(zlib.decompress(b64decode(packed)))
