"""Measures what each part of the reading of numerical claims gives: it leaves one out at a time.

    python benchmarks/numeric_ablation.py [--data ../shared/data/rated] [--only times] [--most 40] [--json parts.json]

A part is a function or method of `metrics/numeric` (a construction, a pass over the marks, a statistic, a notation of
times, a reader of tables), or an entry of the packs in `languages/` that claims are read with (the words of a kind of
mark, the forms of a time). Left out, a function does nothing: it returns what it was given where it only adds to it,
else nothing (False, None, an empty list); an entry has no words. Each claim of the development parts on which the part
did something is then checked again.

For each part the table says how many lines would go (the function's, and those of all functions that only it needs;
an entry's, in all languages), how many right verdicts are lost and gained, how many wrong ones come and go, and the
right verdicts (less the wrong ones that it brings) that 40 lines of it give. `most`: a part that more claims than so
many need is not followed to the end. The claims are those of numeric_agreement.py that the grammar was made for;
nothing held out is read. Needs the extra `numeric`.
"""

import argparse
import ast
import functools
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import checkout  # noqa: F401
from benchmark_output import print_machine, print_table
from numeric_sets import DEVELOPMENT, Label, labelled_sets

from assay import Sample
from assay.languages import FALLBACK
from assay.metrics.numeric.lexicon import LANGUAGES, Lexicon, lexicon
from assay.metrics.numeric.numeric_claims import check_claims, tables_of_claims
from assay.metrics.numeric.parse.clause_splitter import claims_of
from assay.metrics.numeric.parse.construction import Construction

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "metrics" / "numeric"
PACK_FILES = ("claim_marks", "claim_times", "series_names")
ENTRY_GROUPS = ("marks", "links", "time_marks", "synonyms", "hints")  # mappings whose entries are parts of their own
NEVER = "(?!)"
LINES = 40  # that one right verdict is worth
Verdicts = tuple[str, ...]


@dataclass
class Part:
    """Something that can be left out, the lines that would go, and the claims on which it does something."""

    name: str
    kind: str
    lines: int
    leave_out: Callable[[], Any] = field(repr=False)  # a context manager
    used_by: set[int] | None = None  # None: any claim may need it


@dataclass(frozen=True)
class Effect:
    """What is lost and gained without a part: right verdicts, and wrong ones."""

    right_lost: int = 0
    right_gained: int = 0
    wrong_gone: int = 0
    wrong_new: int = 0
    failed: bool = False  # without the part nothing runs

    @property
    def value(self) -> int:
        """The right verdicts that the part gives, less the wrong ones."""
        return self.right_lost - self.right_gained - self.wrong_gone + self.wrong_new


class Claims:
    """The answers of the development parts, their labels, and the verdicts with everything."""

    def __init__(self, data: Path | None) -> None:
        sets = [one for one in labelled_sets(data) if one.part == DEVELOPMENT]
        self.answers: list[tuple[Sample, tuple[Label, ...]]] = [pair for one in sets for pair in one.answers]
        self.whole: list[Verdicts] = []

    def verdicts(self, place: int) -> Verdicts:
        """The verdicts on the labelled claims of an answer."""
        sample, labels = self.answers[place]
        language = sample.language or FALLBACK
        checked = check_claims(
            claims_of(sample.response, language), tables_of_claims(sample), language, sample.user_input
        )
        claims = [{"text": claim.text, "verdict": claim.verdict} for claim in checked]
        return tuple(label.given(claims) for label in labels)

    def effect(self, part: Part, most: int) -> Effect:
        """What leaving a part out does to the verdicts."""
        counted = dict.fromkeys(("right_lost", "right_gained", "wrong_gone", "wrong_new"), 0)
        with part.leave_out():
            for place in sorted(part.used_by) if part.used_by is not None else range(len(self.answers)):
                try:
                    without = self.verdicts(place)
                except Exception:  # a part that everything needs: whatever breaks, it cannot be left out
                    return Effect(failed=True)
                for label, before, after in zip(self.answers[place][1], self.whole[place], without, strict=True):
                    counted["right_lost"] += before == label.verdict != after
                    counted["right_gained"] += before != label.verdict == after
                    counted["wrong_gone"] += _is_wrong(before, label) and not _is_wrong(after, label)
                    counted["wrong_new"] += _is_wrong(after, label) and not _is_wrong(before, label)
                if counted["right_lost"] > most:
                    break
        return Effect(**counted)


def _is_wrong(verdict: str, label: Label) -> bool:
    return verdict not in ("unverifiable", label.verdict)


def clear_caches(only_bounded: bool = False) -> None:
    """Empties the caches of the numeric package except that of the packs' words; or only those with a bound."""
    for cached in _caches():
        if not only_bounded or cached.cache_parameters()["maxsize"] is not None:
            cached.cache_clear()


def _caches() -> list[Any]:
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("assay.metrics.numeric")]
    held = {id(value): value for module in modules for value in vars(module).values() if hasattr(value, "cache_clear")}
    return [value for value in held.values() if value is not lexicon]


# --- functions ---


@dataclass(frozen=True)
class Source:
    """A function or method as it stands in its file."""

    module: str
    name: str  # with its class
    node: ast.FunctionDef
    names: frozenset[str]  # all that it refers to

    @property
    def is_construction(self) -> bool:
        """Whether it builds a construction, which no name refers to."""
        calls = (one.func for one in self.node.decorator_list if isinstance(one, ast.Call))
        return any(isinstance(function, ast.Name) and function.id == "construction" for function in calls)

    @property
    def lines(self) -> int:
        """How many lines it has, its decorators included."""
        first = min([self.node.lineno, *(one.lineno for one in self.node.decorator_list)])
        return (self.node.end_lineno or first) - first + 1


def sources() -> list[Source]:
    """All functions and methods of the package."""
    found_sources = []
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(("assay", *path.relative_to(ROOT).with_suffix("").parts))
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            members = node.body if isinstance(node, ast.ClassDef) else [node]
            prefix = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
            found_sources += [
                Source(module, prefix + member.name, member, frozenset(_names_in(member)))
                for member in members
                if isinstance(member, ast.FunctionDef)
            ]
    return found_sources


def _names_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def outer_names() -> set[str]:
    """What is referred to from outside of functions, and by the rest of the product."""
    names: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            members = node.body if isinstance(node, ast.ClassDef) else [node]
            names |= {name for one in members if not isinstance(one, ast.FunctionDef) for name in _names_in(one)}
    for folder in ("assay", "metrics", "web", "runs", "generation", "meta_eval", "testing"):
        for path in (ROOT / folder).rglob("*.py"):
            if PACKAGE not in path.parents:
                imports = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
                names |= {alias.name for node in imports if isinstance(node, ast.ImportFrom) for alias in node.names}
    return names | {"measure", "check_claims", "tables_of_claims", "claims_of"}


def lines_without(every: Sequence[Source], outer: set[str]) -> dict[tuple[str, str], int]:
    """The lines that go with each function: its own, and those of the functions that nothing else refers to."""
    by_name: dict[str, list[Source]] = defaultdict(list)
    for source in every:
        by_name[source.name.rpartition(".")[2]].append(source)

    def reached(left_out: Source | None) -> set[Source]:
        waiting = [s for name in outer for s in by_name.get(name, ())]
        waiting += [s for s in every if s.name.rpartition(".")[2].startswith("__") or s.is_construction]
        seen: set[Source] = set()
        while waiting:
            source = waiting.pop()
            if source in seen or source is left_out:
                continue
            seen.add(source)
            waiting += [s for name in source.names for s in by_name.get(name, ())]
        return seen

    whole = reached(None)
    return {
        (source.module, source.name): sum(s.lines for s in (whole - reached(source)) | {source}) for source in every
    }


def function_of(source: Source) -> FunctionType | None:
    """The function that a source defines, behind its caches and properties."""
    holder: Any = sys.modules.get(source.module)
    for name in source.name.split("."):
        holder = vars(holder).get(name) if holder is not None else None
    if isinstance(holder, property):
        holder = holder.fget
    elif isinstance(holder, functools.cached_property):
        holder = holder.func
    elif isinstance(holder, staticmethod | classmethod):
        holder = holder.__func__
    elif isinstance(holder, Construction):
        holder = holder.build
    while hasattr(holder, "__wrapped__"):
        holder = holder.__wrapped__
    return holder if isinstance(holder, FunctionType) and not holder.__closure__ else None


def replacement(source: Source) -> str | None:
    """The expression that a function returns when it is left out; None where there is none that says nothing."""
    returns = ast.unparse(source.node.returns).strip("'\"") if source.node.returns else ""
    arguments = source.node.args.args
    same = [a.arg for a in arguments if a.annotation is not None and _kind(ast.unparse(a.annotation)) == _kind(returns)]
    generates = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(source.node))
    if returns == "bool":
        return "False"
    if returns.endswith("| None"):
        return "None"
    if generates or returns.startswith(("Iterator", "list", "tuple[", "Sequence", "Stems", "Iterable")):
        return same[0] if same and not generates else "()" if returns.startswith(("tuple[", "Stems")) else "[]"
    for name, empty in (("frozenset", "frozenset()"), ("dict", "{}"), ("set", "set()"), ("Mapping", "{}")):
        if returns.startswith(name):
            return empty
    if same:
        return same[0]
    return {"str": "''", "int": "0"}.get(returns)


def _kind(annotation: str) -> str:
    """A type as one word, so that a list of marks is a sequence of marks."""
    return re.sub(r"^(?:list|Sequence|Iterable|tuple)\[(.*?)(?:, \.\.\.)?\]$", r"many \1", annotation.strip("'\""))


@contextmanager
def function_left_out(function: FunctionType, expression: str) -> Iterator[None]:
    """The function returns the expression of its parameters for a while."""
    code, defaults, keywords = function.__code__, function.__defaults__, function.__kwdefaults__
    parameters = code.co_varnames[: code.co_argcount]
    takes = ", ".join([*(f"{name}=None" for name in parameters), "*_more", "**_named"])
    scope: dict[str, Any] = {}
    exec(f"def left_out({takes}): return {expression}", scope)
    function.__code__, function.__defaults__, function.__kwdefaults__ = (
        scope["left_out"].__code__,
        (None,) * len(parameters),
        None,
    )
    clear_caches()
    try:
        yield
    finally:
        function.__code__, function.__defaults__, function.__kwdefaults__ = code, defaults, keywords
        clear_caches()


def function_parts() -> Iterator[tuple[Part, CodeType, str]]:
    """Every function that can be left out, with its code and what it then returns."""
    every = sources()
    lines = lines_without(every, outer_names())
    for source in every:
        function, expression = function_of(source), replacement(source)
        if function is None or expression is None or source.name.rpartition(".")[2].startswith("__"):
            continue
        folder, _, module = source.module.removeprefix("assay.metrics.numeric.").rpartition(".")
        kind = "construction" if source.is_construction else folder or "numeric"
        part = Part(
            f"{module}.{source.name}",
            kind,
            lines[source.module, source.name],
            functools.partial(function_left_out, function, expression),
            set(),
        )
        yield part, function.__code__, expression


# --- entries of the packs ---


@contextmanager
def entry_left_out(group: str, key: str) -> Iterator[None]:
    """An entry of the packs has no words for a while, in no language."""
    kept = [(words, [_take_out(words, group, key)]) for words in map(lexicon, LANGUAGES)]
    clear_caches()
    try:
        yield
    finally:
        for _, undo in kept:
            for put_back in undo:
                put_back()
        clear_caches()


def _take_out(words: Lexicon, group: str, key: str) -> Callable[[], None]:
    if group in ("marks", "time_marks"):
        return _swap(words.kinds, key, re.compile(NEVER))
    if group in ("synonyms", "hints"):
        return _swap(words.data[group], key, ())
    holder = words.links if group == "links" else words
    undo = []
    if key in {one.name for one in fields(words)} or group == "links":
        before = getattr(holder, key)
        vars(holder)[key] = _empty(before)
        undo.append(lambda: vars(holder).__setitem__(key, before))
    if group != "links" and key in words.data:
        undo.append(_swap(words.data, key, _empty(words.data[key])))
    return lambda: [one() for one in undo] and None


def _swap(holder: Any, key: str, value: Any) -> Callable[[], None]:
    if key not in holder:
        return lambda: None
    before = holder[key]
    holder[key] = value
    return lambda: holder.__setitem__(key, before)


def _empty(value: Any) -> Any:
    return NEVER if isinstance(value, str) else type(value)()


def entry_parts() -> Iterator[Part]:
    """The entries of the packs, with their lines in all languages."""
    lines: Counter[tuple[str, str]] = Counter()
    for language in LANGUAGES:
        for file in PACK_FILES:
            lines.update(_entry_of_each_line((ROOT / "languages" / language / f"{file}.yaml").read_text("utf-8")))
    for (group, key), count in lines.items():
        yield Part(f"{group}.{key}".lstrip("."), "words", count, functools.partial(entry_left_out, group, key))


def _entry_of_each_line(text: str) -> Iterator[tuple[str, str]]:
    """The entry, as (group, key), that each line of a pack belongs to; comments and empty lines are left out."""
    top = key = ""
    for line in text.splitlines():
        if match := re.match(r"(  )?(['\"]?)([\w][^'\"]*?)\2:(?: |$)", line):
            top, key = (top, match[3]) if match[1] else (match[3], "")
        if line.strip() and not line.lstrip().startswith("#") and top != "groups":
            if top not in ENTRY_GROUPS:
                yield "", top
            elif key:
                yield top, key


# --- measuring ---


def whole_verdicts(claims: Claims, parts: Mapping[CodeType, tuple[Part, str]]) -> None:
    """The verdicts with everything, and on which claims each function does something."""
    place = 0
    lasting = {one.__wrapped__.__code__ for one in _caches() if one.cache_parameters()["maxsize"] is None}

    received: dict[Any, Any] = {}  # by frame: what a function was given that it may return

    def note(frame: Any, event: str, value: Any) -> None:
        if event not in ("call", "return") or (entry := parts.get(frame.f_code)) is None:
            return
        part, expression = entry
        if part.used_by is None or place in part.used_by:
            return
        if event == "call":
            received.setdefault(frame, frame.f_locals.get(expression))
            return
        if _is_nothing(value, received.pop(frame, None), expression):
            return
        part.used_by.add(place)
        outer = frame
        while outer is not None:  # what a cache keeps, later claims need too
            if outer.f_code in lasting:
                part.used_by = None
                return
            outer = outer.f_back

    clear_caches()
    for place in range(len(claims.answers)):
        clear_caches(only_bounded=True)
        sys.setprofile(note)
        try:
            claims.whole.append(claims.verdicts(place))
        finally:
            sys.setprofile(None)


def _is_nothing(value: Any, received: Any, expression: str) -> bool:
    """Whether a function returned what it would return if it were left out."""
    if received is not None:
        return value is received or (isinstance(value, list | tuple | str) and list(value) == list(received))
    if expression in ("False", "0", "''", "None"):
        return value is None or (isinstance(value, bool | int | str) and not value)
    return value is None or (isinstance(value, list | tuple | dict | set | frozenset) and not value)


def rows_of(measured: Iterable[tuple[Part, Effect]], most: int) -> list[list[object]]:
    """The lines of the table, what gives least for its lines first; what cannot be left out is not listed."""

    def worth(pair: tuple[Part, Effect]) -> float:
        return pair[1].value * LINES / max(pair[0].lines, 1)

    rows: list[list[object]] = []
    for part, effect in sorted((pair for pair in measured if not pair[1].failed), key=worth):
        lost = f"over {most}" if effect.right_lost > most else effect.right_lost
        used = len(part.used_by) if part.used_by is not None else None
        wrong = [effect.wrong_gone, effect.wrong_new]
        value = round(worth((part, effect)), 1)
        rows.append([part.kind, part.name, part.lines, used, lost, effect.right_gained, *wrong, value])
    return rows


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="Folder of the rated sets; without it only the bundled sets.")
    parser.add_argument("--only", help="Only the parts whose kind or name has this in it (a regular expression).")
    parser.add_argument("--most", type=int, default=40, help="Right verdicts, past which a part is not followed.")
    parser.add_argument("--json", type=Path, help="Writes the table there, too.")
    options = parser.parse_args()
    print_machine()
    claims = Claims(options.data)
    functions = list(function_parts())
    chosen = re.compile(options.only or "", re.IGNORECASE)
    whole_verdicts(claims, {code: (part, expression) for part, code, expression in functions})
    parts = [*(part for part, _, _ in functions), *entry_parts()]
    parts = [part for part in parts if chosen.search(f"{part.kind} {part.name}")]
    measured = []
    for part in parts:
        measured.append((part, claims.effect(part, options.most)))
        used = "any" if part.used_by is None else len(part.used_by)
        print(
            f"{len(measured)} of {len(parts)}: {part.kind} {part.name}, {part.lines} lines, used by {used}: "
            f"{measured[-1][1]}",
            file=sys.stderr,
            flush=True,
        )
    header = ["kind", "part", "lines", "used by", "right lost", "gained", "wrong gone", "new", f"per {LINES} lines"]
    rows = rows_of(measured, options.most)
    print_table(f"numerical claims without one part, {len(claims.answers)} answers", header, rows)
    if options.json:
        options.json.write_text(json.dumps([dict(zip(header, row, strict=True)) for row in rows], indent=1) + "\n")


if __name__ == "__main__":
    main()
