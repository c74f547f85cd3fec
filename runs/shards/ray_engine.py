"""Shards scored by the workers of a Ray cluster."""

import asyncio
import logging
import os
import secrets
import threading
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter

from ... import errors
from ...errors import AssayError, BudgetReached, JudgeUnavailable
from ...installation import require_extra
from ...judges import Budget
from ...judges.budget import Reservation
from ...judges.limiter import AdaptiveLimiter
from ...judges.question import RawReply
from ...judges.request_size import RequestSize
from .cluster_limits import LEASE_SECONDS, ClusterBudget, ClusterLimits
from .score_shard import ShardScorer
from .shard_report import ShardJob, ShardReport, score_piece
from .shard_source import Piece

_REPORT = TypeAdapter(ShardReport)
_REPORT_COLUMN = "report"


def score_with_ray(
    pieces: Sequence[Piece], job: ShardJob, budget: Budget, *, workers: int | None, address: str | None
) -> Iterator[ShardReport]:
    """Scores pieces by the workers of Ray, in any order.

    A worker that is killed is replaced, and its piece is read again; the shards whose results are there are left out.
    After a bound of the budget no worker begins another shard, and each writes what it has.
    """
    with _connected(address):
        import ray.data
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        bounds = ClusterBudget(budget.usd, budget.tokens, budget.calls)
        most_calls = job.plan.concurrency or (job.plan.judge.concurrency if job.plan.judge else 1)
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        limits = None
        if job.plan.judge is not None or job.plan.embedder.startswith("litellm:"):
            options = {"num_cpus": 0, "max_concurrency": 1000, "scheduling_strategy": here}
            limits = ray.remote(ClusterLimits).options(**options).remote(most_calls, bounds, LEASE_SECONDS)
        if workers is None:
            workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        rows = ray.data.from_items([asdict(piece) for piece in pieces], override_num_blocks=len(pieces)).flat_map(
            RayWorker,
            fn_constructor_args=(job, bounds, limits),
            compute=ray.data.ActorPoolStrategy(size=min(workers, len(pieces))),
            num_cpus=1,
        )
        for row in rows.iter_rows():
            yield _REPORT.validate_json(row[_REPORT_COLUMN])


class RayWorker:
    """Scores pieces in a process of Ray, which keeps the judge's client, the embedder and loaded models."""

    def __init__(self, job: ShardJob, bounds: ClusterBudget, limits: Any) -> None:
        self._job = job
        self._problem: tuple[str, str] | None = None
        budget = Budget() if limits is None else SharedBudget(bounds, limits)
        self._scorer = ShardScorer(job.plan, budget=budget)

    def __call__(self, row: Mapping[str, Any]) -> list[dict[str, str]]:
        """Scores one piece; a problem is the last report, for an error would be retried."""
        reports: list[ShardReport] = []
        if self._problem is None:
            try:
                reports += score_piece(Piece(**row), self._job, self._scorer)
            except AssayError as error:
                problem = type(error).__name__, str(error)
                reports.append(ShardReport(problem=problem))
                if isinstance(error, (BudgetReached, JudgeUnavailable)):
                    self._problem = problem
        else:
            reports.append(ShardReport(problem=self._problem))
        return [{_REPORT_COLUMN: _REPORT.dump_json(report).decode()} for report in reports]


class SharedBudget(Budget):
    """A worker's part in the budget and in the calls of a cluster."""

    def __init__(self, bounds: ClusterBudget, limits: Any) -> None:
        super().__init__(bounds.usd, bounds.tokens, bounds.calls)
        self._limits = limits
        self._worker = secrets.token_hex(8)
        self._is_bounded = bounds.is_bounded
        self._numbers: dict[int, int] = {}  # by the identity of the reservation
        threading.Thread(target=self._give_signs, daemon=True).start()

    def make_limiter(self, most: int) -> AdaptiveLimiter:
        """As `Budget.make_limiter`: the limiter of the cluster."""
        return _SharedLimiter(most, self._limits, self._worker)

    async def begin(self, size: RequestSize) -> Reservation:
        """As `Budget.begin`."""
        reservation = self._reservation(size)
        if not self._is_bounded:
            return reservation
        waiting = self._limits.begin.remote(self._worker, size)
        try:
            number = await waiting
        except asyncio.CancelledError:
            waiting.future().add_done_callback(self._give_back)
            raise
        if isinstance(number, tuple):
            error: type[AssayError] = getattr(errors, number[0])
            raise error(number[1])
        self._numbers[id(reservation)] = number
        return reservation

    def end(self, reservation: Reservation, reply: RawReply | None) -> None:
        """As `Budget.end`."""
        number = self._numbers.pop(id(reservation), None)
        if number is not None:
            self._limits.end.remote(self._worker, number, reply)

    def release(self, reservation: Reservation) -> None:
        """As `Budget.release`."""
        number = self._numbers.pop(id(reservation), None)
        if number is not None:
            self._limits.release.remote(self._worker, number)

    def _give_back(self, done: Any) -> None:
        number = None if done.exception() else done.result()
        if isinstance(number, int):
            self._limits.release.remote(self._worker, number)  # the call was never made

    def _give_signs(self) -> None:
        pause = threading.Event()
        while not pause.wait(LEASE_SECONDS / 10):
            self._limits.renew.remote(self._worker)


class _SharedLimiter(AdaptiveLimiter):
    """The limiter of a cluster, as a worker sees it."""

    def __init__(self, most: int, limits: Any, worker: str) -> None:
        super().__init__(most)
        self._limits = limits
        self._worker = worker

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[int]:
        """As `AdaptiveLimiter.slot`."""
        waiting = self._limits.take_place.remote(self._worker)
        try:
            ticket: int = await waiting
        except asyncio.CancelledError:
            waiting.future().add_done_callback(lambda _: self._limits.leave_place.remote(self._worker))
            raise
        try:
            yield ticket
        finally:
            self._limits.leave_place.remote(self._worker)

    def count_success(self) -> None:
        """As `AdaptiveLimiter.count_success`."""
        self._limits.count_success.remote()

    def halve(self, ticket: int) -> None:
        """As `AdaptiveLimiter.halve`."""
        self._limits.halve.remote(ticket)


@contextmanager
def _connected(address: str | None) -> Iterator[None]:
    """Ray, connected to a cluster: the one that this process is connected to, the one that is named, or a new one."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_worker_niceness", "0")  # by default 15: starved where anything else runs
    with require_extra("ray", "--engine ray"):
        import ray
    for name in ("ray", "ray.data"):
        logging.getLogger(name).setLevel(logging.WARNING)
    was_connected = ray.is_initialized()
    if not was_connected:
        options: dict[str, Any] = {"address": address} if address else {"include_dashboard": False}
        if address is None:
            options |= {"_node_ip_address": "127.0.0.1", "object_store_memory": 200 * 2**20}
        ray.init(**options, log_to_driver=False, logging_level=logging.WARNING)
    try:
        yield
    finally:
        if not was_connected:
            ray.shutdown()
