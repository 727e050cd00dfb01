"""Games on a Ray cluster, which begins and ends here."""

from ursuppe_env import Ruleset
from ursuppe_lab.arena import Tournament, play_tournament


def test_a_ray_cluster_gives_the_same_results():
    played = Tournament(lineups=(("random",) * 3,), ruleset=Ruleset(players=3), num_games=60, seed=5)
    on_cluster, here = (
        play_tournament(played, **where)[0].drop("seconds") for where in ({"ray": True}, {"workers": 1})
    )
    assert on_cluster.equals(here)
