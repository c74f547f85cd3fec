"""Drift of the judge: a share of its recorded questions is asked again, and what it says now is compared."""

from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from ...metrics.metric import run_to_end
from ...runs.cassette_check import repeat_questions
from ...runs.reply_drift import estimate_drift
from ...text.wording import count_of
from ..times import read_utc
from .day_run import day_budget
from .watch_records import WatchRecords, utc_text
from .watch_settings import WatchSettings
from .watch_state import DriftResult

_MOST_REPEATED = 200  # answers of a run among whose questions those are that the judge is asked again


def check_judge(settings: WatchSettings, records: WatchRecords, today: str, now: datetime) -> None:
    """Asks the judge a share of the questions of an earlier run again, where that is due, and keeps what came."""
    every, before = settings.drift.judge, records.newest_drift()
    last = read_utc(before.at) if before else None
    if every is None or (last is not None and abs(now - last) < every):
        return
    if settings.judge is None or (settings.cassette is not None and settings.cassette.mode == "replay"):
        return
    began = now - every
    runs = records.newest_runs((began - timedelta(days=every.days)).date().isoformat())
    old_runs = [(day, run) for day, run in runs if day <= began.date().isoformat()]
    if old_runs:  # what was said a moment ago says nothing about drift
        records.add_drift(_ask_again(settings, records, old_runs[0], today, utc_text(now)))


def _ask_again(
    settings: WatchSettings, records: WatchRecords, day_and_run: tuple[str, str], today: str, at: str
) -> DriftResult:
    day, run = day_and_run
    budget, note_spending = day_budget(settings, records, today)
    plan = records.store.run(run).plan.model_copy(update={"judge": settings.judge_settings})
    judged = (
        records.store.sample(run, name)
        for name, metric, value, _ in records.store.sample_values(run)
        if metric == settings.metric and value is not None
    )
    samples = list(islice(judged, _MOST_REPEATED))
    with TemporaryDirectory(prefix="assay-") as folder:
        file = Path(folder) / "replies.jsonl"
        with file.open("wb") as lines:
            for line in records.replies(run):
                lines.write(line.rstrip(b"\n") + b"\n")
        share, seed = settings.drift.judge_share, settings.seed
        try:
            repeated, _ = run_to_end(
                repeat_questions(file, plan, share=share, seed=seed, budget=budget, samples=samples)
            )
        finally:
            note_spending()
    drift = estimate_drift(repeated)
    if drift.share.value is None or drift.share.low is None:
        return DriftResult(at, drifted=False, sentence="judge: no test yet: it gave no usable reply")
    sentence = (
        f"asked again, the judge changes {drift.share.value:.0%} of {count_of(drift.asked, 'reply')} of {day} "
        f"(likely {drift.share.low:.0%} to {drift.share.high:.0%})"
    )
    return DriftResult(at, drift.share.low > settings.drift.judge_limit, sentence, drift.share.value)
