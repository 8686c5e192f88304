"""How often one address may do something, counted in the cache: all processes together where it is shared."""

import hashlib
import time
from ipaddress import IPv6Address, ip_address, ip_network

from django.core.cache import cache
from django.shortcuts import render
from ninja.throttling import BaseThrottle

MINUTE, HOUR = 60, 3600  # seconds


def seconds_to_wait(address: str, action: str, limit: int, period: int) -> int:
    """Count one more try of an address; return 0 where it may, else the seconds until the period is over.

    Args:
        address: the client's, behind trusted proxies. Of IPv6 the first 64 bits count: one network.
        action: what is counted, apart from everything else.
        limit: tries in one period.
        period: length of the fixed window [s].
    """
    now = int(time.time())
    window = now // period
    # No address is kept, not even in the cache.
    who = hashlib.sha256(f"{action} {network_of(address)} {window}".encode()).hexdigest()[:32]
    key = f"throttle:{who}"
    cache.add(key, 0, period)
    try:
        count = cache.incr(key)
    except ValueError:  # it expired in between
        return 0
    return 0 if count <= limit else _left(period, now)


def too_many(request, seconds: int):
    """Answer somebody who comes too often, in the reader's language."""
    response = render(request, "429.html", {"minutes": -(-seconds // 60)}, status=429)
    response["Retry-After"] = str(seconds)
    return response


def _left(period: int, now: int) -> int:
    return (now // period + 1) * period - now


def network_of(address: str) -> str:
    """Return what counts as one client: an address, of IPv6 its first 64 bits."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, 64), strict=False))
    return str(parsed)


class MinuteThrottle(BaseThrottle):
    """So many requests a minute from one address.

    The throttles that django-ninja brings keep the request at hand in the object that all threads share, and
    believe X-Forwarded-For from anybody; this one keeps nothing and asks `trusted_proxy` who the client is.
    """

    def __init__(self, action: str, limit: int):
        self.action, self.limit = action, limit

    def allow_request(self, request) -> bool:
        address = request.META.get("REMOTE_ADDR", "")  # none over a Unix socket: all count as one
        return not seconds_to_wait(address, self.action, self.limit, MINUTE)

    def wait(self) -> float:
        """Return the seconds until the next minute begins, the same for every client."""
        return _left(MINUTE, int(time.time()))


READ = MinuteThrottle("api read", 240)
COMPUTE = MinuteThrottle("api compute", 60)  # the memory of one model: about 0.1 s each
ADVISE = MinuteThrottle("api advise", 12)  # advice that nobody has asked for yet: up to some seconds each
