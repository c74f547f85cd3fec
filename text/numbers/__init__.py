"""Numbers in running text: numerals in two notations, numbers in words, their scale words and units."""

from .notation import known_unit
from .number import Number, find_numbers, parse_number
from .numerals import NumberFormat, NumeralValue

__all__ = ["Number", "NumberFormat", "NumeralValue", "find_numbers", "known_unit", "parse_number"]
