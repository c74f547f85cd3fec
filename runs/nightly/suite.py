"""A suite: the YAML file that says what a night judges, what it must hold, and what it writes."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import ErrorDetails

from ...errors import InputError, UsageError
from ...eval_sets.nearest import nearest, quoted
from ...judges import Budget, JudgeSettings, Mode, load_settings
from ...metrics.catalogue import DEFAULT_METRICS, needs_judge
from ..plan import Plan
from .gates import GATES, Gate

NO_JUDGE = "no judge"
_STRICT = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class CassetteUse(BaseModel):
    """The cassette's file, and how it is used; `{judge}` in the file's name is the judge's."""

    model_config = _STRICT

    file: str
    mode: Mode = "auto"


class BudgetBounds(BaseModel):
    """What one sitting of a night may take, all judges together."""

    model_config = _STRICT

    usd: float | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)
    calls: int | None = Field(default=None, ge=0)

    def budget(self) -> Budget:
        """The bounds as judges keep them."""
        return Budget(self.usd, self.tokens, self.calls)


class Outputs(BaseModel):
    """What is written: files, and the folder of the history's site; what is left out is not written."""

    model_config = _STRICT

    junit: str | None = None
    summary: str | None = None
    json_: str | None = Field(default=None, alias="json")
    site: str | None = None


class Suite(BaseModel):
    """A suite as its file has it. Relative paths in it are relative to the file (`folder`)."""

    model_config = _STRICT

    name: str = Field(min_length=1, max_length=100)
    folder: Path = Field(default=Path(), exclude=True)
    sets: tuple[str, ...] = Field(min_length=1)
    metrics: tuple[str, ...] = DEFAULT_METRICS
    judges: tuple[str, ...] = ()
    embedder: str = "use"
    cassette: CassetteUse | None = None
    budget: BudgetBounds = BudgetBounds()
    map: dict[str, str] = {}
    language: str | None = None
    split: str | None = None
    limit: int | None = Field(default=None, ge=1)
    skip_bad: bool = False
    concurrency: int | None = Field(default=None, ge=1)
    max_failed: int = Field(default=0, ge=0)
    store: str | None = None
    store_wait: float = Field(default=60, ge=0, description="seconds for another process to let the store go")
    false_alarms: float = Field(default=0.02, gt=0, lt=1, description="share of nights without a change that may fail")
    gates: tuple[Gate, ...] = ()
    outputs: Outputs = Outputs()

    @field_validator("sets", "metrics", "judges", mode="before")
    @classmethod
    def _one_is_a_list_too(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    @field_validator("cassette", mode="before")
    @classmethod
    def _a_file_is_a_cassette(cls, value: Any) -> Any:
        return {"file": value} if isinstance(value, str) else value

    @property
    def judge_names(self) -> tuple[str, ...]:
        """A name a run of the night."""
        return self.judges or (NO_JUDGE,)

    def path(self, name: str) -> Path:
        """A path in the suite, seen from the suite's file."""
        return (self.folder / Path(name).expanduser()).resolve()

    def settings(self, judge: str) -> JudgeSettings | None:
        """The settings of one of the suite's judges. Raises as `load_settings`."""
        if judge == NO_JUDGE:
            return None
        is_file = judge.endswith((".yaml", ".yml"))
        return load_settings(str(self.path(judge)) if is_file else judge)

    def plan(self, judge: str) -> Plan:
        """What one run of the night does."""
        return Plan(
            sets=tuple(str(path) if (path := self.path(source)).exists() else source for source in self.sets),
            metrics=self.metrics,
            judge=self.settings(judge),
            embedder=self.embedder,
            mapping=self.map,
            language=self.language,
            split=self.split,
            limit=self.limit,
        )


def identity(settings: JudgeSettings | None) -> str:
    """The name that accepted runs are found by: the same on every machine."""
    return NO_JUDGE if settings is None else settings.identity


def load_suite(path: Path) -> Suite:
    """Reads a suite and checks all that can be checked before a night: names of keys, metrics, judges, gates.

    Raises `InputError` naming file, line, key and the nearest right one.
    """
    try:
        text = path.read_text(encoding="utf-8")
        tree = yaml.compose(text, Loader=yaml.SafeLoader)
        content = yaml.safe_load(text)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: the suite cannot be read: {error}") from error
    except yaml.YAMLError as error:
        raise InputError(f"{path}: not valid YAML: {' '.join(str(error).split())}; correct it there") from error
    if not isinstance(content, dict) or tree is None:
        raise InputError(f"{path}: holds no keys; a suite begins with `sets:` and `metrics:` (see docs/nightly.md)")
    for key, line in _twice(tree):
        raise InputError(f"{path}, line {line}: the key `{key}` stands twice; keep one of them")
    if "folder" in content:
        raise InputError(_unknown(str(path), tree, ("folder",)))
    try:
        suite = Suite.model_validate({"name": path.stem} | content | {"folder": path.resolve().parent})
    except ValidationError as error:
        found = error.errors(include_url=False)
        # a misspelt key is also a missing one: the misspelling is what to correct
        first = next((each for each in found if each["type"] == "extra_forbidden"), found[0])
        raise InputError(_complaint(str(path), tree, first)) from None
    _check(suite, path, tree)
    return suite


def _check(suite: Suite, path: Path, tree: yaml.Node) -> None:
    def wrong(place: Sequence[str | int], told: str) -> InputError:
        return InputError(f"{path}{_line(tree, place)}, {_dotted(place)}: {told}")

    for number, metric in enumerate(suite.metrics):
        try:
            asks = needs_judge(metric)
        except UsageError as error:
            raise wrong(("metrics", number), str(error)) from None
        if asks and not suite.judges:
            raise wrong(("metrics", number), f"{metric} asks a judge; name one under `judges:`")
    identities: dict[str, str] = {}
    for number, judge in enumerate(suite.judges):
        try:
            named = identity(suite.settings(judge))
        except (UsageError, InputError) as error:
            raise wrong(("judges", number), str(error)) from None
        if named in identities:
            told = f"{judge} and {identities[named]} are both {named}; give one a name of its own (`served_as:`)"
            raise wrong(("judges", number), told)
        identities[named] = judge
    known = suite.plan(NO_JUDGE).all_metrics
    for number, gate in enumerate(suite.gates):
        measured: str | None = getattr(gate, "metric", None)
        if measured is not None and measured not in known:
            hint = f"did you mean {found[0]}? " if (found := nearest(measured, known)) else ""
            raise wrong(
                ("gates", number, "metric"),
                f"{measured} is not measured in this suite; {hint}It measures {quoted(known)}",
            )
        if gate.judge is not None and gate.judge not in suite.judges:
            raise wrong(
                ("gates", number, "judge"), f"{gate.judge} does not judge here; the judges are {quoted(suite.judges)}"
            )


def _complaint(path: str, tree: yaml.Node, error: ErrorDetails) -> str:
    place = tuple(part for part in error["loc"] if part not in GATES)
    if error["type"] == "extra_forbidden":
        return _unknown(path, tree, place, tag=next((str(part) for part in error["loc"] if part in GATES), None))
    where = f"{path}{_line(tree, place)}, {_dotted(place) or 'the suite'}"
    if error["type"] == "missing":
        return f"{where}: is missing; add it"
    if error["type"] in {"union_tag_not_found", "union_tag_invalid"}:
        given = error.get("input")
        told = error.get("ctx", {}).get("tag")
        meant = nearest(str(told), GATES) if told else nearest("gate", given if isinstance(given, dict) else ())
        hint = f"did you mean {meant[0]}? " if told and meant else f"is `{meant[0]}` meant so? " if meant else ""
        return f"{where}: begins with `gate:` and its kind; {hint}The kinds are {quoted(GATES)}"
    message = error["msg"].removeprefix("Value error, ")
    return f"{where}: {message[0].lower()}{message[1:]} (it is {error.get('input')!r}); correct it there"


def _unknown(path: str, tree: yaml.Node, place: Sequence[str | int], tag: str | None = None) -> str:
    *parents, key = place
    model: Any = Suite
    if tag is not None:
        model = GATES[tag]
    elif parents:
        model = {"cassette": CassetteUse, "budget": BudgetBounds, "outputs": Outputs}[str(parents[0])]
    known = [field.alias or name for name, field in model.model_fields.items() if name != "folder"]
    meant = nearest(str(key), known)
    hint = f"did you mean `{meant[0]}`? " if meant else ""
    within = f" in {_dotted(parents)}" if parents else ""
    return (
        f"{path}{_line(tree, place)}: there is no key `{key}`{within}; {hint}The keys are {quoted(known, at_most=30)}"
    )


def _dotted(place: Sequence[str | int]) -> str:
    told = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return told.removeprefix(".")


def _line(tree: yaml.Node, place: Sequence[str | int]) -> str:
    """The line of a key, or of the nearest thing around it."""
    node, line = tree, tree.start_mark.line + 1
    for part in place:
        if isinstance(node, yaml.MappingNode):
            found = next(((key, value) for key, value in node.value if key.value == part), None)
            if found is None:
                break
            line, node = found[0].start_mark.line + 1, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
    return f", line {line}"


def _twice(node: yaml.Node) -> Iterator[tuple[str, int]]:
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                yield key.value, key.start_mark.line + 1
            seen.add(key.value if isinstance(key, yaml.ScalarNode) else id(key))
            yield from _twice(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _twice(item)
