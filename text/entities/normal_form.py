"""An entity's parts in normal form, so that two ways of writing it can be compared."""

import re
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from ...languages import Language

_WORD = re.compile(r"[^\W\d_]+")
_LEAP_YEAR = datetime(2000, 1, 1)  # a base that has a 29 February


def normal_form(kind: str, groups: Mapping[str, str | None], language: Language) -> dict[str, str]:
    """Reads the parts of an entity, in normal form, from the named groups of the pattern that matched it."""
    parts = {name: words for name, words in groups.items() if words}
    if kind == "email":
        return {"address": parts["address"].casefold().rstrip(".")}
    if kind == "date":
        return _date(parts["date"], parts.get("year"), language)
    if kind == "hours":
        hours = {"from": _time(parts["from"], parts["to"]), "to": _time(parts["to"], parts["to"])}
        return hours | ({"days": days} if (days := _days(parts.get("days", ""), language)) else {})
    if kind == "amount":
        return _amount(parts["amount"], language)
    return {name: re.sub(r"[\W_]", "", words.casefold()) for name, words in parts.items()}


@lru_cache(maxsize=1024)
def _date(text: str, year: str | None, language: Language) -> dict[str, str]:
    import dateparser

    settings: Any = {"RELATIVE_BASE": _LEAP_YEAR, "REQUIRE_PARTS": ["day", "month"], "DATE_ORDER": "DMY"}
    day = dateparser.parse(text, languages=[language.code], settings=settings)
    if day is None:  # 31 February: no day, and yet words that can be looked for
        return {"day": text.casefold()}
    return {"day": f"{day:%m-%d}"} | ({"year": year} if year else {})


def _time(text: str, closing: str) -> str:
    """`HH:MM`. "9 to 5 pm" says am or pm once, and "2-4 pm" means the afternoon for both."""
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    hour, minute = numbers[0], numbers[1] if len(numbers) > 1 else 0
    half = re.search(r"([ap])\.?m", text, re.IGNORECASE)
    if half:
        hour = hour % 12 + (12 if half[1].lower() == "p" else 0)
    elif closing != text and re.search(r"p\.?m", closing, re.IGNORECASE) and hour < int(re.findall(r"\d+", closing)[0]):
        hour += 12
    return f"{hour:02}:{minute:02}"


def _days(text: str, language: Language) -> str:
    """The weekdays as digits: `12345` for Monday to Friday."""
    words = [word.casefold() for word in _WORD.findall(text)]
    rules = language.entities
    named = [rules.days[word[:2]] for word in words if word[:2] in rules.days and word not in rules.not_days]
    for word in words:
        if word in rules.day_ranges:
            return "".join(map(str, rules.day_ranges[word]))
    if len(named) == 2 and rules.day_range.search(text) and named[0] <= named[1]:
        named = [*range(named[0], named[1] + 1)]
    return "".join(map(str, sorted(set(named))))


def _amount(text: str, language: Language) -> dict[str, str]:
    from price_parser import Price

    price = Price.fromstring(text, decimal_separator=language.profile.decimal_mark)
    currency = next((code for sign, code in language.currencies.items() if sign in text.casefold()), None)
    amount = text.casefold() if price.amount is None else f"{price.amount.normalize():f}"
    return {"amount": amount} | ({"currency": currency} if currency else {})
