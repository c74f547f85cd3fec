"""A first suite for a set: what the set supports, which metrics can score it, and the gates that it can fail."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from ...eval_sets import Sample
from ...eval_sets.column_table import NAMES, is_known_metric, usual_name
from ...eval_sets.conversation import is_single_answer
from ...eval_sets.items import version_label
from ...languages.yaml_file import dump_yaml
from ...meta_eval.groups import FEWEST_TO_CHOOSE
from ...metrics.catalogue import describe_metric
from ...metrics.metric import has_field
from ...metrics.specification import parse_specification
from ...text.wording import count_of, verb_of
from ...value_messages import join_words
from ..failures.bad_answers import unanswered_kind

_LEAST_COVERAGE = 0.95
_OUTPUTS = {"junit": "junit.xml", "summary": "summary.md", "json": "report.json", "site": "site"}
_REPORTS = "assay-reports"


def count_with(samples: Sequence[Sample], field: str) -> int:
    """How many samples have a field; `rating` counts ratings by several raters too."""
    if field == "rating":
        return sum(sample.human_rating is not None for sample in samples)
    return sum(has_field(sample, field) for sample in samples)


def choose_metrics(samples: Sequence[Sample], *, has_judge: bool) -> tuple[str, ...]:
    """Chooses metrics that can score a set: those that agreed best with people's ratings, and can be computed."""
    has_contexts = count_with(samples, "retrieved_contexts") > 0
    if has_judge:
        return ("weakest_claim", "faithfulness") if has_contexts else ("answer_relevance",)
    return ("token_overlap", "rouge_l_precision") if has_contexts else ("answer_length",)


def draft_suite(
    name: str,
    source: str,
    samples: Sequence[Sample],
    *,
    metrics: Sequence[str],
    judge: str | None = None,
    reading: Mapping[str, object] = MappingProxyType({}),
    reports: str = "suite",
) -> str:
    """Writes a suite as YAML with comments: the set, the gates that it can fail, and the files that it writes.

    Args:
        reading: How the set is read, by the suite's keys; None and nothing are left out.
        reports: The name of the suite's file: those of several suites write into folders of their own.
    """
    folder = _REPORTS if reports == "suite" else f"{_REPORTS}/{_plain_name(reports)}"
    lines = [
        "# What `assay suite` judges, when it fails, and what it writes (docs/nightly.md explains every key).",
        "# Paths are relative to this file.",
        _entry("name", name),
        _entry("sets", [source]),
    ]
    lines += [_entry(name, value) for name, value in reading.items() if value]
    lines.append(_entry("metrics", list(metrics)))
    if judge is not None:
        lines += [
            _entry("judges", [judge]),
            "# Replies are kept here and used again: an answer that did not change costs nothing.",
            _entry("cassette", {"file": f"{_plain_name(Path(source).stem)}.replies.jsonl", "mode": "auto"}),
            "# The most that one run may spend:",
            "# budget: {usd: 2}",
        ]
    coverage, *regressions = _draft_gates(samples, metrics)
    lines += [
        "",
        "# A gate that fails ends the run with exit code 5. By chance that happens in one of 20 months.",
        "gates:",
        "  # Answers must get a value: an emptied file, or a renamed column, does not pass.",
        f"  - {_flow(coverage)}",
        "  # No metric may fall below the runs that you accepted (`assay suite accept`; in CI the input `accept`).",
        "  # Until a run is accepted, these gates have no baseline and cannot fail.",
        *(f"  - {_flow(gate)}" for gate in regressions),
        "  # Further gates (mean, share), and `strict: true`, which fails what noise can do too: docs/nightly.md",
        "",
        "outputs:",
        *(f"  {key}: {folder}/{file}" for key, file in _OUTPUTS.items()),
    ]
    return "\n".join(lines) + "\n"


def _draft_gates(samples: Sequence[Sample], metrics: Sequence[str]) -> list[dict[str, object]]:
    """Chooses gates that can fail, and that this set as it is passes: on the coverage, and on regressions.

    Where some answers lack what a metric needs, or say nothing that it could judge, the coverage that is asked for is
    as much lower.
    """
    least = min((_share_to_score(samples, metric) for metric in metrics), default=1.0)
    coverage = math.floor(_LEAST_COVERAGE * least * 100) / 100
    gates: list[dict[str, object]] = [{"gate": "coverage", "at_least": coverage}]
    return gates + [{"gate": "regression", "metric": metric} for metric in metrics]


def _share_to_score(samples: Sequence[Sample], metric: str) -> float:
    """The share of the samples that have all that a metric needs; a judge is asked of no refusal."""
    if parse_specification(metric).is_scorer or not samples:
        return 1.0  # their needs are known when they run
    about = describe_metric(metric)
    complete = [sample for sample in samples if all(has_field(sample, field) for field in about.needs)]
    return sum(not (about.needs_judge and unanswered_kind(sample)) for sample in complete) / len(samples)


def _entry(key: str, value: object) -> str:
    """One key of the suite on one line."""
    plain = dict(value) if isinstance(value, Mapping) else list(value) if isinstance(value, tuple) else value
    return f"{key}: {_flow(plain)}"


def _flow(value: object) -> str:
    text = dump_yaml(value, flow=True, width=math.inf)
    return text.removesuffix("\n").removesuffix("\n...")


def _plain_name(name: str) -> str:
    """The name of a file without what a shell or a pattern of file names would take for its own."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-") or "answers"


@dataclass(frozen=True, slots=True)
class Support:
    """One thing that can be done with a set, or what it takes."""

    is_possible: bool
    purpose: str
    why: str  # how much of it there is, or what is missing
    command: str  # that does it, or brings what is missing


def find_support(file: str, samples: Sequence[Sample], options: Sequence[str] = ()) -> list[Support]:
    """Says what can be done with a set today, and what cannot and why.

    Args:
        file: The set, as a command names it.
        options: The options with which it is read (`--sheet`, `--map`), which every command needs too.
    """
    total = len(samples)
    counts = {field: count_with(samples, field) for field in ("retrieved_contexts", "reference", "rating")}

    def from_column(field: str, purpose: str, what: str, command: str) -> Support:
        count = counts[field]
        if not count:
            return Support(
                False,
                purpose,
                f"no {what}",
                join_words("assay", "init", file, *options, "--map", f"THEIRS={field}", "--force"),
            )
        why = f"{count:,} of {count_of(total, 'answer')} {verb_of(count, 'has', 'have')} {what}"
        return Support(True, purpose, why, join_words("assay", "run", file, *options, *command.split()))

    rated = counts["rating"]
    is_enough = rated >= FEWEST_TO_CHOOSE
    why = f"{count_of(rated, 'answer is', 'answers are')} rated{'' if is_enough else f', {FEWEST_TO_CHOOSE} needed'}"
    has_scores = any(
        isinstance(one.metadata.get("scores"), Mapping) or any(map(is_known_metric, one.metadata)) for one in samples
    )
    answers = sum(message.human_rating is not None for one in samples for message in one.messages)
    if is_enough:
        follow = join_words("assay", "meta" if has_scores else "run", file, *options)
    elif answers and not rated:
        why = (
            f"{count_of(answers, 'answer')} in conversations {verb_of(answers, 'is', 'are')} rated, no conversation is"
        )
        follow = join_words("assay", "run", file, *options, "--turns", "each")
    else:
        follow = join_words("assay", "rate", file, *options, "--raters", "ann,bob")
    conversations = sum(bool(sample.messages) and not is_single_answer(sample) for sample in samples)
    return [
        from_column("retrieved_contexts", "are answers true to their sources", "contexts", "--judge MODEL"),
        from_column("reference", "are answers right", "references", "--metrics answer_correctness --judge MODEL"),
        Support(is_enough, "which metric follows your team", why if rated or answers else "nobody rated", follow),
        _versions(file, samples, options),
        Support(
            conversations > 0,
            "are conversations resolved",
            count_of(conversations, "conversation") if conversations else "no messages: each row is one answer",
            join_words("assay", "run", file, *options, "--metrics", "resolved", "--judge", "MODEL")
            if conversations
            else join_words("assay", "init", file, *options, "--map", "THEIRS=conversation", "--force"),
        ),
    ]


def _versions(file: str, samples: Sequence[Sample], options: Sequence[str]) -> Support:
    purpose = "which version is better"
    columns = dict.fromkeys(column for sample in samples for column in sample.metadata)
    for column in (column for column in columns if usual_name(column) in NAMES["version"]):
        labels = {label for sample in samples if (label := version_label(sample.metadata.get(column)))}
        if len(labels) > 1:
            return Support(
                True,
                purpose,
                f"{len(labels)} versions in {column}",
                join_words("assay", "decide", file, *options, "--by", column),
            )
    return Support(
        False, purpose, "no column names versions", join_words("assay", "decide", file, *options, "--by", "COLUMN")
    )
