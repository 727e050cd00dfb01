"""Analysis of games: the chances of winning along a game, after every action, and what each decision gave away."""

from ursuppe_env.extras import extra

with extra("arena"):
    from ursuppe_play.analysis.analysts import Analyst, analyst_for
    from ursuppe_play.analysis.game import GameAnalysis, JudgedDecision, analyse_game, mistakes_among
    from ursuppe_play.analysis.judgement import Judgement, RatedAction
    from ursuppe_play.analysis.live import CourseAnalysis, LiveAnalysis, PastDecision
    from ursuppe_play.analysis.report import write_analysis

__all__ = [
    "Analyst",
    "CourseAnalysis",
    "GameAnalysis",
    "JudgedDecision",
    "Judgement",
    "LiveAnalysis",
    "PastDecision",
    "RatedAction",
    "analyse_game",
    "analyst_for",
    "mistakes_among",
    "write_analysis",
]
