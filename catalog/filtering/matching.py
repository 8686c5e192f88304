"""Which servers match, and how many would with each other choice: one pass over the facts, no query.

A server matches where one of its configurations meets every filter at once. The counts of a facet leave its
own filter aside, so that a choice does not shrink the counts beside it.
"""

from collections import Counter
from dataclasses import dataclass, field

from catalog.filtering.facets import FACETS, Workloads


@dataclass
class Outcome:
    """What a set of filters finds; counts are of servers."""

    matches: dict = field(default_factory=dict)  # server: its configurations that match
    counts: dict = field(default_factory=dict)  # facet name: Counter of its values
    freed: Counter = field(default_factory=Counter)  # facet name: more servers without its filter
    lacking: Counter = field(default_factory=Counter)  # of these: by a figure that is not published


def match(facts, cleaned):
    """Return the Outcome of a form's cleaned data over `facts.load()`."""
    of_server, of_configuration, rows = _prepared(facts)
    server_tests = [facet.test(cleaned) for facet in of_server]
    tests = [facet.test(cleaned) for facet in of_configuration]
    active = [place for place, test in enumerate(tests) if test]
    outcome = Outcome(counts={facet.name: Counter() for facet in FACETS})
    server_counts = [outcome.counts[facet.name] for facet in of_server]
    counts = [outcome.counts[facet.name] for facet in of_configuration]
    for server, server_values, configurations in rows:
        failed, unknown = _failed(server_tests, server_values)
        if len(failed) > 1:
            continue
        passing = []
        found = [set() for _facet in of_configuration]
        lone = {}  # facet that alone stands in the way: whether an unknown figure does it
        for configuration, values in configurations:
            blocking = [
                (place, judged) for place in active if (judged := tests[place](values[place])) is not True
            ]
            if not blocking:
                passing.append(configuration)
                if not failed:
                    for place, own in enumerate(values):
                        found[place].update(own)
            elif len(blocking) == 1 and not failed:
                place, judged = blocking[0]
                found[place].update(values[place])
                lone[place] = lone.get(place, False) or judged is None
        for place, values in enumerate(found):
            counts[place].update(values)
        if not passing:
            for place, by_unknown in lone.items():
                name = of_configuration[place].name
                outcome.freed[name] += 1
                outcome.lacking[name] += by_unknown
        elif failed:
            (place,) = failed
            server_counts[place].update(server_values[place])
            outcome.freed[of_server[place].name] += 1
            outcome.lacking[of_server[place].name] += unknown
        else:
            outcome.matches[server] = passing
            for place, values in enumerate(server_values):
                server_counts[place].update(values)
    return outcome


def pairs(facts, cleaned):
    """Return a Counter {(facet name, facet name): servers that match without both of their filters}.

    For a list that is empty and stays empty without any single filter: there a pair frees exactly the servers
    of which some configuration fails these two and no other, which one pass finds, however many are asked.
    """
    of_server, of_configuration, rows = _prepared(facts)
    server_tests = [facet.test(cleaned) for facet in of_server]
    tests = [facet.test(cleaned) for facet in of_configuration]
    found = Counter()
    for _server, server_values, configurations in rows:
        failed, _unknown = _failed(server_tests, server_values)
        if len(failed) > 2:
            continue
        names = [of_server[place].name for place in failed]
        freed = set()
        for _configuration, values in configurations:
            blocking, _unknown = _failed(tests, values)
            if len(blocking) + len(failed) == 2:
                freed.add((*names, *(of_configuration[place].name for place in blocking)))
        found.update(freed)
    return found


def _failed(tests, values):
    """Return the places of the failing tests, and whether the last one hangs on an unknown figure."""
    failed, unknown = [], False
    for place, test in enumerate(tests):
        if test and (judged := test(values[place])) is not True:
            failed.append(place)
            unknown = judged is None
    return failed, unknown


def _prepared(facts):
    """Return the facets of servers, those of configurations, and every value of each; worked out once."""
    if not facts.prepared:
        facets = [facet.prepared(facts) if isinstance(facet, Workloads) else facet for facet in FACETS]
        of_server = [facet for facet in facets if not facet.of_configuration]
        of_configuration = [facet for facet in facets if facet.of_configuration]
        read_server = [facet.values for facet in of_server]
        read = [facet.values for facet in of_configuration]
        rows = [
            (
                server,
                [values(server) for values in read_server],
                [
                    (configuration, [values(server, configuration) for values in read])
                    for configuration in server.configurations
                ],
            )
            for server in facts.servers
        ]
        facts.prepared["rows"] = of_server, of_configuration, rows
    return facts.prepared["rows"]
