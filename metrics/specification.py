"""How a metric is named as text, with its options: parsed once, and handed on as values. It imports no metric."""

import inspect
import json
import math
import re
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from ..errors import UsageError

BASELINES = ("token_overlap", "rouge_l_precision", "answer_length")
CONVERSATION_BASELINES = ("conversation_turns", "conversation_length", "thanks_at_end")
"""What stands in the table of a run with conversations too: what a metric of a conversation should beat."""
ALL_BASELINES = (*BASELINES, *CONVERSATION_BASELINES)
UNDIRECTED: Mapping[str, tuple[str, str]] = {
    "answer_length": ("shorter", "longer"),
    "conversation_turns": ("fewer", "more"),
    "conversation_length": ("shorter", "longer"),
}
"""The metrics of which neither more nor less is better, with the words for less and for more."""
DEFAULT_METRICS = ("weakest_claim", "faithfulness", "token_overlap")
"""What agreed best with people's ratings (docs/evidence.md); the first two come of the same calls."""
SCORER = "scorer"
GROUP = "assay.metrics"
"""The entry points that register metrics."""

_NAME = r'(?:(?P<path>[^"]+\.py):(?P<name_in_file>[^:=]+)|(?P<name>[^:]*))'
# what stands right after the name: in quotes, or up to the first option
_ARGUMENT = r'(?::(?:"(?P<quoted>[^"]*)"|(?P<plain>.*?)))'
_OPTIONS = r"(?P<options>(?::\w+=[^:]*)*)"
_TEXT = re.compile(f"{_NAME}{_ARGUMENT}??{_OPTIONS}", re.DOTALL)
_WITH_ARGUMENT = re.compile(f"{_NAME}{_ARGUMENT}?{_OPTIONS}", re.DOTALL)  # a file's name may look like an option


@cache
def other_names() -> Mapping[str, str]:
    """Our metric, with its options, by what other tools call it, as `plain_name` has it (docs/python.md: all in rows).

    Example:
        >>> other_names()["answerrelevancy"]
        'answer_relevance'
    """
    names = json.loads(Path(__file__).with_name("other_names.json").read_bytes())
    return {theirs: ours for ours, of_others in names.items() for theirs in of_others}


def plain_name(name: str) -> str:
    """A metric's name as `other_names` and `other_tools.yaml` have it.

    In small letters, without what parts words and without `metric` at the end.
    """
    return re.sub(r"[\s_-]+", "", name).lower().removesuffix("metric")


@dataclass(frozen=True, slots=True)
class MetricSpecification:
    """What `--metrics` and a plan say of one metric. Made by `parse_specification`."""

    # what a run records the metric and its scores under: as it was typed, with our name of the metric. `str()` gives it
    text: str
    name: str  # the metric's name in the catalogue, `scorer`, or a name in a file
    # what stands right after the name: what a predicate states, a scorer's file; "" for nothing
    argument: str = ""
    options: Mapping[str, str] = field(default_factory=dict, hash=False)  # the text of each option by its name
    path: str = ""  # the Python file that has the metric; "" for a metric that has none of its own

    def __str__(self) -> str:
        return self.text

    @property
    def is_ragas(self) -> bool:
        """Whether it names a metric of the ragas library (`ragas:NAME`), which earlier versions ran."""
        return not self.path and self.name == "ragas" and bool(self.argument)

    @property
    def is_scorer(self) -> bool:
        """Whether it names a saved scorer (`scorer:FILE`)."""
        return not self.path and self.name == SCORER and bool(self.argument)


@lru_cache(maxsize=1024)
def parse_specification(text: str) -> MetricSpecification:
    """Parses what names a metric: `NAME`, `NAME:ARGUMENT`, `PATH.py:NAME`, each with `:option=value` after it.

    Whether the metric exists and takes what is given is the catalogue's affair. An argument that holds `:word=` stands
    in double quotes. A name of another tool, or one written as a class, becomes ours, with the options that make it the
    same thing where none of the same name is given.

    Example:
        >>> predicate = parse_specification('predicate:"The answer: polite":threshold=0.7')
        >>> predicate.name, predicate.argument, predicate.options
        ('predicate', 'The answer: polite', {'threshold': '0.7'})
        >>> parse_specification("Answer Relevancy").text, parse_specification("ContextRecall:threshold=0.7").text
        ('answer_relevance', 'context_recall:threshold=0.7')
        >>> parse_specification("ToolCallAccuracy:extra_arguments=allowed").text
        'tool_calls:extra_arguments=allowed:mode=exact'
        >>> in_file = parse_specification("C:/quality/my_metrics.py:is_short:limit=80")
        >>> in_file.path, in_file.name, in_file.options
        ('C:/quality/my_metrics.py', 'is_short', {'limit': '80'})
    """
    match = (_WITH_ARGUMENT if text.startswith(f"{SCORER}:") else _TEXT).fullmatch(text)
    assert match is not None  # every part may be empty
    options = [option.partition("=")[::2] for option in match["options"].split(":")[1:]]
    if match["plain"] == "":  # a colon with nothing after it, which is no option as one is written
        options.insert(0, ("", ""))
    typed = match["name"] or ""
    name, *own = _our_name(typed).split(":")
    added = [option for option in own if option.partition("=")[0] not in dict(options)]
    return MetricSpecification(
        text=text if match["path"] else ":".join([name + text.removeprefix(typed), *added]),
        name=match["name_in_file"] or name,
        argument=match["quoted"] or match["plain"] or "",
        options=dict([*options, *(option.partition("=")[::2] for option in added)]),
        path=match["path"] or "",
    )


def _our_name(typed: str) -> str:
    """Our metric, with options, for a name of another tool or of a class; any other name as it was typed.

    A package may register a metric under a name of another tool: exactly so typed, it is that one.
    """
    plain = plain_name(typed)
    if plain not in other_names() and not typed[:1].isupper():
        return typed
    from ..installation import registered_entries  # showing a run of our names does not need it

    entries = registered_entries(GROUP)
    if plain in other_names():
        return typed if typed in entries else other_names()[plain]
    return next((name for name in entries if plain_name(name) == plain), typed)


def find_substitute(name: str) -> str:
    """Says what to write in the place of another tool's metric; "" for a name that no other tool has.

    Example:
        >>> find_substitute("ContextUtilization"), find_substitute("QuotedSpansAlignment").partition(" (")[0]
        ("write 'context_precision:against=response' (docs/python.md has other tools' names)",
         "faithfulness gives each claim's quote with its place in the contexts: claim.place")
    """
    from ..installation import registered_entries
    from ..languages.yaml_file import read_yaml

    ours = parse_specification(name)
    if ours.name in registered_entries(GROUP):
        instead = f"write {ours.text!r}"
    else:
        substitutes = read_yaml(resources.files(__package__).joinpath("other_tools.yaml"), dict[str, list[str]])
        instead = next((instead for instead, names in substitutes.items() if plain_name(name) in names), "")
    return instead and f"{instead} (docs/python.md has other tools' names)"


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
