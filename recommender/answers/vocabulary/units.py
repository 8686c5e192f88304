"""Units that several questions share."""

from django.utils.translation import gettext_lazy as _

GB, GBIT, TOKEN, MS = _("GB"), _("Gbit/s"), _("tokens"), _("ms")
