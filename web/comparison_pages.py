"""Two runs side by side: the differences with their intervals, and the answers that changed."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..eval_sets import Sample
from ..eval_sets.message import Message
from ..eval_sets.opening_question import listed_question
from ..presentation.rendered_markdown import LONGEST_MARKDOWN, RenderedText, TextMark, render_markdown
from ..runs import Store
from ..runs.compare import RunComparison, compare
from ..runs.compare_ratings import compare_ratings
from ..runs.compare_tables import comparison_sentences, comparison_tables
from ..text.wording import count_of
from .run_pages import answer_url
from .viewer import Viewer, for_visitors, number_of

_PER_PAGE = 20
_LONGEST_DIFF = 4000  # characters of an answer that is compared word by word
_MARKS = {"-": (Markup("<del>"), Markup("</del>")), "+": (Markup("<ins>"), Markup("</ins>"))}
_PART = re.compile(r"\s+|[^\W_]+|.")
_MOST_LISTED = 60
_MOST_CHANGED_TURNS = 3  # of one conversation
_LONGEST_TURN = 2000  # characters of each
_MOST_ALIGNED = 300  # messages; of more, those at one place are compared
_LISTS = ("with another text", "with the same text and another score")


class ChangedTurn(NamedTuple):
    """A message of a conversation that differs between two runs; None where a run has none beside the other's."""

    turn_a: int | None
    turn: int | None
    before: RenderedText
    after: RenderedText


@dataclass(frozen=True, slots=True)
class ChangedAnswer:
    """An answer in both runs, with what only the one text has marked, and what only the other has.

    Of a conversation `turns` has the first messages that differ, and `more_turns` says how many others do.
    """

    sample: str
    sample_a: str
    question: str
    before: RenderedText
    after: RenderedText
    turns: tuple[ChangedTurn, ...]
    more_turns: int
    is_conversation: bool
    values: tuple[tuple[str, float | None, float | None], ...]
    answer_changed: bool

    @property
    def has_unseen_changes(self) -> bool:
        """Whether some of what changed is in Markdown's marks, which are not shown."""
        pairs = [(turn.before, turn.after) for turn in self.turns] or [(self.before, self.after)]
        return any(text.unplaced for pair in pairs for text in pair)


class ComparisonPages:
    """The pages of two runs.

    Args:
        viewer: The store, and who looks at it.
    """

    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer
        self.routes = [Route("/compare", self._show), Route("/compare/figures", self._figures)]

    @for_visitors
    async def _show(self, request: Request) -> Response:
        a, b = request.query_params.get("a", ""), request.query_params.get("b", "")
        figures = {name: request.query_params.get(name, "") for name in ("a", "b", "metric", "list", "page")}
        runs = await self.viewer.in_store(lambda store: store.run_ids(_MOST_LISTED))
        content = {
            "title": "Compare runs",
            "runs": runs,
            "a": a,
            "b": b,
            "figures_url": f"/compare/figures?{urlencode(figures)}",
        }
        return self.viewer.render(request, "compare.html", content)

    @for_visitors
    async def _figures(self, request: Request) -> Response:
        a, b = request.query_params.get("a", ""), request.query_params.get("b", "")

        def states(store: Store) -> tuple[tuple[str, str, int], ...]:
            rows = [store.run(a), store.run(b)]
            return tuple((row.id, row.status, store.count_scores(row.id)) for row in rows)

        state = await self.viewer.in_store(states)
        (id_a, *_), (id_b, *_) = state
        comparison = await self.viewer.kept(("compare", state), lambda store: compare(store, id_a, id_b))
        raters = await self.viewer.in_store(lambda store: compare_ratings(store, comparison))
        metric = request.query_params.get("metric", "")
        metric = metric if metric in comparison.metrics else comparison.metrics[0]
        lists = {
            "answers": comparison.changed(metric, answer_changed=True),
            "scores": comparison.changed(metric, answer_changed=False),
        }
        default = "answers" if lists["answers"] or not lists["scores"] else "scores"
        listed = request.query_params.get("list", "")
        listed = listed if listed in lists else default
        changed = lists[listed]
        page = number_of(request.query_params.get("page"))
        shown = changed[(page - 1) * _PER_PAGE : page * _PER_PAGE]
        texts = await self.viewer.in_store(lambda store: _texts(store, comparison, shown))
        answers = await run_in_threadpool(_changed_answers, comparison, shown, texts)
        address = {"a": id_a, "b": id_b, "metric": metric, "list": listed}
        content = {
            "comparison": comparison,
            "sentences": comparison_sentences(comparison, raters),
            "tables": comparison_tables(comparison),
            "metric": metric,
            "answers": answers,
            "listed": listed,
            "lists": [
                (name, f"{count_of(len(samples), 'answer')} {words}")
                for (name, samples), words in zip(lists.items(), _LISTS, strict=True)
            ],
            "page": page,
            "pages": -(-len(changed) // _PER_PAGE),
            "url": lambda **values: f"/compare?{urlencode(address | values)}",
            "page_url": lambda number: f"/compare?{urlencode(address | {'page': number})}",
            "answer_url": answer_url,
        }
        return self.viewer.render(request, "compare_figures.html", content)


def _texts(store: Store, comparison: RunComparison, samples: list[str]) -> dict[str, tuple[Sample, Sample]]:
    return {
        sample: (store.sample(comparison.a, comparison.id_in_a(sample)), store.sample(comparison.b, sample))
        for sample in samples
    }


def _changed_answers(
    comparison: RunComparison, samples: list[str], texts: dict[str, tuple[Sample, Sample]]
) -> list[ChangedAnswer]:
    by_id = {pair.sample: pair for pair in comparison.samples}
    answers = []
    for sample in samples:
        before, after = texts[sample]
        pair = by_id[sample]
        values = tuple((metric, pair.earlier_value(metric), pair.value(metric)) for metric in comparison.metrics)
        parts_before, parts_after = word_difference(before.response, after.response)
        turns, more = changed_turns(before.messages, after.messages)
        answers.append(
            ChangedAnswer(
                sample,
                comparison.id_in_a(sample),
                listed_question(after),
                _render_parts(parts_before),
                _render_parts(parts_after),
                turns,
                more,
                bool(after.messages or before.messages),
                values,
                pair.answer_changed,
            )
        )
    return answers


def changed_turns(before: Sequence[Message], after: Sequence[Message]) -> tuple[tuple[ChangedTurn, ...], int]:
    """The first messages that differ between two conversations, side by side, and how many others differ.

    Args:
        before: The messages of run A.
        after: Those of run B.
    """
    if before == after:
        return (), 0
    texts_a, texts_b = ([_message_text(message) for message in messages] for messages in (before, after))
    pairs: list[tuple[int | None, int | None]] = []
    if max(len(texts_a), len(texts_b)) > _MOST_ALIGNED:
        pairs = [
            (place if place < len(texts_a) else None, place if place < len(texts_b) else None)
            for place in range(max(len(texts_a), len(texts_b)))
            if texts_a[place : place + 1] != texts_b[place : place + 1]
        ]
    else:
        for tag, *places in difflib.SequenceMatcher(None, texts_a, texts_b, False).get_opcodes():
            if tag != "equal":
                start_a, end_a, start, end = places
                pairs += zip_longest(range(start_a, end_a), range(start, end))
    turns = []
    for turn_a, turn in pairs[:_MOST_CHANGED_TURNS]:
        first, second = word_difference(
            "" if turn_a is None else texts_a[turn_a][:_LONGEST_TURN],
            "" if turn is None else texts_b[turn][:_LONGEST_TURN],
        )
        turns.append(ChangedTurn(turn_a, turn, _render_parts(first), _render_parts(second)))
    return tuple(turns), max(0, len(pairs) - _MOST_CHANGED_TURNS)


def _message_text(message: Message) -> str:
    """A message in words: its text, and the tools that it calls."""
    calls = (f"{call.function.name} {call.function.arguments}" for call in message.tool_calls)
    return "\n".join(filter(None, (message.text, *calls)))


def _render_parts(parts: tuple[tuple[str, str], ...]) -> RenderedText:
    marks, start = list[TextMark](), 0
    for sign, text in parts:
        if sign in _MARKS:
            marks.append(TextMark(start, start + len(text), *_MARKS[sign]))
        start += len(text)
    return render_markdown("".join(text for _, text in parts), marks, length=LONGEST_MARKDOWN)


def word_difference(before: str, after: str) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """Two texts cut into parts: `=` what both have, `-` what only the first has, `+` what only the second has.

    Long texts are not compared: each is one part.

    Example:
        >>> word_difference("Press OK.", "Press Save.")
        ((('=', 'Press '), ('-', 'OK'), ('=', '.')), (('=', 'Press '), ('+', 'Save'), ('=', '.')))
    """
    if before == after:
        return (("=", before),), (("=", after),)
    if max(len(before), len(after)) > _LONGEST_DIFF:
        return (("-", before),), (("+", after),)
    first, second = _PART.findall(before), _PART.findall(after)
    removed, added = [], []
    for tag, start, end, other_start, other_end in difflib.SequenceMatcher(None, first, second, False).get_opcodes():
        sign = "=" if tag == "equal" else ""
        if start < end:
            removed.append((sign or "-", "".join(first[start:end])))
        if other_start < other_end:
            added.append((sign or "+", "".join(second[other_start:other_end])))
    return tuple(removed), tuple(added)
