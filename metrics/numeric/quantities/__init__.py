"""Values in units: what one is in another, which a series may be stated in, and when a stated value holds."""

from .sizes import as_held, possible
from .tolerance import HEDGES, holds, rounds_to
from .units import can_be_in, converted, counts_things, in_unit_of, is_currency, unit_and_power, unit_of

__all__ = [
    "HEDGES",
    "as_held",
    "can_be_in",
    "converted",
    "counts_things",
    "holds",
    "in_unit_of",
    "is_currency",
    "possible",
    "rounds_to",
    "unit_and_power",
    "unit_of",
]
