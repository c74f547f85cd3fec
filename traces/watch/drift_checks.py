"""Drift: of the questions, of the share without an answer, of how the judge agrees with raters, and of the judge."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from ...eval_sets import Sample
from ...judges import Budget
from ...judges.embedders import load_embedder
from ...judges.text_vectors import embed_texts
from ...metrics.catalogue import higher_is_better
from ...metrics.metric import run_to_end
from ...runs.cassette_check import repeat_questions
from ...runs.reply_drift import estimate_drift
from ...text.wording import count_of
from ..times import read_utc
from .answer_draw import hash_share
from .day_run import day_budget
from .watch_records import WatchRecords, utc_text
from .watch_settings import WatchSettings
from .watch_state import DriftResult

if TYPE_CHECKING:
    from ...meta_eval.monitoring import Drift

_NEW_DAYS, _OLD_DAYS = 7, 28
_LEVEL = 0.05
_LOOKS = 30  # in a month: one check a day
_MOST_QUESTIONS = 200  # of a period, which are embedded
_MOST_TRACES = 500  # of a period: the test takes no more
_MOST_REPEATED = 200  # answers of the newest runs among whose questions those are that the judge is asked again


@dataclass(frozen=True, slots=True)
class _Periods:
    """Two periods, by their first and last dates."""

    old: tuple[str, str]
    new: tuple[str, str]

    @classmethod
    def of_days(cls, first: str, last: str) -> "_Periods | None":
        """The newest seven days and up to 28 before them; of a short history its halves, of one day none."""
        if not first or first == last:
            return None
        end, begin = date.fromisoformat(last), date.fromisoformat(first)
        new_days = min(_NEW_DAYS, ((end - begin).days + 1) // 2)
        new = end - timedelta(days=new_days - 1)
        old = max(begin, new - timedelta(days=_OLD_DAYS))
        return cls((old.isoformat(), (new - timedelta(days=1)).isoformat()), (new.isoformat(), last))


class DriftCheck:
    """The checks that are due: once a day, of the judge as often as the watch file says.

    All tests of a month together say in at most 5% of months that something changed where nothing did. That of the
    judge is no test: it says whether more of its replies have changed than `drift.judge_limit`.
    """

    def __init__(self, settings: WatchSettings, records: WatchRecords, now: datetime) -> None:
        self._settings, self._records, self._now = settings, records, now
        self._at = utc_text(now)
        kinds = settings.drift
        self._looks = _LOOKS * max(1, sum((kinds.questions, kinds.unanswered, kinds.agreement)))
        self._before = {result.kind: result for result in records.newest_drift()}

    def run(self, today: str) -> list[DriftResult]:
        """Makes the checks that are due, keeps them, and returns them.

        Raises:
            AssayError: A check cannot be made; those before it are kept.
        """
        results: list[DriftResult] = []
        for result in self._checks(today):
            self._records.add_drift([result])
            results.append(result)
        return results

    def _checks(self, today: str) -> Iterator[DriftResult]:
        kinds, periods = self._settings.drift, _Periods.of_days(*self._records.days())
        if periods is not None:
            if kinds.unanswered and self._is_due("unanswered", timedelta(days=1)):
                yield self._unanswered(periods)
            if kinds.agreement and self._is_due("agreement", timedelta(days=1)):
                yield self._agreement(periods)
            if kinds.questions and self._is_due("questions", timedelta(days=1)):
                yield self._questions(periods)
        if kinds.judge is not None and self._is_due("judge", kinds.judge):
            yield from self._judge(today, kinds.judge)

    def _is_due(self, kind: str, every: timedelta) -> bool:
        last = read_utc(self._before[kind].at) if kind in self._before else None
        return last is None or abs(self._now - last) >= every

    def _questions(self, periods: _Periods) -> DriftResult:
        from ...meta_eval.monitoring import question_drift

        texts: list[str] = []
        sessions: list[str] = []
        counts: list[int] = []
        for first, last in (periods.old, periods.new):
            drawn = self._records.drawn_between(first, last)
            chosen = sorted(drawn, key=lambda row: hash_share(f"{self._settings.seed} questions", row[0]))
            counts.append(len(chosen[:_MOST_QUESTIONS]))
            texts += [self._records.sample(name).user_input for name, _ in chosen[:_MOST_QUESTIONS]]
            sessions += [session for _, session in chosen[:_MOST_QUESTIONS]]
        if not all(counts):
            return self._untested("questions", "too few questions are there of before or of now")
        embedder = load_embedder(self._settings.embedder, None, Budget())
        vectors = run_to_end(embed_texts(texts, embedder))
        drift = question_drift(
            vectors[: counts[0]],
            vectors[counts[0] :],
            _group_numbers(sessions),
            seed=self._settings.seed,
            looks=self._looks,
        )
        when = _describe(periods)
        return self._result(
            "questions", drift, f"the questions {when} are others than before", f"the questions {when} are like before"
        )

    def _unanswered(self, periods: _Periods) -> DriftResult:
        from ...meta_eval.monitoring import share_drift

        generator = np.random.default_rng(self._settings.seed)
        sides, shares = [], []
        for first, last in (periods.old, periods.new):
            answers, unread = self._records.count_between(first, last)
            size = min(_MOST_TRACES, answers + unread)
            missing = int(generator.hypergeometric(unread, answers, size)) if size else 0
            sides.append(np.arange(size) < missing)
            shares.append(unread / (answers + unread) if size else 0.0)
        groups = np.arange(len(sides[0]) + len(sides[1]))
        drift = share_drift(sides[0], sides[1], groups, seed=self._settings.seed, looks=self._looks)
        sentence = f"{shares[1]:.1%} of the traces {_describe(periods)} have no answer; before it were {shares[0]:.1%}"
        return self._result("unanswered", drift, sentence, sentence)

    def _agreement(self, periods: _Periods) -> DriftResult:
        from ...meta_eval.monitoring import agreement_drift

        sign = 1.0 if higher_is_better(self._settings.metric) else -1.0
        pairs = [pair for pair in self._records.judged_pairs() if pair[0] >= periods.old[0]]
        drift = agreement_drift(
            np.array([sign * pair[2] for pair in pairs], dtype=float),
            np.array([pair[3] for pair in pairs], dtype=float),
            np.array([pair[0] >= periods.new[0] for pair in pairs], dtype=bool),
            _group_numbers([pair[1] for pair in pairs]),
            seed=self._settings.seed,
            looks=self._looks,
        )
        when = _describe(periods)
        return self._result(
            "agreement",
            drift,
            f"the judge agrees with the ratings {when} otherwise than before",
            f"the judge agrees with the ratings {when} as before",
        )

    def _judge(self, today: str, every: timedelta) -> Iterator[DriftResult]:
        """Asks the judge a share of the recorded questions again, within the day's budget."""
        settings, records = self._settings, self._records
        cassette_mode = settings.cassette.mode if settings.cassette else "auto"
        if settings.judge is None or cassette_mode == "replay":
            return
        began = self._now - every
        runs = records.newest_runs((began - timedelta(days=every.days)).date().isoformat())
        old_runs = [(day, run) for day, run in runs if day <= began.date().isoformat()]
        if not old_runs:
            return  # what was said a moment ago says nothing about drift
        day, run = old_runs[0]
        budget, note_spending = day_budget(settings, records, today)
        plan = records.store.run(run).plan.model_copy(update={"judge": settings.judge_settings})
        samples = list(islice(self._judged_samples(run), _MOST_REPEATED))
        with TemporaryDirectory(prefix="assay-") as folder:
            file = Path(folder) / "replies.jsonl"
            with file.open("wb") as lines:
                for line in records.replies(run):
                    lines.write(line.rstrip(b"\n") + b"\n")
            try:
                repeated, _ = run_to_end(
                    repeat_questions(
                        file, plan, share=settings.drift.judge_share, seed=settings.seed, budget=budget, samples=samples
                    )
                )
            finally:
                note_spending()
        if not repeated:
            return
        drift = estimate_drift(repeated)
        if drift.share.value is None or drift.share.low is None:
            yield self._untested("judge", "the judge gave no usable reply")
            return
        sentence = (
            f"asked again, the judge changes {drift.share.value:.0%} of {count_of(drift.asked, 'reply')} of {day} "
            f"(likely {drift.share.low:.0%} to {drift.share.high:.0%})"
        )
        has_changed = drift.share.low > settings.drift.judge_limit
        yield DriftResult("judge", self._at, has_changed, sentence, drift.share.value)

    def _judged_samples(self, run: str) -> Iterator[Sample]:
        return (
            self._records.store.sample(run, name)
            for name, metric, value, _ in self._records.store.sample_values(run)
            if metric == self._settings.metric and value is not None
        )

    def _result(self, kind: str, drift: "Drift", changed: str, same: str) -> DriftResult:
        if drift.problem:
            return self._untested(kind, drift.problem)
        has_changed = drift.p_in_month < _LEVEL
        sentence = changed if has_changed else same
        sentence += f" (chance alone shows as much in {drift.p_in_month:.0%} of months)"
        return DriftResult(kind, self._at, has_changed, sentence, drift.change, drift.p_in_month)

    def _untested(self, kind: str, problem: str) -> DriftResult:
        return DriftResult(kind, self._at, drifted=False, sentence=f"{kind}: no test yet: {problem}")


def _group_numbers(sessions: list[str]) -> "np.ndarray[tuple[int], np.dtype[np.intp]]":
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(session, len(numbers)) for session in sessions], dtype=np.intp)


def _describe(periods: _Periods) -> str:
    return f"since {periods.new[0]}"
