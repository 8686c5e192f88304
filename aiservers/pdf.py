"""PDF files by typst: tagged, with their language and with fonts of our own: every machine makes the same."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import typst

FONTS = Path(__file__).parent / "fonts"
# Not of the minute somebody fetched it: the same content gives the same bytes.
EPOCH = datetime(2000, 1, 1, tzinfo=UTC)


@cache
def fonts() -> typst.Fonts:
    """Return our fonts and no others, read once a process."""
    return typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=[str(FONTS)])


def made(template: Path, data: Mapping[str, Any]) -> bytes:
    """Return the PDF of a template, which finds its texts under `sys.inputs.data` as JSON."""
    return typst.compile(
        template.read_bytes(),
        font_paths=fonts(),
        sys_inputs={"data": json.dumps(data, ensure_ascii=False)},
        timestamp=EPOCH,
    )
