"""Reads a watch from its YAML file; an error names line, key and the nearest right name."""

from collections.abc import Iterator
from pathlib import Path

from ...errors import AssayError, InputError, UsageError
from ...languages.yaml_file import Place, dump_yaml, load_yaml, validate_yaml
from ...metrics.catalogue import measures_conversation, needs_judge
from ...name_suggestions import nearest_names, quote_names
from ...regular_files import kind_of_no_folder, read_text_file
from ...value_messages import check_type
from ..address import check_sink, check_source
from .watch_settings import SEGMENT_FIELDS, WatchSettings

_ONE_WEBHOOK = "name one URL that gets alarms as JSON with `text`, which chat tools show: `webhook: env:NAME`"
_NO_DRIFT = "a watch no longer asks its judge again; remove this key"
_ONE_RULE = "answers are drawn for the judge with equal chances; remove this key"
_GONE = {"alarms": _ONE_WEBHOOK, "seconds": "a webhook is tried three times, for ten seconds each; remove this key"}
_GONE |= {"drift": _NO_DRIFT, "sample.rule": _ONE_RULE}


def load_watch(path: Path) -> WatchSettings:
    """Reads a watch file and checks everything that can be checked without asking a server or a judge."""
    check_type("path", path, Path, "the path of a watch file, as a pathlib.Path")
    document = load_yaml(read_text_file(path, "the watch file"), str(path))
    added = {"name": path.stem, "folder": path.resolve().parent}
    settings = validate_yaml(document, WatchSettings, added=added, gone=_GONE)
    try:
        for place, problem in _find_mistakes(settings):
            raise InputError(document.describe(place, problem))
    except OSError as error:  # of a name that no file can have
        raise InputError(f"{path}: a file that it names cannot be read: {error.strerror or error}") from None
    return settings


def draft_watch(address: str) -> str:
    """Writes a watch file for an address of traces, with the keys that most people set."""
    check_source(address)
    source = dump_yaml({"source": address})
    try:
        check_sink(address)
        push = "push: true                  # scores go back to their traces"
    except UsageError:
        push = "push: false                 # nothing takes scores there"
    return (
        f"{source}"
        "every: 15m\n"
        "cheap: token_overlap        # scores every answer, and costs nothing\n"
        "metric: faithfulness        # scores a sample of them\n"
        "judge: qwen1.5b\n"
        "budget: {judged_per_day: 200}\n"
        f"{push}\n"
        "# who rates; where people rate in the tracing tool leave out raters and per_day, and take their scale\n"
        "ratings: {raters: [ada], per_day: 10, scale: 1-5, bad_below: 3}\n"
        "segments: [language, model, prompt_version]\n"
        "bounds:\n"
        "- bad_share: 0.1            # at most a tenth of the answers is rated below 3\n"
        "- fall: 0.3                 # the mean rating falls by at most 0.3\n"
        "# webhook: env:CHAT_URL      # gets alarms\n"
    )


Mistakes = Iterator[tuple[Place, object]]
"""Where in the file something is wrong, and what."""


def _find_mistakes(settings: WatchSettings) -> Mistakes:
    """The names and numbers that do not fit the others."""
    for key, address, check in (("source", settings.source, check_source), ("push", settings.push, check_sink)):
        if isinstance(address, str):
            try:
                check(address)
            except UsageError as error:
                yield (key,), error
    for key, metric in (("cheap", settings.cheap), ("metric", settings.metric)):
        try:
            yield from _check_metric(settings, key, metric)
        except AssayError as error:
            yield (key,), error
    try:
        settings.judge_settings  # noqa: B018 - for its errors
    except AssayError as error:
        yield ("judge",), error
    for number, name in enumerate(settings.segments):
        if name not in SEGMENT_FIELDS:
            hint = "".join(f"did you mean {similar}? " for similar in nearest_names(name, SEGMENT_FIELDS)[:1])
            yield ("segments", number), f"{name} is no field of segments; {hint}They are {quote_names(SEGMENT_FIELDS)}"
    yield from _check_bounds(settings)
    if settings.push is True:
        try:
            check_sink(settings.source)
        except UsageError as error:
            yield ("push",), f"{error}; or write `push: false`"
    place = settings.store_place
    if isinstance(place, Path) and (kind := kind_of_no_folder(place)):
        yield ("store",), f"{place}: is {kind}, not a folder; name the folder of a store"


def _check_metric(settings: WatchSettings, key: str, metric: str) -> Mistakes:
    if needs_judge(metric) and key == "cheap":
        yield (key,), f"{metric} asks a judge: name a metric that costs nothing, such as token_overlap"
    elif needs_judge(metric) and settings.judge is None:
        yield (key,), f"{metric} asks a judge; name one under `judge:`"
    if measures_conversation(metric) and settings.by == "trace":
        yield (key,), f"{metric} measures conversations: write `by: session`"


def _check_bounds(settings: WatchSettings) -> Mistakes:
    low, high = settings.ratings.levels
    bounds = [entry.bound for entry in settings.bounds]
    for number, bound in enumerate(bounds):
        if bound in bounds[:number]:
            yield ("bounds", number), "is the same bound as another; remove one of them"
        if bound.kind == "mean" and not low < bound.limit <= high:
            yield ("bounds", number, "mean"), f"is {bound.limit:g}, not within the raters' scale {low}-{high}"
        if bound.kind == "fall" and bound.limit >= high - low:
            yield ("bounds", number, "fall"), f"is {bound.limit:g}; a mean on the scale {low}-{high} cannot fall so far"
