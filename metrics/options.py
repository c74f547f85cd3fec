"""Metric options as typed in a specification (`faithfulness:claims=judge`), as values of the constructor's types."""

import inspect
import math
import types
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from ..errors import UsageError

FILLED_IN = frozenset({"judge", "embedder", "prompts"})  # parameters that the run provides, and no text can give
_SWITCH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_TYPEABLE = (bool, int, float, str)
_NONE = "none"


def constructor_parameters(metric_class: Any) -> dict[str, inspect.Parameter]:
    """The constructor's parameters by name."""
    return dict(inspect.signature(metric_class).parameters)


def option_types(metric_class: Any) -> dict[str, tuple[Any, ...]]:
    """The options that a metric takes as text: each name with the types and literals that its annotation allows.

    Returns:
        One entry per parameter that text can give: `bool`, `int`, `float`, `str`, `Literal[...]`, `None` and their
        unions. What the run fills in (judge, embedder, prompts) is not an option.

    Example:
        >>> from assay.metrics import AnswerRelevance
        >>> option_types(AnswerRelevance)
        {'questions': (<class 'int'>,)}
    """
    constructor = metric_class.__init__ if inspect.isclass(metric_class) else metric_class
    try:
        annotations = get_type_hints(constructor)
    except NameError as error:
        name = getattr(metric_class, "__name__", metric_class)
        raise UsageError(f"the annotations of {name} cannot be read: {error}; import it at run time too") from error
    alternatives = {
        name: tuple(kind for kind in _alternatives(annotations.get(name, str)) if _can_be_typed(kind))
        for name in constructor_parameters(metric_class)
        if name not in FILLED_IN
    }
    return {name: types_ for name, types_ in alternatives.items() if set(types_) - {type(None)}}


def coerce_options(specification: str, metric_class: Any, texts: Mapping[str, str]) -> dict[str, Any]:
    """The options of a specification as keyword arguments of the metric's constructor.

    Returns:
        The values by parameter, each of a type that the annotation allows.

    Example:
        >>> from assay.metrics import Faithfulness
        >>> coerce_options("faithfulness:numeric=yes", Faithfulness, {"numeric": "yes", "claims": "judge"})
        {'numeric': True, 'claims': 'judge'}
    """
    known = option_types(metric_class)
    if unknown := [name for name in texts if name not in known]:
        choices = ", ".join(sorted(known)) or "none"
        raise UsageError(f"{specification}: {unknown[0]!r} is not an option of this metric; its options are: {choices}")
    return {name: _coerce(specification, name, text, known[name]) for name, text in texts.items()}


def _coerce(specification: str, name: str, text: str, alternatives: tuple[Any, ...]) -> Any:
    for alternative in alternatives:
        for literal in get_args(alternative):
            if text == str(literal):
                return literal
    if type(None) in alternatives and text.lower() == _NONE:
        return None
    if bool in alternatives and text.lower() in _SWITCH:
        return _SWITCH[text.lower()]
    for number in (int, float):
        if number in alternatives:
            try:
                value = number(text)
            except ValueError:
                continue
            if math.isfinite(value):
                return value
    if str in alternatives:
        return text
    raise UsageError(f"{specification}: the option {name} takes {_choices(alternatives)}, not {text!r}")


def _choices(alternatives: tuple[Any, ...]) -> str:
    """The values that an option takes, in words."""
    words = [repr(literal) for kind in alternatives for literal in get_args(kind)]
    named = {bool: "true or false", int: "a whole number", float: "a number", type(None): _NONE}
    words += [text for kind, text in named.items() if kind in alternatives]
    return " or ".join(words)


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) in (Union, types.UnionType):
        return tuple(inner for part in get_args(annotation) for inner in _alternatives(part))
    return (annotation,)


def _can_be_typed(annotation: Any) -> bool:
    return annotation in _TYPEABLE or annotation is type(None) or get_origin(annotation) is Literal
