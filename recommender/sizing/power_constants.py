"""What the parts of a server draw [W, or shares], and why we think so.

What others measured is named with them; everything else is our own estimate and says so. Whole servers that
others measured are held against the sum (`evaluation`).
"""

from dataclasses import dataclass
from typing import Literal

from recommender.sizing.specs import Range

# What the cards do: answer requests, answer as many as they can, train, either, or wait.
Work = Literal["serving", "batch", "training", "any", "idle"]

# Mean draw of a card over its limit.
# serving   One H100 (700 W) answered one request at a time at 300 W and 128 at 600 W (ML.ENERGY v3.0, as vLLM
#           Semantic Router's power model quotes it); one H200 (700 W) decoded at 137-300 W, whatever the
#           power cap (Ma et al., 2026, arXiv:2605.11999).
# batch     Benchmarks at full load, where compute counts as well: those 600 W of 700 W at batch 128.
# training  Whole servers with eight H100 drew 76 % of 10.2 kW in hard runs (Newkirk et al., 2025,
#           arXiv:2506.14551) and 8.4 kW at most (Latif et al., 2024, arXiv:2412.08602); what that leaves for
#           the cards beside a usual host, 0.9 and more, is our own estimate.
# idle      Our own estimate: about a tenth of the limit.
CARD_LOAD: dict[Work, Range] = {
    "serving": Range(0.40, 0.75, 1.0),
    "batch": Range(0.65, 0.82, 1.0),
    "training": Range(0.75, 0.90, 1.0),
    "any": Range(0.40, 0.78, 1.0),
    "idle": Range(0.08, 0.12, 0.22),
}
# Cards whose limit is far below what their clock could use stay at it: L4, A2, T4, and cards that are capped.
# Our own estimate.
CARD_LOAD_AT_LIMIT = Range(0.70, 0.92, 1.0)
AT_LIMIT_W = 75.0  # what a slot feeds without a cable (PCI-SIG)


@dataclass(frozen=True, slots=True)
class HostPower:
    """Parts around the cards [W]."""

    processor: Range  # one, where its limit is not published
    memory: Range  # modules of one processor
    board: Range  # drives, network cards, management


# Our own estimate throughout: processors of 60-225 W at the edge and 150-400 W in racks, partly loaded while
# cards work; memory modules of 5-10 W, one per channel, 8 to 12 channels a processor; machines with modules
# carry 8 to 10 network cards of 25 W and more.
HOST_W = {
    "edge": HostPower(Range(25, 60, 130), Range(5, 15, 35), Range(15, 35, 80)),
    "server": HostPower(Range(80, 150, 300), Range(40, 75, 120), Range(50, 110, 250)),
    "module": HostPower(Range(120, 230, 350), Range(80, 110, 160), Range(150, 350, 650)),
}
# Of the largest processor that the server takes, from a smaller one half idle to this one at its limit: our
# own estimate.
PROCESSOR_LOAD = Range(0.25, 0.55, 1.0)
# Of what the host draws at work, while the cards wait: our own estimate.
IDLE_HOST = Range(0.35, 0.5, 0.7)
SWITCH_W = Range(250, 400, 600)  # the switches between eight modules: our own estimate
# Over what the other parts draw: our own estimate. NVIDIA prints 10.2 kW at most for DGX H100 and 14.3 kW for
# DGX B200, of which cards take 5.6 and 8.0 kW.
FAN_SHARE = {"air": Range(0.05, 0.10, 0.16), "liquid": Range(0.01, 0.02, 0.05)}
# Lost in the supplies, over what they deliver. 80 PLUS at 230 V, redundant: Titanium is at least 94, 96 and
# 91 % efficient at 20, 50 and 100 % load, Platinum 90, 94 and 91 %; that supplies are loaded to about a half
# or more is our own estimate.
CONVERSION_SHARE = Range(0.042, 0.06, 0.10)
