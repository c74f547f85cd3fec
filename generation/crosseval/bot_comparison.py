"""Several chatbots cross-evaluated: all on the validation split, the best of them on the test split."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from ...errors import InputError, UsageError
from ...eval_sets import Sample
from ..section import read_folds, read_sections
from .bots import Bot
from .exchange import Exchange, Setup, cross_evaluate, question_fold
from .pages import Page, build_pages
from .summary import SplitSummary, summarise_split

PagesByFold = Mapping[int, Sequence[Page]]
Progress = Callable[[int], AbstractContextManager[Callable[[bool], None]]]
"""Makes a context manager for a number of questions; it yields what is called after each of them."""


@dataclass(frozen=True)
class SplitResult:
    """The exchanges of one bot on one split, and their summary."""

    exchanges: Sequence[Exchange]
    summary: SplitSummary


async def compare_bots(
    bots: Sequence[Bot],
    samples: Mapping[str, Sequence[Sample]],
    pages: Mapping[str, PagesByFold],
    setup: Setup,
    progress: Progress,
) -> list[SplitResult]:
    """Cross-evaluates every bot on the validation split, and the best of them on the test split (Twente paper, 4.3).

    Returns:
        One result per bot on validation, then that of the best bot on test.
    """
    if len({bot.name for bot in bots}) < len(bots):
        raise UsageError("two bots have one name; name each once")
    if len(bots) > 1 and "validation" not in samples:
        raise UsageError("several bots are compared on the validation split, and the set has none; name one bot")
    if unknown := sorted(set(samples) - set(pages)):
        raise InputError(f"the set has questions of the splits {', '.join(unknown)}, which the folds file lacks")
    metrics = [metric.name for metric in setup.metrics]

    async def evaluate(bot: Bot, split: str) -> SplitResult:
        with progress(len(samples[split]) * len(pages[split])) as on_reply:
            exchanges = await cross_evaluate(samples[split], pages[split], bot, setup, split=split, on_reply=on_reply)
        by_patterns = setup.declined.judge is None
        return SplitResult(exchanges, summarise_split(exchanges, metrics, by_patterns=by_patterns))

    results = [await evaluate(bot, "validation") for bot in bots] if "validation" in samples else []
    if "test" not in samples:
        return results
    balances = [result.summary.balance or 0.0 for result in results]
    best = bots[balances.index(max(balances))] if results else bots[0]
    return [*results, await evaluate(best, "test")]


def split_questions(samples: Sequence[Sample], limit: int | None = None) -> dict[str, list[Sample]]:
    """Returns the questions of each split, at most `limit` of each fold and split.

    A sample without `metadata.split` is of the validation split.
    """
    by_split: dict[str, list[Sample]] = {}
    counts: dict[tuple[str, int], int] = {}
    for sample in samples:
        split = str(sample.metadata.get("split", "validation"))
        place = split, question_fold(sample)
        counts[place] = counts.get(place, 0) + 1
        if limit is None or counts[place] <= limit:
            by_split.setdefault(split, []).append(sample)
    return by_split


def read_pages(
    set_file: Path, sections_file: Path | None = None, folds_file: Path | None = None
) -> dict[str, dict[int, list[Page]]]:
    """Returns the pages of each split and fold."""
    sections = read_sections(sections_file or _file_beside(set_file, "sections"))
    folds = read_folds(folds_file or _file_beside(set_file, "folds"))
    numbers = sorted({fold.fold for fold in folds})
    if len(numbers) < 2:
        raise InputError(
            f"{set_file}: all sections are in one fold; cross-evaluation needs two (`assay sets generate`)"
        )
    splits = dict.fromkeys(fold.split for fold in folds)
    return {split: {fold: build_pages(sections, folds, fold, split) for fold in numbers} for split in splits}


def _file_beside(set_file: Path, what: str) -> Path:
    """`set.sections.jsonl` beside `set.jsonl`, and beside `set.reviewed.jsonl` too."""
    stem = set_file.name
    while "." in stem:
        stem = stem.rpartition(".")[0]
        if (path := set_file.with_name(f"{stem}.{what}.jsonl")).is_file():
            return path
    without = "; a set made with --folds 1 has none, and cannot be cross-evaluated" if what == "folds" else ""
    missing = f"there is no {set_file.stem}.{what}.jsonl beside it"
    raise UsageError(f"{set_file}: {missing}; name the file with --{what}{without}")


def exchange_samples(exchanges: Sequence[Exchange]) -> list[Sample]:
    """Returns the exchanges as samples; with several bots, each id begins with the bot's name."""
    several = len({exchange.bot for exchange in exchanges}) > 1
    samples = [(exchange.bot, exchange.as_sample()) for exchange in exchanges]
    return [sample.model_copy(update={"id": f"{bot}: {sample.id}"}) if several else sample for bot, sample in samples]
