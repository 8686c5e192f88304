"""Briefs that readers keep and hand over, what they send to sales with them, and what sales know besides."""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _, pgettext_lazy

from catalog import versions
from catalog.models import GPU, GPUOption, Server, Variant
from catalog.models.base import slug_field
from recommender import answers

MAX_TITLE = 120  # characters
MAX_NOTE = 2000


class BriefQuerySet(models.QuerySet):
    def readable(self):
        """Leave out what has expired or was withdrawn: its link leads nowhere."""
        return self.filter(revoked_at=None, expires_at__gt=timezone.now())


class Brief(models.Model):
    """Advice as it was on one day. Its two links are kept as digests only: whoever has a link has the key."""

    reader_digest = models.CharField(max_length=64, unique=True, editable=False)
    owner_digest = models.CharField(max_length=64, unique=True, editable=False)
    link_number = models.PositiveIntegerField(_("link number"), default=1, editable=False)
    title = models.CharField(_("title"), max_length=MAX_TITLE, blank=True, default="")
    note = models.TextField(_("note"), max_length=MAX_NOTE, blank=True, default="")
    language = models.CharField(_("language"), max_length=2, choices=settings.LANGUAGES)
    frozen = models.JSONField(_("answers and result"))
    created_at = models.DateTimeField(_("made at"), auto_now_add=True)
    updated_at = models.DateTimeField(_("changed at"), auto_now=True)
    expires_at = models.DateTimeField(_("expires at"), db_index=True)
    revoked_at = models.DateTimeField(_("withdrawn at"), null=True, blank=True)

    objects = BriefQuerySet.as_manager()

    class Meta:
        verbose_name = _("brief")
        verbose_name_plural = _("briefs")
        ordering = ["-created_at", "-pk"]

    def __str__(self):
        return self.title or f"#{self.pk}"

    @property
    def is_readable(self):
        return self.revoked_at is None and self.expires_at > timezone.now()


class Lead(models.Model):
    """A brief that its owner sent to sales; it outlives the brief and the contact."""

    class Status(models.TextChoices):
        NEW = "new", _("new")
        OPEN = "open", _("in work")
        WON = "won", _("won")
        LOST = "lost", _("lost")
        CLOSED = "closed", _("closed without an offer")

    DONE = (Status.WON, Status.LOST, Status.CLOSED)

    brief = models.ForeignKey(
        Brief, models.SET_NULL, null=True, blank=True, related_name="leads", verbose_name=_("brief")
    )
    status = models.CharField(_("status"), max_length=10, choices=Status, default=Status.NEW, db_index=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("owner"),
    )
    follow_up_on = models.DateField(
        _("follow up on"), null=True, blank=True, db_index=True, help_text=_("Empty: nothing is due.")
    )
    notes = models.TextField(_("notes"), blank=True, default="")
    language = models.CharField(_("language"), max_length=2, choices=settings.LANGUAGES)
    created_at = models.DateTimeField(_("sent at"), auto_now_add=True)
    updated_at = models.DateTimeField(_("changed at"), auto_now=True)
    mailed_at = models.DateTimeField(
        _("e-mailed at"), null=True, blank=True, help_text=_("Empty: the e-mail to sales did not go out.")
    )
    answered_at = models.DateTimeField(
        _("last answered at"), null=True, blank=True, help_text=_("When the last e-mail went to the contact.")
    )

    HISTORY_LEAVES_OUT = ("mailed_at",)

    class Meta:
        verbose_name = _("lead")
        verbose_name_plural = _("leads")
        ordering = ["-created_at", "-pk"]

    def __str__(self):
        return f"#{self.pk}"

    @property
    def is_done(self):
        return self.status in self.DONE


class Contact(models.Model):
    """Who wants to be called, with the consent that was given; deleted when the owner asks, or in time."""

    lead = models.OneToOneField(
        Lead, models.CASCADE, related_name="contact", verbose_name=_("lead"), editable=False
    )
    name = models.CharField(pgettext_lazy("person", "name"), max_length=120)
    company = models.CharField(_("company"), max_length=120, blank=True, default="")
    email = models.EmailField(_("e-mail"), max_length=200)
    phone = models.CharField(_("phone"), max_length=40, blank=True, default="")
    message = models.TextField(_("message"), max_length=MAX_NOTE, blank=True, default="")
    consent_text = models.TextField(_("text of the consent"))
    consent_version = models.CharField(_("version of the consent"), max_length=20)
    consented_at = models.DateTimeField(_("consented at"), auto_now_add=True, db_index=True)

    class Meta:
        verbose_name = _("contact")
        verbose_name_plural = _("contacts")
        ordering = ["-consented_at"]

    def __str__(self):
        return f"{self.name}, {self.company}" if self.company else self.name


class ContactMessage(models.Model):
    """An e-mail that sales sent to a contact; it goes when the contact goes."""

    contact = models.ForeignKey(
        Contact, models.CASCADE, related_name="messages", verbose_name=_("contact"), editable=False
    )
    sent_at = models.DateTimeField(_("sent at"), auto_now_add=True)
    sent_by = models.CharField(_("sent by"), max_length=150)
    subject = models.CharField(pgettext_lazy("e-mail", "subject"), max_length=200)
    body = models.TextField(_("text"))
    with_brief = models.BooleanField(_("with the brief as PDF"), default=False)

    class Meta:
        verbose_name = _("e-mail to a contact")
        verbose_name_plural = _("e-mails to contacts")
        default_permissions = ["view"]
        ordering = ["-sent_at", "-pk"]

    def __str__(self):
        return f"{self.sent_at:%Y-%m-%d %H:%M}"


class PriceQuerySet(models.QuerySet):
    def valid(self, on):
        """Leave what holds on a day."""
        return self.filter(valid_from__lte=on, valid_until__gte=on)

    def public(self):
        return self.filter(is_public=True)


class Price(models.Model):
    """What one server with its GPUs costs, set by hand; nobody outside sees it unless it is marked public."""

    class Currency(models.TextChoices):
        """ISO 4217 codes of the currencies that offers are made in."""

        EUR = "EUR", "EUR"
        USD = "USD", "USD"
        RUB = "RUB", "RUB"
        GBP = "GBP", "GBP"
        CHF = "CHF", "CHF"
        CNY = "CNY", "CNY"
        KZT = "KZT", "KZT"
        BYN = "BYN", "BYN"
        AED = "AED", "AED"
        TRY = "TRY", "TRY"
        MXN = "MXN", "MXN"
        ARS = "ARS", "ARS"
        CLP = "CLP", "CLP"
        COP = "COP", "COP"
        PEN = "PEN", "PEN"
        BRL = "BRL", "BRL"

    server = models.ForeignKey(Server, models.CASCADE, related_name="prices", verbose_name=_("server"))
    variant = models.ForeignKey(
        Variant,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="prices",
        verbose_name=_("variant"),
        help_text=_("Empty: whichever variant of the server."),
    )
    gpu = models.ForeignKey(GPU, models.CASCADE, related_name="prices", verbose_name=_("GPU"))
    gpu_count = models.PositiveIntegerField(_("GPUs in one server"), help_text=_("Example: 8."))
    amount = models.DecimalField(
        _("amount"), max_digits=14, decimal_places=2, help_text=_("Of one server with its GPUs, without tax.")
    )
    currency = models.CharField(_("currency"), max_length=3, choices=Currency)
    valid_from = models.DateField(_("valid from"), default=timezone.localdate)
    valid_until = models.DateField(_("valid until"), help_text=_("The last day on which it holds."))
    is_public = models.BooleanField(
        _("public"), default=False, help_text=_("Readers see this price, and it may order their results.")
    )
    note = models.TextField(_("note"), blank=True, default="", help_text=_("For staff alone."))
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        editable=False,
        verbose_name=_("set by"),
    )
    updated_at = models.DateTimeField(_("changed at"), auto_now=True)

    objects = PriceQuerySet.as_manager()

    class Meta:
        verbose_name = _("price")
        verbose_name_plural = _("prices")
        permissions = [("publish_price", "Can publish prices")]
        ordering = ["server__sort_key", "gpu__sort_key", "gpu_count", "-valid_from"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(amount__gt=0),
                name="price_amount_above_zero",
                violation_error_message=_("A price is above zero."),
            ),
            models.CheckConstraint(
                condition=models.Q(gpu_count__gt=0),
                name="price_gpu_count_above_zero",
                violation_error_message=_("A price is for one GPU or more."),
            ),
            models.CheckConstraint(
                condition=models.Q(valid_until__gte=models.F("valid_from")),
                name="price_valid_from_up_to_valid_until",
                violation_error_message=_("The last day must not be before the first."),
            ),
        ]

    def __str__(self):
        return f"{self.server}, {self.gpu_count} × {self.gpu}"

    def save(self, *args, **kwargs):
        with transaction.atomic():
            super().save(*args, **kwargs)
            versions.bump_content()  # pages may show it

    def delete(self, *args, **kwargs):
        with transaction.atomic():
            versions.bump_content()
            return super().delete(*args, **kwargs)

    def clean(self):
        super().clean()
        if self.variant_id and self.server_id and self.variant.server_id != self.server_id:
            raise ValidationError({"variant": _("This variant belongs to another server.")})
        if not (self.server_id and self.gpu_id and self.gpu_count):
            return
        options = GPUOption.objects.filter(variant__server=self.server, gpu=self.gpu).select_related("gpu")
        if self.variant_id:
            options = options.filter(variant=self.variant)
        if not options:
            raise ValidationError({"gpu": _("This server is not listed with this GPU.")})
        if not any(option.takes(self.gpu_count) for option in options):
            raise ValidationError({"gpu_count": _("This server is not listed with so many of these GPUs.")})


class RegressionCase(models.Model):
    """A named situation whose advice is looked at whenever a fact is about to change."""

    slug = slug_field()
    name = models.CharField(_("name"), max_length=120, blank=True, default="")
    answers = models.JSONField(
        _("answers"),
        help_text=_("As the command takes them. Example: {“stage”: “inference”, “model”: “llama-3.1-8b”}."),
    )
    expected_server = models.CharField(
        _("expected first server"),
        max_length=80,
        blank=True,
        default="",
        help_text=_("Slug of the server that ought to come first; empty: none is named."),
    )
    note = models.TextField(_("note"), blank=True, default="")
    is_active = models.BooleanField(_("looked at"), default=True)
    position = models.PositiveIntegerField(_("position"), default=0)
    updated_at = models.DateTimeField(_("changed at"), auto_now=True)

    class Meta:
        verbose_name = _("regression case")
        verbose_name_plural = _("regression cases")
        ordering = ["position", "pk"]

    def __str__(self):
        return self.name or self.slug

    def clean(self):
        super().clean()
        given = answers.parse(self.answers)
        wrong = [f"{problem.key}: {problem.text}" for problem in given.problems]
        wrong += [notice.text for notice in given.notices if notice.code == "unknown_key"]
        if wrong:
            raise ValidationError({"answers": wrong})
