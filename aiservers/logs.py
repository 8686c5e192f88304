"""Structured logs: one JSON object a line, with the request's id, without query strings or tokens."""

import json
import logging
import re
from contextvars import ContextVar
from datetime import UTC, datetime

request_id = ContextVar("request_id", default=None)

# What follows /b/, and any part of a path that looks like a key: slugs have no capital letters.
_TOKEN = re.compile(r"(?<=/b/)[^/\s]+|(?<=/)(?=[^/\s]*[A-Z])[\w-]{20,}(?=[/\s?]|$)")
_QUERY = re.compile(r"\?\S*")


def safe_path(request):
    """Return the request's path as logs may keep it: no query string, and no token that opens a page."""
    path = _TOKEN.sub("…", request.path)
    match = request.resolver_match
    token = match.kwargs.get("token") if match else None
    return path.replace(str(token), "…") if token else path


class JSONFormatter(logging.Formatter):
    """Writes a record as one JSON object; what a caller gives as `extra={"fields": {…}}` is part of it."""

    def format(self, record):
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "request_id": request_id.get() or getattr(getattr(record, "request", None), "id", None),
        }
        entry |= getattr(record, "fields", {})
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False, default=str)


class HidePrivateParts(logging.Filter):
    """Takes addresses as the reader sent them out of Django's own records, which carry them as arguments."""

    def filter(self, record):
        request = getattr(record, "request", None)
        if hasattr(request, "path") and isinstance(record.args, tuple):
            hidden = safe_path(request)
            record.args = tuple(hidden if argument == request.path else argument for argument in record.args)
        elif isinstance(record.args, tuple):
            record.args = tuple(
                _TOKEN.sub("…", _QUERY.sub("", argument)) if isinstance(argument, str) else argument
                for argument in record.args
            )
        return True
