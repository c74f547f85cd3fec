"""How well groups of bad answers find causes that are known, beside groups at random, by page and by metric.

    python benchmarks/failure_groups.py

The bundled helpdesk sets (English, Dutch, German) name what is wrong with each answer (`metadata.defects`): the first
of them is its cause. Bad answers are those that are rated below the middle of the scale. They are grouped

- by people's reasons: the notes of whoever rated them, which name what is wrong in words of their own;
- by a judge's verdicts: the sentences of the answers that qwen1.5b did not find in the documentation (recorded).

The bundled conversations have one planted fault each (`metadata.fault`); there the verdicts of six metrics of a
conversation say why (recorded), and bad are those with a fault.

Adjusted Rand index (Hubert and Arabie, 1985): 0 is what chance gives, 1 the causes themselves. Purity: the share of
answers whose cause is the most frequent one of their group; groups of one answer have purity 1, so it stands beside
that of groups at random of the same sizes. Intervals: the jackknife over pages (sources), with the groups as they are.
Answers in no group count as one group; an answer in several groups is in the largest of them. No judge, no network.
"""

import argparse
import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from tempfile import TemporaryDirectory

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table
from sklearn.metrics import adjusted_rand_score

from assay.eval_sets import Sample
from assay.judges.embedders import load_embedder
from assay.judges.settings import load_settings
from assay.meta_eval.student import t_quantile
from assay.runs import Plan, RunOptions, Store, run_plan
from assay.runs.failures.failure_groups import FailedAnswer, Failures, group_failures
from assay.runs.failures.failure_texts import FILE_REASONS, RunRecords
from assay.runs.failures.stored_failures import read_records

DRAWS = 2000
HELPDESK = ("helpdesk_en", "helpdesk_nl", "helpdesk_de")
CASSETTES = {"helpdesk_en": "helpdesk", "helpdesk_nl": "helpdesk", "helpdesk_de": "helpdesk_de"}


@dataclass(frozen=True)
class Labelled:
    """Bad answers with their causes, in one order.

    Attributes:
        names: Their ids.
        causes: The cause of each.
        sources: The page of each.
    """

    names: list[str]
    causes: list[str]
    sources: list[str]


Measure = Callable[[Sequence[str], Sequence[str]], float]


def purity(causes: Sequence[str], groups: Sequence[str]) -> float:
    """The share of answers whose cause is the most frequent one of their group."""
    members: dict[str, Counter[str]] = {}
    for cause, group in zip(causes, groups, strict=True):
        members.setdefault(group, Counter())[cause] += 1
    return sum(counts.most_common(1)[0][1] for counts in members.values()) / len(causes)


def interval(measure: Measure, labelled: Labelled, groups: Sequence[str]) -> str:
    """A measure with its 95% interval: pages are left out one at a time, with t of their number less one."""
    causes, formed, sources = np.array(labelled.causes), np.array(groups), np.array(labelled.sources)
    value = measure(labelled.causes, groups)
    without = np.array(
        [measure(causes[sources != page].tolist(), formed[sources != page].tolist()) for page in np.unique(sources)]
    )
    count = len(without)
    error = float(np.sqrt((count - 1) / count * ((without - without.mean()) ** 2).sum()))
    away = t_quantile(0.975, count - 1) * error
    return f"{value:.2f} [{value - away:.2f}, {min(1.0, value + away):.2f}]"


def chance(measure: Measure, labelled: Labelled, groups: Sequence[str]) -> str:
    """A measure of groups at random of the same sizes: the mean, and where 95% of them lie."""
    random = np.random.default_rng(1)
    values = [measure(labelled.causes, random.permutation(np.array(groups)).tolist()) for _ in range(DRAWS)]
    low, high = np.percentile(values, [2.5, 97.5])
    return f"{np.mean(values):.2f} ({low:.2f} to {high:.2f})"


def first_groups(failures: Failures, names: Sequence[str], run: str) -> list[str]:
    """The group of each answer: the largest of those that it is in; "other" for none."""
    chosen: dict[FailedAnswer, str] = {}
    for group in reversed(failures.groups):
        chosen |= dict.fromkeys(group.answers, group.name)
    return [chosen.get(FailedAnswer(run, name), "other") for name in names]


def adjusted_rand(causes: Sequence[str], groups: Sequence[str]) -> float:
    """The adjusted Rand index."""
    return float(adjusted_rand_score(list(causes), list(groups)))


def report(title: str, records: RunRecords, labelled: Labelled, count: int | None = None) -> None:
    """Groups bad answers, and prints how well the groups are the causes, beside the baselines."""
    kept = replace(records, answers={name: records.answers[name] for name in labelled.names})
    failures = asyncio.run(group_failures([kept], load_embedder("use"), groups=count))
    groups = first_groups(failures, labelled.names, records.run)
    by_metric = [
        "+".join(sorted(name for name, texts in kept.answers[n].verdicts.items() if texts)) for n in labelled.names
    ]
    rows = []
    for name, formed in (("by why (assay failures)", groups), ("by page", labelled.sources), ("by metric", by_metric)):
        rows.append(
            (
                name,
                len(set(formed)),
                interval(adjusted_rand, labelled, formed),
                interval(purity, labelled, formed),
                chance(purity, labelled, formed),
            )
        )
    stable = Counter(group.is_stable for group in failures.groups)
    print_table(
        f"{title}: {len(labelled.names)} bad answers of {len(set(labelled.sources))} pages, "
        f"{len(set(labelled.causes))} causes, {dict(failures.texts)}; groups {dict(stable)}, "
        f"{failures.last.without_text} without a text",
        ("groups", "n", "adjusted Rand", "purity", "purity at random, same sizes"),
        rows,
    )


def without_reasons(records: RunRecords) -> RunRecords:
    """The records without what people say: only verdicts say why."""
    answers = {}
    for name, record in records.answers.items():
        metadata = {key: value for key, value in record.sample.metadata.items() if key not in FILE_REASONS}
        answers[name] = replace(record, sample=record.sample.model_copy(update={"metadata": metadata}))
    return replace(records, answers=answers)


def label(records: RunRecords, cause_of: Callable[[Sample], str]) -> Labelled:
    """The bad answers with a cause."""
    chosen = [
        (name, cause_of(record.sample), record.sample.source)
        for name, record in records.answers.items()
        if (record.sample.rating_share or 0) < 0.5 and cause_of(record.sample)
    ]
    names, causes, sources = (list(column) for column in zip(*chosen, strict=True))
    return Labelled(names, causes, sources)


def first_defect(sample: Sample) -> str:
    """The cause of an answer of the helpdesk."""
    return next(iter(sample.metadata.get("defects", ())), "")


def run_recorded(store: Store, sets: Sequence[str], cassette: str, metrics: Sequence[str]) -> RunRecords:
    """A run of bundled sets with recorded replies."""
    plan = Plan(sets=tuple(sets), metrics=tuple(metrics), judge=load_settings("qwen1.5b"))
    with as_file(files("assay.cassettes").joinpath(f"{cassette}.qwen1.5b.jsonl")) as path:
        outcome = run_plan(plan, store, RunOptions(cassette=path, mode="replay"))
    return read_records(store, outcome.run)


def main() -> None:
    """Prints the tables."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    print_machine()
    with TemporaryDirectory() as folder:
        store = Store(folder)
        runs = [run_recorded(store, [name], CASSETTES[name], ["weakest_claim", "faithfulness"]) for name in HELPDESK]
        pooled = replace(runs[0], answers={name: one for run in runs for name, one in run.answers.items()})
        for title, records in (("helpdesk_en", runs[0]), ("helpdesk_nl", runs[1]), ("all three languages", pooled)):
            report(f"reasons of people, {title}", records, label(records, first_defect))
        labelled = label(pooled, first_defect)
        report("reasons of people, as many groups as causes", pooled, labelled, len(set(labelled.causes)))
        report("verdicts of a judge, all three languages", without_reasons(pooled), labelled)
        metrics = ("resolved", "policy_kept")
        talks = run_recorded(store, ["conversations_en", "conversations_nl"], "conversations", metrics)
        report("verdicts of a judge, conversations", talks, label(talks, lambda sample: sample.metadata["fault"] or ""))
        store.close()


if __name__ == "__main__":
    main()
