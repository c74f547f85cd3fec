"""Two runs side by side: the differences with their intervals, and the answers that changed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..eval_sets import Sample
from ..meta_eval.decision import Decision
from ..presentation.figure import Figure, Kind
from ..runs import AnswerTable, Store
from ..runs.decision import view_decision
from ..runs.decision.answer_contrast import NamedAnswer, contrast_answers
from ..runs.decision.compare import RunComparison, compare_versions
from ..runs.decision.decide import decide_by_default
from ..runs.decision.page import find_deciding_questions, preferred_shares
from ..runs.decision.tables import comparison_sentences, comparison_table, comparison_verdict
from ..runs.ratings.judgement import rating_state
from ..runs.store.store import answer_url
from .viewer import RunState, Viewer, for_visitors, number_of, run_state


@dataclass(frozen=True, slots=True)
class RunDecision:
    """What is decided between run A, which is in use today, and run B."""

    decision: Decision | str  # the decision, or why none can be made
    order: tuple[str, ...] = ()  # the ids in A of the answers that decide, those that say most first
    # by run (`A` or `B`) and the answer's id in it: the mean rating that counts, and the share of people's choices
    # between both answers that prefer this one
    judgements: Mapping[tuple[str, str], tuple[float | None, float | None]] = field(default_factory=dict)


def _decide_two(store: Store, a: AnswerTable, b: AnswerTable) -> RunDecision:
    decision, reading = decide_by_default(store.database, a, b)
    if reading is None:
        return RunDecision(decision)
    answers, shares = reading.answers, preferred_shares(reading.preferences)
    return RunDecision(
        decision,
        order=tuple(question.id for question in find_deciding_questions(answers, shares)),
        judgements={
            (reading.names[one.version], one.sample.id): (one.rating, shares.get((one.question, one.version)))
            for one in answers
        },
    )


_PER_PAGE = 20
_MOST_LISTED = 60
_JUDGEMENTS: tuple[tuple[str, Kind], ...] = (("rating", "rating"), ("preferred", "share"))


class ComparisonPages:
    """The pages of two runs."""

    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer
        self.routes = [
            Route("/compare", self._show),
            Route("/compare/decision", self._decision),
            Route("/compare/figures", self._figures),
        ]

    @for_visitors
    async def _show(self, request: Request) -> Response:
        a, b = request.query_params.get("a", ""), request.query_params.get("b", "")
        runs = await self.viewer.in_store(lambda store: store.run_ids(_MOST_LISTED))
        content = {
            "title": "Compare runs",
            "runs": runs,
            "a": a,
            "b": b,
            "decision_url": _part_url(request, "decision"),
        }
        return self.viewer.render(request, "compare.html", content)

    @for_visitors
    async def _decision(self, request: Request) -> Response:
        state, decided = await self._decide(request)
        (id_a, *_), (id_b, *_) = state
        decision = decided.decision
        content = {
            "a": id_a,
            "b": id_b,
            "figures_url": _part_url(request, "figures"),
            "swapped_url": f"/compare?{urlencode({'a': id_b, 'b': id_a})}",
        }
        figures = {"problem": decision} if isinstance(decision, str) else {"problem": ""} | view_decision(decision)
        return self.viewer.render(request, "compare_decision.html", content | figures)

    async def _decide(self, request: Request) -> tuple[tuple[RunState, RunState], RunDecision]:
        """The two runs of a request, and the decision after each rating."""
        a, b = (request.query_params.get(name, "") for name in ("a", "b"))
        state, rated = await self.viewer.in_store(
            lambda store: ((run_state(store, a), run_state(store, b)), rating_state(store.database))
        )
        tables = await self._tables(state)
        decided = await self.viewer.kept(("decision", state, rated), lambda store: _decide_two(store, *tables))
        return state, decided

    async def _tables(self, state: tuple[RunState, RunState]) -> tuple[AnswerTable, AnswerTable]:
        """Both runs, each read once."""
        (id_a, *_), (id_b, *_) = state

        def read(store: Store) -> tuple[AnswerTable, AnswerTable]:
            return AnswerTable.read(store, store.run(id_a)), AnswerTable.read(store, store.run(id_b))

        return await self.viewer.kept(("tables", state), read)

    @for_visitors
    async def _figures(self, request: Request) -> Response:
        state, decided = await self._decide(request)
        (id_a, *_), (id_b, *_) = state
        tables = await self._tables(state)

        def compare(store: Store) -> RunComparison:
            before, now = (store.judging(store.run(run)) for run in (id_a, id_b))
            return compare_versions(*tables, other_judging=now.describe_change(before))

        comparison = await self.viewer.kept(("compare", state), compare)
        said = decided.decision if isinstance(decided.decision, str) else None  # else the decision stands on top
        asked = request.query_params.get("metric", "")
        measure = "" if isinstance(decided.decision, str) else decided.decision.measure
        metric = next(name for name in (asked, measure, comparison.metrics[0]) if name in comparison.metrics)
        others, rescored = (comparison.changed(metric, answer_changed=is_other) for is_other in (True, False))
        is_by_decision = bool(decided.order) and asked not in comparison.metrics
        if is_by_decision:
            places = {name: place for place, name in enumerate(decided.order)}
            others.sort(key=lambda sample: places.get(comparison.ids[sample], len(places)))
        changed = others + rescored
        page = number_of(request.query_params.get("page"))
        shown = changed[(page - 1) * _PER_PAGE : page * _PER_PAGE]
        texts = await self.viewer.in_store(
            lambda store: {
                sample: (store.sample(id_a, comparison.ids[sample]), store.sample(id_b, sample)) for sample in shown
            }
        )
        answers = await run_in_threadpool(_compared_answers, comparison, texts, decided)
        address = {"a": id_a, "b": id_b, "metric": "" if is_by_decision else metric}
        content = {
            "comparison": comparison,
            "verdict": None if said is None else comparison_verdict(comparison, said),
            "sentences": comparison_sentences(comparison, said),
            "table": comparison_table(comparison),
            "metric": metric,
            "is_by_decision": is_by_decision,
            "can_decide": bool(decided.order),
            "answers": answers,
            "others": len(others),
            "rescored": len(rescored),
            "page": page,
            "pages": -(-len(changed) // _PER_PAGE),
            "url": lambda **values: f"/compare?{urlencode(address | values)}",
            "page_url": lambda number: f"/compare?{urlencode(address | {'page': number})}",
            "answer_url": answer_url,
        }
        return self.viewer.render(request, "compare_figures.html", content)


def _part_url(request: Request, part: str) -> str:
    """The address of a part of the page, with what the request asks for."""
    asked = {name: request.query_params.get(name, "") for name in ("a", "b", "metric", "page")}
    return f"/compare/{part}?{urlencode(asked)}"


def _compared_answers(
    comparison: RunComparison, texts: dict[str, tuple[Sample, Sample]], decided: RunDecision
) -> list[tuple[Any, ...]]:
    """Of each answer both texts side by side, its values by metric in A and in B, and what people say of both."""
    answers = []
    for sample, (before, after) in texts.items():
        values = [(metric, *comparison.values(sample, metric)) for metric in comparison.metrics]
        named = (
            NamedAnswer("A", before, answer_url(comparison.a, before.id)),
            NamedAnswer("B", after, answer_url(comparison.b, after.id)),
        )
        answers.append((contrast_answers(named), values, _judgements(decided, before.id, after.id)))
    return answers


def _judgements(decided: RunDecision, id_a: str, id_b: str) -> list[tuple[Any, ...]]:
    """What people say of both answers, as far as anybody does: its name, and its figures in A and in B."""
    sides = (decided.judgements.get(key, (None, None)) for key in (("A", id_a), ("B", id_b)))
    return [
        (name, *(Figure(kind, None if value is None else round(value, 2)) for value in values))
        for (name, kind), values in zip(_JUDGEMENTS, zip(*sides, strict=True), strict=True)
        if any(value is not None for value in values)
    ]
