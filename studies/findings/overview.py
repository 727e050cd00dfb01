"""The first screen of the page: what a player and a designer can do with it, in plain words."""

from studies.findings.exploitability import Bound, Exploited, exploited
from studies.findings.genes import NO_ADVICE
from studies.findings.lead import Table, tables_of
from studies.findings.places import PLACES, best_place
from studies.findings.results import NEW, OLD, Results, origin_key
from studies.findings.wording import image, listed, markdown_table, of_100
from ursuppe_lab.reports.text import NONE, confidence_set, percent, value


def overview(results: Results) -> str:
    """What comes before all figures."""
    main = next(table for table in tables_of(results) if table.sides == results.settings[0].players)
    agent, setting = main.compared.agents[0], results.settings[0]
    players = setting.players
    rows = [_row(results, table) for table in tables_of(results)]
    headings = [
        "players",
        "best start place wins",
        "rounds",
        "who leads at half-time wins",
        "who is last then wins",
        "winner was once last",
        "who thinks or was trained against them wins",
    ]
    return f"""Computer players that have practised for millions of moves played this game again and again, as it is
printed. How that went is below. A range in brackets says where the true number lies, as far as so many games can
tell; what the games do not settle is not claimed. Human players may do other things, and for them other things may pay.
So may stronger programs: the last column shows who beats these players.

**If you play** (edition {NEW}):

- *Genes.* {NO_ADVICE}
- *Where to begin.* {_begin(results, main)}
- *Being ahead.* With {players} players who leads at half-time, after round {main.half}, wins
  {of_100(main.leader(main.half))} games, who is last {of_100(main.last(main.half))}. The winner was last at some time
  in {of_100(main.was_last)} games.
- *How long it takes.* With {players} players {value(main.rounds, ".1f")} rounds of at most 10.

{markdown_table(headings, rows)}

Each line is played by {agent} for as many players, or `{_spec(results.duel.agents[0])}`. The last column shows how far
to trust it: how often somebody wins alone among such players, where an equal would win one game in as many as there are
sides. First who was [trained](exploitability.md) against them, with [how much training](#who-plays); then, where it is
known, the same policy that [thinks longer](#who-plays) before it moves. {NONE}: nobody has tried yet.

**If you design**: a stroke is the printed price of a gene, a mark is the price at which buying it would change nothing,
with the range in which that lies ({setting}). A full triangle: the gene is shown to cost too little (▲) or too much (▼)
for a purchase at a random moment. Arrows show what the designers themselves changed after {OLD}: to the right what made
a gene better, to the left what made it worse. [`ursuppe balance ask`](balance-lab.md#what-a-change-does) says in a
minute what a change of your own would do.

{image("The printed price of each gene, what it is worth, and what the designers changed", "genes")}"""


def _begin(results: Results, table: Table) -> str:
    """Which place to take, and what it is worth."""
    players = table.compared.players
    best, is_sure = best_place(results, table.compared)
    if best is None:
        return f"With {players} players no start place is shown to win more games than another."
    share = table.figure(PLACES, best)
    first = f"With {players} players who begins on {best} wins {of_100(share)} games instead of {100 / players:.0f}"
    price = results.bids[players].prices[best]
    is_known = price is not None and price.interval() is not None
    bid = f"Who would bid for it may pay {confidence_set(price, '.1f')} BP" if is_known else "What to bid is not known"
    second = "" if is_sure else "; that it is better than the second best place is not shown"
    return f"{first}{second}. {bid} ([all places](#what-to-bid-for-a-start-place))."


def _row(results: Results, table: Table) -> list[str]:
    best, _ = (None, False) if table.is_duel else best_place(results, table.compared)
    place = NONE if best is None else f"{best.removeprefix('place ')}: {percent(table.figure(PLACES, best))}"
    known = exploit_of(results, table)
    return [
        table.name,
        place,
        value(table.rounds, ".1f"),
        percent(table.leader(table.half)),
        percent(table.last(table.half)),
        percent(table.was_last),
        NONE if known is None else "; ".join(map(_roughly, (known, *known.thinking))),
    ]


def _roughly(bound: Bound) -> str:
    return f"{100 * bound.wins:.0f} % ({100 * bound.low:.0f}–{100 * bound.high:.0f})"


def exploit_of(results: Results, table: Table) -> Exploited | None:
    """What is known of the policy that plays a table."""
    spec = _spec(table.compared.agents[0])
    origin = results.origins.get(origin_key(spec, table.compared.players))
    return exploited(spec, table.compared.players, NEW, origin and origin.digest)


def players_section(results: Results) -> str:
    """Who plays: each policy's origin, and how far it, and the others, can be exploited."""
    origins = [f"- {name}: file {origin.digest}, {origin.in_words}" for name, origin in results.origins.items()]
    agents = {(_spec(found.agent), found.setting.players, found.setting.players) for found in results.same_setting}
    agents |= {(_spec(table.compared.agents[0]), table.compared.players, table.sides) for table in tables_of(results)}
    known, unknown = [], []
    for spec, players, sides in sorted(agents):
        origin = results.origins.get(origin_key(spec, players))
        found = exploited(spec, players, NEW, origin and origin.digest)
        if found is None:
            unknown.append(f"`{spec}` with {players}")
        else:
            known.append(f"- `{spec}` with {players} players: {found}; an equal would win {100 / sides:.1f} %")
    trained, measured = ("\n".join(lines) or "- none" for lines in (origins, known))
    return f"""## Who plays

Trained policies:

{trained}

All others follow [rules that are written down](agents.md). How often the best opponent that was found wins alone where
all others are the agent ([a lower bound](exploitability.md) on what can be found), edition {NEW}:

{measured}

Not measured: {listed(unknown)} players."""


def _spec(agent: str) -> str:
    return agent.strip("`")
