"""An answer's sentences, and which of them claim something."""

import re
from functools import cache
from importlib import resources

import yaml

_BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)]|#{1,6})\s+")
_EMPHASIS = re.compile(r"\*\*|__|`")
_WORD = re.compile(r"\w")
_ABBREVIATION = re.compile(r"\b(?:[a-z]{1,3}\.){2,}$", re.IGNORECASE)  # d.w.z., i.p.v., e.g.


def sentences(text: str, language: str) -> list[str]:
    """The sentences of an answer in order; each line, bullet and numbered step begins a new one. Markup is left out."""
    from sentencex import segment

    found: list[str] = []
    for line in text.splitlines():
        plain = _EMPHASIS.sub("", _BULLET.sub("", line)).strip()
        if plain:
            found.extend(_rejoined([sentence.strip() for sentence in segment(language, plain)]))
    return found


def _rejoined(parts: list[str]) -> list[str]:
    """Sentences that were split after an abbreviation, whole again; what has no words is left out."""
    whole: list[str] = []
    for part in parts:
        if whole and part[:1].islower() and _ABBREVIATION.search(whole[-1]):
            whole[-1] += f" {part}"
        elif _WORD.search(part):
            whole.append(part)
    return whole


def claiming_sentences(text: str, language: str) -> list[str]:
    """The sentences that state something: no greeting, thanks, offer, refusal, question or lead-in ("as follows:").

    A bare yes or no is read together with the sentence after it.
    """
    claiming: list[str] = []
    bare = ""
    for sentence in sentences(text, language):
        kinds = _kinds(sentence, language)
        if kinds == {"yes_no"}:
            bare = f"{bare} {sentence}".strip()
        elif not kinds:
            claiming.append(f"{bare} {sentence}".strip())
            bare = ""
    return [*claiming, bare] if bare else claiming


def _kinds(sentence: str, language: str) -> set[str]:
    return {kind for kind, pattern in _patterns(language).items() if pattern.match(sentence)}


@cache
def _patterns(language: str) -> dict[str, re.Pattern[str]]:
    folder = resources.files(__package__).joinpath("phrases")
    file = folder.joinpath(f"{language}.yaml")
    kinds = yaml.safe_load((file if file.is_file() else folder.joinpath("en.yaml")).read_text(encoding="utf-8"))
    return {kind: re.compile("|".join(f"(?:{p})" for p in ps), re.IGNORECASE) for kind, ps in kinds.items()}
