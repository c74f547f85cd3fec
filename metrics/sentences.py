"""An answer's sentences, and which of them claim something."""

import re
from functools import cache
from importlib import resources

import yaml

_BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)]|#{1,6})\s+")
_EMPHASIS = re.compile(r"\*\*|__|`")
_WORD = re.compile(r"\w")
_ANSWER_WORD = "answer_word"
_FEWEST_WORDS = 4  # of a sentence that says by itself what the yes or no before it says
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

    A yes or no before a whole sentence is left out ("No, that is not possible"); alone it stands when nothing follows.
    """
    claiming: list[str] = []
    bare = ""
    for sentence in sentences(text, language):
        kinds = _kinds(sentence, language)
        if kinds == {"yes_no"}:
            bare = bare or sentence
        elif not kinds:
            claiming.append(_without_answer_word(sentence, language))
    return claiming or ([bare] if bare else [])


def _kinds(sentence: str, language: str) -> set[str]:
    patterns = _patterns(language)
    return {kind for kind in patterns if kind != _ANSWER_WORD and patterns[kind].match(sentence)}


def _without_answer_word(sentence: str, language: str) -> str:
    found = _patterns(language)[_ANSWER_WORD].match(sentence)
    rest = sentence[found.end() :] if found else ""
    return rest[0].upper() + rest[1:] if len(rest.split()) >= _FEWEST_WORDS else sentence


@cache
def _patterns(language: str) -> dict[str, re.Pattern[str]]:
    folder = resources.files(__package__).joinpath("phrases")
    file = folder.joinpath(f"{language}.yaml")
    kinds = yaml.safe_load((file if file.is_file() else folder.joinpath("en.yaml")).read_text(encoding="utf-8"))
    return {kind: re.compile("|".join(f"(?:{p})" for p in ps), re.IGNORECASE) for kind, ps in kinds.items()}
