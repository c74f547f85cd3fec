"""A suite, and its YAML file; what is wrong is told with line, key and the nearest right name."""

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from ...atomic_files import check_replaceable
from ...errors import InputError, UsageError
from ...eval_sets.levels import Turns
from ...eval_sets.sources import is_to_download
from ...judges import Budget, JudgeSettings, Mode, load_settings
from ...judges.cassette import is_bundled
from ...judges.settings import is_judge_folder
from ...languages.yaml_file import Place, load_yaml, validate_yaml
from ...metrics.catalogue import needs_judge
from ...metrics.specification import DEFAULT_METRICS
from ...name_suggestions import nearest_names, quote_names
from ...prompts import Prompts
from ...regular_files import kind_of_no_folder, read_text_file
from ...value_messages import check_type
from ..score.session import SetProfile, check_metrics
from ..store.plan import MetricName, Plan
from .gates import NO_JUDGE, UNANSWERED, Gate, RegressionGate

_STRICT = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
_MOST = 1_000_000_000  # of anything that is counted, as on the command line
_MOST_BUDGET = 10**15


class CassetteUse(BaseModel):
    """The cassette's file and mode; `{judge}` in the file's name stands for the judge's name."""

    model_config = _STRICT

    file: str
    mode: Mode = "auto"

    @model_validator(mode="before")
    @classmethod
    def _of_name(cls, value: Any) -> Any:
        return {"file": value} if isinstance(value, str) else value


class BudgetBounds(BaseModel):
    """What a nightly run may take, all its sessions and judges together."""

    model_config = _STRICT

    usd: float | None = Field(default=None, ge=0, le=_MOST_BUDGET)
    tokens: int | None = Field(default=None, ge=0, le=_MOST_BUDGET)
    calls: int | None = Field(default=None, ge=0, le=_MOST_BUDGET)

    def budget(self) -> Budget:
        """Returns a fresh budget with these bounds."""
        return Budget(self.usd, self.tokens, self.calls)


class Outputs(BaseModel):
    """The files to write, and the folder of the history's site; what is left out is not written."""

    model_config = _STRICT

    junit: str | None = None
    summary: str | None = None
    json_: str | None = Field(default=None, alias="json")
    site: str | None = None


class SettingsFile(BaseModel):
    """What a file of settings says; relative paths are relative to its folder (`folder`)."""

    model_config = _STRICT

    folder: Path = Field(default=Path(), exclude=True)

    @property
    def store_place(self) -> str | Path:
        """The URL or folder of the store that its key `store` names; `.assay` beside the file where there is none."""
        store: str = getattr(self, "store", None) or ".assay"
        return store if "://" in store else self.path(store)

    def path(self, name: str) -> Path:
        """Returns a path of the file as an absolute path."""
        return (self.folder / Path(name).expanduser()).resolve()

    def load_judge(self, judge: str) -> JudgeSettings:
        """Returns the settings of a judge that the file names. Raises as `load_settings`."""
        is_file = judge.endswith((".yaml", ".yml")) or is_judge_folder(self.path(judge))
        return load_settings(str(self.path(judge)) if is_file else judge)


class Suite(SettingsFile):
    """A suite as its file says (`docs/nightly.md` explains every key)."""

    name: str = Field(min_length=1, max_length=100)
    sets: tuple[str, ...] = Field(min_length=1)
    metrics: tuple[MetricName, ...] = DEFAULT_METRICS
    judges: tuple[str, ...] = ()
    embedder: str = "use"
    prompts: str | None = None
    cassette: CassetteUse | None = None
    budget: BudgetBounds = BudgetBounds()
    map: dict[str, str] = {}
    language: str | None = None
    sheet: str | None = None
    header_row: int | None = None
    scale: tuple[float, float] | None = None
    limit: int | None = Field(default=None, ge=1, le=_MOST)
    turns: Turns = "last"
    skip_bad: bool = False
    concurrency: int | None = Field(default=None, ge=1, le=10_000)
    max_failed: int = Field(default=0, ge=0, le=_MOST)
    store: str | None = None
    store_wait: float = Field(default=60, ge=0, le=86_400, description="seconds to wait for a locked store")
    false_alarms: float = Field(default=0.05, gt=0, lt=1, description="months without a change that may have one")
    gates: tuple[Gate, ...] = ()
    outputs: Outputs = Outputs()

    @field_validator("sets", "metrics", "judges", mode="before")
    @classmethod
    def _as_list(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    @property
    def judge_names(self) -> tuple[str, ...]:
        """One name per run of a nightly run."""
        return self.judges or (NO_JUDGE,)

    @property
    def all_gates(self) -> tuple[Gate, ...]:
        """The gates, and one on more refusals and empty answers where none of them is about these."""
        if not self.gates or any(getattr(gate, "metric", None) == UNANSWERED for gate in self.gates):
            return self.gates
        return (*self.gates, RegressionGate(gate="regression", metric=UNANSWERED))

    def count_gates(self) -> int:
        """How many gates a nightly run decides: one on the coverage is one per metric, and each one per judge."""
        return sum(
            (len(self.metrics) if gate.gate == "coverage" and not gate.metric else 1)
            * (1 if gate.judge else len(self.judge_names))
            for gate in self.all_gates
        )

    def output_paths(self) -> dict[str, Path | None]:
        """Returns the absolute path of each output by its key in the file; None for those that are not written."""
        names = self.outputs.model_dump(by_alias=True)
        return {key: None if name is None else self.path(name) for key, name in names.items()}

    def kept_files(self) -> dict[str, Path | None]:
        """Returns what later nightly runs need, as absolute paths.

        `store` is the folder of the runs, None for a store on a server; `replies` a pattern that matches the cassette's
        files, parts that were not merged yet among them, None without a cassette or with a bundled one.
        """
        store = self.store_place
        file = None if self.cassette is None or is_bundled(self.cassette.file) else self.cassette.file
        return {
            "store": None if isinstance(store, str) else store,
            "replies": None if file is None else self.path(f"{file.replace('{judge}', '*')}*"),
        }

    def settings(self, judge: str) -> JudgeSettings | None:
        """Returns the settings of one of the suite's judges, None for `NO_JUDGE`. Raises as `load_settings`."""
        return None if judge == NO_JUDGE else self.load_judge(judge)

    def plan(self, judge: str) -> Plan:
        """Returns what the run of one judge does."""
        return Plan(
            sets=tuple(str(path) if (path := self.path(source)).exists() else source for source in self.sets),
            metrics=self.metrics,
            judge=self.settings(judge),
            embedder=self.embedder,
            mapping=self.map,
            language=self.language,
            sheet=self.sheet,
            header_row=self.header_row,
            scale=self.scale,
            limit=self.limit,
            prompts=None if self.prompts is None else str(self.path(self.prompts)),
            turns=self.turns,
        )


def judge_identity(settings: JudgeSettings | None) -> str:
    """Returns the name that accepted runs are found by: the same on every machine."""
    return NO_JUDGE if settings is None else settings.label


_DECIDE_WENT = "compare the run with the accepted one after the suite: `assay decide ACCEPTED RUN --gate`"
_COST_WENT = "bound what a nightly run may take by `budget: {usd: 2}`; what it took is in its report"
_PART_WENT = "a gate is of all answers of its suite; write those of each part to a file, with a suite of its own"

_Settings = TypeVar("_Settings", bound=SettingsFile)
Mistakes = Iterator[tuple[Place, object]]
"""Where in a file something is wrong, and what."""


def load_suite(path: str | Path) -> Suite:
    """Reads a suite and checks everything that can be checked before it runs: keys, metrics, judges, gates.

    Args:
        path: The YAML file.

    Raises:
        InputError: The file cannot be read or is no valid suite; the text names file, line, key and the nearest
            right name.
    """
    gone = {"decide": _DECIDE_WENT, "gate: decide": _DECIDE_WENT, "gate: cost": _COST_WENT}
    gone |= dict.fromkeys(("gates.language", "gates.message_type"), _PART_WENT)
    finders = (_find_unknown_metrics_and_judges, _find_unfit_gates, _find_unusable_files)  # before a judge is paid
    return load_settings_file(path, "suite", Suite, lambda suite: chain(*(find(suite) for find in finders)), gone)


def load_settings_file(
    path: str | Path,
    what: str,
    model: type[_Settings],
    find_mistakes: Callable[[_Settings], Mistakes],
    gone: Mapping[str, str],
) -> _Settings:
    """Reads a file of settings, and raises the first mistake in it with its line.

    Args:
        what: What file it is, such as `suite`.
        gone: By key that went, what to do instead.
    """
    check_type("path", path, (str, Path), f"the path of a {what}'s file")
    path = Path(path)
    document = load_yaml(read_text_file(path, f"the {what}"), str(path))
    added = {"name": path.stem, "folder": path.resolve().parent}
    settings = validate_yaml(document, model, added=added, gone=dict(gone))
    try:
        for place, problem in find_mistakes(settings):
            raise InputError(document.describe(place, problem))
        store = settings.store_place
        if isinstance(store, Path) and (kind := kind_of_no_folder(store)):
            problem = f"{store}: is {kind}, not a folder; name the folder of a store"
            raise InputError(document.describe(("store",), problem))
    except OSError as error:  # of a name that no file can have
        raise InputError(f"{path}: a file that it names cannot be read: {error.strerror or error}") from None
    return settings


def check_sets(suite: Suite, path: Path) -> None:
    """Reads the sets of a suite as its run does, and checks that the metrics can score a sample of them."""
    document = load_yaml(read_text_file(path, "the suite"), str(path))
    plan = suite.plan(suite.judge_names[0])
    profile, is_whole = SetProfile(suite.turns), True
    for number, (name, source) in enumerate(zip(suite.sets, plan.sets, strict=True)):
        try:
            if is_to_download(source):
                is_whole = False  # checking asks nobody
                continue
            samples = plan.model_copy(update={"sets": (source,)}).samples([] if suite.skip_bad else None, [])
            for _ in profile.observe(samples):
                pass
        except InputError as error:
            place: Place = ("sets", number)
            beside = "" if Path(source).is_absolute() else f" (looked for in {suite.folder} and among the bundled sets)"
            raise InputError(document.describe(place, f"{name} cannot be read{beside}: {error}")) from None
    if is_whole:
        try:
            check_metrics(plan, profile)
        except UsageError as error:
            raise InputError(document.describe(("metrics",), str(error))) from None


def _find_unknown_metrics_and_judges(suite: Suite) -> Mistakes:
    for number, metric in enumerate(suite.metrics):
        try:
            if needs_judge(metric) and not suite.judges:
                yield ("metrics", number), f"{metric} asks a judge; name one under `judges:`"
        except UsageError as error:
            yield ("metrics", number), error
    identities: dict[str, str] = {}
    for number, judge in enumerate(suite.judges):
        try:
            identity = judge_identity(suite.settings(judge))
        except (UsageError, InputError) as error:
            yield ("judges", number), error
            return
        if identity in identities:
            problem = f"{judge} and {identities[identity]} are both {identity}; give one its own name (`served_as:`)"
            yield ("judges", number), problem
        identities[identity] = judge


def _find_unfit_gates(suite: Suite) -> Mistakes:
    measured = suite.plan(NO_JUDGE).all_metrics
    for number, gate in enumerate(suite.gates):
        if gate in suite.gates[:number]:
            yield ("gates", number), f"is the same gate as gates.{suite.gates.index(gate)}; remove one of them"
        gate_metric: str | None = getattr(gate, "metric", None)
        if gate_metric is not None and gate_metric not in {*measured, UNANSWERED}:
            similar = nearest_names(gate_metric, measured)
            hint = f"did you mean {similar[0]}? " if similar else ""
            problem = f"{gate_metric} is not measured in this suite; {hint}The suite measures {quote_names(measured)}"
            yield ("gates", number, "metric"), problem
        if gate.judge is not None and gate.judge not in suite.judges:
            problem = f"{gate.judge} is no judge of this suite; its judges are {quote_names(suite.judges)}"
            yield ("gates", number, "judge"), problem


def _find_unusable_files(suite: Suite) -> Mistakes:
    if suite.prompts is not None:
        try:
            Prompts.from_folder(suite.path(suite.prompts))
        except InputError as error:
            yield ("prompts",), error
    for key, name in suite.outputs.model_dump(by_alias=True).items():
        if name is None:
            continue
        target = suite.folder / Path(name).expanduser()  # not resolved: what /dev/stdout is may be a file
        if key != "site":
            try:
                check_replaceable(target, f"`{key}`")
            except UsageError as error:
                yield ("outputs", key), error
        elif kind := kind_of_no_folder(target):
            yield ("outputs", key), f"{target}: is {kind}, not a folder; name a folder, or leave out `{key}`"
