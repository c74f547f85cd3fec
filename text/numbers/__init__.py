"""Numbers in running text: numerals in two notations, numbers in words, their scale words and units."""

from .notation import NumberFormat, NumeralValue, known_unit
from .number import Number, find_numbers, parse_number

__all__ = ["Number", "NumberFormat", "NumeralValue", "find_numbers", "known_unit", "parse_number"]
