"""Policies as agents and as evaluators of positions, and their files, from which nothing is executed."""

import contextlib
import io
import json
import os
import pickle
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
import torch

from ursuppe_agents import make_agent
from ursuppe_agents.evaluator import TrainedElsewhereWarning
from ursuppe_agents.policies import agent as policy_agent
from ursuppe_agents.policies import files as policy_files
from ursuppe_agents.policies.agent import PolicyAgent
from ursuppe_agents.policies.board.network import BoardNetwork
from ursuppe_agents.policies.board.weights import Weights, Widths, weight_shapes
from ursuppe_agents.policies.files import DESCRIPTION, SavedPolicy, read_policy, write_policy
from ursuppe_env import Games, Ruleset
from ursuppe_env.envs.single_seat import UrsuppeVectorEnv
from ursuppe_env.files import SEAL_LENGTH, sealed
from ursuppe_env.teams import DUEL, Teams
from ursuppe_training.networks.board import BoardPolicy
from ursuppe_training.networks.files import load_policy, save_policy
from ursuppe_training.provenance import provenance_of

from support.policies import NARROW, SMALL, Trap, random_policy

PROVENANCE = provenance_of(SMALL, decisions=1000)
VARIED = PROVENANCE.changed({"rulesets": "varied"})
IN_TEAMS = PROVENANCE.changed({"teams": "0+2,1+3"})


@pytest.fixture(scope="module")
def policy():
    return random_policy(seed=1)


@pytest.fixture
def policy_file(policy, tmp_path):
    path = tmp_path / "policy.zip"
    save_policy(policy, SMALL, path)
    return path


def write(path, policy, provenance, temperature=1.0):
    write_policy(path, SavedPolicy(policy.weights(), provenance, temperature))
    return f"policy:{path}"


def agent_of(policy, seed=0):
    return PolicyAgent(np.random.default_rng(seed), weights=policy.weights())


def games_on_their_way(ruleset=None, num_games=100):
    """Games in the middle, and the rows of those that are not over, the last one first."""
    games = Games(num_games, ruleset, seed=2)
    games.play_random(70)
    return games, np.flatnonzero(~games.finished)[::-1]


@pytest.mark.parametrize("method", ["act", "priors", "values", "uniform"])
def test_it_is_asked_only_about_games_in_which_somebody_is_about_to_act(method, policy):
    games, rows = games_on_their_way()
    for wrong in (len(games), -1, *np.flatnonzero(games.finished)[:1]):
        with pytest.raises(ValueError, match=f"rows has {wrong}; "):
            getattr(agent_of(policy), method)(games, np.append(rows, wrong))


def test_an_environment_with_it_is_copied(policy):
    env = UrsuppeVectorEnv(2, opponent=agent_of(policy))
    env.reset(seed=1)
    for copied in (deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert copied.step(np.zeros(2, np.int64))[0].tolist() == deepcopy(env).step(np.zeros(2, np.int64))[0].tolist()


def test_it_leaves_torch_as_it_found_it(policy, policy_file):
    games, rows = games_on_their_way()
    policy.train()
    before, threads = torch.random.get_rng_state(), torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        agent_of(policy)(games, rows)
        load_policy(policy_file)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(threads)
    assert torch.equal(before, torch.random.get_rng_state())
    assert torch.is_grad_enabled()


@pytest.mark.parametrize(("provenance", "teams"), [(PROVENANCE, None), (IN_TEAMS, Teams(DUEL))])
def test_the_agent_plays_by_the_network(provenance, teams, policy, tmp_path):
    spec = write(tmp_path / "policy.zip", policy, provenance, temperature=0.5)
    network = BoardNetwork(Weights((4,), teams, policy.weights().arrays))
    games, rows = games_on_their_way()
    expected = network.action_probabilities(games.copy(rows), np.arange(len(rows)))
    likeliest = make_agent(f"{spec},deterministic=true", 3)
    np.testing.assert_array_equal(likeliest(games, rows), expected.argmax(axis=1))
    np.testing.assert_array_equal(likeliest(games, rows[:1]), expected[:1].argmax(axis=1))
    np.testing.assert_array_equal(likeliest.priors(games, rows), expected)
    np.testing.assert_array_equal(
        likeliest.values(games, rows), network.chances(games.copy(rows), np.arange(len(rows)))
    )
    drawn = make_agent(spec, 3)(games, rows)
    assert games.legal()[rows, drawn].all()
    assert (drawn != likeliest(games, rows)).any()
    np.testing.assert_array_equal(drawn, make_agent(f"{spec},temperature=0.5", 3)(games, rows))


def test_a_file_plays_with_the_number_of_players_that_it_names(policy, tmp_path):
    agent = make_agent(write(tmp_path / "policy.zip", policy, VARIED), 0)
    games, rows = games_on_their_way(Ruleset(edition="1997"))
    assert games.legal()[rows, agent(games, rows)].all()
    assert agent.unfamiliar(games.rulesets[0]) == []
    said = "the policy was trained with 4 players; these"
    with pytest.raises(ValueError, match=f"^{said} games have 5$"):
        agent(Games(1, Ruleset(players=5)), np.arange(1))
    with pytest.raises(ValueError, match=f"^{said} rulesets are for 5$"):
        agent.unfamiliar(Ruleset(players=5))
    assert agent.origin(4).in_words.startswith("trained with 4 players on varied rulesets, both editions")


def test_it_is_familiar_with_its_ruleset(policy, tmp_path, recwarn):
    changed = PROVENANCE.changed({"ruleset": {"start_bp": 5}})
    agent = make_agent(write(tmp_path / "policy.zip", policy, changed), 0)
    assert agent.unfamiliar(Ruleset(start_bp=5)) == []
    agent(*games_on_their_way(Ruleset(start_bp=5)))
    assert len(agent.unfamiliar(Ruleset())) == 1
    assert not recwarn.list
    with pytest.warns(TrainedElsewhereWarning, match="with changed start_bp; here it plays edition 1998 as printed"):
        agent(*games_on_their_way())


def test_a_file_is_read_once_and_again_when_it_changes(policy_file, monkeypatch):
    read = []
    monkeypatch.setattr(policy_agent, "read_policy", lambda path: read.append(path) or read_policy(path))
    code = f"policy:{policy_file}"
    make_agent(code, 0)
    make_agent(f"{code},deterministic=true", 1)
    assert len(read) == 1
    other = random_policy(seed=2)
    save_policy(other, SMALL, policy_file, temperature=1.0)
    os.utime(policy_file, ns=(0, 0))
    games, rows = games_on_their_way()
    np.testing.assert_array_equal(make_agent(code, 3)(games, rows), agent_of(other, 3)(games, rows))
    assert len(read) == 2


@pytest.mark.parametrize("widths", [NARROW, Widths(16, 48, 32, 16, 128)])
@pytest.mark.parametrize("provenance", [PROVENANCE, VARIED, IN_TEAMS])
def test_a_policy_is_read_back(widths, provenance, tmp_path):
    policy = BoardPolicy(widths, generator=torch.Generator().manual_seed(1))
    write(tmp_path / "policy.zip", policy, provenance, temperature=0.5)
    saved = read_policy(tmp_path / "policy.zip")
    assert (saved.provenance, saved.temperature) == (provenance, 0.5)
    assert saved.weights.player_counts == (4,)
    assert saved.weights.teams == provenance.partition
    assert list(saved.weights.arrays) == list(weight_shapes(widths))
    for name, array in policy.weights().arrays.items():
        np.testing.assert_array_equal(saved.weights.arrays[name], array.astype(np.float16).astype(np.float32))
    write_policy(tmp_path / "again.zip", saved)
    assert (tmp_path / "again.zip").read_bytes() == (tmp_path / "policy.zip").read_bytes()


def test_it_is_loaded_as_it_was_saved(policy, policy_file):
    found = load_policy(policy_file)
    save_policy(found, SMALL, policy_file.with_name("again.zip"))
    assert policy_file.with_name("again.zip").read_bytes() == policy_file.read_bytes()
    for one, other in zip(found.parameters(), policy.parameters(), strict=True):
        assert torch.equal(one, other)


def ways_to_damage(content):
    """What a disk, a transfer or a person makes of a file: (name, content)."""
    length = len(content)
    places = sorted(
        {*range(0, 200, 23), *(length * part // 24 for part in range(24)), *range(length - 170, length, 19)}
    )
    for place in places:
        yield f"bit {place}", content[:place] + bytes([content[place] ^ 16]) + content[place + 1 :]
    for part in range(8):
        yield f"cut to {part} eighths", content[: length * part // 8]
    block = bytes(min(4096, length // 8))
    for part in range(8):
        start = length * part // 8
        yield f"zeros from {start}", content[:start] + block + content[start + len(block) :]
    yield "one byte less", content[:-1]
    yield "one byte more", content + b"\n"
    yield "twice", content + content
    yield "text", b"no zip at all"


def test_whatever_damages_a_policy_is_noticed(policy_file):
    content = policy_file.read_bytes()
    count = 0
    for what, damaged in ways_to_damage(content):
        assert damaged != content
        policy_file.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"policy\.zip is damaged, or no policy of `ursuppe train`: ") as error:
            load_policy(policy_file)
        assert "\n" not in str(error.value), what
        count += 1
    assert count > 50


def members_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def changed(path: Path, member: str, content: bytes) -> None:
    """Replace a member of a policy's file, or add one, and seal the file."""
    path.write_bytes(policy_files._archive({**members_of(path), member: content}))


def described(path: Path, **settings) -> None:
    """Change what a policy's file says of it."""
    description = json.loads(members_of(path)[DESCRIPTION])
    changed(path, DESCRIPTION, json.dumps({**description, **settings}).encode())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"network": "attention"},
            r"policy\.zip has the network 'attention', which this version of ursuppe-env does n",
        ),
        ({"network": ["board"]}, r"policy\.zip has the network \['board'\], which this version"),
        ({"network": None}, r"policy\.zip has the network None, which this version"),
        ({"network": None, "layers": [8]}, r"policy\.zip has a dense network, of a version before policies saw the "),
        ({"layout": "00000000"}, r"policy\.zip was trained with other inputs or actions, layout '00000000' and n"),
        ({"widths": [32] * 5}, r"policy\.zip is damaged, .*: its weights are not those of its layers$"),
        ({"widths": [32, 64, 64, 32]}, r": widths is \[32, 64, 64, 32\]; it must be 5 multiples of 16 up to 128$"),
        ({"widths": [32, 64, 64, 32, 1 << 60]}, r": widths is .*; it must be 5 multiples of 16 up to 128$"),
        ({"widths": [32, 64, 64, 32, 0]}, r": widths is .*; it must be 5 multiples of 16 up to 128$"),
        ({"widths": "many"}, r": widths is 'many'; it must be 5 multiples of 16 up to 128$"),
        ({"players": 7}, r"policy\.zip is damaged, .*: players is 7"),
    ],
)
def test_a_policy_of_something_else_is_refused(settings, message, policy_file):
    described(policy_file, **settings)
    with pytest.raises(ValueError, match=message) as error:
        make_agent(f"policy:{policy_file}", 0)
    assert "\n" not in str(error.value)


def renamed(file: Path) -> None:
    members = {name.replace("joint", "other"): member for name, member in members_of(file).items()}
    file.write_bytes(policy_files._archive(members))


def biases(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Path], None]:
    """What makes this of the 16 biases of a layer."""

    def write(file: Path) -> None:
        content = io.BytesIO()
        np.save(content, change(np.load(file)["score_bias"]))
        changed(file, "score_bias.npy", content.getvalue())

    return write


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda file: file.write_bytes(policy_files._archive({"a": b""})), r"begin with ursuppe_policy\.json$"),
        (renamed, "its weights are not those of its layers$"),
        *((biases(lambda _, n=n: np.full(16, n, "<f2")), "no finite numbers") for n in (np.nan, np.inf, -np.inf)),
        (biases(lambda _: np.full(16, 1e300)), "not those of its layers$"),
        (biases(lambda numbers: numbers.astype(np.float32)), "not those of its layers$"),
        (biases(lambda numbers: numbers[:-1]), "not those of its layers$"),
        (biases(lambda numbers: numbers.astype("<i2")), r"no array of shape \(16,\) and type <f2$"),
        (biases(lambda numbers: numbers[None]), r"no array of shape \(16,\) and type <f2$"),
    ],
)
def test_weights_of_something_else_are_refused(change, message, policy_file):
    change(policy_file)
    with pytest.raises(ValueError, match=rf"policy\.zip is damaged, or no policy .*{message}"):
        load_policy(policy_file)


def test_anybody_reads_the_weights_with_numpy(policy, policy_file):
    found = np.load(policy_file)
    np.testing.assert_array_equal(found["score"], policy.layers["score"].detach().numpy())
    sizes = [weights.numel() for weights in policy.parameters()]
    assert [found[name].size for name in found.files if name != DESCRIPTION] == sizes


HOSTILE = {
    "many weights, few bytes": lambda file: described(file, widths=[20_000] * 5),
    "endless layers": lambda file: described(file, widths=[16] * 1300),
    "endless integers": lambda file: described(file, widths=[10**18] * 5),
    "a long description": lambda file: changed(file, DESCRIPTION, b"[" * 5_000_000),
    "a deep description": lambda file: changed(file, DESCRIPTION, b"[" * 4_000),
    "a deep setting": lambda file: described(file, widths=json.loads("[" * 600 + "]" * 600)),
    "a long file": lambda file: file.write_bytes(policy_files._archive({DESCRIPTION: bytes(60_000_000)})),
    "many members": lambda file: file.write_bytes(crowd(50_000)),
    "more members": lambda file: file.write_bytes(crowd(500_000)),
    "a bomb": lambda file: file.write_bytes(bomb(file)),
}


def crowd(times: int) -> bytes:
    """An archive that lists its only member again and again."""
    archive = policy_files._archive({DESCRIPTION: b"{}"})[:-SEAL_LENGTH]
    end = archive.rindex(b"PK\x05\x06")
    start = archive.index(b"PK\x01\x02")
    directory = archive[start:end] * times
    return sealed(
        archive[:start] + directory + archive[end : end + 12] + struct.pack("<2LH", len(directory), start, SEAL_LENGTH)
    )


def bomb(file: Path) -> bytes:
    """Members that are compressed, 400 MB in two."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, member in members_of(file).items():
            with archive.open(name, "w") as target:
                target.write(member)
                if name == "score.npy":
                    for _ in range(400):
                        target.write(bytes(1_000_000))
        archive.comment = bytes(SEAL_LENGTH)
    return sealed(content.getvalue()[:-SEAL_LENGTH])


PROBE = """
import sys, time
from pathlib import Path
from ursuppe_training.networks.files import load_policy

def memory(what):
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(what)]
    return int(line.split()[1]) * 1024

load_policy(Path(sys.argv[1]))
before = memory("VmRSS")
for path in sys.argv[2:]:
    started = time.process_time()
    try:
        load_policy(Path(path))
        said = "read"
    except ValueError as error:
        said = str(error)
    # The peak of the process so far; that of getrusage has its parent's, too.
    print(memory("VmHWM") - before, time.process_time() - started, said)
"""


def test_no_file_takes_much_memory_or_time(policy_file, tmp_path):
    files = []
    for number, make in enumerate(HOSTILE.values()):
        files.append(tmp_path / f"{number}.zip")
        files[-1].write_bytes(policy_file.read_bytes())
        make(files[-1])
    save_policy(BoardPolicy(Widths(*[128] * 5)), SMALL, tmp_path / "largest.zip")  # that may be
    files.append(tmp_path / "largest.zip")
    command = [sys.executable, "-c", PROBE, policy_file, *files]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    for what, line in zip([*HOSTILE, "the largest"], run.stdout.splitlines(), strict=True):
        memory, seconds, said = line.split(maxsplit=2)
        assert float(memory) < 200e6, what
        assert float(seconds) < 2, what
        assert (said == "read") == (what == "the largest"), line


def traps(folder):
    """The trap as torch writes it, and as plain pickle."""
    content = io.BytesIO()
    torch.save({"trap": Trap(folder)}, content)
    return content.getvalue(), pickle.dumps(Trap(folder))


@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("member", ["score_bias.npy", DESCRIPTION, "data.pkl"])
def test_a_policy_that_would_execute_code_is_refused(member, kind, policy_file, tmp_path):
    sprung = tmp_path / "sprung"
    trap = traps(sprung)[kind]
    changed(policy_file, member, trap)
    with pytest.raises(ValueError, match=r"policy\.zip is damaged, or no policy") as error:
        load_policy(policy_file)
    assert "\n" not in str(error.value)
    assert not sprung.exists()
    with contextlib.suppress(Exception):
        torch.load(io.BytesIO(trap), weights_only=False)
    assert sprung.exists()  # the trap does work


def test_agents_that_a_policys_file_names_are_not_made(policy_file, tmp_path, monkeypatch):
    (tmp_path / "trapped.py").write_text("from pathlib import Path\nPath('sprung').mkdir()\n")
    monkeypatch.chdir(tmp_path)
    code = "trapped:Bot"
    described(policy_file, opponents={code: 1.0}, evaluation_pool=[code])
    load_policy(policy_file)
    assert not Path("sprung").exists()
    with pytest.raises(ValueError, match="cannot be loaded"):
        make_agent(code, 0)
    assert Path("sprung").exists()  # the trap does work
    sys.modules.pop("trapped", None)
