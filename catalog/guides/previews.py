"""Links that show what is written, as its page will show it, to whoever has them, for some days."""

from datetime import timedelta

from django.core import signing
from django.urls import reverse
from django.utils.translation import override

LASTS = timedelta(days=7)

_signer = signing.TimestampSigner(salt="catalog.guides.previews")


def url(guide, language):
    """Return the address of a preview in one language, which works from now on for LASTS."""
    signed = _signer.sign(f"{guide.pk}.{language}")
    # Written in letters and digits alone, so that logs know it for a key.
    token = signing.b64_encode(signed.encode()).decode()
    with override(language):
        return reverse("previews:guide", args=[token])


def read(token):
    """Return (number of the guide, language) of a link.

    Raises:
        SignatureExpired: it worked once.
        BadSignature: nobody gave out such a link.
    """
    try:
        signed = signing.b64_decode(token.encode()).decode()
    except ValueError as error:
        raise signing.BadSignature("not written by us") from error
    pk, _dot, language = _signer.unsign(signed, max_age=LASTS).partition(".")
    return int(pk), language
