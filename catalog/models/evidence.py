"""Where the figures come from: sources, and one row for each thing that a source says about a field."""

from functools import reduce
from operator import or_

from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy as _, pgettext_lazy

from catalog.models.base import Fact, one_of, prose, slug_field, words

SUBJECTS = ("server", "variant", "gpu", "option", "ai_model")
# What a query brings along so that each subject can say its name.
SUBJECT_ROWS = ("server", "variant__server", "gpu", "option__gpu", "option__variant__server", "ai_model")


class Source(Fact):
    """A text that figures were read in."""

    class Kind(models.TextChoices):
        MAKER = "maker", _("the maker's own text")
        GUIDE = "guide", _("a rules page or manual")
        BENCHMARK = "benchmark", _("a published benchmark")
        THIRD_PARTY_COPY = "third_party_copy", _("third-party copy")
        CUSTOMER_GUIDE = "customer_guide", _("published buying guide")
        OTHER = "other", _("a third party's own text")

    slug = slug_field()
    url = models.URLField(_("address"), max_length=500, blank=True, default="")
    title = models.CharField(_("title"), max_length=300)
    description = prose(
        _("description"),
        _("What the text is, in the reader's language; shown in place of a title that says little."),
    )
    publisher = models.CharField(_("publisher"), max_length=120, blank=True, default="")
    published_on = models.CharField(
        _("published on"),
        max_length=10,
        blank=True,
        default="",
        help_text=_("As precise as it is known: 2026, 2026-08 or 2026-08-10."),
    )
    via = models.CharField(
        _("read through"),
        max_length=300,
        blank=True,
        default="",
        help_text=_("Where the text was read when it was not read at its own address."),
    )
    kind = models.CharField(_("kind"), max_length=20, choices=Kind.choices, default=Kind.OTHER)

    class Meta:
        verbose_name = _("source")
        verbose_name_plural = _("sources")
        ordering = ["title", "slug"]
        constraints = [
            one_of("source", "kind", "maker guide benchmark third_party_copy customer_guide other"),
            models.CheckConstraint(
                condition=Q(url="") | ~Q(kind="customer_guide"),
                name="source_guide_without_address",
                violation_error_message=_("The buying guide has no public address."),
            ),
        ]

    def __str__(self):
        return self.title

    @property
    def is_linkable(self):
        """Whether readers can follow the source: it has a public web address."""
        return self.url.startswith(("https://", "http://"))

    @property
    def is_copy(self):
        """Whether the text was read through somebody else's copy of it."""
        return bool(self.via) or self.kind == self.Kind.THIRD_PARTY_COPY


def subject_key(model, on_delete, related_name, verbose_name):
    """Return one of the foreign keys in SUBJECTS; all but one of a row are empty."""
    return models.ForeignKey(
        f"catalog.{model}",
        on_delete,
        null=True,
        blank=True,
        related_name=related_name,
        verbose_name=verbose_name,
    )


class HasSubject:
    """Speaks of one row of the catalog, which one of the foreign keys in SUBJECTS names."""

    @classmethod
    def subject_models(cls):
        """Return {kind: model} of all that can be spoken of."""
        return {name: cls._meta.get_field(name).related_model for name in SUBJECTS}

    @property
    def subject(self):
        return next((row for name in SUBJECTS if (row := getattr(self, name))), None)


class Evidence(HasSubject, Fact):
    """What one source says about one field of one row; two rows with different `stated` disagree."""

    PART_OF = SUBJECTS
    FROM_FILES = "load_catalog"  # in the place of a name: looked up by whoever wrote the project's files

    class State(models.TextChoices):
        MAKER = "maker", _("stated by the maker")
        BENCHMARK = "benchmark", _("seen in a published benchmark")
        DEPLOYED = "deployed", _("seen in a running installation")
        # Data sets, catalogues and articles: neither the maker's word nor a machine that somebody saw.
        THIRD_PARTY = "third_party", _("stated by a third party")
        DERIVED = "derived", _("derived, to be confirmed with the vendor")

    server = subject_key("Server", models.CASCADE, "evidence", _("server"))
    variant = subject_key("Variant", models.CASCADE, "evidence", _("variant"))
    gpu = subject_key("GPU", models.CASCADE, "evidence", _("GPU"))
    option = subject_key("GPUOption", models.CASCADE, "evidence", _("GPU option"))
    ai_model = subject_key("AIModel", models.CASCADE, "evidence", _("AI model"))
    field = models.CharField(_("field"), max_length=60, help_text=_("What the source speaks of."))
    source = models.ForeignKey(Source, models.PROTECT, related_name="evidence", verbose_name=_("source"))
    state = models.CharField(_("state"), max_length=12, choices=State.choices)
    stated = words(_("stated"), _("What the source says, in its own figure."), max_length=300)
    kept = models.BooleanField(_("kept"), default=True, help_text=_("Whether the catalog shows this value."))
    weak = models.BooleanField(
        _("weak"), default=False, help_text=_("The source is weak or indirect: confirm before relying on it.")
    )
    checked_on = models.DateField(_("checked on"), null=True, blank=True)
    checked_by = models.CharField(_("checked by"), max_length=80, blank=True, default="")
    note = models.TextField(_("internal note"), blank=True, default="")
    reason = models.TextField(
        _("reason of the decision"),
        blank=True,
        default="",
        help_text=_("Why what this source states is set aside; without it the sources still disagree."),
    )

    class Meta:
        verbose_name = pgettext_lazy("one piece", "evidence")
        verbose_name_plural = _("evidence")
        permissions = [("decide_evidence", _("Can decide between sources that disagree"))]
        ordering = ["field", "-kept", "id"]
        constraints = [
            models.CheckConstraint(
                condition=reduce(
                    or_,
                    [Q(**{f"{name}__isnull": name != subject for name in SUBJECTS}) for subject in SUBJECTS],
                ),
                name="evidence_exactly_one_subject",
                violation_error_message=_("Evidence belongs to exactly one row of the catalog."),
            ),
            one_of("evidence", "state", "maker benchmark deployed third_party derived"),
        ]

    def __str__(self):
        return f"{self.field_label}: {self.source}"

    @property
    def history_name(self):
        """Its name as history keeps it, in no language."""
        return f"{self.field}: {self.source}"

    @classmethod
    def shown_name(cls, history_name):
        """Return a name that history kept as staff read it."""
        field, colon, source = history_name.partition(": ")
        return f"{cls.label_of(field)}{colon}{source}"

    @property
    def field_label(self):
        """What the column that the source speaks of is called."""
        kinds = self.subject_models().items()
        model = next((model for name, model in kinds if getattr(self, f"{name}_id")), None)
        return self.label_of(self.field, model)

    @classmethod
    def label_of(cls, name, model=None):
        """Return what a column is called that evidence speaks of, in one table or the first that has it."""
        for table in [model] if model else cls.subject_models().values():
            try:
                found = table._meta.get_field(name)
            except FieldDoesNotExist:
                continue
            named = found.related_model._meta.verbose_name_plural if found.one_to_many else found.verbose_name
            return str(named)
        return name

    @property
    def checker(self):
        """Who looked the figure up, in words; "" where nobody is named."""
        return gettext("with the catalog’s files") if self.checked_by == self.FROM_FILES else self.checked_by

    def clean(self):
        subject = self.subject
        if subject is not None and self.field not in subject.evidence_fields():
            raise ValidationError({"field": _("This row has no field of that name.")})
