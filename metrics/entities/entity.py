"""Finding entities in a text, and telling whether two ways of writing one mean the same."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from .reading import parts_of

KINDS = ("phone", "email", "date", "hours", "amount", "address")
_BY_PATTERN = ("email", "date", "hours", "amount", "address")  # in this order: "12-03-2026" could be a phone number too
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

    kind: str
    text: str
    start: int
    parts: Mapping[str, str]

    def same_as(self, other: "Entity") -> bool:
        """Whether both mean the same: "3 maart" and "3-3-2026" do, "3 maart 2025" and "3-3-2026" do not."""
        common = self.parts.keys() & other.parts.keys()
        return (
            self.kind == other.kind
            and common >= _ESSENTIAL[self.kind]
            and all(self.parts[name] == other.parts[name] for name in common)
        )


def entities(text: str, language: str | None) -> list[Entity]:
    """The entities of a text in order, none within another. Patterns are those of the language, else of English."""
    rules, found, rest = _rules(language), list[Entity](), text
    for kind in _BY_PATTERN:
        for pattern in rules[kind]:
            for match in pattern.finditer(rest):
                words = match[0].strip(" ,:.")
                start = match.start() + match[0].index(words)
                found.append(Entity(kind, words, start, parts_of(kind, match.groupdict(), language, rules)))
                rest = rest[: match.start()] + "\n" * len(match[0]) + rest[match.end() :]
    found += _phones(rest, rules["region"])
    return sorted(found, key=lambda entity: entity.start)


def states(text: str, fact: Entity, language: str | None) -> bool:
    """Whether a text states a fact, in these words or in others that mean the same."""
    if _plain(fact.text) in _plain(text):
        return True
    return any(entity.same_as(fact) for entity in entities(text, language))


def _phones(text: str, region: str) -> Iterator[Entity]:
    import phonenumbers

    for match in phonenumbers.PhoneNumberMatcher(text, region, leniency=phonenumbers.Leniency.VALID):
        number = phonenumbers.format_number(match.number, phonenumbers.PhoneNumberFormat.E164)
        yield Entity("phone", match.raw_string, match.start, {"number": number})


def _plain(text: str) -> str:
    """Between spaces, so that 1 euro is not found in 21 euro."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


@cache
def _rules(language: str | None) -> dict[str, Any]:
    folder = resources.files(__package__).joinpath("patterns")
    file = folder.joinpath(f"{language}.yaml")
    rules: dict[str, Any] = yaml.safe_load(
        (file if file.is_file() else folder.joinpath("en.yaml")).read_text(encoding="utf-8")
    )
    for kind in _BY_PATTERN:
        rules[kind] = [re.compile(pattern, re.VERBOSE) for pattern in rules[kind]]
    rules["day_range"] = re.compile(rules["day_range"], re.VERBOSE)
    return rules
