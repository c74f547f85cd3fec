"""Finds entities in a text, and tells whether two ways of writing one mean the same."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from ...installation import require_packages
from ...languages import Language
from ...languages.sections import EntityKind
from .normal_form import normal_form

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
