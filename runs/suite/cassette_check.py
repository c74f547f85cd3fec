"""A cassette held against a run: what the run misses in it, what it does not use, and what the model says now."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...errors import UsageError
from ...eval_sets import Sample
from ...judges import Budget, Cassette, JudgeSettings, LiteLLMJudge
from ...judges.cassette import Recording
from ...judges.drift import RepeatedQuestion, RepeatingJudge
from ...judges.embedders import Embedder, load_embedder
from ...metrics import Score
from ...metrics.catalogue import load_metric
from ...prompts import bundled_prompts
from ..judging.probes import PROBES, perturb
from ..score.execute import execute
from ..store.plan import Plan


@dataclass(frozen=True)
class CassetteCheck:
    """What is wrong with a cassette."""

    stale: list[Recording]  # recordings whose prompt has changed since, or that the run does not use
    missing: list[str]  # one line per score that failed for want of a recording: sample, metric, what is missing
    # recordings of the same samples that another command asks for: with another seed, or of probes of `judges card`
    not_asked: tuple[Recording, ...] = ()


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


async def check_cassette(path: Path, plan: Plan, *, seed: int = 0) -> CassetteCheck:
    """Replays a run from a cassette and returns what is stale and what is missing in it.

    A recording is stale when its prompt has changed since or when the run does not use it. What follows a missing
    reply is unknown, and so not called stale; nor is what `judges card --seed SEED` asks: the same question again, with
    another seed of the judge's, or of probes.

    Args:
        path: The cassette.
        plan: The run.
        seed: The card's seed, on which it depends how its probes change an answer.
    """
    settings = _planned_judge(plan)
    cassette = TrackingCassette(path)
    judge = LiteLLMJudge(settings, cassette=cassette)
    missing = await _failures(plan, judge, cassette, concurrency=1)
    unused = [recording for recording in cassette.recordings() if recording.key not in cassette.replayed]
    changed = [recording for recording in unused if _has_changed_prompt(recording)]
    unused = [
        recording
        for recording in unused
        if not _has_changed_prompt(recording) and not (recording.sample in missing if recording.sample else missing)
    ]
    judges_seed = settings.recordable.parameters.get("seed")

    def is_of_other_seed(recording: Recording) -> bool:
        return bool(recording.parameters.get("seed", judges_seed) != judges_seed)

    not_asked = [recording for recording in unused if is_of_other_seed(recording)]
    others = [recording for recording in unused if not is_of_other_seed(recording)]
    samples = list(plan.samples()) if others else []
    for probe in PROBES if others else ():
        probed = filter(None, (perturb(sample, probe, seed) for sample in samples))
        await _failures(plan, judge, cassette, concurrency=1, samples=probed)
    not_asked += [recording for recording in others if recording.key in cassette.replayed]
    stale = [*changed, *(recording for recording in others if recording.key not in cassette.replayed)]
    return CassetteCheck(stale, [line for lines in missing.values() for line in lines], tuple(not_asked))


async def repeat_questions(
    path: Path,
    plan: Plan,
    *,
    share: float,
    seed: int = 0,
    budget: Budget | None = None,
    samples: Iterable[Sample] | None = None,
) -> tuple[list[RepeatedQuestion], int]:
    """Replays a run from a cassette and asks the model a share of its questions again.

    Returns:
        The repeated questions, and the number of samples with a question that is not recorded.
    """
    settings, cassette = _planned_judge(plan), Cassette(path, "replay")
    async with LiteLLMJudge(settings, cassette=cassette) as recorded, LiteLLMJudge(settings, budget=budget) as live:
        judge = RepeatingJudge(recorded, live, share, seed)
        failures = await _failures(plan, judge, cassette, concurrency=settings.concurrency, samples=samples)
    return list(judge.repeated.values()), len(failures)


async def _failures(
    plan: Plan,
    judge: LiteLLMJudge | RepeatingJudge,
    cassette: Cassette,
    concurrency: int,
    samples: Iterable[Sample] | None = None,
) -> dict[str, list[str]]:
    """Goes through the run; one line per failed score, by sample."""
    embedder: Embedder = load_embedder(plan.embedder, cassette)
    metrics = [load_metric(name, judge, embedder) for name in plan.metrics]
    failures: dict[str, list[str]] = {}

    def note_failures(sample: Sample, scores: dict[str, Score]) -> None:
        for metric, score in scores.items():
            if score.status == "failed":
                reason = score.reason.partition(" To record it:")[0]  # that names an option of other commands
                failures.setdefault(sample.id, []).append(f"{sample.id}  {metric}: {reason}")

    await execute(
        plan.samples() if samples is None else samples,
        metrics,
        note_failures,
        concurrency=concurrency,
        turns=plan.turns,
    )
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
