"""Reads YAML into a typed value; an error names the file and the line of what is wrong."""

from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from ..errors import InputError
from ..value_messages import describe_mistake

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

T = TypeVar("T")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's is ten times as fast, where it is there


def read_yaml(file: Traversable, kind: type[T]) -> T:
    """Reads a UTF-8 YAML file.

    Args:
        file: The file, in a package or a folder.
        kind: What it holds: a pydantic model, or a type such as `dict[str, list[str]]`.

    Raises:
        InputError: The file cannot be read, is no YAML, or does not hold such a value. The message names the file,
            and the line and the key of each mistake.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: the file cannot be read: {error}; name a UTF-8 text file") from error
    return parse_yaml(text, kind, str(file))


def parse_yaml(text: str, kind: type[T], origin: str) -> T:
    """Reads YAML from a text; `origin` stands for the file in errors, which are those of `read_yaml`.

    Example:
        >>> parse_yaml("months: [may, june]", dict[str, list[str]], "example.yaml")
        {'months': ['may', 'june']}
    """
    loader = _LOADER(text)
    try:
        node = loader.get_single_node()
        _refuse_repeated_keys(node, origin)
        value = None if node is None else loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InputError(f"{origin}, line {line}: this is no YAML: {error.problem or error.context}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"{origin}: this is no YAML: {error}") from error
    finally:
        loader.dispose()
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        mistakes = [
            f"{origin}, line {_line(node, mistake['loc'])}, {_key(mistake['loc'])}: "
            f"{describe_mistake(mistake, _cure(mistake, kind))}"
            for mistake in error.errors(include_url=False)
        ]
        raise InputError("\n".join(mistakes)) from error


def _refuse_repeated_keys(node: Any, origin: str) -> None:
    """YAML itself lets the last of several equal keys win, so that what the others say would be lost without a word."""
    waiting, visited = [node], set()
    while waiting:
        current = waiting.pop()
        if id(current) in visited or not isinstance(current, yaml.CollectionNode):
            continue
        visited.add(id(current))  # an alias leads to a node a second time
        if isinstance(current, yaml.SequenceNode):
            waiting.extend(current.value)
            continue
        lines: dict[str, int] = {}
        for key, value in current.value:
            if isinstance(key, yaml.ScalarNode):
                line = key.start_mark.line + 1
                if first := lines.get(key.value):
                    raise InputError(f"{origin}, line {line}, {key.value}: line {first} has this key too; keep one")
                lines[key.value] = line
            waiting.append(value)


def _cure(mistake: "ErrorDetails", kind: Any) -> str:
    """The fields that there are, for a file without any or with an unknown one on its first level; else empty."""
    is_unknown = mistake["type"] == "extra_forbidden" and len(mistake["loc"]) == 1
    if not hasattr(kind, "model_fields") or not (
        is_unknown or (mistake["type"] == "model_type" and not mistake["loc"])
    ):
        return ""
    names = ", ".join(field.alias or name for name, field in kind.model_fields.items())
    return f"the fields are {names}" if is_unknown else f"write FIELD: VALUE on each line; the fields are {names}"


def _key(place: tuple[int | str, ...]) -> str:
    return ".".join(map(str, place)) or "the whole file"


def _line(node: Any, place: tuple[int | str, ...]) -> int:
    """The line of a mistake, from 1: that of the deepest part of its place that the file has."""
    line = 1
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
