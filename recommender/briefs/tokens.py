"""The two keys of a brief: one to read it, one to own it. The database keeps their digests only.

The reader's key follows from the owner's and the number of the link: the owner's page can show the link
although nobody stores it, and a new number makes a new link.
"""

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode

OWNER_BYTES = 24  # 192 bits
READER_BYTES = 18  # 144 bits


def new_owner_token() -> str:
    return secrets.token_urlsafe(OWNER_BYTES)


def reader_token(owner_token: str, link_number: int) -> str:
    """Return the token of an owner's link of that number."""
    made = hmac.digest(owner_token.encode(), f"reader {link_number}".encode(), hashlib.sha256)
    return urlsafe_b64encode(made[:READER_BYTES]).decode()


def digest(token: str) -> str:
    """Return what is stored of a token. Tokens are random and long: no salt and no slow hash are needed."""
    return hashlib.sha256(token.encode()).hexdigest()
