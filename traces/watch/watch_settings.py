"""What a watch file says: which traces, how often, which measure, within which bounds; an error names line and key."""

import hashlib
import os
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, field_validator, model_validator

from ...errors import AssayError, UsageError
from ...judges import JudgeSettings
from ...languages.yaml_file import dump_yaml
from ...meta_eval.monitoring.look import Bound, BoundKind
from ...metrics.catalogue import measures_conversation, needs_judge
from ...name_suggestions import nearest_names, quote_names
from ...runs.store.plan import WATCH_DATA, MetricName, Plan, judge_identity
from ...runs.suite.suite_file import CassetteUse, Mistakes, SettingsFile, load_settings_file
from ..address import TraceAddress, check_sink, check_source
from ..source import read_duration

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_LONGEST = timedelta(days=3_660)


def parse_duration(text: Any) -> timedelta:
    """Reads a length of time."""
    if isinstance(text, timedelta):
        return text
    try:
        length = read_duration(text, "") if isinstance(text, str) else timedelta()
    except UsageError:
        length = timedelta()
    if not timedelta(seconds=1) <= length <= _LONGEST:
        raise ValueError("is no length of time between a second and ten years; write 15m, 24h or 30d")
    return timedelta(seconds=int(length.total_seconds()))


def format_duration(length: timedelta) -> str:
    """Writes a length of time in its largest whole unit.

    Example:
        >>> format_duration(timedelta(minutes=90)), format_duration(timedelta(days=30))
        ('90m', '30d')
    """
    seconds = int(length.total_seconds())
    unit = next(unit for unit in "dhms" if seconds % _UNITS[unit] == 0)
    return f"{seconds // _UNITS[unit]}{unit}"


Duration = Annotated[timedelta, BeforeValidator(parse_duration), PlainSerializer(format_duration)]
"""A length of time in a file."""


SEGMENT_FIELDS = ("language", "model", "prompt_version", "topic")
"""The fields of an answer that segments are made of."""
_VARIABLE = "env:"
_STRICT = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
_MOST = 1_000_000  # answers a day that a judge or people may be given


class DailyBudget(BaseModel):
    """What a watch may take on one day (UTC)."""

    model_config = _STRICT

    judged_per_day: int = Field(default=200, ge=1, le=_MOST)
    usd_per_day: float | None = Field(default=None, gt=0, le=1e9)
    tokens_per_day: int | None = Field(default=None, gt=0, le=10**15)


class SampleRule(BaseModel):
    """Which share of the new answers is drawn for the judge; as many as the budget allows without one."""

    model_config = _STRICT

    share: float | None = Field(default=None, gt=0, le=1)


class RaterQueue(BaseModel):
    """Who rates how many answers a day, on which scale; without raters there is no queue."""

    model_config = _STRICT

    raters: tuple[str, ...] = ()
    per_day: int = Field(default=10, ge=1, le=_MOST)
    scale: str = Field(default="1-5", pattern=r"^-?\d{1,4}\s*-\s*\d{1,4}$")
    bad_below: float = 3
    reread: Duration | None = Field(default=timedelta(days=7), validate_default=True)
    guideline: str | None = None

    @field_validator("raters", mode="before")
    @classmethod
    def _as_list(cls, value: Any) -> Any:
        return [name.strip() for name in value.split(",")] if isinstance(value, str) else value

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        low, high = self.levels
        if low >= high:
            raise ValueError(f"the scale {self.scale} has no two levels; write it as 1-5")
        if not low < self.bad_below <= high:
            raise ValueError(
                f"bad_below ({self.bad_below:g}) is not within the scale {self.scale}; write a level of it"
            )
        if len(set(self.raters)) < len(self.raters) or not all(self.raters):
            raise ValueError("each rater needs a name of their own")
        return self

    @property
    def levels(self) -> tuple[int, int]:
        """The lowest and the highest level of the scale."""
        low, _, high = self.scale.rpartition("-")
        return int(low), int(high)


class BoundEntry(BaseModel):
    """One bound: exactly one of `mean`, `bad_share`, `fall` and `judge_fall`, as `Bound` says."""

    model_config = _STRICT

    mean: float | None = None
    bad_share: float | None = Field(default=None, gt=0, lt=1)
    fall: float | None = Field(default=None, gt=0)
    judge_fall: float | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if len(self.model_fields_set) != 1 or None in self.model_dump(include=self.model_fields_set).values():
            raise ValueError("a bound is one of mean, bad_share, fall and judge_fall; write one entry for each")
        return self

    @property
    def bound(self) -> Bound:
        """The bound as the estimate takes it."""
        kinds: tuple[BoundKind, ...] = ("mean", "bad_share", "fall", "judge_fall")
        kind = next(kind for kind in kinds if kind in self.model_fields_set)
        return Bound(kind, getattr(self, kind))


def describe_bound(bound: Bound) -> str:
    """Words a bound.

    Example:
        >>> describe_bound(Bound("mean", 3.8)), describe_bound(Bound("bad_share", 0.05))
        ('mean at least 3.8', 'bad share at most 5%')
        >>> describe_bound(Bound("fall", 0.3)), describe_bound(Bound("judge_fall", 0.3))
        ('fall of the mean at most 0.3', "fall of the judge's mean at most 0.3")
    """
    if bound.kind == "mean":
        return f"mean at least {bound.limit:g}"
    if bound.kind == "bad_share":
        return f"bad share at most {bound.limit * 100:g}%"
    whose = "the judge's mean" if bound.kind == "judge_fall" else "the mean"
    return f"fall of {whose} at most {bound.limit:g}"


class WatchSettings(SettingsFile):
    """A watch as its file says (`docs/production.md` explains every key)."""

    name: str = Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]+$")
    source: str = Field(min_length=1, max_length=2_000)
    filter: dict[str, str] = Field(default_factory=dict)
    by: Literal["trace", "session"] = "trace"
    since: Duration = Field(default=timedelta(hours=24), validate_default=True)
    every: Duration = Field(default=timedelta(minutes=15), validate_default=True)
    cheap: MetricName = "token_overlap"
    metric: MetricName = "faithfulness"
    judge: str | None = None
    embedder: str = "use"
    cassette: CassetteUse | None = None
    budget: DailyBudget = DailyBudget()
    sample: SampleRule = SampleRule()
    push: bool | str = True
    ratings: RaterQueue = RaterQueue()
    segments: tuple[str, ...] = ()
    bounds: tuple[BoundEntry, ...] = ()
    webhook: str | None = Field(default=None, min_length=1, max_length=2_000)
    window: Duration = Field(default=timedelta(days=30), validate_default=True)
    page: str | None = Field(default=None, max_length=2_000)
    store: str | None = None

    @cached_property
    def measures_conversations(self) -> bool:
        """Whether the metric measures whole conversations; that of a scorer is read from its file, once."""
        return measures_conversation(self.metric)

    @field_validator("webhook")
    @classmethod
    def _checked_url(cls, url: str | None) -> str | None:
        if url is not None and not url.startswith(_VARIABLE):
            _check_url(url, "it")
        return url

    @property
    def webhook_url(self) -> str:
        """The URL that gets alarms, read from its environment variable where `webhook` names one."""
        url = self.webhook or ""
        if not url.startswith(_VARIABLE):
            return url
        name = url.removeprefix(_VARIABLE)
        value = os.environ.get(name, "")
        if not value:
            raise UsageError(f"webhook: the environment variable {name} is not set: set it to the webhook's URL")
        try:
            _check_url(value, f"the environment variable {name}")
        except ValueError as error:
            raise UsageError(f"webhook: {error}") from None
        return value

    @property
    def webhook_shown(self) -> str:
        """The webhook as it may be shown: of a URL only the host, since its path may be a secret; empty without one."""
        if self.webhook is None:
            return ""
        is_variable = self.webhook.startswith(_VARIABLE)
        return f"webhook ({self.webhook})" if is_variable else f"webhook at {urlsplit(self.webhook).hostname}"

    @property
    def source_address(self) -> TraceAddress:
        """The source's address; a file beside the watch file by its full path."""
        address = TraceAddress.parse(self.source)
        if address.host or "//" in self.source or not self.path(address.project).exists():
            return address
        return TraceAddress.parse(f"{address.scheme}:{self.path(address.project)}")

    @property
    def judge_settings(self) -> JudgeSettings | None:
        """The judge's settings; None without a judge. Raises as `load_settings`."""
        return None if self.judge is None else self.load_judge(self.judge)

    def first_moment(self, began: datetime) -> datetime | None:
        """Returns since when traces are pulled by a watch that began then; None for all, as of a file unless asked."""
        if self.source_address.is_file and "since" not in self.model_fields_set:
            return None
        return began - self.since

    def plan(self, watch: str, day: str) -> Plan:
        """Returns what the run of one day scores: the answers drawn on it, by the metric."""
        return Plan(
            sets=(f"{WATCH_DATA}{watch}:{day}",),
            metrics=(self.metric,),
            judge=self.judge_settings,
            embedder=self.embedder,
        )

    @property
    def identity(self) -> str:
        """12 hexadecimal digits over what makes it this watch: a file that differs in it begins a new series."""
        parts = (
            *(self.source, sorted(self.filter.items()), self.by, self.cheap, self.metric, self.embedder),
            *(judge_identity(self.judge_settings), self.ratings.levels, self.ratings.bad_below),
        )
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]

    def as_json(self) -> dict[str, Any]:
        """The settings as JSON values, without the URL of the webhook, which is a secret."""
        return self.model_dump(mode="json", exclude={"webhook"}) | {"webhook": self.webhook_shown}


def _check_url(url: str, what: str) -> None:
    """Raises ValueError for what is no URL of a web server; the message does not repeat it."""
    try:
        parts = urlsplit(url)
        is_web = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        is_web = False
    if not is_web or url != url.strip() or not url.isprintable():
        raise ValueError(f"{what} is no URL of a webhook: write https://HOST/PATH, or env:NAME")


_ONE_WEBHOOK = "name one URL that gets alarms as JSON with `text`, which chat tools show: `webhook: env:NAME`"
_NO_DRIFT = "a watch no longer asks its judge again; remove this key"
_ONE_RULE = "answers are drawn for the judge with equal chances; remove this key"
_GONE = {"alarms": _ONE_WEBHOOK, "seconds": "a webhook is tried three times, for ten seconds each; remove this key"}
_GONE |= {"drift": _NO_DRIFT, "sample.rule": _ONE_RULE}
_GONE |= {"overlap": "a trace may come an hour late; remove this key", "seed": "remove this key: draws have one seed"}
_GONE |= {"concurrency": "write it in the judge's settings file", "ratings.per_answer": "one rater rates each answer"}


def load_watch(path: str | Path) -> WatchSettings:
    """Reads a watch file and checks everything that can be checked without asking a server or a judge."""
    return load_settings_file(path, "watch file", WatchSettings, _find_mistakes, _GONE)


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
