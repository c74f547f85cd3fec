"""Nightly runs: the suites, the history of one as a chart and a table, and one nightly run."""

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..presentation.result_table import Field, TableCell, Tone, tabulate
from ..presentation.texts import format_time, shorten, state_class
from ..runs import Store
from ..runs.suite.ledger import Ledger
from ..runs.suite.nightly_report import NightlyReport, read_report
from ..runs.suite.report_files import TABLES, draw_trends
from .viewer import Viewer, for_visitors

_MOST_NIGHTLY_RUNS = 200
_TONES: dict[str, Tone] = {"passed": "good", "failed": "bad", "other": "warning"}


class SuitePages:
    """The pages of nightly runs."""

    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer
        self.routes = [
            Route("/suites", self._list),
            Route("/suite", self._show_suite),
            Route("/nightly/{name}", self._show_nightly_run),
        ]

    @for_visitors
    async def _list(self, request: Request) -> Response:
        def read(store: Store) -> list[tuple[str, int, NightlyReport]]:
            ledger = Ledger(store)
            rows = [(suite, ledger.nightly_runs(suite)) for suite in ledger.suites()]
            return [(suite, len(nightly_runs), read_report(nightly_runs[0])) for suite, nightly_runs in rows]

        fields = (
            Field("suite", "text", lambda row: TableCell(shorten(row[0], 80), link=suite_url(row[0]))),
            Field("nightly runs", "count", lambda row: row[1]),
            Field("newest", "text", lambda row: format_time(row[2].began)),
            Field("verdict", "text", lambda row: TableCell(row[2].verdict, _TONES[state_class(row[2].verdict)])),
        )
        content = {"title": "Suites", "table": tabulate("", await self.viewer.in_store(read), fields)}
        return self.viewer.render(request, "suites.html", content)

    @for_visitors
    async def _show_suite(self, request: Request) -> Response:
        suite = request.query_params.get("name", "")

        def read(store: Store) -> tuple[list[NightlyReport], set[str]]:
            ledger = Ledger(store)
            rows = ledger.nightly_runs(suite)[:_MOST_NIGHTLY_RUNS]
            return [read_report(row) for row in rows], ledger.accepted_runs(suite)

        reports, accepted = await self.viewer.in_store(read)
        content = {
            "title": suite,
            "suite": suite,
            "reports": reports,
            "charts": draw_trends(reports),
            "accepted": accepted,
            "report_url": "/nightly/{}".format,
            "run_url": "/run/{}".format,
        }
        return self.viewer.render(request, "suite.html", content)

    @for_visitors
    async def _show_nightly_run(self, request: Request) -> Response:
        def read(store: Store) -> tuple[NightlyReport, set[str]]:
            ledger = Ledger(store)
            report = read_report(ledger.nightly_run(request.path_params["name"]))
            return report, ledger.accepted_runs(report.suite)

        report, accepted = await self.viewer.in_store(read)
        content = {
            "title": report.nightly_run or "Nightly run",
            "report": report,
            "tables": TABLES,
            "accepted": accepted,
            "run_url": "/run/{}".format,
            "suite_url": suite_url,
        }
        return self.viewer.render(request, "nightly_page.html", content)


def suite_url(suite: str) -> str:
    """The address of a suite's history."""
    return f"/suite?{urlencode({'name': suite})}"
