"""Bytes with a seal behind them: their digest, so that damage shows before anybody looks inside.

A disk, a transfer or an interrupted copy changes bits, and what reads a file rarely notices: one flipped bit makes
a weight of 0.1 one of 1e36. A seal is the last line of the file: ``sha256:``, and 64 hexadecimal digits over all before
it. It detects damage, not forgery: anybody can seal anything.
"""

import hashlib

_LABEL = b"\nsha256:"
SEAL_LENGTH = len(_LABEL) + 2 * hashlib.sha256().digest_size + 1  # bytes


def sealed(content: bytes) -> bytes:
    """The content with its seal behind it."""
    return content + _seal_of(content)


def check_seal(data: bytes) -> None:
    """See that data is what ``sealed`` gave.

    Raises:
        ValueError: it has no seal, or its content is not what was sealed.
    """
    seal = data[-SEAL_LENGTH:]
    if len(seal) < SEAL_LENGTH or not seal.startswith(_LABEL):
        raise ValueError("it does not end with its digest: it was cut off, or is something else")
    if seal != _seal_of(memoryview(data)[:-SEAL_LENGTH]):
        raise ValueError("its content does not have the digest that stands behind it")


def unsealed(data: bytes) -> bytes:
    """The content in what ``sealed`` gave.

    Raises:
        ValueError: it is damaged, or was never sealed.
    """
    check_seal(data)
    return data[:-SEAL_LENGTH]


def _seal_of(content: bytes | memoryview) -> bytes:
    return _LABEL + hashlib.sha256(content).hexdigest().encode() + b"\n"
