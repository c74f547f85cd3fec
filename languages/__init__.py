"""What differs by language: one validated pack per language, a folder of YAML files."""

from .language import (
    FALLBACK,
    Language,
    find_language,
    language_codes,
    language_or_fallback,
    load_language,
    packs_with,
    plain_code,
)
from .yaml_file import parse_yaml, read_yaml

__all__ = [
    "FALLBACK",
    "Language",
    "find_language",
    "language_codes",
    "language_or_fallback",
    "load_language",
    "packs_with",
    "parse_yaml",
    "plain_code",
    "read_yaml",
]
