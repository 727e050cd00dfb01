"""Trained policies on disk: a .zip with the weights and what they are for, and nothing that could be executed.

| member | what it has |
| --- | --- |
| ``ursuppe_policy.json`` | widths of the layers, digest of what it sees and does; its provenance |
| | the temperature at which it draws its actions; without one it is 1 |
| ``seat.npy`` ... | float16 numbers as ``numpy.load`` reads them: all arrays of such layers, in order |
| ``critic.seat.npy`` ... | likewise, those of a critic of its own, if the provenance tells of one |

The comment of the archive is the seal (``ursuppe_env.files``) of all before it. One from a stranger can be tried
without fear: what is read are numbers, and settings of what the policy is for, how big it is and where it comes from,
within limits. Others could name agents, and to make an agent may import a module. Members are not compressed, and no
longer than the file: a small one cannot ask for much memory.
"""

import hashlib
import io
import json
import struct
import zipfile
from dataclasses import astuple, fields
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.board.inputs import AMOEBA_FEATURES, GENE_NUMBERS, SITUATION, SPACE_FEATURES
from ursuppe_agents.policies.board.weights import LANES, Weights, Widths, critic_shapes, weight_shapes, widths_of
from ursuppe_agents.policies.provenance import Provenance
from ursuppe_agents.search.value import FEATURES
from ursuppe_env.files import SEAL_LENGTH, sealed, unsealed, write_atomically
from ursuppe_env.line import quoted
from ursuppe_env.parsing import parse_json
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.nodes import Decision

DESCRIPTION = "ursuppe_policy.json"
_TEMPERATURE = "temperature"
_NETWORK, _BOARD, _WIDTHS = "network", "board", "widths"  # a file that names no network is of an older version
_OF_CRITIC = "critic."  # before the names of the arrays of a critic of its own
_WIDEST = 128  # of the layers: five tokens fit into what the compiled ones have room for
_MEANING = 1  # raised when a number that a network gets means something else under the same name

_WEIGHT = np.dtype("<f2")  # half the size; policies compute in float32
LOWEST_TEMPERATURE, HIGHEST_TEMPERATURE = 0.01, 100.0
_LONGEST_DESCRIPTION = 4096  # bytes
_MOST_OTHERS = 2**18  # bytes of a file that are no weights: names, places and shapes of some hundred layers
_MOST_BYTES = 4_000_000  # of a file: no widths make a larger one


class SavedPolicy(NamedTuple):
    """A policy as its file has it.

    Attributes:
        weights: of its network.
        provenance: where it comes from, and so what it is for.
        temperature: at which its agents draw their actions.
    """

    weights: Weights
    provenance: Provenance
    temperature: float


class _OtherVersion(Exception):
    """The file is whole, and its policy is one that this version cannot play: why, in words that follow its path."""


def write_policy(path: Path, policy: SavedPolicy) -> None:
    """Write a policy, whole or not at all.

    Raises:
        OSError: the file cannot be written.
        ValueError: the temperature is out of its range, or the provenance says nothing of the critic that there is.
    """
    write_atomically(path, policy_bytes(policy))


def policy_bytes(policy: SavedPolicy) -> bytes:
    """What ``write_policy`` writes."""
    weights = policy.weights
    if (weights.critic is None) != (policy.provenance.critic_games == 0):
        raise ValueError("critic_games must be more than 0 if a policy has a critic of its own, else 0")
    widths = widths_of(weights.arrays)
    described = {
        _NETWORK: _BOARD,
        "layout": policy_layout(),
        _WIDTHS: astuple(widths),
        _TEMPERATURE: checked_temperature(policy.temperature),
        **policy.provenance.model_dump(),
    }
    members = {DESCRIPTION: json.dumps(described, indent=2).encode()}
    of_critic = {_OF_CRITIC + name: array for name, array in (weights.critic or {}).items()}
    for name in _shapes(widths, policy.provenance):
        kept = np.ascontiguousarray((weights.arrays | of_critic)[name], _WEIGHT)
        members[f"{name}.npy"] = _npy_header(kept.shape) + kept.tobytes()
    return _archive(members)


def read_policy(path: Path) -> SavedPolicy:
    """What is in a file of ``write_policy``.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is damaged, no such file, or of a version with other networks, inputs or actions.
    """
    with path.open("rb") as file:
        data = file.read(_MOST_BYTES + 1)
    try:
        return _policy_in(data)
    except _OtherVersion as other:
        raise ValueError(f"{path} {other}") from None
    except Exception as error:  # whatever a file with anything in it makes zipfile or json raise
        if _is_of_sb3(data):
            raise ValueError(f"{path} is a model of Stable-Baselines3; it plays as sb3:{path}") from None
        reason = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        reason = reason.partition("\n")[0]
        raise ValueError(f"{path} is damaged, or no policy of `ursuppe train`: {reason}") from error


def read_provenance(path: Path) -> Provenance:
    """Where the policy in a file comes from; errors as of ``read_policy``."""
    return read_policy(path).provenance


def read_temperature(path: Path) -> float:
    """The temperature at which the policy in a file draws its actions; errors as of ``read_policy``."""
    return read_policy(path).temperature


def checked_temperature(temperature: float) -> float:
    """The temperature.

    Raises:
        ValueError: it is not positive, or so small or large that nothing is left of the probabilities.
    """
    if not LOWEST_TEMPERATURE <= temperature <= HIGHEST_TEMPERATURE:
        raise ValueError(
            f"temperature is {temperature}; it must be from {LOWEST_TEMPERATURE} to {HIGHEST_TEMPERATURE:g}"
        )
    return temperature


def _is_of_sb3(data: bytes) -> bool:
    """Does the file begin as those of Stable-Baselines3: an archive whose first member has the name ``data``?"""
    return data.startswith(b"PK\x03\x04") and data[26:28] == b"\x04\x00" and data[30:34] == b"data"


def policy_layout() -> str:
    """A short digest of what a policy sees and does: of all that its weights are multiplied with, by name."""
    described = [f"meaning {_MEANING}", *GENE_NAMES, *(decision.name for decision in Decision), *FEATURES]
    described += [*SPACE_FEATURES, *AMOEBA_FEATURES, *SITUATION, *GENE_NUMBERS, str(weight_shapes(Widths()))]
    return hashlib.sha256("\n".join(described).encode()).hexdigest()[:8]


def _archive(members: dict[str, bytes]) -> bytes:
    """A .zip of these, sealed."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, member in members.items():
            archive.writestr(zipfile.ZipInfo(name), member)  # without the time: the same policy is the same file
        archive.comment = bytes(SEAL_LENGTH)
    return sealed(content.getvalue()[:-SEAL_LENGTH])


def _shapes(widths: Widths, provenance: Provenance) -> dict[str, tuple[int, ...]]:
    """Those of all arrays in a file, by their names there."""
    of_critic = critic_shapes(widths) if provenance.critic_games else {}
    return weight_shapes(widths) | {_OF_CRITIC + name: shape for name, shape in of_critic.items()}


def _npy_header(shape: tuple[int, ...]) -> bytes:
    """What stands before the numbers in a file of NumPy, version 1.0: 128 bytes."""
    text = f"{{'descr': '{_WEIGHT.str}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def _policy_in(data: bytes) -> SavedPolicy:
    """The policy in the bytes of a file, after a look at what could be wrong with it as a whole."""
    if len(data) > _MOST_BYTES:
        raise ValueError(f"it is longer than {_MOST_BYTES:,} bytes")
    unsealed(data)
    archive = zipfile.ZipFile(io.BytesIO(data))
    members = archive.infolist()
    if not members or members[0].filename != DESCRIPTION:
        raise ValueError(f"it does not begin with {DESCRIPTION}")
    if any(member.compress_type != zipfile.ZIP_STORED for member in members):
        raise ValueError("its members are compressed")
    if members[0].file_size > _LONGEST_DESCRIPTION:
        raise ValueError(f"{DESCRIPTION} is longer than {_LONGEST_DESCRIPTION:,} bytes")
    widths, provenance, temperature = _described(archive.read(members.pop(0)))
    shapes = _shapes(widths, provenance)
    least = sum(map(prod, shapes.values())) * _WEIGHT.itemsize
    names = [member.filename for member in members]
    if not least < len(data) <= least + _MOST_OTHERS or names != [f"{name}.npy" for name in shapes]:
        raise ValueError("its weights are not those of its layers")
    arrays = {
        name: _weights(archive, member, shape).astype(np.float32)
        for member, (name, shape) in zip(members, shapes.items(), strict=True)
    }
    critic = None
    if provenance.critic_games:
        critic = {name: arrays.pop(_OF_CRITIC + name) for name in critic_shapes(widths)}
    return SavedPolicy(Weights((provenance.players,), provenance.partition, arrays, critic), provenance, temperature)


def _described(description: bytes) -> tuple[Widths, Provenance, float]:
    """What the description of a policy says: the widths of its layers, where it comes from, how it draws."""
    described = parse_json(description)
    if not isinstance(described, dict):
        raise ValueError(f"{DESCRIPTION} describes nothing")
    network = described.get(_NETWORK)
    if network is None and "layers" in described:
        raise _OtherVersion("has a dense network, of a version before policies saw the board; train anew")
    if _NETWORK in described and network != _BOARD:
        raise _OtherVersion(f"has the network {quoted(network)}, which this version of ursuppe-env does not know")
    of_provenance = [name for name, field in Provenance.model_fields.items() if field.is_required()]
    missing = [name for name in (_NETWORK, "layout", _WIDTHS, *of_provenance) if name not in described]
    if missing:
        raise ValueError(f"{DESCRIPTION} lacks {', '.join(missing)}")
    widths = _widths(described[_WIDTHS])
    if (found := described["layout"]) != (wanted := policy_layout()):
        raise _OtherVersion(
            f"was trained with other inputs or actions, layout {found!r} and not {wanted!r}; train anew"
        )
    temperature = described.get(_TEMPERATURE, 1.0)
    if not isinstance(temperature, (int, float)):
        raise ValueError(f"temperature is {temperature!r}; it must be a number")
    provenance = Provenance(**{name: described[name] for name in Provenance.model_fields if name in described})
    return widths, provenance, checked_temperature(temperature)


def _widths(found: object) -> Widths:
    """Those in a description."""
    count, possible = len(fields(Widths)), range(LANES, _WIDEST + 1, LANES)
    if (
        not isinstance(found, list)
        or len(found) != count
        or any(type(width) is not int or width not in possible for width in found)
    ):
        raise ValueError(f"widths is {quoted(found)}; it must be {count} multiples of {LANES} up to {_WIDEST}")
    return Widths(*found)


def _weights(archive: zipfile.ZipFile, member: zipfile.ZipInfo, shape: tuple[int, ...]) -> NDArray[np.float16]:
    header = _npy_header(shape)
    if member.file_size != len(header) + prod(shape) * _WEIGHT.itemsize:
        raise ValueError("its weights are not those of its layers")
    content = archive.read(member)
    if not content.startswith(header):
        raise ValueError(f"{member.filename} is no array of shape {shape} and type {_WEIGHT.str}")
    weights = np.frombuffer(content, _WEIGHT, offset=len(header)).reshape(shape)
    if not np.isfinite(weights).all():
        raise ValueError("its weights are no finite numbers")
    return weights
