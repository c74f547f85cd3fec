"""A cassette held against a run: what the run misses in it, and what it does not ask for."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...errors import UsageError
from ...eval_sets import Sample
from ...judges import Cassette, JudgeSettings, LiteLLMJudge
from ...judges.cassette import Recording
from ...judges.embedders import Embedder, load_embedder
from ...metrics import Score
from ...metrics.catalogue import load_metric
from ...prompts import bundled_prompts
from ..score.execute import execute
from ..store.plan import Plan


@dataclass(frozen=True)
class CassetteCheck:
    """What is wrong with a cassette."""

    stale: list[Recording]  # recordings whose prompt has changed since
    missing: list[str]  # one line per score that failed for want of a recording: sample, metric, what is missing
    not_asked: tuple[Recording, ...] = ()  # recordings that the run does not ask for


class TrackingCassette(Cassette):
    """A cassette in replay that remembers which recordings were replayed: `replayed` has their keys."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "replay")
        self.replayed: set[str] = set()

    def get(self, key: str) -> Recording | None:
        """Returns the recording with this key, or None, as `Cassette.get` does."""
        recording = super().get(key)
        if recording is not None:
            self.replayed.add(key)
        return recording


def recordings_of_changed_prompts(path: Path) -> list[Recording]:
    """Returns the recordings of a cassette that were made with a bundled prompt of which the wording has changed."""
    return [recording for recording in Cassette(path, "replay").recordings() if _has_changed_prompt(recording)]


async def check_cassette(path: Path, plan: Plan) -> CassetteCheck:
    """Replays a run from a cassette and returns what is stale, what is missing, and what the run does not ask for.

    What follows a missing reply is unknown, and so not called unasked.
    """
    settings = _planned_judge(plan)
    cassette = TrackingCassette(path)
    missing = await _failures(plan, LiteLLMJudge(settings, cassette=cassette), cassette)
    unused = [recording for recording in cassette.recordings() if recording.key not in cassette.replayed]
    stale = [recording for recording in unused if _has_changed_prompt(recording)]
    not_asked = tuple(
        recording
        for recording in unused
        if not _has_changed_prompt(recording) and not (recording.sample in missing if recording.sample else missing)
    )
    return CassetteCheck(stale, [line for lines in missing.values() for line in lines], not_asked)


async def _failures(plan: Plan, judge: LiteLLMJudge, cassette: Cassette) -> dict[str, list[str]]:
    """Goes through the run; one line per failed score, by sample."""
    embedder: Embedder = load_embedder(plan.embedder, cassette)
    metrics = [load_metric(name, judge, embedder) for name in plan.metrics]
    failures: dict[str, list[str]] = {}

    def note_failures(sample: Sample, scores: dict[str, Score]) -> None:
        for metric, score in scores.items():
            if score.status == "failed":
                reason = score.reason.partition(" To record it:")[0]  # that names an option of other commands
                failures.setdefault(sample.id, []).append(f"{sample.id}  {metric}: {reason}")

    await execute(plan.samples(), metrics, note_failures, concurrency=1, turns=plan.turns)
    return failures


def _planned_judge(plan: Plan) -> JudgeSettings:
    if plan.judge is None:
        raise UsageError("name the judge whose questions are looked up in the cassette: --judge MODEL")
    return plan.judge


def _has_changed_prompt(recording: Recording) -> bool:
    """Whether the prompt, or a part of one that was composed of several, is no longer bundled as it was recorded."""
    return "@" in recording.prompt and not _bundled_identities().issuperset(recording.prompt.split("+"))


@cache
def _bundled_identities() -> frozenset[str]:
    return frozenset(prompt.identity for prompt in bundled_prompts())
