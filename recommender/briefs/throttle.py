"""How often one address may do something, counted in the cache: all processes together where it is shared."""

import hashlib
import time
from ipaddress import IPv6Address, ip_address, ip_network

from django.core.cache import cache

HOUR = 3600  # seconds
LIMITS = {"create": 30, "send": 6, "compute": 120}  # an hour


def seconds_to_wait(address: str, action: str) -> int:
    """Count one more try of an address; return 0 where it may, else the seconds until the hour is over.

    Args:
        address: the client's, behind trusted proxies. Of IPv6 the first 64 bits count: one network.
        action: a key of LIMITS.
    """
    now = int(time.time())
    hour = now // HOUR
    # No address is kept, not even in the cache.
    who = hashlib.sha256(f"{action} {_network(address)} {hour}".encode()).hexdigest()[:32]
    key = f"throttle:{who}"
    cache.add(key, 0, HOUR)
    try:
        count = cache.incr(key)
    except ValueError:  # it expired in between
        return 0
    return 0 if count <= LIMITS[action] else (hour + 1) * HOUR - now


def _network(address: str) -> str:
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, 64), strict=False))
    return str(parsed)
