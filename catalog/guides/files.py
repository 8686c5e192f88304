"""Guides and texts of the site that ship as files: `<key>.<language>.md`, a head of fields and a body."""

import datetime
from collections import defaultdict
from dataclasses import dataclass

import yaml
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from catalog.guides import publishing
from catalog.models import AIModel, Guide, Server, WorkloadProfile

LANGUAGES = [code for code, _name in settings.LANGUAGES]
FENCE = "---\n"
FOLDERS = {Guide.Kind.GUIDE: "guides", Guide.Kind.TEXT: "texts"}
# Fields of one language, and those of the guide, which stand in the file of the site's own language alone.
OF_LANGUAGE = ("title", "summary", "slug", "search", "published", "source")
OF_GUIDE = ("topic", "author", "reviewed", "servers", "ai_models", "workloads")
RELATED = {"servers": Server, "ai_models": AIModel, "workloads": WorkloadProfile}


class FileError(ValueError):
    """A file is not written as guides are."""


@dataclass(frozen=True)
class File:
    """One language of a guide as its file has it; `first_line` is that of the body."""

    key: str
    language: str
    head: dict
    body: str
    first_line: int


def read(path):
    """Return the File of a path.

    Raises:
        FileError: its name, its head or its encoding is wrong.
    """
    key, _dot, language = path.name.removesuffix(".md").rpartition(".")
    if not key or language not in LANGUAGES:
        raise FileError(f"{path.name}: the name is <key>.<language>.md, with one of {', '.join(LANGUAGES)}")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FileError(f"{path.name}: {error}") from error
    before, found, rest = text.partition(FENCE)
    head_text, closed, body = rest.partition(f"\n{FENCE}")
    if before or not found or not closed:
        raise FileError(f"{path.name}: the file begins with fields between two lines of ---")
    try:
        head = yaml.safe_load(head_text) or {}
    except yaml.YAMLError as error:
        raise FileError(f"{path.name}: {error}") from error
    allowed = (*OF_LANGUAGE, *OF_GUIDE) if language == settings.LANGUAGE_CODE else OF_LANGUAGE
    if not isinstance(head, dict) or (wrong := [name for name in head if name not in allowed]):
        raise FileError(f"{path.name}: {', '.join(map(str, wrong))}: there is no such field in this file")
    return File(key, language, head, body.strip("\n"), head_text.count("\n") + 4)


def read_folder(folder, kind):
    """Return {key: {language: File}} of all files of a kind."""
    found = defaultdict(dict)
    for path in sorted((folder / FOLDERS[kind]).glob("*.md")):
        file = read(path)
        found[file.key][file.language] = file
    return found


def load(folder, report, *, overwrite=False):
    """Bring in the guides and languages that are missing, published; overwrite what exists only when told.

    Live blocks are not tried here: they show what the catalog has when a page is read.
    """
    for kind in FOLDERS:
        for key, languages in read_folder(folder, kind).items():
            guide = Guide.objects.filter(key=key).first()
            if guide is None:
                _write(Guide(key=key, kind=kind), languages, languages)
                report.added["guide"] += 1
            elif overwrite:
                _write(guide, languages, languages)
                report.replaced["guide"] += 1
            elif new := {code: file for code, file in languages.items() if _is_missing(guide, code)}:
                _write(guide, new, languages)
                report.added["guide"] += 1


def draft(file, kind=Guide.Kind.GUIDE):
    """Return an unsaved guide with the texts of one file, for checks."""
    guide = Guide(key=file.key, kind=kind)
    _fill(guide, file)
    return guide


def _is_missing(guide, language):
    """Tell whether nobody has written or published anything in a language."""
    return not guide.has_text(language) and not guide.editions.filter(language=language).exists()


def _write(guide, languages, all_languages):
    """Write some languages of a guide from their files and publish them."""
    if guide.kind == Guide.Kind.TEXT:
        guide.topic = ""
    for file in languages.values():
        _fill(guide, file)
    own = languages.get(settings.LANGUAGE_CODE)
    if own:
        guide.topic = own.head.get("topic", guide.topic)
        guide.author = own.head.get("author", guide.author)
        guide.last_reviewed = own.head.get("reviewed", guide.last_reviewed)
    try:
        guide.clean_fields(exclude=[*Guide.TRANSLATED])
        guide.clean()
    except ValidationError as error:
        raise FileError(f"{guide.key}: {error.message_dict}") from error
    guide.save()
    if own:
        _relate(guide, own.head)
    for file in languages.values():
        last = guide.editions.filter(language=file.language, ended_at=None).first()
        if last is None or last.text != guide.text(file.language):
            # What takes another text's place does so now, not at the time that the file was first published.
            at = None if last else _moment(file.head.get("published"), file)
            publishing.write(guide, file.language, at=at)
    for file in languages.values():
        source = file.head.get("source", settings.LANGUAGE_CODE)
        if source != file.language and source in all_languages:
            publishing.follow(guide, file.language, source)


def _fill(guide, file):
    head = file.head
    names = {"title": "title", "summary": "summary", "slug": "slug", "search_words": "search"}
    for name, field in names.items():
        setattr(guide, f"{name}_{file.language}", " ".join(str(head.get(field) or "").split()))
    setattr(guide, f"body_{file.language}", file.body)


def _relate(guide, head):
    for name, model in RELATED.items():
        slugs = head.get(name) or []
        rows = list(model.objects.filter(slug__in=slugs))
        if missing := set(slugs) - {row.slug for row in rows}:
            raise FileError(f"{guide.key}: {name}: there is no {', '.join(sorted(missing))}")
        getattr(guide, name).set(rows)


def _moment(value, file):
    """Return a date or time of a file's head in the site's time zone; None: now."""
    if value is None:
        return None
    if isinstance(value, str):
        value = parse_datetime(value)
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        value = datetime.datetime.combine(value, datetime.time())
    if not isinstance(value, datetime.datetime):
        raise FileError(f"{file.key}.{file.language}.md: published is a date, or a date and a time")
    return value if timezone.is_aware(value) else timezone.make_aware(value)
