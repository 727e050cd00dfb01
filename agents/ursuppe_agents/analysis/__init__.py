"""Analysis of games: the chances of winning along a game, after every action, and what each decision gave away."""

from ursuppe_env.extras import extra

with extra("arena"):
    from ursuppe_agents.analysis.analysts import Analyst, analyst_for
    from ursuppe_agents.analysis.game import GameAnalysis, analyse_game
    from ursuppe_agents.analysis.judgement import Judgement, RatedAction
    from ursuppe_agents.analysis.live import LiveAnalysis
    from ursuppe_agents.analysis.report import write_analysis

__all__ = [
    "Analyst",
    "GameAnalysis",
    "Judgement",
    "LiveAnalysis",
    "RatedAction",
    "analyse_game",
    "analyst_for",
    "write_analysis",
]
