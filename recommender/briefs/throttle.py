"""How often one address may make, send and recompute briefs."""

from aiservers import throttling

HOUR = throttling.HOUR
LIMITS = {"create": 30, "send": 6, "compute": 120}  # an hour


def seconds_to_wait(address: str, action: str) -> int:
    """Count one more try of an address; return 0 where it may, else the seconds until the hour is over.

    Args:
        address: the client's, behind trusted proxies.
        action: a key of LIMITS.
    """
    return throttling.seconds_to_wait(address, action, LIMITS[action], HOUR)
