"""Lists the regular expressions that run on judged texts: of language packs, of modules, put together by code."""

import asyncio
import contextlib
import functools
import importlib
import inspect
import pkgutil
import re
import sys
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel

import assay
from assay.eval_sets import Sample
from assay.languages import Language, language_codes, load_language
from assay.metrics import load_metric, metric_names
from assay.text import JudgeAddresses

ROOT = Path(assay.__file__).parent.parent
_FOLDERS = ("text", "metrics", "judges")
_MATCHED = {"metrics/numeric/marks.py _exclusions"}  # what these compile is matched alone
_MODELS = {"bertscore"}  # which compile nothing of ours
_TEXTS = {
    "en": "The throughput was 41.2 Mbps in March 2024, up 5% from last week, twice as high as Monday. See [1].",
    "nl": "De omzet was 41,2 Mbps in maart 2024, 5% hoger dan vorige week, twee keer zo hoog als maandag [1].",
    "de": "Der Umsatz war 41,2 Mbps im März 2024, 5% höher als letzte Woche, zweimal so hoch wie am Montag [1].",
}


class CompiledPattern(NamedTuple):
    """A regular expression, where it comes from, and whether it is searched for; else it is matched from one place."""

    origin: str
    pattern: str
    flags: int
    is_searched: bool


def compiled_patterns(monkeypatch):
    """All of them, each once."""
    modules = list(_modules())
    known = {}
    for one in (*_of_packs(), *_of_modules(modules), *_of_phrases(), *_of_code(modules, monkeypatch)):
        known.setdefault(one[1:], one)
    return list(known.values())


def _modules():
    for folder in _FOLDERS:
        package = importlib.import_module(f"assay.{folder}")
        for module in pkgutil.walk_packages(package.__path__, f"assay.{folder}."):
            try:
                yield importlib.import_module(module.name)
            except ModuleNotFoundError as missing:  # what an extra needs; `make test` has none of them
                if missing.name is None or missing.name.startswith("assay"):
                    raise


def _of_packs():
    for code in language_codes():
        language = load_language(code)
        for section, kind in inspect.getmembers_static(Language):
            if isinstance(kind, functools.cached_property) and language.has(section):
                for path, pattern in _inside(getattr(language, section), section):
                    is_searched = section != "sentences"
                    yield CompiledPattern(f"{code} {path}", pattern.pattern, pattern.flags, is_searched)


def _of_modules(modules):
    for module in modules:
        source = inspect.getsource(module)
        for name, value in vars(module).items():
            for path, pattern in _inside(value, name):
                uses = re.findall(rf"\b{name}\b(?! =)(?:\.(\w+))?", source)
                is_matched = bool(uses) and set(uses) <= {"match", "fullmatch"}
                yield CompiledPattern(f"{module.__name__} {path}", pattern.pattern, pattern.flags, not is_matched)


def _of_phrases():
    for code in language_codes():
        addresses = JudgeAddresses(load_language(code).sentences)
        for name in ("_may_begin", "_to_judge", "_addressed"):  # compiled when they are first asked for
            getattr(addresses, name)
        for path, pattern in _inside(vars(addresses), f"{code} addresses"):
            is_searched = path.endswith(("_pause", "_last_join"))
            yield CompiledPattern(path, pattern.pattern, pattern.flags, is_searched)


def _of_code(modules, monkeypatch):
    """What functions compile for a language, and the metrics for texts of all three."""
    patterns = []
    original = re._compile

    def record(pattern, flags):
        compiled = original(pattern, flags)
        frame, is_searched = sys._getframe(1), True
        while frame.f_code.co_filename == re.__file__ and frame.f_back is not None:
            is_searched = is_searched and frame.f_code.co_name not in ("match", "fullmatch")
            frame = frame.f_back
        file = Path(frame.f_code.co_filename)
        if (
            isinstance(pattern, str)
            and frame.f_code.co_name != "<module>"  # of a module that is loaded late: `_of_modules` has those of ours
            and file.parent != ROOT / "languages"
            and file.is_relative_to(ROOT)
            and ".venv" not in file.parts
        ):
            origin = f"{file.relative_to(ROOT)} {frame.f_code.co_name}"
            if file.name != "phrases.py":  # unions of what is tested by itself
                is_searched = is_searched and origin not in _MATCHED
                patterns.append(CompiledPattern(origin, compiled.pattern, compiled.flags, is_searched))
        return compiled

    languages = [load_language(code) for code in language_codes()]
    with monkeypatch.context() as patched:
        patched.setattr(re, "_compile", record)
        cached = [value for module in modules for value in vars(module).values() if hasattr(value, "cache_clear")]
        for function in cached:
            function.cache_clear()
        for function in cached:
            annotations = [str(one.annotation) for one in inspect.signature(function).parameters.values()]
            for language in languages:
                if len(annotations) == 1 and annotations[0].endswith("Language'>"):
                    with contextlib.suppress(assay.AssayError):  # a pack may lack a section
                        function(language)
        for sample in _samples():
            for name in {*metric_names()} - _MODELS:
                with contextlib.suppress(assay.AssayError, KeyError):  # a metric may need what the sample lacks
                    asyncio.run(load_metric(name).measure(sample))
    return patterns


def _samples():
    table = {"name": "t", "columns": {"date": ["2024-03-01", "2024-03-02"], "throughput_mbps": [41.2, 40.0]}}
    for code, text in _TEXTS.items():
        turns = [
            ("user", f"{text}?"),
            ("assistant", f"{text} What is your order number?"),
            ("user", f"It is 123. {text}"),
        ]
        messages = [{"role": role, "content": content} for role, content in [*turns, ("assistant", text)]]
        values = {"id": "1", "language": code, "retrieved_contexts": [text]}
        yield Sample(**values, user_input=text, response=text, reference=text, tables=[table])
        yield Sample(**values, messages=messages)


def _inside(value, path):
    """The patterns in a value, with the names of the fields that lead to them."""
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield path, value
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _inside(getattr(value, name), f"{path}.{name}")
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _inside(inner, f"{path}.{key}")
    elif isinstance(value, list | tuple | frozenset):
        for inner in value:
            yield from _inside(inner, path)
