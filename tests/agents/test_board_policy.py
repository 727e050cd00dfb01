"""A network that sees the board as a policy: its file, and the agent that plays by it."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

from ursuppe_agents import make_agent
from ursuppe_agents.evaluator import TrainedElsewhereWarning
from ursuppe_agents.policies import files as policy_files
from ursuppe_agents.policies.board.network import BoardNetwork
from ursuppe_agents.policies.board.weights import Weights, Widths, weight_shapes
from ursuppe_agents.policies.files import DESCRIPTION, SavedPolicy, read_policy, write_policy
from ursuppe_env import Games, Ruleset
from ursuppe_env.teams import DUEL, Teams
from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks.board import BoardPolicy
from ursuppe_training.provenance import provenance_of

torch.set_num_threads(1)  # the workers of pytest-xdist share the cores

PROVENANCE = provenance_of(TrainingConfig(seed=7), decisions=1000)
GENERAL = PROVENANCE.changed({"player_counts": (3, 4, 6), "rulesets": "varied"})
IN_TEAMS = PROVENANCE.changed({"teams": "0+2,1+3"})


@pytest.fixture(scope="module")
def policy():
    """Such that the weights are as a file has them, and all of its layers count."""
    policy = BoardPolicy(Widths(), generator=torch.Generator().manual_seed(1))
    generator = np.random.default_rng(1)
    noise = {name: generator.normal(0, 0.1, shape) for name, shape in weight_shapes(Widths()).items()}
    policy.take(
        {
            name: (array + noise[name]).astype(np.float16).astype(np.float32)
            for name, array in policy.weights().arrays.items()
        }
    )
    return policy


def write(path, policy, provenance, temperature=1.0):
    write_policy(path, SavedPolicy(policy.weights(), provenance, temperature))


@pytest.fixture
def file(policy, tmp_path):
    write(tmp_path / "board.zip", policy, PROVENANCE)
    return tmp_path / "board.zip"


def games_on_their_way(ruleset=None, num_games=100):
    games = Games(num_games, ruleset, seed=2)
    games.play_random(70)
    return games, np.flatnonzero(~games.finished)[::-1]


# ---------------------------------------------------------------------- playing


@pytest.mark.parametrize(("provenance", "teams"), [(PROVENANCE, None), (IN_TEAMS, Teams(DUEL))])
def test_the_agent_plays_by_the_network(provenance, teams, policy, tmp_path):
    write(tmp_path / "board.zip", policy, provenance, temperature=0.5)
    network = BoardNetwork(Weights((4,), teams, policy.weights().arrays))
    games, rows = games_on_their_way()
    expected, chances = network.probabilities_and_chances(games.copy(rows))
    spec = f"policy:{tmp_path}/board.zip"
    likeliest = make_agent(f"{spec},deterministic=true", 3)
    np.testing.assert_array_equal(likeliest(games, rows), expected.argmax(axis=1))
    np.testing.assert_array_equal(likeliest(games, rows[:1]), expected[:1].argmax(axis=1))
    found = likeliest.evaluate(games, rows)
    np.testing.assert_array_equal(found[0], expected)
    np.testing.assert_array_equal(found[1], chances)
    drawn = make_agent(spec, 3)(games, rows)
    assert games.legal()[rows, drawn].all()
    assert (drawn != likeliest(games, rows)).any()
    np.testing.assert_array_equal(drawn, make_agent(f"{spec},temperature=0.5", 3)(games, rows))


def test_one_file_plays_with_the_numbers_of_players_that_it_names(policy, tmp_path):
    write(tmp_path / "board.zip", policy, GENERAL)
    agent = make_agent(f"policy:{tmp_path}/board.zip", 0)
    for players in (3, 4, 6):
        games, rows = games_on_their_way(Ruleset(players=players, edition="1997"))
        assert games.legal()[rows, agent(games, rows)].all()
        assert agent.unfamiliar(games.rulesets[0]) == []
        assert agent.rulesets_like_those(players, 2, seed=1)[1].players == players
    said = "the policy was trained with 3, 4 or 6 players; these"
    with pytest.raises(ValueError, match=f"^{said} games have 5$"):
        agent(Games(1, Ruleset(players=5)), np.arange(1))
    with pytest.raises(ValueError, match=f"^{said} rulesets are for 5$"):
        agent.rulesets_like_those(5, 2, seed=1)
    assert agent.origin(4).in_words.startswith("trained with 3, 4 or 6 players on varied rulesets, both editions")


def test_it_is_familiar_with_its_ruleset_for_each_number_of_players(policy, tmp_path, recwarn):
    several = PROVENANCE.changed({"player_counts": (3, 4), "ruleset": {"start_bp": 5}})
    write(tmp_path / "board.zip", policy, several)
    agent = make_agent(f"policy:{tmp_path}/board.zip", 0)
    for players in (3, 4):
        ruleset = Ruleset(players=players, start_bp=5)
        assert agent.unfamiliar(ruleset) == []
        agent(*games_on_their_way(ruleset))
        assert len(agent.unfamiliar(Ruleset(players=players))) == 1
    assert not recwarn.list
    with pytest.warns(TrainedElsewhereWarning, match="with changed start_bp; here it plays edition 1998 as printed"):
        agent(*games_on_their_way())


def test_a_search_is_guided_by_it(file):
    games, rows = games_on_their_way(num_games=6)
    actions = make_agent(f"search:sims=20,policy={file}", 0)(games, rows)
    assert games.legal()[rows, actions].all()
    np.testing.assert_array_equal(actions, make_agent(f"search:sims=20,policy={file}", 0)(games, rows))


# ---------------------------------------------------------------------- files


@pytest.mark.parametrize("widths", [Widths(), Widths(16, 48, 32, 16, 128)])
@pytest.mark.parametrize("provenance", [PROVENANCE, GENERAL, IN_TEAMS])
def test_a_policy_is_read_back(widths, provenance, tmp_path):
    policy = BoardPolicy(widths, generator=torch.Generator().manual_seed(1))
    write(tmp_path / "board.zip", policy, provenance, temperature=0.5)
    saved = read_policy(tmp_path / "board.zip")
    assert (saved.provenance, saved.temperature) == (provenance, 0.5)
    assert saved.weights.player_counts == (provenance.player_counts or (4,))
    assert saved.weights.teams == provenance.partition
    assert list(saved.weights.arrays) == list(weight_shapes(widths))
    for name, array in policy.weights().arrays.items():
        np.testing.assert_array_equal(saved.weights.arrays[name], array.astype(np.float16).astype(np.float32))
    write_policy(tmp_path / "again.zip", saved)
    assert (tmp_path / "again.zip").read_bytes() == (tmp_path / "board.zip").read_bytes()


@pytest.mark.parametrize("counts", [(4, 3), (3, 3, 4), (3, 5), (4, 7)])
def test_impossible_numbers_of_players_are_refused(counts):
    with pytest.raises(ValueError, match=r"^players? is 7|^player_counts is \["):
        PROVENANCE.changed({"player_counts": counts})
    with pytest.raises(ValueError, match=r"^player_counts is \[3, 4\]; .*; in teams it is the only one$"):
        IN_TEAMS.changed({"player_counts": (3, 4)})


def members_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def changed(path: Path, member: str, content: bytes) -> None:
    path.write_bytes(policy_files._archive({**members_of(path), member: content}))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"network": "attention"}, r"board\.zip has the network 'attention', which this version of ursuppe-env does n"),
        ({"network": ["board"]}, r"board\.zip has the network \['board'\], which this version"),
        ({"network": None}, r"board\.zip has the network None, which this version"),
        ({"network": None, "layers": [8]}, r"board\.zip has a dense network, of a version before policies saw the boa"),
        ({"layout": "00000000"}, r"board\.zip was trained with other inputs or actions, layout '00000000' and n"),
        ({"widths": [16, 64, 64, 32, 32]}, r"board\.zip is damaged, .*: its weights are not those of its layers$"),
        ({"widths": [32, 64, 64, 32]}, r": widths is \[32, 64, 64, 32\]; it must be 5 multiples of 16 up to 128$"),
        ({"widths": [32, 64, 64, 32, 1 << 60]}, r": widths is .*; it must be 5 multiples of 16 up to 128$"),
        ({"widths": [32, 64, 64, 32, 0]}, r": widths is .*; it must be 5 multiples of 16 up to 128$"),
        ({"widths": "many"}, r": widths is 'many'; it must be 5 multiples of 16 up to 128$"),
        ({"player_counts": [3]}, r"board\.zip is damaged, .*: player_counts is \[3\]; it must be in order and have 4$"),
        ({"player_counts": "all"}, r"board\.zip is damaged, .*: player_counts is 'all'"),
    ],
)
def test_a_policy_of_something_else_is_refused(settings, message, file):
    described = {**json.loads(members_of(file)[DESCRIPTION]), **settings}
    changed(file, DESCRIPTION, json.dumps(described).encode())
    with pytest.raises(ValueError, match=message) as error:
        make_agent(f"policy:{file}", 0)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("change", ["shape", "number", "bit", "name"])
def test_damaged_weights_are_refused(change, file):
    members = members_of(file)
    content = members["amoeba.npy"]
    if change == "shape":  # of as many numbers
        rows, columns = weight_shapes(Widths())["amoeba"]
        changed(file, "amoeba.npy", policy_files._npy_header((columns, rows)) + content[128:])
    elif change == "number":
        changed(file, "amoeba.npy", content[:-2] + np.float16(np.nan).tobytes())
    elif change == "bit":
        file.write_bytes(file.read_bytes().replace(content, content[:-1] + bytes([content[-1] ^ 1])))
    else:
        file.write_bytes(policy_files._archive({name.replace("joint", "other"): one for name, one in members.items()}))
    with pytest.raises(ValueError, match=r"board\.zip is damaged, or no policy of `ursuppe train`: ") as error:
        make_agent(f"policy:{file}", 0)
    assert "\n" not in str(error.value)
