"""Interface texts: extracted from code and templates, and compiled, without GNU gettext installed."""

from io import BytesIO
from pathlib import Path

import polib
from babel.messages.extract import extract
from django.conf import settings
from django.utils.translation.template import templatize

SOURCES = ("aiservers", "catalog", "recommender", "templates")

# Which arguments of a call are the message, as Babel names them; "c" marks the context.
KEYWORDS = {
    name + lazy: arguments
    for name, arguments in {
        "_": None,
        "gettext": None,
        "gettext_noop": None,
        "ngettext": (1, 2),
        "pgettext": ((1, "c"), 2),
        "npgettext": ((1, "c"), 2, 3),
    }.items()
    for lazy in ("", "_lazy")
}

# One, few, many for Russian, as CLDR counts whole numbers.
PLURAL_FORMS = {
    "es": "nplurals=2; plural=(n != 1);",
    "ru": (
        "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 "
        ": n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);"
    ),
    "en": "nplurals=2; plural=(n != 1);",
}


def po_path(language):
    """Return where the texts of a language are kept."""
    return Path(settings.LOCALE_PATHS[0]) / language / "LC_MESSAGES" / "django.po"


def extracted():
    """Return every text marked for translation: {(context, msgid): polib entry without translation}."""
    found = {}
    for path in sorted(path for folder in SOURCES for path in (settings.BASE_DIR / folder).rglob("*")):
        if path.suffix == ".py" and "migrations" not in path.parts:
            code = path.read_text(encoding="utf-8")
        elif path.suffix in {".html", ".txt", ".xml"}:
            # Indentation means nothing in a template, and would in the Python that Babel is given.
            text = templatize(path.read_text(encoding="utf-8"), origin=str(path))
            code = "".join(f"{line.strip()}\n" for line in text.splitlines())
        else:
            continue
        where = str(path.relative_to(settings.BASE_DIR))
        texts = extract("python", BytesIO(code.encode()), KEYWORDS, ("Translators:",))
        for _, message, comments, context in texts:
            singular, plural = message if isinstance(message, tuple) else (message, "")
            entry = found.setdefault((context, singular), polib.POEntry(msgctxt=context, msgid=singular))
            entry.msgid_plural = entry.msgid_plural or plural
            if (where, "") not in entry.occurrences:
                entry.occurrences.append((where, ""))
            entry.comment = entry.comment or "\n".join(comments)
    for entry in found.values():
        if "%(" in entry.msgid + entry.msgid_plural:
            entry.flags.append("python-format")
    return found


def load(language):
    """Return the message file of a language, an empty one where there is none yet."""
    path = po_path(language)
    messages = polib.pofile(str(path), wrapwidth=110) if path.exists() else polib.POFile(wrapwidth=110)
    messages.metadata = {
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Language": language,
        "MIME-Version": "1.0",
        "Plural-Forms": PLURAL_FORMS[language],
    }
    return messages


def merge(language, found):
    """Return the message file of a language with exactly the texts found, and whether any msgid changed.

    What is translated stays as it is, nothing is guessed from similar texts, and a text that is no longer
    used is kept as obsolete. English texts are their own translation where nobody has worded them better.
    """
    messages = load(language)
    old = {(entry.msgctxt, entry.msgid): entry for entry in messages}
    live = {key: entry.msgid_plural for key, entry in old.items() if not entry.obsolete}
    changed = live != {key: entry.msgid_plural for key, entry in found.items()}
    forms = int(PLURAL_FORMS[language].split("nplurals=")[1][0])
    entries = []
    for key, new in found.items():
        known = old.pop(key, None)
        entry = polib.POEntry(
            msgctxt=new.msgctxt,
            msgid=new.msgid,
            msgid_plural=new.msgid_plural,
            comment=new.comment,
            tcomment=known.tcomment if known else "",
            occurrences=new.occurrences,
            flags=[*new.flags, *(["fuzzy"] if known and known.fuzzy else [])],
        )
        if new.msgid_plural:
            entry.msgstr_plural = dict.fromkeys(range(forms), "")
            if known and known.msgstr_plural:
                entry.msgstr_plural |= known.msgstr_plural
            if language == "en" and not any(entry.msgstr_plural.values()):
                entry.msgstr_plural = {0: new.msgid, 1: new.msgid_plural}
        else:
            entry.msgstr = (known.msgstr if known else "") or (new.msgid if language == "en" else "")
        entries.append(entry)
    for entry in old.values():
        entry.obsolete = True
        entry.occurrences, entry.comment = [], ""
    messages[:] = sorted(entries, key=_order) + sorted(
        (entry for entry in old.values() if entry.msgstr or any(entry.msgstr_plural.values())), key=_order
    )
    return messages, changed


def compile_messages():
    """Write the binary files that Django reads beside the message files."""
    for language, _ in settings.LANGUAGES:
        path = po_path(language)
        if path.exists():
            load(language).save_as_mofile(str(path.with_suffix(".mo")))
        scripts = path.with_name("djangojs.po")  # of the admin's scripts, kept by hand
        if scripts.exists():
            polib.pofile(str(scripts)).save_as_mofile(str(scripts.with_suffix(".mo")))


def _order(entry):
    return entry.msgid, entry.msgctxt or ""
