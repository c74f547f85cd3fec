"""Facts that stand in a text word for word: telephone numbers, e-mail addresses, dates, hours, amounts, addresses."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, get_args

from ..installation import require_packages
from ..languages import Language
from ..languages.sections import EntityKind

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


KINDS: tuple[EntityKind, ...] = get_args(EntityKind)
# in this order: "12-03-2026" could be a phone number too
_BY_PATTERN: tuple[EntityKind, ...] = ("email", "date", "hours", "amount", "address")
# What both must say for two entities to be the same; what else both say must not differ.
_ESSENTIAL = {
    "phone": {"number"},
    "email": {"address"},
    "date": {"day"},
    "hours": {"from", "to"},
    "amount": {"amount"},
    "address": {"street", "number"},
}
_WORD = re.compile(r"[\w@€£$]+")


@dataclass(frozen=True)
class Entity:
    """A fact in a text: its kind (of `KINDS`), its words, where they begin, and its parts in normal form."""

    kind: EntityKind
    text: str
    start: int
    parts: Mapping[str, str]

    def is_same_as(self, other: "Entity") -> bool:
        """Whether both mean the same: "3 maart" and "3-3-2026" do, "3 maart 2025" and "3-3-2026" do not."""
        common = self.parts.keys() & other.parts.keys()
        return (
            self.kind == other.kind
            and common >= _ESSENTIAL[self.kind]
            and all(self.parts[name] == other.parts[name] for name in common)
        )


def find_entities(text: str, language: Language) -> list[Entity]:
    """Finds the entities of a text in order, none within another.

    Example:
        >>> from assay.languages import load_language
        >>> [(entity.kind, entity.text) for entity in find_entities("Call 020 624 1111 by 3 May.", load_language("en"))]
        [('phone', '020 624 1111'), ('date', '3 May')]
    """
    require_packages("numeric", "reading telephone numbers, dates and amounts in texts")
    rest, entities = text, list[Entity]()
    for kind in _BY_PATTERN:
        patterns: tuple[re.Pattern[str], ...] = getattr(language.entities, kind)
        for pattern in patterns:
            for match in pattern.finditer(rest):
                words = match[0].strip(" ,:.")
                start = match.start() + match[0].index(words)
                entities.append(Entity(kind, words, start, normal_form(kind, match.groupdict(), language)))
                rest = rest[: match.start()] + "\n" * len(match[0]) + rest[match.end() :]
    entities += _phones(rest, language.entities.region)
    return sorted(entities, key=lambda entity: entity.start)


def states_fact(text: str, fact: Entity, language: Language) -> bool:
    """Whether a text states a fact, in these words or in others that mean the same."""
    return not find_unstated([fact], text, find_entities(text, language))


def find_unstated(facts: Iterable[Entity], text: str, entities: Sequence[Entity]) -> list[Entity]:
    """Finds the facts that a text does not state."""
    plain = _plain(text)
    return [
        fact
        for fact in facts
        if _plain(fact.text) not in plain and not any(entity.is_same_as(fact) for entity in entities)
    ]


def _phones(text: str, region: str) -> Iterator[Entity]:
    import phonenumbers

    for match in phonenumbers.PhoneNumberMatcher(text, region, leniency=phonenumbers.Leniency.VALID):
        number = phonenumbers.format_number(match.number, phonenumbers.PhoneNumberFormat.E164)
        yield Entity("phone", match.raw_string, match.start, {"number": number})


def _plain(text: str) -> str:
    """Puts a text between spaces, so that 1 euro is not found in 21 euro."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "
