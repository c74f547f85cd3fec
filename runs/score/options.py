"""How a run is carried out: with which recordings, within which bounds, how many calls at once."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from ...errors import UsageError
from ...judges import Budget, JudgeSettings, Mode
from ...judges.settings import judge_file_name

JUDGE_FIELD = "{judge}"
"""Stands for the judge's name in the name of a cassette."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How a run is carried out. What is scored, and by whom, a `Plan` says, or a `ScoringRequest`.

    Attributes:
        cassette: File of recorded replies, for a judge and an embedder that are not open yet; `{judge}` in its name
            stands for the judge's name.
        mode: How the cassette is used.
        budget: Bounds on live calls. Several runs may share one budget.
        concurrency: Calls at once of a judge that is no object yet; with a judge or without one, samples at once. None:
            as many as the judge's settings say.

    Raises:
        UsageError: The mode needs a cassette.
    """

    cassette: Path | None = None
    mode: Mode = "auto"
    budget: Budget = field(default_factory=Budget)
    concurrency: int | None = None

    def __post_init__(self) -> None:
        if self.mode not in get_args(Mode):
            raise UsageError(f"unknown mode {self.mode!r}; the modes are {', '.join(get_args(Mode))}")
        if self.concurrency is not None and self.concurrency < 1:
            raise UsageError(f"concurrency={self.concurrency}: at least one call at once; give 1 or more")
        if self.cassette is None and self.mode in {"replay", "record"}:
            raise UsageError(f"the mode {self.mode} needs a cassette: name its file (--cassette FILE)")

    def cassette_file(self, find_judge: Callable[[], JudgeSettings | None]) -> Path | None:
        """The cassette's file, with the judge's name in its place; None without a cassette.

        Args:
            find_judge: Gives the judge's settings; called where the file's name has a place for its name.
        """
        if self.cassette is None or JUDGE_FIELD not in str(self.cassette):
            return self.cassette
        judge = find_judge()
        name = "no judge" if judge is None else judge_file_name(judge)
        return Path(str(self.cassette).replace(JUDGE_FIELD, name))
