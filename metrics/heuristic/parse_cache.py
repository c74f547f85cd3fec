"""Parsed texts: the spaCy pipeline of a language, and a cache, so that every text is parsed once."""

import os
import re
import threading
from collections import OrderedDict
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import UsageError
from ...installation import python_command, require_extra
from ...languages import Language
from ...text.lemmas import lemma, lemmas
from ...worker_threads import compute_beside

_SIZES = ("sm", "md", "lg", "trf")
# Only the parse is read, and it needs none of these; lemmas are simplemma's.
_UNUSED = ["ner", "entity_linker", "entity_ruler", "textcat", "textcat_multilabel", "tagger", "morphologizer"]
_UNUSED += ["attribute_ruler", "lemmatizer", "trainable_lemmatizer", "senter"]


class Pipeline(NamedTuple):
    """A pipeline with its name; `nlp` is None, and `lacking` says what to type, where none is installed."""

    name: str
    nlp: Any
    lacking: str = ""


def find_pipeline(language: Language) -> Pipeline:
    """Finds the pipeline for a language: that of ASSAY_SPACY_NL (_EN, ...), else an installed one.

    A name is a package or a folder. Raises `UsageError` when a named pipeline cannot be loaded or has no parser.
    """
    return _load_pipeline(language, os.environ.get(f"ASSAY_SPACY_{language.code.upper()}", ""))


@cache
def _load_pipeline(language: Language, named: str) -> Pipeline:
    wanted = f"{_families(language)[0]}_{_SIZES[0]}"
    lacking = (
        f"no spaCy pipeline for {language.name} is installed; type: {python_command('-m', 'spacy', 'download', wanted)}"
    )
    try:
        with require_extra("heuristic", f"a spaCy pipeline for {language.name}"):
            import spacy
    except UsageError as error:
        if named:
            raise
        return Pipeline("", None, f"{error}; then {python_command('-m', 'spacy', 'download', wanted)}")
    name = named or _installed(language)
    if not name:
        return Pipeline("", None, lacking)
    try:
        nlp = spacy.load(Path(name) if Path(name).is_dir() else name, exclude=_UNUSED)
    except (OSError, ValueError, ImportError) as error:
        raise UsageError(f"the spaCy pipeline {name} for {language.name} cannot be loaded: {error}") from error
    if "parser" not in nlp.pipe_names:
        raise UsageError(f"the spaCy pipeline {name} has no parser; name one that has, such as {wanted}")
    return Pipeline(Path(name).name, nlp)


def _families(language: Language) -> tuple[str, ...]:
    return language.profile.parsers or (f"{language.code}_core_news", f"{language.code}_core_web")


def _installed(language: Language) -> str:
    """The smallest installed pipeline of the language's family, also under another publisher's suffix."""
    import spacy

    models = sorted(spacy.util.get_installed_models())
    for family in _families(language):
        for size in _SIZES:
            for model in models:
                if model == f"{family}_{size}" or model.startswith(f"{family}_{size}_"):
                    return str(model)
    return ""


_MOST_KEPT = 20_000  # texts; a parsed text is some ten times its text
MOST_PARSED = 40_000
"""As many characters of a text are parsed: a run of brackets takes spaCy as long per sign as words take per word."""

_WITHOUT_BLANK = re.compile(r"\S{80}")  # spaCy takes quadratic time for a run of brackets: longer runs get a blank
_SUBJECTS = ("nsubj", "nsubj:pass", "nsubjpass", "n_subj", "sb", "csubj")

Pair = tuple[str, str]
_Key = tuple[Language, str]


class Parsed(NamedTuple):
    """A text's lemmas (Lassche et al., 2024, VI-A), and its (verb, subject) lemma pairs; None without a parser.

    The pairs are those of its first `MOST_PARSED` characters.
    """

    lemmas: tuple[str, ...]
    subjects: tuple[Pair, ...] | None


class ParsedTexts:
    """Parses texts, beside the event loop, and keeps them. One for the whole process: `parsed_texts`."""

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, Parsed] = OrderedDict()
        self._changing = threading.Lock()  # the worker keeps what it has read while event loops look texts up

    async def parse(self, texts: Iterable[str], language: Language) -> list[Parsed]:
        """Parses the texts of a sample that are not yet known."""
        keys = [(language, text) for text in texts]
        parsed = self._known(keys)
        missing = list(dict.fromkeys(text for _, text in keys if (language, text) not in parsed))
        parsed |= await compute_beside(self._parse_unknown, language, missing) if missing else {}
        return [parsed[key] for key in keys]

    def _known(self, keys: Iterable[_Key]) -> dict[_Key, Parsed]:
        with self._changing:
            known = {key: self._kept[key] for key in keys if key in self._kept}
            for key in known:
                self._kept.move_to_end(key)
        return known

    def _parse_unknown(self, language: Language, texts: list[str]) -> dict[_Key, Parsed]:
        """Parses texts but those that another task's computation has parsed meanwhile."""
        known = self._known((language, text) for text in texts)
        missing = [text for text in texts if (language, text) not in known]
        return known | (self._read(language, missing) if missing else {})

    def _read(self, language: Language, texts: list[str]) -> dict[_Key, Parsed]:
        nlp = find_pipeline(language).nlp
        if nlp is None:
            subjects: list[tuple[Pair, ...] | None] = [None] * len(texts)
        else:
            cut = [_WITHOUT_BLANK.sub(r"\g<0> ", text[:MOST_PARSED]) for text in texts]
            subjects = [tuple(_subjects(doc, language)) for doc in nlp.pipe(cut)]
        parsed = {
            (language, text): Parsed(lemmas(text, language), text_subjects)
            for text, text_subjects in zip(texts, subjects, strict=True)
        }
        with self._changing:
            self._kept |= parsed
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return parsed


@cache
def parsed_texts() -> ParsedTexts:
    """The process's parsed texts."""
    return ParsedTexts()


def _subjects(doc: Any, language: Language) -> list[Pair]:
    import numpy as np

    strings = doc.vocab.strings
    wanted = [strings[label] for label in _SUBJECTS if label in strings]
    subjects = np.flatnonzero(np.isin(doc.to_array("DEP"), np.array(wanted, dtype=np.uint64)))
    tokens = (doc[int(place)] for place in subjects)
    return [(lemma(token.head.text, language), lemma(token.text, language)) for token in tokens]
