"""Components Defined (001, section V-B): what the answer names must exist in the context or in the question."""

from collections.abc import Iterable
from functools import lru_cache

from ..metric import Score, scored
from .components import Component, find_components, normal
from .reading import Feature, Reading
from .words import stem, words


def components_defined(named: int, unspecified: int) -> float:
    """The share of the named components that are specified, in [0, 1]; 1 where none is named: none is invented."""
    return (named - unspecified) / named if named else 1.0


def unspecified_components(answer: str, specified: Iterable[str], language: str) -> list[str]:
    """The components of an answer that stand in none of the texts (contexts and question), as the answer writes them.

    A name stands in a text when its words do, in a row, whatever their case, inflection, quotes or arrows. Where no
    markup says where a name ends (`klik op Opslaan rechtsboven`), its beginning may also be a component of a text.
    """
    texts = list(specified)
    joined = [_joined(text, language) for text in texts]
    known = frozenset[tuple[str, ...]]().union(*(_known(text, language) for text in texts))
    return [
        component.name
        for component in find_components(answer, language)
        if not _is_specified(component, joined, known, language)
    ]


def _is_specified(component: Component, joined: list[str], known: frozenset[tuple[str, ...]], language: str) -> bool:
    name = " ".join(normal(component.name, language))
    if any(f" {name} " in text for text in joined):
        return True
    return any(normal(shorter, language) in known for shorter in component.shorter)


@lru_cache(maxsize=2048)  # contexts are shared by samples
def _known(text: str, language: str) -> frozenset[tuple[str, ...]]:
    return frozenset(normal(each.name, language) for each in find_components(text, language))


@lru_cache(maxsize=2048)
def _joined(text: str, language: str) -> str:
    return f" {' '.join(stem(word, language) for word in words(text))} "


class ComponentsDefined(Feature):
    """The share of the menu items, buttons and settings in the answer that the contexts or the question specify."""

    name = "heuristic.components_defined"

    def of(self, reading: Reading) -> Score:
        """Always scored: an answer that names no component has 1."""
        named = [component.name for component in find_components(reading.answer, reading.language)]
        unspecified = unspecified_components(reading.answer, (reading.question, *reading.contexts), reading.language)
        value = components_defined(len(named), len(unspecified))
        evidence = {"components": named, "unspecified": unspecified}
        if not named:
            return scored(value, "the answer names no menu item, button or setting", evidence)
        reason = f"{len(named) - len(unspecified)} of the {len(named)} components stand in the context or question"
        return scored(value, reason + (f"; not {', '.join(unspecified)}" if unspecified else ""), evidence)
