"""What an answer names: components of a program, and guides."""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from ..languages import Components, Language
from ..languages.sections import CAPITAL
from .lemmas import stem, words

FEWEST_STEPS = 2

_BULLETED = re.compile(r"^(\s*)[-*•–‣◦]\s+(\S.*)$")
_INLINE = re.compile(r"(?:^|(?<=[\s:;.]))(\d{1,2})[.)]\s+(?=\S)")


@lru_cache(maxsize=2048)  # contexts are shared by samples
def find_guides(text: str, language: Language) -> tuple[tuple[str, ...], ...]:
    """Finds the guides of a text, each its steps in order without their numbers; at least two steps make a guide.

    A blank line or a line of other text within a list belongs to the step before it when the numbering goes on.
    Bullets below a numbered step are not steps. Numbers within one line (`1. Open X. 2. Click Y.`) count as lines.
    """
    guides: list[list[str]] = []
    expected, bulleted, broken = 0, False, True
    for line in step_lines(text):
        if numbered := _numbered(language).match(line):
            number = int(numbered[1])
            if number != expected or number == 1 or bulleted:
                guides.append([])
            guides[-1].append(numbered[2].strip())
            expected, bulleted, broken = number + 1, False, False
        elif (bullet := _BULLETED.match(line)) and (expected == 0 or broken or not bullet[1]):
            if not bulleted or broken:
                guides.append([])
            guides[-1].append(bullet[2].strip())
            expected, bulleted, broken = 0, True, False
        elif line.strip() and not line.startswith((" ", "\t")):
            broken = True
    return tuple(tuple(steps) for steps in guides if len(steps) >= FEWEST_STEPS)


@cache
def _numbered(language: Language) -> re.Pattern[str]:
    words = "|".join(map(re.escape, language.words.step_words))
    return re.compile(
        rf"^\s*+(?:(?:\*\*|#{{1,6}})\s*+)?(?:(?:{words})\s*+)?(\d{{1,2}})\s*+[.):]\s*+(?:\*\*\s*+)?(\S.*)$",
        re.IGNORECASE,
    )


def step_lines(text: str) -> list[str]:
    """Splits a text into lines; steps that are numbered within one line become lines."""
    return [part for line in text.splitlines() for part in _split_inline(line)]


def _split_inline(line: str) -> list[str]:
    """Splits a line with `1. ... 2. ... 3. ...` in sequence into one line per step; returns any other line as it is."""
    starts: list[int] = []
    for match in _INLINE.finditer(line):
        if int(match[1]) == len(starts) + 1:
            starts.append(match.start())
    if len(starts) < FEWEST_STEPS:
        return [line]
    bounds = [*starts, len(line)]
    parts = [line[start:end] for start, end in pairwise(bounds)]
    return [line[: starts[0]], *parts] if line[: starts[0]].strip() else parts


_END = re.compile(r"[.,;:!?()\[\]\n\"“”„*>→»›|]| / ")
_TRIM = " \t.,;:…\"“”„'‘’`*_<>[]()"
MOST_COMPONENTS = 500
"""Each component of an answer is looked up in all texts, so that only so many are."""
_MOST_WORDS = 6
_MOST_LOOSE_WORDS = 5
_EMPHASIS = re.compile(r"\*\*|__|`")
_SENTENCE = re.compile(r"[.!?]\s+\S|[.!?]$")


class Component(NamedTuple):
    """A name as written, and what it may be cut down to when no markup says where it ends (longest first)."""

    name: str
    shorter: tuple[str, ...] = ()


@lru_cache(maxsize=2048)  # contexts are shared by samples
def find_components(text: str, language: Language) -> tuple[Component, ...]:
    """Finds the components that a text names, each once, in order of the patterns; each part of a path is one."""
    patterns = language.components
    components: dict[tuple[str, ...], Component] = {}
    for component in (*_marked(text, language), *_paths(_EMPHASIS.sub("", text), patterns), *_cued(text, patterns)):
        key = normal_name(component.name, language)
        if key and component.name.lower() not in patterns.not_components and not component.name.isdigit():
            components.setdefault(key, component)
    return tuple(components.values())


def normal_name(name: str, language: Language) -> tuple[str, ...]:
    """Normalises a name for comparison: without case, inflection, quotes, arrows and dots."""
    return tuple(stem(word, language) for word in words(name))


@cache
def _ends_with_cue(language: Language) -> re.Pattern[str]:
    """What ends with a cue before a name, without the name."""
    cues = (cue.pattern.removesuffix(f"(?={CAPITAL})").rstrip() for cue in language.components.cued.values())
    return re.compile(rf"(?:{'|'.join(cues)}):?\s*$")


def _marked(text: str, language: Language) -> Iterator[Component]:
    patterns, ends_with_cue = language.components, _ends_with_cue(language)
    for kind, pattern in patterns.marked.items():
        for match in pattern.finditer(text):
            cued = ends_with_cue.search(text, max(0, match.start() - 60), match.start()) is not None
            for part in patterns.separators.split(match["component"]):
                if _is_name(part, part.strip(_TRIM), kind, cued=cued):
                    yield Component(part.strip(_TRIM))


def _cued(text: str, patterns: Components) -> Iterator[Component]:
    """Finds names after or before a cue such as `click` or `button`, outside markup (`_marked` finds those)."""
    for pattern in patterns.marked.values():
        text = pattern.sub(lambda match: match.group().replace(match["component"], "·"), text)
    for cue in (*patterns.colon, *patterns.cued.values()):
        for match in cue.finditer(text):
            if component := _loose(text[match.end() : match.end() + 120], patterns):
                yield component
    for pattern in patterns.after:
        for match in pattern.finditer(text):
            if name := _without_lead_in(match["component"], patterns):
                yield Component(name)


def _is_name(written: str, name: str, kind: str, *, cued: bool) -> bool:
    """Whether marked words are a name and no emphasis, label or quotation."""
    if not name or not any(character.isalpha() for character in name) or _SENTENCE.search(written.strip(" …*_")):
        return False
    if len(name.split()) > _MOST_WORDS or re.search(r"[=/@{}\\]|\w\.\w", name):
        return False
    if cued:
        return True
    label = written.rstrip().endswith(":")
    return name[0].isupper() and not label and kind != "code"


def _paths(text: str, patterns: Components) -> list[Component]:
    """`Payroll > Runs`: the parts around separators, each beginning with a capital."""
    components: list[Component] = []
    for line in text.splitlines():
        pieces = patterns.separators.split(line)
        if len(pieces) < 2:
            continue
        names: list[Component | None] = []
        for place, piece in enumerate(pieces):
            if place == 0:
                names.append(_last_name(piece, patterns))
                continue
            loose = _loose(piece, patterns)
            names.append(loose)
            if place < len(pieces) - 1 and (loose is None or loose.name != piece.strip(_TRIM)):
                names.append(_last_name(piece, patterns))  # the next path begins within this piece
        parts = [name for name in names if name]
        if len(parts) > 1:
            components.extend(parts)
    return components


def _loose(text: str, patterns: Components) -> Component | None:
    """Finds the name at the beginning of a text, up to punctuation, a boundary word or the most words of a name."""
    text = text.lstrip(_TRIM)
    end = _END.search(text)
    clause = text[: end.start()] if end else text
    tokens: list[str] = []
    for token in clause.split():
        if tokens and (token.lower() in patterns.boundaries or len(tokens) == _MOST_LOOSE_WORDS):
            break
        tokens.append(token)
    name = patterns.suffix.sub("", " ".join(tokens).strip(_TRIM))
    if not name[:1].isupper() or name.split()[0].lower() in patterns.lead_in | patterns.not_components:
        return None
    return Component(name, tuple(" ".join(tokens[:length]).strip(_TRIM) for length in range(len(tokens) - 1, 0, -1)))


def _last_name(text: str, patterns: Components) -> Component | None:
    """Finds the name at the end of a text: after the last punctuation or lead-in word, from the first capital on."""
    clause = re.split(r"[.,;:!?()\[\]\"“”„]\s*", text.rstrip(_TRIM))[-1]
    tokens: list[str] = []
    for token in reversed(clause.split()):
        if token.lower() in patterns.lead_in or len(tokens) == _MOST_LOOSE_WORDS:
            break
        tokens.insert(0, token)
    while tokens and not tokens[0][:1].isupper():
        tokens.pop(0)
    return Component(" ".join(tokens).strip(_TRIM)) if tokens else None


def _without_lead_in(name: str, patterns: Components) -> str:
    tokens = name.split()
    while tokens and tokens[0].lower() in patterns.lead_in | patterns.boundaries:
        tokens.pop(0)
    return " ".join(tokens)


def unspecified_components(answer: str, specified: Iterable[str], language: Language) -> list[str]:
    """Finds the components of an answer that stand in none of the texts (contexts and question), as written.

    Of more than 500 components the first 500 are looked up.

    A name stands in a text when its words do, in a row, whatever their case, inflection, quotes or arrows. Where no
    markup says where a name ends (`klik op Opslaan rechtsboven`), its beginning may also be a component of a text.
    """
    texts = list(specified)
    joined = [_joined(text, language) for text in texts]
    known = frozenset[tuple[str, ...]]().union(*(_known(text, language) for text in texts))
    return [
        component.name
        for component in find_components(answer, language)[:MOST_COMPONENTS]
        if not _is_specified(component, joined, known, language)
    ]


def _is_specified(
    component: Component, joined: list[str], known: frozenset[tuple[str, ...]], language: Language
) -> bool:
    name = " ".join(normal_name(component.name, language))
    if any(f" {name} " in text for text in joined):
        return True
    return any(normal_name(shorter, language) in known for shorter in component.shorter)


@lru_cache(maxsize=2048)  # contexts are shared by samples
def _known(text: str, language: Language) -> frozenset[tuple[str, ...]]:
    return frozenset(normal_name(component.name, language) for component in find_components(text, language))


@lru_cache(maxsize=2048)
def _joined(text: str, language: Language) -> str:
    return f" {' '.join(stem(word, language) for word in words(text))} "
