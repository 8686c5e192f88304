"""The facts of a model and the arithmetic of each line, as texts."""

from django.utils.translation import gettext

from catalog.templatetags import units
from recommender import calculator
from recommender.calculator import Calculation
from recommender.sizing.breakdown import TrainingBreakdown


def model_facts(calculation: Calculation):
    """Return sizes that go with the result: (label, text)."""
    found = calculator.opened(calculation)
    if isinstance(found, TrainingBreakdown):
        return _training_facts(found)
    facts = []
    if found.bytes_per_token is not None:
        facts.append((gettext("One more token"), _next_token(found)))
    if found.request is not None:
        text = gettext("%(gib)s on each GPU") % {"gib": units.bytes_gib(found.request.typical)}
        facts.append((gettext("One request"), text))
    return facts


def _next_token(found):
    """Return what a further token takes, in words where windows bound the cache."""
    values = {
        "kib": units.format_number(found.bytes_per_token / 1024, 2),
        "window": units.number(found.window),
    }
    if found.window is None:
        return gettext("%(kib)s KiB on each GPU") % values
    if not found.bytes_per_token:
        return gettext("nothing past %(window)s tokens: the window bounds the cache") % values
    return gettext("%(kib)s KiB on each GPU past %(window)s tokens, more before that") % values


def _training_facts(found: TrainingBreakdown):
    files = found.checkpoints
    facts = [
        (gettext("Parameters trained"), units.billions(found.trained_parameters)),
        (gettext("Checkpoint to resume from"), both_units(files.full)),
        (gettext("Weights alone, afterwards"), both_units(files.weights)),
        (
            gettext("On disk, with checkpoints kept: %(kept)s") % {"kept": files.kept},
            both_units(files.stored),
        ),
    ]
    if files.full_write_s is not None:
        seconds = units.quantity(files.full_write_s, gettext("s"), units.places(files.full_write_s))
        facts.append((gettext("Time to write a checkpoint"), seconds))
    if found.host:
        facts.append((gettext("Moved to host memory"), both_units(found.host)))
    return facts


def workings_of(calculation: Calculation):
    """Return how figures beside the lines come about: label, size and the formula as plain text."""
    found = calculator.opened(calculation)
    card, held = found.card, calculation.chosen.memory
    share = {
        "share": units.format_number(held.available.typical / card.typical, 4),
        "card": units.bytes_gib(card.typical),
    }
    reported = calculation.hardware.gpu.memory_reported
    text = [
        gettext("part that may be used × memory that the driver reports")
        if reported
        else gettext("part that may be used × memory expected by the printed label"),
        gettext("= %(share)s × %(card)s") % share,
        gettext("= %(size)s") % {"size": both_units(held.available.typical)},
    ]
    if not reported:
        ends = {"low": units.bytes_gib(held.available.low), "high": units.bytes_gib(held.available.high)}
        text.append(gettext("between %(low)s and %(high)s") % ends)
    rows = [_working(gettext("Usable"), both_units(held.available.typical), text)]
    return rows + (_file_workings(found) if isinstance(found, TrainingBreakdown) else [])


def _file_workings(found: TrainingBreakdown):
    """Return how the sizes of checkpoints and the time to write one come about."""
    files, (weight, _gradient, states) = found.checkpoints, found.state_bytes
    full, final, stored = both_units(files.full), both_units(files.weights), both_units(files.stored)
    parameters = units.format_number(found.trained_parameters, 0)
    texts = {
        gettext("Checkpoint to resume from"): (
            full,
            gettext("parameters trained × (bytes of a weight + bytes of its optimizer states)"),
            gettext("= %(parameters)s × (%(weight)s + %(states)s)")
            % {
                "parameters": parameters,
                "weight": units.format_number(weight, 4),
                "states": units.format_number(states, 4),
            },
        ),
        gettext("Weights alone, afterwards"): (
            final,
            gettext("parameters trained × 2 bytes"),
            gettext("= %(parameters)s × 2") % {"parameters": parameters},
        ),
        gettext("On disk, with checkpoints kept: %(kept)s") % {"kept": files.kept}: (
            stored,
            gettext("checkpoints kept × size of one + weights alone"),
            gettext("= %(kept)s × %(full)s + %(weights)s")
            % {
                "kept": units.number(files.kept),
                "full": units.bytes_gb(files.full),
                "weights": units.bytes_gb(files.weights),
            },
        ),
    }
    if files.full_write_s is not None:
        seconds = units.quantity(files.full_write_s, gettext("s"), units.places(files.full_write_s))
        texts[gettext("Time to write a checkpoint")] = (
            seconds,
            gettext("size of a checkpoint / rate of the storage"),
            gettext("= %(full)s / %(rate)s")
            % {
                "full": units.bytes_gb(files.full),
                "rate": units.gbs(files.full / files.full_write_s / 1e9),
            },
        )
    return [
        _working(label, size, [words, numbers, gettext("= %(size)s") % {"size": size}])
        for label, (size, words, numbers) in texts.items()
    ]


def _working(label, size, lines):
    return {"label": label, "size": size, "text": "\n".join(lines)}


def both_units(size):
    """Return bytes in both units."""
    return f"{units.bytes_gib(size)} = {units.bytes_gb(size)}"
