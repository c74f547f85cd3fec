"""One sample's whole audit: how each number came about, for a person to check by hand."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..eval_sets import Sample
from ..metrics import Score
from ..metrics.catalogue import BASELINES
from ..runs.report import format_cost
from .output import one_line, open_console, terminal_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from ..runs import Store

_NOTHING = 0.005  # a contribution that is shown as 0.00
_VERDICT_STYLES = {"supported": "green", "contradicted": "red", "not_found": "yellow", "unverifiable": "magenta"}


def print_audit(store: "Store", run: str, name: str) -> None:
    """Prints question, answer, contexts, and every metric's evidence. Raises `UsageError` for an unknown sample."""
    console, sample = open_console(), store.sample(run, name)
    _print_sample(console, sample)
    for _, metric, score in store.scores(run, name):
        for line in audit_lines(metric, score, brief=metric in BASELINES):
            console.print(line)


def _print_sample(console: "Console", sample: Sample) -> None:
    from rich.text import Text

    rating = "" if sample.human_rating is None else f"  rated {sample.human_rating:g} of {sample.rating_max:g}"
    console.print(Text(f"{one_line(sample.id)}  ({sample.language}){rating}", style="bold"))
    for title, text in [("Question", sample.user_input), ("Answer", sample.response)]:
        console.print(Text(f"\n{title}", style="bold"))
        console.print(Text(terminal_text(text)))
    for number, context in enumerate(sample.retrieved_contexts):
        console.print(Text(f"\nContext {number}", style="bold"))
        console.print(Text(terminal_text(context), style="dim"))


def audit_lines(metric: str, score: Score, *, brief: bool = False, heading: bool = True) -> "Iterator[Text]":
    """One score line by line: value, reason, and unless `brief` its claims, questions, other evidence and usage."""
    from rich.text import Text

    figure = score.status if score.value is None else f"{score.value:.3f}"
    if heading:
        yield Text(f"\n{one_line(metric)}: {figure}", style="bold")
    yield Text(f"  {one_line(score.reason)}")
    if brief:
        return
    evidence = dict(score.evidence)
    if "decision" in evidence and "parts" in evidence:
        yield from _parts(evidence)
    for claim in evidence.pop("claims", []):
        yield from _claim(claim)
    for question in evidence.pop("questions", []):
        cosine = "" if question["cosine"] is None else f"{question['cosine']:+.3f}  "
        yield Text(f"  {cosine}{one_line(question['text'])}")
    for name, value in evidence.items():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        yield Text(f"  {name}: {one_line(shown, 1000)}", style="dim")
    usage = score.usage
    if not usage.calls and not heading:
        return
    yield Text(
        f"  {usage.calls} calls ({usage.from_cassette} replayed), {usage.tokens_in} tokens in "
        f"({usage.tokens_cached} cached), {usage.tokens_out} out, cost {format_cost(usage)}, {usage.seconds:.1f} s",
        style="dim",
    )


def _parts(evidence: dict[str, Any]) -> "Iterator[Text]":
    """A scorer's parts: the value of each, what it adds, and how it came about; taken out of the evidence."""
    from rich.text import Text

    level, low, high = evidence.pop("level"), evidence.pop("low"), evidence.pop("high")
    decision = {"send": "send it", "person": "leave it to a person", "hold": "hold it back"}[evidence.pop("decision")]
    yield Text(
        f"  Of answers like this, {level:.0%} are rated {low:.1f} to {high:.1f}; about {evidence.pop('predicted'):.1f} "
        f"is expected. Decision: {decision}."
    )
    for name, part in evidence.pop("parts").items():
        adds = part.get("contribution", 0.0)
        if part["value"] is None:
            effect = f"has no value ({part['status']}: {one_line(part['reason'])}), so it counts as its middle"
        elif abs(adds) < _NOTHING:
            effect = f"is {part['value']:.2f}, about its middle, and changes nothing"
        else:
            effect = f"is {part['value']:.2f} and {'raises' if adds > 0 else 'lowers'} the prediction ({adds:+.2f})"
        yield Text(
            f"  {one_line(name)} {effect}", style="" if part["value"] is None or abs(adds) < _NOTHING else "bold"
        )
        inner = Score(part["value"], part["status"], part["reason"], part["evidence"])
        for line in audit_lines(name, inner, brief=name in BASELINES, heading=False):
            yield Text("  ").append(line)
    for remark in evidence.pop("remarks"):
        yield Text(f"  {one_line(remark)}", style="yellow")


def _claim(claim: dict[str, Any]) -> "Iterator[Text]":
    from rich.text import Text

    line = Text("  ")
    line.append(f"{claim['verdict']:<12}", style=_VERDICT_STYLES.get(claim["verdict"], ""))
    if claim.get("probability") is not None:
        line.append(f" P={claim['probability']:.2f}")
    line.append(f"  {one_line(claim['text'])}")
    yield line
    yield Text(f"               {one_line(claim['reason'])}", style="dim")
    if claim.get("quote"):
        place = claim.get("place")
        where = f"context {place['context']}, {place['start']}-{place['end']}" if place else "not in the context"
        yield Text(f'               "{one_line(claim["quote"])}" ({where})', style="dim")
