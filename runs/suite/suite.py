"""A suite: what a nightly run judges, the gates that it must pass, and what it writes."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from ...eval_sets.levels import Turns
from ...judges import Budget, JudgeSettings, Mode, load_settings
from ...judges.cassette import is_bundled
from ...judges.settings import is_judge_folder
from ...metrics.specification import DEFAULT_METRICS
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
    """Returns the name that accepted runs are found by: the same on every machine.

    Example:
        >>> judge_identity(None)
        'no judge'
    """
    return NO_JUDGE if settings is None else settings.label
