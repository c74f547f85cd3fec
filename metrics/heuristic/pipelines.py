"""Finds the spaCy pipeline that parses a language, or says what to type when there is none."""

import os
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import UsageError
from ...installation import python_command, require_extra
from ...languages import Language

_SIZES = ("sm", "md", "lg", "trf")
# Only the parse is read, and it needs none of these; lemmas are simplemma's.
_UNUSED = ["ner", "entity_linker", "entity_ruler", "textcat", "textcat_multilabel", "tagger", "morphologizer"]
_UNUSED += ["attribute_ruler", "lemmatizer", "trainable_lemmatizer", "senter"]


class Pipeline(NamedTuple):
    """A pipeline with its name; `nlp` is None, and `lacking` says what to type, where none is installed."""

    name: str
    nlp: Any
    lacking: str = ""


def find_pipeline(language: Language, named: str | None = None) -> Pipeline:
    """Finds the pipeline for a language: the named one, else that of ASSAY_SPACY_NL (_EN, ...), else an installed one.

    A name is a package or a folder. Raises `UsageError` when a named pipeline cannot be loaded or has no parser.
    """
    return _load_pipeline(language, named or os.environ.get(f"ASSAY_SPACY_{language.code.upper()}") or "")


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
