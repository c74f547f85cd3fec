"""A first suite for a set: how it is mapped, which metrics can score it; and a workflow that runs it each night."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...eval_sets import Sample, load_set
from ...eval_sets.column_table import ALIASES
from ...eval_sets.columns import known_columns, sort_row
from ...eval_sets.logs.log_format import read_logs
from ...eval_sets.rows import Row
from ...eval_sets.sources import open_source
from ...installation import find_own_commit
from ...languages.yaml_file import dump_yaml
from ...metrics.catalogue import describe_metric
from ...metrics.metric import has_field
from ...metrics.specification import parse_specification

_LEAST_COVERAGE = 0.95
_OUTPUTS = {"junit": "junit.xml", "summary": "summary.md", "json": "report.json", "site": "site"}
_REPORTS = "assay-reports"
_TEMPLATE = Path(__file__).parent / "templates" / "workflow.yml"
_PLACE = Path(".github", "workflows", "assay.yml")
PLACEHOLDER = "OWNER/assay@COMMIT"
"""What stands for the action where the repository and the commit that Assay was installed from are unknown."""
_PROVIDER = re.compile(r"([a-z]\w*)/.")


@dataclass(frozen=True, slots=True)
class SetLook:
    """What a set holds."""

    samples: tuple[Sample, ...]
    notes: tuple[str, ...]
    mapping: Mapping[str, str]  # column -> field, of the columns whose names differ; empty for logs, which need none
    reading: Mapping[str, Any] = field(default_factory=dict)  # how it is read beside, as `read_set` takes it

    def count(self, field: str) -> int:
        """How many samples have a field; `rating` counts ratings by several raters too."""
        if field == "rating":
            return sum(sample.human_rating is not None for sample in self.samples)
        return sum(has_field(sample, field) for sample in self.samples)


def look_at_set(source: str, mapping: Mapping[str, str], reading: Mapping[str, Any] | None = None) -> SetLook:
    """Reads a set as a run would."""
    notes: list[str] = []
    reading = {name: value for name, value in (reading or {}).items() if value is not None}
    samples = load_set(source, mapping=mapping, notes=notes, **reading)
    files = {name: value for name, value in reading.items() if name != "scale"}
    opened = read_logs(open_source(source, known=known_columns(mapping), **files), mapping)
    first = next((row for row in opened.rows if isinstance(row, Row)), None)
    if opened.columns is None or first is None:
        return SetLook(tuple(samples), tuple(notes), dict(mapping), reading)
    recognised = {column: field for field, column in sort_row(first.values, mapping).origins.items()}
    texts = {column: field for column, field in recognised.items() if field in ALIASES}
    return SetLook(tuple(samples), tuple(notes), {**texts, **mapping}, reading)


def choose_metrics(look: SetLook, *, has_judge: bool) -> tuple[str, ...]:
    """Chooses metrics that can score a set: those that agreed best with people's ratings, and can be computed."""
    has_contexts = look.count("retrieved_contexts") > 0
    if has_judge:
        return ("weakest_claim", "faithfulness") if has_contexts else ("answer_relevance",)
    return ("token_overlap", "rouge_l_precision") if has_contexts else ("answer_length",)


def draft_suite(
    name: str,
    source: str,
    look: SetLook,
    *,
    metrics: Sequence[str],
    judge: str | None = None,
    reports: str = "suite",
) -> str:
    """Writes a suite as YAML with comments: the set, the gates that it can fail, and the files that it writes.

    Examples:
        >>> look = SetLook((), (), {"question": "user_input"})
        >>> print(draft_suite("answers", "answers.csv", look, metrics=["token_overlap"]))  # doctest: +ELLIPSIS
        # What `assay suite` judges, when it fails, and what it writes (docs/nightly.md explains every key).
        # Paths are relative to this file.
        name: answers
        sets: [answers.csv]
        map: {question: user_input}
        metrics: [token_overlap]
        <BLANKLINE>
        # A gate that fails ends the run with exit code 5. By chance that happens in one of 20 months.
        gates:
          # Answers must get a value: an emptied file, or a renamed column, does not pass.
          - {gate: coverage, at_least: 0.95, strict: true}
          ...
    """
    folder = _REPORTS if reports == "suite" else f"{_REPORTS}/{_plain_name(reports)}"
    lines = [
        "# What `assay suite` judges, when it fails, and what it writes (docs/nightly.md explains every key).",
        "# Paths are relative to this file.",
        _entry("name", name),
        _entry("sets", [source]),
    ]
    if look.mapping:
        lines.append(_entry("map", dict(look.mapping)))
    lines += [_entry(name, list(value) if name == "scale" else value) for name, value in look.reading.items()]
    lines.append(_entry("metrics", list(metrics)))
    if judge is not None:
        lines += [
            _entry("judges", [judge]),
            "# Replies are kept here and used again: an answer that did not change costs nothing.",
            _entry("cassette", {"file": f"{_plain_name(Path(source).stem)}.replies.jsonl", "mode": "auto"}),
            "# The most that one run may spend:",
            "# budget: {usd: 2}",
        ]
    coverage, regression = draft_gates(look, metrics)
    lines += [
        "",
        "# A gate that fails ends the run with exit code 5. By chance that happens in one of 20 months.",
        "gates:",
        "  # Answers must get a value: an emptied file, or a renamed column, does not pass.",
        *(f"  - {_flow(gate)}" for gate in coverage),
        "  # No metric may fall below the runs that you accepted: `assay suite accept last`, in CI the input `accept`.",
        "  # Until a run is accepted, these gates have no baseline and cannot fail.",
        *(f"  - {_flow(gate)}" for gate in regression),
        "  # Further gates (mean, share, cost) and their keys: docs/nightly.md",
        "",
        "outputs:",
        *(f"  {key}: {folder}/{file}" for key, file in _OUTPUTS.items()),
    ]
    return "\n".join(lines) + "\n"


def draft_gates(look: SetLook, metrics: Sequence[str]) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Chooses gates that can fail, and that this set as it is passes: on the coverage, and on regressions.

    Returns:
        The gates on the coverage: one for all metrics, or one per metric where some answers lack what a metric needs;
        and one gate per metric on its regression.

    Example:
        >>> draft_gates(SetLook((), (), {}), ["token_overlap"])
        ([{'gate': 'coverage', 'at_least': 0.95, 'strict': True}], [{'gate': 'regression', 'metric': 'token_overlap'}])
    """
    shares = {metric: _share_with_needs(look, metric) for metric in metrics}
    coverage: list[dict[str, object]] = [{"gate": "coverage", "at_least": _LEAST_COVERAGE, "strict": True}]
    if any(share < 1 for share in shares.values()):
        coverage = [
            {
                "gate": "coverage",
                "metric": metric,
                "at_least": math.floor(_LEAST_COVERAGE * share * 100) / 100,
                "strict": True,
            }
            for metric, share in shares.items()
        ]
    return coverage, [{"gate": "regression", "metric": metric} for metric in metrics]


def _share_with_needs(look: SetLook, metric: str) -> float:
    """The share of the samples that have all that a metric needs."""
    specification = parse_specification(metric)
    if specification.is_scorer or not look.samples:
        return 1.0  # their needs are known when they run
    needs = describe_metric(metric).needs
    return sum(all(has_field(sample, field) for field in needs) for sample in look.samples) / len(look.samples)


def _entry(key: str, value: object) -> str:
    """One key of the suite on one line."""
    return f"{key}: {_flow(value)}"


def _flow(value: object) -> str:
    text = dump_yaml(value, flow=True, width=math.inf)
    return text.removesuffix("\n").removesuffix("\n...")


def _plain_name(name: str) -> str:
    """The name of a file without what a shell or a pattern of file names would take for its own."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-") or "answers"


def find_workflow_file(suite: Path) -> Path:
    """Returns where the workflow of a suite belongs: in its repository, or beside the suite where there is none."""
    beside = suite.resolve().parent
    folder = next((parent for parent in (beside, *beside.parents) if (parent / ".git").exists()), beside)
    return folder / _PLACE


def draft_workflow(suite: str, model: str | None) -> str:
    """Writes a workflow as YAML with comments: each night and by hand, with the box that accepts a run.

    Actions are pinned by commit, since a tag can be moved; that of Assay by the one that it was installed from.

    Examples:
        >>> [line.strip() for line in draft_workflow("suite.yaml", "mistral/large").splitlines() if "KEY" in line]
        ['MISTRAL_API_KEY: ${{ secrets.MISTRAL_API_KEY }}']
        >>> "secrets" in draft_workflow("suite.yaml", None)
        False
    """
    text = _TEMPLATE.read_text(encoding="utf-8").replace("<SUITE>", json.dumps(suite, ensure_ascii=False))
    own = find_own_commit()
    action = (
        "@".join(own) if own else f"{PLACEHOLDER}   # replace both: the repository that holds Assay, and its commit"
    )
    text = text.replace("<ACTION>", action)
    key = find_key(model)
    if key is None:
        return text.partition("        env:")[0]
    return text.replace("<KEY>", key)


def find_key(model: str | None) -> str | None:
    """Returns the environment variable with the key of a model's provider, as litellm calls it; None without one.

    Examples:
        >>> find_key("openai/gpt-4o-mini"), find_key("gguf:models/qwen.gguf"), find_key(None)
        ('OPENAI_API_KEY', None, None)
    """
    match = _PROVIDER.match(model or "")
    return None if match is None else f"{match[1].upper()}_API_KEY"
