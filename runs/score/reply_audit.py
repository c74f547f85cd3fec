"""What a judge was asked for one score, and what it said: the metric runs once more on the replies that were kept."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from ...errors import AssayError
from ...eval_sets import Sample
from ...judges import Cassette, LiteLLMJudge
from ...judges.embedders import load_embedder
from ...judges.run import SentQuestion, collect_replies
from ...metrics.catalogue import load_metric
from ...metrics.metric import run_to_end
from ...prompts import BUNDLED, Prompts
from ..store.store import RunRow, Store
from .run_writer import RunWriter

_FROM_FILE = re.compile(r"\.py:|^scorer:")  # a page runs no code, and reads no file, that a store names


@dataclass(frozen=True, slots=True)
class ReplyAudit:
    """The questions of one score as they were sent, with the replies; `problem` says why some are missing."""

    questions: Sequence[SentQuestion]
    problem: str = ""


def audit_replies(store: Store, run: RunRow, sample: Sample, metric: str) -> ReplyAudit:
    """Runs a metric on an answer again, with the replies in the run and in its cassette, and notes what passes.

    No model is asked: a question whose reply was not kept ends the audit, and the audit says so.
    """
    return run_to_end(_audit(store, run, sample, metric))


async def _audit(store: Store, run: RunRow, sample: Sample, metric: str) -> ReplyAudit:
    if run.plan.judge is None:
        return ReplyAudit((), "the run has no judge")
    if metric not in run.plan.all_metrics or _FROM_FILE.search(metric):
        return ReplyAudit((), "not shown for a metric that is read from a file or belongs to another library")
    prompts = BUNDLED if run.plan.prompts is None else Prompts.from_folder(run.plan.prompts)
    with TemporaryDirectory() as folder:
        recorded = store.cassette(run.id)
        if recorded is None or not recorded.exists():
            recorded = Path(folder, "none.jsonl")
            recorded.touch()
        try:
            with Cassette(recorded, "replay") as cassette, collect_replies() as questions:
                judge = LiteLLMJudge(run.plan.judge, cassette=cassette)
                judge.keep_in(RunWriter(store, run.id))
                score = await load_metric(metric, judge, load_embedder(run.plan.embedder, cassette), prompts).assess(
                    sample
                )
        except AssayError as error:
            return ReplyAudit(questions, f"not all replies were kept: {str(error).splitlines()[0]}")
    if score.status == "failed" or not questions:
        return ReplyAudit(questions, score.reason)
    return ReplyAudit(questions)
