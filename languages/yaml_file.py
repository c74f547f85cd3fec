"""Reads all YAML, with bounds, into typed values; an error names the file, the line and the key of what is wrong."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, TypeAdapter, ValidationError

from ..errors import InputError
from ..name_suggestions import nearest_names, quote_names
from ..regular_files import MOST_BYTES, read_text_file
from ..value_messages import describe_mistake, shorten

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

T = TypeVar("T")
Place = tuple[int | str, ...]
"""Where a value stands: the keys and the numbers of entries that lead to it."""
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's is ten times as fast, where it is there
DEEPEST = 100
"""How deep lists and mappings may be nested."""
_MOST_KEYS = 40  # in a message
_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TOO_DEEP = f"is nested more than {DEEPEST} deep; flatten it"
_CHECK = "check the brackets, quotes, colons and the indentation (spaces, no tabs) there"


@dataclass(frozen=True)
class YAMLDocument:
    """What a YAML file holds."""

    origin: str  # the file, for messages
    value: Any  # its value: texts, numbers, booleans, dates, lists and dicts; None for an empty file
    node: Any  # the same as PyYAML's nodes, which know their lines; None for an empty file

    def describe(self, place: Place, problem: object) -> str:
        """Says of a place what is wrong with it, after the file, the line and the key."""
        return f"{self.origin}, line {self.line(place)}, {key_of(place)}: {problem}"

    def line(self, place: Sequence[int | str]) -> int:
        """Returns the line of a value, from 1: that of the deepest part of its place that the file has."""
        node = self.node
        line = node.start_mark.line + 1 if node is not None else 1
        for step in place:
            if isinstance(node, yaml.MappingNode):
                key, node = next(((key, value) for key, value in node.value if key.value == str(step)), (None, None))
            elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
                key = node = node.value[step]
            else:
                break
            if key is None:
                break
            line = key.start_mark.line + 1
        return line


def read_yaml(file: Traversable, kind: type[T]) -> T:
    """Reads a UTF-8 YAML file.

    Args:
        file: The file, in a package or a folder.
        kind: What it holds: a pydantic model, or a type such as `dict[str, list[str]]`.

    Raises:
        InputError: The file cannot be read, is no YAML, does not keep to the bounds, or does not hold such a value. The
            message names the file, and the line and the key of each mistake.
    """
    return parse_yaml(read_text_file(file), kind, str(file))


def parse_yaml(text: str, kind: type[T], origin: str) -> T:
    """Reads YAML from a text; `origin` stands for the file in errors, which are those of `read_yaml`.

    Example:
        >>> parse_yaml("months: [may, june]", dict[str, list[str]], "example.yaml")
        {'months': ['may', 'june']}
    """
    return validate_yaml(load_yaml(text, origin), kind)


def validate_yaml(
    document: YAMLDocument,
    kind: type[T],
    *,
    added: Mapping[str, Any] = MappingProxyType({}),
    gone: Mapping[str, str] = MappingProxyType({}),
) -> T:
    """Makes the typed value of a document: the one door of all files that people write.

    Args:
        document: What the file holds.
        kind: A pydantic model, or a type such as `dict[str, list[str]]`.
        added: Values that no file holds, or that it may leave out.
        gone: Keys of earlier versions, dotted without numbers, and kinds (`gate: decide`), with what to do instead.

    Raises:
        InputError: The message names the file, and the line and the key of each mistake; for an unknown key also the
            nearest right name. Unknown keys come first: one that is misspelt is missing too.
    """
    value = document.value
    raw = {**added, **value} if isinstance(value, dict) else value
    hidden = [name for name in added if isinstance(value, dict) and name in value and _is_hidden(kind, name)]
    mistakes: list[tuple[Place, str]] = [((name,), _unknown_key(kind, (name,))) for name in hidden]
    try:
        made: T = TypeAdapter(kind).validate_python(raw)
    except ValidationError as error:
        errors = sorted(error.errors(include_url=False), key=lambda one: one["type"] != "extra_forbidden")
        mistakes += [_explain(mistake, kind, gone) for mistake in errors]
    if mistakes:
        raise InputError("\n".join(document.describe(place, problem) for place, problem in mistakes))
    return made


def _explain(mistake: "ErrorDetails", kind: Any, gone: Mapping[str, str]) -> tuple[Place, str]:
    """Where a mistake is, and what is wrong there, with its cure."""
    place, models = _find_models(kind, mistake["loc"])
    if mistake["type"] == "extra_forbidden":
        went = gone.get(key_of(tuple(step for step in place if not isinstance(step, int))))
        return place, f"went: {went}" if went else _unknown_key(kind, mistake["loc"])
    if mistake["type"] in {"union_tag_not_found", "union_tag_invalid"}:
        tag = mistake["ctx"]["discriminator"].strip("'")
        kinds = [name for model in models for name in get_args(model.model_fields[tag].annotation)]
        chosen = str(mistake["ctx"].get("tag", ""))
        if went := gone.get(f"{tag}: {chosen}"):
            return place, f"{tag}: {chosen} went: {went}"
        similar = nearest_names(chosen, kinds)
        hint = f"did you mean `{similar[0]}`? " if similar else ""
        return place, f"begins with `{tag}:` and its kind; {hint}The kinds are {quote_names(kinds)}"
    cure = ""
    if mistake["type"] == "model_type" and not place and models:
        cure = f"write KEY: VALUE on each line; the keys are {quote_names(_keys(models), at_most=_MOST_KEYS)}"
    return place, describe_mistake(mistake, cure)


def _unknown_key(kind: Any, place: Place) -> str:
    known = _keys(_find_models(kind, place[:-1])[1])
    similar = nearest_names(str(place[-1]), known)
    hint = f"did you mean `{similar[0]}`? " if similar else ""
    return f"is an unknown key; {hint}The keys are {quote_names(known, at_most=_MOST_KEYS)}"


def _keys(models: Sequence[type[BaseModel]]) -> list[str]:
    fields = ((name, field) for model in models for name, field in model.model_fields.items())
    return list(dict.fromkeys(field.alias or name for name, field in fields if not field.exclude))


def _is_hidden(kind: Any, name: str) -> bool:
    """Whether a field of a model is never written in a file."""
    return any(field.exclude for model in _models_in(kind) if (field := model.model_fields.get(name)))


def _find_models(kind: Any, steps: Place) -> tuple[Place, list[type[BaseModel]]]:
    """The place that pydantic's steps lead to, without the kinds of unions among them, and the models there."""
    place, models = list[int | str](), _models_in(kind)
    for step in steps:
        of_kind = [
            model for model in models if any(step in get_args(each.annotation) for each in model.model_fields.values())
        ]
        fields = [
            field for model in models for name, field in model.model_fields.items() if step in {name, field.alias}
        ]
        if of_kind and not fields and len(models) > 1:  # the kind of a union
            models = of_kind
            continue
        place.append(step)
        if fields:
            models = [model for field in fields for model in _models_in(field.annotation)]
    return tuple(place), models


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    """The models that a value of this type may be, or hold in lists."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models_in(part)]


def load_yaml(text: str, origin: str) -> YAMLDocument:
    """Reads one YAML document as plain values.

    Example:
        >>> load_yaml("a: 1\\na: 2", "example.yaml")
        Traceback (most recent call last):
        assay.errors.InputError: example.yaml, line 2, a: line 1 has this key too; keep one
    """
    text = text.removeprefix("\ufeff")
    if len(text) > MOST_BYTES:
        raise InputError(f"{origin}: is larger than {MOST_BYTES / 1e6:g} MB; make it smaller")
    if match := _FORBIDDEN.search(text):
        line = text.count("\n", 0, match.start()) + 1
        raise InputError(
            f"{origin}, line {line}: not valid YAML: the character U+{ord(match[0]):04X}, which it does not allow; "
            "remove it"
        )
    try:
        _check_events(text, origin)
        loader = _LOADER(text)
        try:
            node = loader.get_single_node()
            _check_nodes(node, loader, origin)
            value = None if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        raise InputError(_not_yaml(origin, error)) from error
    return YAMLDocument(origin, value, node)


def dump_yaml(value: Any, *, flow: bool | None = False, sort_keys: bool = False, width: float = 120) -> str:
    """Writes a value as YAML.

    Examples:
        >>> dump_yaml({"b": [1, 2]}, flow=True)
        '{b: [1, 2]}\\n'
        >>> dump_yaml({"b": ShortList([1, 2])})
        'b: [1, 2]\\n'
    """
    text: str = yaml.dump(
        value, Dumper=_Dumper, default_flow_style=flow, sort_keys=sort_keys, allow_unicode=True, width=width
    )
    return text


class ShortList(list[Any]):
    """A list that is written in as few lines as there are: a point of a map, the answers' fingerprints."""


class _Dumper(yaml.SafeDumper):
    """Writes a `ShortList` in brackets, and a value that stands twice out each time: no reader takes aliases."""

    def ignore_aliases(self, data: object) -> bool:
        """Whether a value is written out wherever it stands."""
        return True


_Dumper.add_representer(
    ShortList, lambda dumper, items: dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=True)
)


def _check_events(text: str, origin: str) -> None:
    """Refuses aliases and what is too deep, from the events alone: PyYAML builds nodes by recursion, and may crash."""
    depth = 0
    event: Any
    for event in yaml.parse(text, Loader=_LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent):
            problem = f"*{event.anchor} stands for another part of the file; write that out"
        elif depth > DEEPEST:
            problem = _TOO_DEEP
        else:
            continue
        raise InputError(f"{origin}, line {event.start_mark.line + 1}: {problem}")


def _check_nodes(root: Any, loader: Any, origin: str) -> None:
    """Refuses keys that stand twice and values that no file may have, with their lines.

    YAML itself lets the last of several equal keys win, so that what the others say would be lost silently.
    """
    for place, node in _walk(root):
        if isinstance(node, yaml.ScalarNode):
            _check_scalar(node, loader, origin, place)
        elif isinstance(node, yaml.MappingNode):
            _check_keys(node, loader, origin, place)


def _check_keys(mapping: Any, loader: Any, origin: str, place: Place) -> None:
    lines: dict[str, int] = {}
    for key, _ in mapping.value:
        if not isinstance(key, yaml.ScalarNode):
            line = key.start_mark.line + 1
            raise InputError(f"{origin}, line {line}, {key_of(place)}: a key is a list or mapping; write a text")
        own_place = (*place, key.value)
        _check_scalar(key, loader, origin, own_place)
        if key.value in lines:
            line = lines[key.value]
            raise InputError(f"{_describe(origin, key, own_place)}: line {line} has this key too; keep one")
        lines[key.value] = key.start_mark.line + 1


def _walk(root: Any) -> Iterator[tuple[Place, Any]]:
    """Each node, with its place."""
    waiting: list[tuple[Place, Any]] = [((), root)] if root is not None else []
    while waiting:
        place, node = waiting.pop()
        yield place, node
        if isinstance(node, yaml.SequenceNode):
            items = list(enumerate(node.value))
            waiting.extend(((*place, number), item) for number, item in reversed(items))
        elif isinstance(node, yaml.MappingNode):
            waiting.extend(((*place, str(key.value)), value) for key, value in reversed(node.value))


def _check_scalar(node: Any, loader: Any, origin: str, place: Place) -> None:
    """Raises `InputError` where a scalar node has no value that a file may have."""
    try:
        value = loader.construct_object(node)
    except yaml.YAMLError:
        raise
    except Exception as error:  # PyYAML lets through whatever `!!bool maybe` or the month 13 raise
        raise InputError(
            f"{_describe(origin, node, place)}: {shorten(node.value)!r} is no {node.tag.rpartition(':')[2]}; correct "
            "it, or put it in quotes if it is a text"
        ) from error
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(
            f"{_describe(origin, node, place)}: is {value}, not a number that can be reckoned with; write 4 or 4.5"
        )


def _describe(origin: str, node: Any, place: Place) -> str:
    return f"{origin}, line {node.start_mark.line + 1}, {shorten(key_of(place), 100)}"


def _not_yaml(origin: str, error: yaml.YAMLError) -> str:
    """What is wrong with a file that is no YAML: file, line, problem and cure."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    place = f"{origin}, line {mark.line + 1}" if mark else origin
    problem = str(getattr(error, "problem", None) or getattr(error, "context", None) or error)
    if "maximum nesting depth" in problem:  # PyYAML's own bound from 6.0.4 on: it looks ahead, before any event
        return f"{place}: {_TOO_DEEP}"
    if isinstance(error, yaml.constructor.ConstructorError):
        return f"{place}: {problem}; write plain texts, numbers, lists and mappings"
    context, began = getattr(error, "context", None), getattr(error, "context_mark", None)
    within = f" {context} that begins in line {began.line + 1}" if context and began else ""
    return f"{place}: not valid YAML: {problem}{within}; {_CHECK}"


def key_of(place: Place) -> str:
    """A place as messages write it.

    Example:
        >>> key_of(("gates", 0, "at_least")), key_of(())
        ('gates.0.at_least', 'the whole file')
    """
    return ".".join(str(step) for step in place if step != "[key]") or "the whole file"  # pydantic's word for a key
