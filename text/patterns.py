"""Many patterns of a language pack as one."""

import re
from collections.abc import Iterable


def any_pattern(patterns: Iterable[re.Pattern[str]]) -> re.Pattern[str]:
    """Joins caseless patterns into one that matches where any of them does; none matches nothing."""
    return re.compile("|".join(f"(?:{pattern.pattern})" for pattern in patterns) or r"(?!)", re.IGNORECASE)
