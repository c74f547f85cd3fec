"""Runs as a list with search, and one run: its figures, and a table of its answers."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache, partial
from typing import Any, cast, get_args
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..metrics.specification import ALL_BASELINES
from ..presentation.charts import draw_forest
from ..presentation.figure import Figure, format_rating
from ..presentation.rendered_markdown import shorten_seen
from ..presentation.result_table import Field, ResultTable, TableCell, tabulate
from ..presentation.texts import shorten
from ..runs import Store
from ..runs.ratings.judgement import rating_state
from ..runs.show.run_report import (
    RunFigures,
    RunSummary,
    compute_figures,
    describe_change,
    describe_moment,
    find_run_before,
    report_table,
    summarise_run,
)
from ..runs.store.answer_index import AnswerIndex, AnswerPage, AnswerQuery, AnswerRow, Rated, Status
from ..runs.store.store import RunRow, answer_url
from ..runs.suite.ledger import Ledger
from ..text.wording import Phrase, count_of, phrase
from ..traces.watch.watch_state import WatchRow, WatchState
from .rendering import page_language
from .viewer import VIEW_HOME, Viewer, for_visitors, number_of, run_state

_RUNS_PER_PAGE = 20
_LONGEST_QUERY = 300


Listed = dict[str, Any]
"""What a list shows of a run, by name."""


def _list_run(store: Store, row: RunRow) -> Listed:
    return {
        "row": row,
        "sets": ", ".join(source.rsplit("/", 1)[-1] for source in row.plan.sets),
        "judge": row.plan.judge.identity if row.plan.judge else "no judge",
        "samples": store.count_samples(row.id),
        "suite": Ledger(store).find_suite(row.id),
    }


def _name_run(listed: Listed, said: Mapping[str, str]) -> TableCell:
    run: RunRow = listed["row"]
    status = "" if run.status == "done" else f"{run.status}, "
    return TableCell(said["when"], link=f"/run/{run.id}", note=f"{status}{run.id}")


def _name_set(listed: Listed) -> TableCell:
    suite = f"nightly run of {shorten(listed['suite'], 60)}" if listed["suite"] else ""
    return TableCell(f"{shorten(listed['sets'], 120)}, {count_of(listed['samples'], 'answer')}", note=suite)


def _describe_scoring(listed: Listed) -> str:
    metrics = shorten(", ".join(listed["row"].plan.metrics), 160)
    return f"{shorten(listed['judge'], 80)}: {metrics}"


def _link_comparison(listed: Listed, before: RunRow | None) -> TableCell:
    other = {} if before is None else {"a": before.id}
    text = "with another" if before is None else "with the run before"
    return TableCell(text, link=f"/compare?{urlencode(other | {'b': listed['row'].id})}")


_RUNS = (
    Field("run", "text", lambda row: _name_run(row[0], row[2])),
    Field("set", "text", lambda row: _name_set(row[0])),
    Field("how good", "text", lambda row: row[2]["quality"]),
    Field("since the run before", "text", lambda row: row[2]["change"]),
    Field("scored by", "text", lambda row: _describe_scoring(row[0])),
    Field("compare", "text", lambda row: _link_comparison(row[0], row[1])),
)


def _tabulate_answers(run: str, answers: AnswerPage, metrics: Sequence[str], *, is_rated: bool) -> ResultTable:
    """A page of answers, each with its rating and its values of some metrics."""
    fields = [
        Field("answer", "text", lambda row: TableCell(shorten(row.sample.id, 60), link=answer_url(run, row.sample.id))),
        Field("question", "prose", _describe_question),
        Field("text of the answer", "prose", lambda row: shorten_seen(row.sample.response, 140)),
    ]
    fields += [Field("rating", "rating", _describe_rating)] if is_rated else []
    fields += [Field(metric, "value", partial(_describe_value, metric)) for metric in metrics]
    return tabulate("", answers.rows, fields)


def _describe_question(row: AnswerRow) -> TableCell:
    turns = f"conversation, {count_of(row.turns, 'turn')}" if row.turns else ""
    return TableCell(shorten(row.sample.user_input, 140), note=turns)


def _describe_rating(row: AnswerRow) -> str:
    sample, rating = row.sample, row.sample.human_rating
    return "" if rating is None else format_rating(rating, sample.rating_min, sample.rating_max)


def _describe_value(metric: str, row: AnswerRow) -> TableCell:
    value, status = row.scores.get(metric, (None, ""))
    if value is not None:
        return TableCell(Figure("value", value))
    return TableCell(status, "bad" if status == "failed" else "quiet" if status else "")


class RunPages:
    """The pages of the runs."""

    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer
        self.routes = [
            Route(VIEW_HOME, self._list),
            Route("/run/{run}", self._show),
            Route("/run/{run}/figures", self._figures),
        ]

    @for_visitors
    async def _list(self, request: Request) -> Response:
        page = number_of(request.query_params.get("page"))

        def read(store: Store) -> tuple[list[tuple[Listed, RunRow | None]], int, list[str], list[WatchRow]]:
            read_row, ids, first = cache(store.run), store.run_ids(), (page - 1) * _RUNS_PER_PAGE
            lines = []
            for place, run in enumerate(ids[first : first + _RUNS_PER_PAGE], first + 1):
                before = find_run_before(map(read_row, ids[place:]), read_row(run))
                lines.append((_list_run(store, read_row(run)), before))
            return lines, len(ids), Ledger(store).suites(), WatchState(store).watches()

        lines, total, suites, watches = await self.viewer.in_store(read)
        language, now = page_language(request).code, datetime.now().astimezone()
        rows = [(listed, before, await self._describe(listed, before, language, now)) for listed, before in lines]
        content = {
            "title": "Runs",
            "table": tabulate("", rows, _RUNS),
            "total": total,
            "page": page,
            "pages": -(-total // _RUNS_PER_PAGE),
            "suites": suites,
            "watches": watches,
            "url": lambda number: f"{VIEW_HOME}?{urlencode({'page': number})}",
        }
        return self.viewer.render(request, "runs.html", content)

    async def _describe(self, listed: Listed, before: RunRow | None, language: str, now: datetime) -> dict[str, str]:
        """What is said of a listed run, and of the run before of the same sets, in a language."""
        run: RunRow = listed["row"]
        summary = await self._summarise(run.id)
        change: tuple[Phrase, ...] = (phrase("first_of_set"),)
        if before is not None:
            earlier = await self._summarise(before.id)
            change = describe_change(summary, earlier) if summary and earlier else ()
        quality = (phrase("not_read"),) if summary is None else summary.describe()
        parts = {"when": (describe_moment(run.created, now),), "quality": quality, "change": change}
        return {name: "; ".join(part.write(language) for part in said) for name, said in parts.items()}

    async def _summarise(self, run: str) -> RunSummary | None:
        state = await self.viewer.in_store(lambda store: (run_state(store, run), rating_state(store.database)))
        return await self.viewer.kept(("summary", state), lambda store: summarise_run(store, run))

    @for_visitors
    async def _show(self, request: Request) -> Response:
        run = await self.viewer.in_store(lambda store: store.run(request.path_params["run"]))
        metrics = list(run.plan.all_directions)
        query = read_query(request, metrics)

        def search(store: Store) -> AnswerPage:
            return AnswerIndex(store.database).search(run.id, query)

        answers = await self.viewer.in_store(search)
        shown = sorted(metrics, key=ALL_BASELINES.__contains__)[:5]
        if query.sort in metrics and query.sort not in shown:
            shown.append(query.sort)
        is_rated = await self.viewer.kept(
            ("is rated", run.id, run.status), lambda store: AnswerIndex(store.database).is_rated(run.id)
        )
        content = {
            "title": f"Run {run.id}",
            "run": run,
            "is_rated": is_rated,
            "query": query,
            "counted": ("conversation or turn", "conversations and turns") if run.plan.turns == "each" else ("answer",),
            "answers": answers,
            "table": _tabulate_answers(run.id, answers, shown, is_rated=is_rated),
            "metrics": metrics,
            "page_url": lambda number: query_url(run.id, query, page=number),
        }
        if request.headers.get("hx-target") == "answers":
            return self.viewer.render(request, "answer_table.html", content)

        def read_frame(store: Store) -> tuple[Listed, list[str]]:
            return _list_run(store, run), [other for other in store.run_ids(60) if other != run.id]

        listed, others = await self.viewer.in_store(read_frame)
        key = ("languages", run.id, run.status, listed["samples"])
        languages = await self.viewer.kept(key, lambda store: AnswerIndex(store.database).languages(run.id))
        return self.viewer.render(
            request, "run.html", content | {"listed": listed, "others": others, "languages": languages}
        )

    @for_visitors
    async def _figures(self, request: Request) -> Response:
        state = await self.viewer.in_store(lambda store: run_state(store, request.path_params["run"]))
        run, key = state[0], ("figures", state)
        figures: RunFigures = await self.viewer.kept(key, lambda store: compute_figures(store, run))
        rows = [
            (
                one.name,
                "baseline" if one.name in ALL_BASELINES else "metric",
                one.correlation,
                "" if one.higher_is_better else "lower is better",
            )
            for one in figures.agreement
        ]
        content = {
            "run": run,
            "figures": figures,
            "forest": draw_forest(rows, within=(-1, 1)) if any(row[2].value is not None for row in rows) else None,
            "metric_table": report_table("", figures.metrics),
            "parts": {
                title: {part: report_table("", rows) for part, rows in parts.items()}
                for title, parts in (("By language", figures.languages), ("By message type", figures.message_types))
            },
        }
        return self.viewer.render(request, "run_figures.html", content)


def read_query(request: Request, metrics: Sequence[str]) -> AnswerQuery:
    """Returns the query of a request's parameters; what a query does not take is left out."""
    values = request.query_params

    def text(name: str) -> str:
        return values.get(name, "")[:_LONGEST_QUERY]

    def choice(name: str, allowed: Sequence[str]) -> str:
        return text(name) if text(name) in allowed else ""

    return AnswerQuery(
        text=text("q"),
        language=text("language"),
        rated=cast(Rated, choice("rated", get_args(Rated))),
        metric=choice("metric", metrics),
        status=cast(Status, choice("status", get_args(Status))),
        sort=choice("sort", ["place", "rating", *metrics]) or "place",
        descending=text("order") == "down",
        page=number_of(values.get("page")),
    )


def query_url(run: str, query: AnswerQuery, page: int) -> str:
    """The address of a page of a run's answers by a query."""
    values = {
        "q": query.text,
        "language": query.language,
        "rated": query.rated,
        "metric": query.metric,
        "status": query.status,
        "sort": query.sort,
        "order": "down" if query.descending else "",
        "page": page,
    }
    return f"/run/{run}?{urlencode({name: one for name, one in values.items() if one not in ('', 'place', 1)})}"
