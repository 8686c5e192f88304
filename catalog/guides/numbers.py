"""Numbers that an author typed beside a server's name and that none of its published figures has.

A hint, not a judgement: it stands for the eye of somebody who holds each sentence against the catalog.
"""

import re

from django.utils.translation import gettext

from catalog.models import Server

NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)?(?![\w]*\d)")
SENTENCE_END = re.compile(r"(?<=[.!?…])\s+(?=[«“\"(¿¡]*[A-ZÁÉÍÓÚÑА-ЯЁ])")
GROUPED = re.compile(r"(?<=\d)[\u00a0\u202f ](?=\d{3}(?!\d))")
GB_PER_TB = 1024
NO_FIGURES = ("id", "slug", "sort_key", "position")
GPU_FIGURES = ("name", "memory_gb", "memory_gib_usable", "bandwidth_gbs", "tdp_w", "nvlink_gbs_total")


def doubtful(document, reader):
    """Return [(line, message)] for each number of a sentence that no figure of the servers in it has."""
    names = [(server.name, server.slug) for server in reader.facts.servers]
    names.sort(key=lambda row: -len(row[0]))
    spoken = [
        (sentence, line, mentioned)
        for text, line in document.sentences
        for sentence in SENTENCE_END.split(text)
        if (mentioned := named(sentence, names))
    ]
    if not spoken:
        return []
    figures = _figures({slug for _sentence, _line, mentioned in spoken for slug in mentioned})
    found = []
    for sentence, line, mentioned in spoken:
        known = set().union(*(figures[slug] for slug in mentioned))
        for number in _numbers(_without_names(sentence, names)):
            if number not in known:
                message = gettext(
                    "“%(number)s” stands beside %(servers)s, and no published figure there has it: check it, "
                    "or write a live figure."
                ) % {"number": f"{number:g}", "servers": ", ".join(sorted(mentioned))}
                found.append((line, message))
    return found


def named(sentence, names):
    """Return the slugs of the servers that a sentence names, in full or by their number alone."""
    folded = " ".join(sentence.casefold().split())
    return {slug for name, slug in names if re.search(rf"\b{re.escape(_short(name))}\b", folded)}


def _short(name):
    """Return a server's name as sentences say it: without its family."""
    return name.partition(" ")[2].casefold() or name.casefold()


def _without_names(sentence, names):
    folded = " ".join(sentence.casefold().split())
    for name, _slug in names:
        folded = re.sub(rf"\b{re.escape(_short(name))}\b", " ", folded)
    return folded


def _numbers(text):
    text = GROUPED.sub("", text)
    return [float(found.replace(",", ".")) for found in NUMBER.findall(text)]


def _figures(slugs):
    """Return {slug: every number that is published of a server, its variants, options and their GPUs}."""
    servers = (
        Server.objects.published()
        .filter(slug__in=slugs)
        .select_related("enclosure")
        .prefetch_related("power_supplies", "variants__slot_alternatives", "variants__gpu_options__gpu")
    )
    return {server.slug: _of_server(server) for server in servers}


def _of_server(server):
    gpus, rows = [], [server, *server.power_supplies.all()]
    if server.enclosure:
        rows.append(server.enclosure)
    for variant in server.variants.all():
        rows += [variant, *variant.slot_alternatives.all(), *variant.gpu_options.all()]
        gpus += [option.gpu for option in variant.gpu_options.all()]
    found = set()
    for row in rows:
        for column in row._meta.concrete_fields:
            if column.name not in NO_FIGURES and not column.remote_field:
                found |= _figure(getattr(row, column.name))
    for gpu in gpus:
        for name in GPU_FIGURES:
            found |= _figure(getattr(gpu, name))
    for variant in server.variants.all():
        for option in variant.gpu_options.all():
            if option.max_count:
                devices = option.max_count * option.gpu.devices_per_card
                found |= {float(devices), *_figure(devices * option.gpu.memory_gb)}
    return found


def _figure(value):
    """Return the numbers by which a sentence can mean a figure: as it is, or in larger units."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return {float(value), value / GB_PER_TB, value / 1000}
    return set(_numbers(value)) if isinstance(value, str) else set()
