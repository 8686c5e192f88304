"""Quantities as the reader's language writes them: `{{ gpu.memory_gb|gigabytes }}` is "80 GB", «80 ГБ».

A value of None is "not published" in the reader's language. The texts are for people: attributes that a
machine reads, such as `value=` or SVG coordinates, take the plain number.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal

from django import template
from django.utils.formats import get_format
from django.utils.translation import get_language, gettext, pgettext

register = template.Library()

NARROW_SPACE = "\N{NARROW NO-BREAK SPACE}"
MINUS = "\N{MINUS SIGN}"
GB_PER_TB = 1024  # of memory fitted in a server
GIB = 2**30
GBS_PER_TBS = 1000  # of a link or a memory bus
W_PER_KW = 1000


def not_published():
    """Return what stands where a figure is not known."""
    return gettext("not published")


def format_number(value, decimals=2):
    """Return a number in the reader's way with at most `decimals` places, without trailing zeros.

    Thousands are grouped from 1,000 in English and from 10 000 in Spanish and Russian, as each prefers.
    """
    amount = Decimal(str(value)).quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)
    whole, _, fraction = f"{abs(amount):f}".partition(".")
    fraction = fraction.rstrip("0")
    if len(whole) > (3 if get_language() == "en" else 4):
        groups = [whole[max(end - 3, 0) : end] for end in range(len(whole), 0, -3)]
        whole = get_format("THOUSAND_SEPARATOR").join(reversed(groups))
    text = f"{whole}{get_format('DECIMAL_SEPARATOR')}{fraction}" if fraction else whole
    return f"{MINUS}{text}" if amount < 0 else text


def places(value):
    """Return how many decimal places show about three significant digits of a measured or computed value."""
    magnitude = abs(value)
    return 0 if magnitude >= 100 else 1 if magnitude >= 10 else 2


def estimated(value, digits=3, rounding=ROUND_HALF_UP):
    """Return an estimate rounded to three significant digits: more would claim what nobody knows.

    The one rule for every estimated figure, so that it reads the same wherever it appears.
    """
    amount = Decimal(str(value))
    if not amount:
        return 0.0
    return float(amount.quantize(Decimal(1).scaleb(amount.adjusted() + 1 - digits), rounding=rounding))


def no_more_than(value, needed=None):
    """Return an estimated limit to three digits and not above it: what is promised has to hold.

    Args:
        needed: what is asked of it. Where the limit is enough, it does not read as less than this.
    """
    rounded = estimated(value, rounding=ROUND_FLOOR)
    return needed if needed is not None and rounded < needed <= value else rounded


def no_less_than(value, needed=None):
    """Return an estimated lower limit to three digits and not below it, as `no_more_than` the upper one."""
    rounded = estimated(value, rounding=ROUND_CEILING)
    return needed if needed is not None and value <= needed < rounded else rounded


def quantity(value, unit, decimals=2):
    """Return a number with its unit behind a narrow space that does not break."""
    if value is None:
        return not_published()
    return f"{format_number(value, decimals)}{NARROW_SPACE}{unit}"


@register.filter
def number(value, decimals=2):
    """Return a plain number: 12 000, 1,5."""
    return not_published() if value is None else format_number(value, decimals)


@register.filter
def how_many(value):
    """Return a count of parts; zero is "none"."""
    return pgettext("count", "none") if value == 0 else number(value)


@register.filter
def gigabytes(value):
    """Return memory as it is printed on the box [GB]."""
    return quantity(value, pgettext("unit", "GB"))


@register.filter
def gibibytes(value):
    """Return memory as a driver reports it [GiB], to about three digits."""
    return quantity(value, pgettext("unit", "GiB"), places(value or 0))


@register.filter
def bytes_gib(value):
    """Return bytes as GiB."""
    return gibibytes(None if value is None else value / GIB)


@register.filter
def bytes_gb(value):
    """Return bytes as GB of 10^9, to about three digits."""
    amount = None if value is None else value / 1e9
    return quantity(amount, pgettext("unit", "GB"), places(amount or 0))


@register.filter
def capacity(value):
    """Return the memory of a server [GB], in TB of 1024 GB from there on."""
    if value is not None and value >= GB_PER_TB:
        return quantity(value / GB_PER_TB, pgettext("unit", "TB"))
    return gigabytes(value)


@register.filter
def gbs(value):
    """Return a transfer rate [GB/s], in TB/s of 1000 GB/s from there on."""
    if value is not None and value >= GBS_PER_TBS:
        return quantity(value / GBS_PER_TBS, pgettext("unit", "TB/s"))
    return quantity(value, pgettext("unit", "GB/s"))


@register.filter
def watts(value):
    """Return electrical power [W]."""
    return quantity(value, pgettext("unit", "W"), 0)


@register.filter
def kilowatts(value):
    """Return electrical power given in W as kW, to about three digits."""
    amount = None if value is None else value / W_PER_KW
    return quantity(amount, pgettext("unit", "kW"), places(amount or 0))


def is_in_kilowatts(watts):
    """Tell whether power [W] is written in kW: from the first that reads as 1000 W or more."""
    return estimated(watts) >= W_PER_KW


@register.filter
def power(value):
    """Return power of a load [W], to three digits: in W below one kilowatt, in kW above."""
    if value is None:
        return not_published()
    amount = estimated(value)
    return kilowatts(amount) if is_in_kilowatts(amount) else watts(estimated(round(value)))


@register.filter
def rack_units(value):
    """Return a height in rack units: 2U."""
    if value is None:
        return not_published()
    return pgettext("unit", "%(count)sU") % {"count": format_number(value)}


@register.filter
def millimetres(value):
    return quantity(value, pgettext("unit", "mm"), 1)


@register.filter
def kilograms(value):
    return quantity(value, pgettext("unit", "kg"), 1)


@register.filter
def celsius(value):
    return quantity(value, "°C", 1)


@register.filter
def tflops(value):
    """Return a compute rate [TFLOPS], without sparsity."""
    return quantity(value, pgettext("unit", "TFLOPS"), 1 if value is None or value >= 1 else 2)


@register.filter
def tops(value):
    """Return a rate of whole-number operations [TOPS], without sparsity."""
    return quantity(value, pgettext("unit", "TOPS"), 1)


@register.filter
def megatransfers(value):
    return quantity(value, pgettext("unit", "MT/s"), 0)


@register.filter
def milliseconds(value):
    """Return a time [ms], from ten on without fractions."""
    return quantity(value, pgettext("unit", "ms"), 0 if (value or 0) >= 10 else 1)


@register.filter
def hours(value):
    """Return a time [h], below one hour in minutes."""
    if value is not None and value < 1:
        return quantity(value * 60, pgettext("unit", "min"), 0 if value * 60 >= 10 else 1)
    return quantity(value, pgettext("unit", "h"), places(value or 0))


@register.filter
def billions(value):
    """Return a number of parameters: 70.6B, «70,6 млрд», from half a billion on; 21M below."""
    if value is None:
        return not_published()
    if value < 5e8:
        return pgettext("parameters", "%(number)sM") % {
            "number": format_number(value / 1e6, places(value / 1e6))
        }
    return pgettext("parameters", "%(number)sB") % {"number": format_number(value / 1e9, places(value / 1e9))}


@register.filter
def yes_no(value):
    return not_published() if value is None else gettext("yes") if value else gettext("no")


@register.filter
def percent(value):
    """Return a share given in percent: 50% in English, 50 % in Spanish and Russian."""
    if value is None:
        return not_published()
    return pgettext("unit", "%(number)s%%") % {"number": format_number(value, 1)}


UNITS = {
    filter_function.__name__: filter_function
    for filter_function in (
        number, gigabytes, gibibytes, capacity, gbs, watts, kilowatts, power, rack_units, millimetres,
        kilograms, celsius, tflops, tops, megatransfers, milliseconds, hours, billions, percent,
    )
}  # fmt: skip
