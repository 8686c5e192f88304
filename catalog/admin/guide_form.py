"""One guide as its authors write it: every language, and what is to happen to one of them on saving."""

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext as _, gettext_lazy

from catalog.admin.editors import HistoryForm
from catalog.guides import checks, publishing, slugs
from catalog.models import Guide

LANGUAGES = dict(settings.LANGUAGES)
# What a button does to one language: "publish:es". The first need the right to publish.
PUBLISHING = ("publish", "schedule", "unschedule", "withdraw", "draft")
ACTIONS = (*PUBLISHING, "review", "follow")
BODY_ROWS = 28
LINE_START = 40  # characters of a line by which its author finds it


def asked(data):
    """Return (action, language) of the button that was pressed; ("", "") where it only saves."""
    action, _colon, language = data.get("act", "").partition(":")
    return (action, language) if action in ACTIONS and language in LANGUAGES else ("", "")


class GuideForm(HistoryForm):
    """Beside the columns, for each language: what it was translated from, and when it is to appear."""

    class Meta:
        model = Guide
        fields = "__all__"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        rows = self.instance.translations.all() if self.instance.pk else ()
        self.translations = {row.language: row for row in rows}
        self.own_fields = set()
        for language in LANGUAGES:
            self._add_fields_of(language)
        if "key" in self.fields:
            self.fields["key"].required = False
        if "workloads" in self.fields:
            self.fields["workloads"].label_from_instance = lambda work: work.name or work.slug

    def _add_fields_of(self, language):
        for name in Guide.TRANSLATED:
            if field := self.fields.get(f"{name}_{language}"):
                field.widget.attrs["lang"] = language
                field.empty_value = ""  # what is missing is never NULL
        if field := self.fields.get(f"body_{language}"):
            field.strip = False  # the end of its last line belongs to a text
            field.widget.attrs["rows"] = BODY_ROWS
        others = [(code, name) for code, name in LANGUAGES.items() if code != language]
        self.fields[f"source_{language}"] = forms.ChoiceField(
            label=gettext_lazy("Translated from"),
            choices=[("", gettext_lazy("nothing: written in this language")), *others],
            initial=self._source_of(language),
            required=False,
        )
        self.fields[f"publish_at_{language}"] = forms.DateTimeField(
            label=gettext_lazy("Publish at"),
            widget=forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
            required=False,
        )
        self.own_fields |= {f"source_{language}", f"publish_at_{language}"}

    def _source_of(self, language):
        """Return what a language follows; one that is not written yet will follow the site's first."""
        if row := self.translations.get(language):
            return row.source_language
        written = self.instance.has_text(language)
        return "" if written or language == settings.LANGUAGE_CODE else settings.LANGUAGE_CODE

    @property
    def changed_data(self):
        return [name for name in super().changed_data if name not in self.own_fields]

    def clean(self):
        data = super().clean()
        self.action, self.language = asked(self.data)
        if "key" in self.fields and "key" not in self.errors and not data.get("key"):
            data["key"] = self._free_key(data)
        if self.action == "schedule":
            self._clean_time(f"publish_at_{self.language}")
        return data

    def _free_key(self, data):
        """Return a key made from the first title, that no other guide has."""
        titles = (data.get(f"title_{language}") or "" for language in LANGUAGES)
        base = next(filter(None, map(slugs.slug_of, titles)), "guide")
        key, number = base, 2
        while Guide.objects.filter(key=key).exists():
            ending = f"-{number}"
            key, number = base[: slugs.LONGEST - len(ending)] + ending, number + 1
        return key

    def _clean_time(self, name):
        if name in self.errors:
            return
        moment = self.cleaned_data.get(name)
        if moment is None:
            self.add_error(name, _("Say when readers are to see it."))
        elif moment <= timezone.now():
            self.add_error(name, _("This time is past. To publish now there is a button of its own."))

    def _post_clean(self):
        """Refuse to publish what readers would see broken: each mistake beside its text, with its line."""
        super()._post_clean()
        if self.action not in ("publish", "schedule"):
            return
        wrong = set(self.errors)
        for problem in checks.check_guide(self.instance, self.language):
            field = f"{problem.field}_{self.language}"
            if problem.is_error and field not in wrong:
                self.add_error(field, with_line(problem, self.instance.text(self.language)))

    def follow_sources(self):
        """Note which language each text follows, where that was changed; called when all is saved."""
        guide = self.instance
        for language in LANGUAGES:
            row, chosen = self.translations.get(language), self.cleaned_data[f"source_{language}"]
            if not guide.has_text(language) or chosen == (row.source_language if row else ""):
                continue
            if chosen and guide.has_text(chosen):
                publishing.follow(guide, language, chosen)
            elif not chosen:
                row.source_language = ""
                row.save()


def with_line(problem, text):
    """Return what is wrong, with its line and how that begins: an input has no numbers beside it."""
    if not problem.line:
        return problem.text
    lines = text[problem.field].splitlines()
    start = Truncator(lines[problem.line - 1] if problem.line <= len(lines) else "").chars(LINE_START)
    return _("Line %(line)d (“%(start)s”): %(problem)s") % {
        "line": problem.line,
        "start": start,
        "problem": problem.text,
    }
