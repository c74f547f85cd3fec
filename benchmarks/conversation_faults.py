"""Measures which planted faults of the bundled conversations are found, and how often there is a false alarm.

    python benchmarks/conversation_faults.py [--judge qwen1.5b] [--metrics resolved ...] [--show]
    python benchmarks/conversation_faults.py --rules

Scores `conversations_en` and `conversations_nl` from recordings. A fault is found when the metric for its kind
has it where the labels have it: the request that was not met, the answer that asks again, the two answers that
contradict each other, the rule that was broken. A false alarm is that metric's verdict anywhere in a conversation that
has no fault of the kind by its labels, planted or as a consequence of the planted one. What has no score finds nothing,
and is counted in a column of its own. Intervals are Clopper and Pearson's at the effective size of the scenarios.

`--rules` asks no judge; `--show` lists every fault that was not found and every false alarm.
"""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table
from pydantic import BaseModel, ConfigDict

from assay import evaluate, load_set
from assay.eval_sets import Sample
from assay.meta_eval import estimate_share
from assay.metrics import Score
from assay.presentation import Figure
from assay.text import tokens

LANGUAGES = ("en", "nl")


class Label(BaseModel):
    """What its writer says of a conversation, or of a part of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class RequestLabel(Label):
    """A request of the customer."""

    text: str  # the request
    met: bool  # whether it was met at the end
    turn: int | None  # the place of the answer that met it; None where it was not met


class RuleLabel(Label):
    """A rule that was broken."""

    rule: str  # the rule, as the policy has it
    turn: int  # the place of the message that broke it


class Labels(Label):
    """All labels of a conversation; places are counted from 0 with the system message."""

    requests: tuple[RequestLabel, ...]  # the customer's requests
    handover: Literal["right", "missing", "needless", "none_needed"]  # whether it was handed over, and rightly so
    asked_again: tuple[int, ...]  # the answers that ask for what the customer had said
    repeated: tuple[int, ...]  # the messages of the customer that repeat an earlier question
    contradictions: tuple[tuple[int, int], ...]  # Pairs of answers of which the later one contradicts the earlier one
    broken_rules: tuple[RuleLabel, ...]  # the rules of the policy that were broken


def read_labels(sample: Sample) -> Labels:
    """Reads the labels of a bundled conversation."""
    return Labels.model_validate(sample.metadata["labels"])


def has_expected_calls(sample: Sample, labels: Labels) -> bool:
    """Says whether the calls made are those of a chatbot without faults, in any order; `labels` is not looked at."""
    made = [(call.function.name, call.function.values) for message in sample.messages for call in message.tool_calls]
    expected = [(action["name"], action["kwargs"]) for action in sample.metadata["expected_actions"]]
    return sorted(map(repr, made)) == sorted(map(repr, expected))


FAULTS: Mapping[str, Callable[[Sample, Labels], bool]] = {
    "unresolved": lambda sample, labels: any(not request.met for request in labels.requests),
    "handover_missing": lambda sample, labels: labels.handover == "missing",
    "handover_needless": lambda sample, labels: labels.handover == "needless",
    "asked_again": lambda sample, labels: bool(labels.asked_again),
    "contradiction": lambda sample, labels: bool(labels.contradictions),
    "policy_broken": lambda sample, labels: bool(labels.broken_rules),
    "wrong_tool": lambda sample, labels: not has_expected_calls(sample, labels),
    "wrong_argument": lambda sample, labels: not has_expected_calls(sample, labels),
}
"""Whether a conversation has a fault of a kind by its labels: planted, or as a consequence of the planted one."""


class Flag(NamedTuple):
    """What a metric says of a conversation."""

    raised: bool  # whether it has a fault of the kind anywhere
    placed: bool  # whether it has one where the labels have one


@dataclass(frozen=True, slots=True)
class Check:
    """A metric that must find faults of some kinds."""

    kinds: tuple[str, ...]  # the kinds, of `FAULTS` or of `OBSERVATIONS`
    metric: str  # the metric, with its settings
    # whether rules decide alone, or the judge: also by itself, or what rules leave open or propose
    decided_by: Literal["rules", "judge"]
    read: Callable[[Score, Labels], Flag]  # reads the flag from a score, given the labels

    def has_fault(self, sample: Sample, labels: Labels) -> bool:
        """Says whether a conversation has a fault of one of the kinds by its labels."""
        return any(_KINDS[kind](sample, labels) for kind in self.kinds)

    def is_planted(self, kind: str, sample: Sample, labels: Labels) -> bool:
        """Says whether a fault of a kind was planted in a conversation; what is no fault counts wherever it is."""
        return sample.metadata["fault"] == kind if kind in FAULTS else _KINDS[kind](sample, labels)


class Outcome(NamedTuple):
    """What a check makes of a conversation."""

    check: Check  # the check
    sample: Sample  # the conversation
    planted: str  # the kind of the planted fault that the check must find; empty where there is none
    has_fault: bool  # whether there is a fault of the check's kinds, planted or as a consequence
    flag: Flag | None  # what the metric says; None without a score


OBSERVATIONS: Mapping[str, Callable[[Sample, Labels], bool]] = {
    "(handed over)": lambda sample, labels: labels.handover in {"right", "needless"},
    "(customer repeats)": lambda sample, labels: bool(labels.repeated),
}
"""What is no fault of the chatbot, and is read by rule."""
_KINDS = {**FAULTS, **OBSERVATIONS}


def read_requests(score: Score, labels: Labels) -> Flag:
    """Reads which requests were not met: placed where the label whose words are nearest is not met either."""
    unmet = [request["text"] for request in score.evidence["requests"] if request["met"] is False]
    nearest = [max(labels.requests, key=lambda label: _similarity(label.text, text)) for text in unmet]
    return Flag(bool(unmet), any(not label.met for label in nearest))


def read_handover(verdict: str) -> Callable[[Score, Labels], Flag]:
    """Makes a reader of a verdict on the handover: missing or needless."""

    def read(score: Score, labels: Labels) -> Flag:
        raised = score.evidence["verdict"] == verdict
        return Flag(raised, raised and labels.handover == verdict)

    return read


def read_happened(score: Score, labels: Labels) -> Flag:
    """Reads whether the conversation was handed over."""
    return Flag(*[bool(score.evidence["happened"])] * 2)


def read_turns(key: Literal["asked_again", "repeated"]) -> Callable[[Score, Labels], Flag]:
    """Makes a reader of turns that cost the customer effort: placed where a turn is that of a label."""

    def read(score: Score, labels: Labels) -> Flag:
        turns = {turn if isinstance(turn, int) else turn["turn"] for turn in score.evidence[key]}
        return Flag(bool(turns), bool(turns & set(getattr(labels, key))))

    return read


def read_contradictions(score: Score, labels: Labels) -> Flag:
    """Reads pairs of answers: placed where both are those of a label."""
    pairs = {(pair["earlier_turn"], pair["later_turn"]) for pair in score.evidence["contradictions"]}
    return Flag(bool(pairs), bool(pairs & set(labels.contradictions)))


def read_rules(score: Score, labels: Labels) -> Flag:
    """Reads broken rules: placed where a rule is that of a label, or a part of it."""
    broken = [" ".join(tokens(rule["text"])) for rule in score.evidence["rules"] if rule["broken"]]
    labelled = [" ".join(tokens(label.rule)) for label in labels.broken_rules]
    return Flag(bool(broken), any(rule in label or label in rule for rule in broken for label in labelled))


def read_calls(score: Score, labels: Labels) -> Flag:
    """Reads whether the calls were other than the expected ones."""
    return Flag(*[score.value is not None and score.value < 1] * 2)


CHECKS = (
    Check(("wrong_tool", "wrong_argument"), "tool_calls", "rules", read_calls),
    Check(("(handed over)",), "handover", "rules", read_happened),
    Check(("(customer repeats)",), "effort", "rules", read_turns("repeated")),
    Check(("asked_again",), "effort", "rules", read_turns("asked_again")),
    Check(("unresolved",), "resolved", "judge", read_requests),
    Check(("handover_missing",), "handover", "judge", read_handover("missing")),
    Check(("handover_needless",), "handover", "judge", read_handover("needless")),
    Check(("asked_again",), "effort", "judge", read_turns("asked_again")),
    Check(("contradiction",), "consistent", "judge", read_contradictions),
    Check(("policy_broken",), "policy_kept", "judge", read_rules),
)


def find_outcomes(
    samples: Sequence[Sample], scores: Mapping[str, Mapping[str, Score]], checks: Sequence[Check] = CHECKS
) -> list[Outcome]:
    """Compares scores with labels."""
    outcomes = []
    for check in checks:
        for sample in samples:
            labels, score = read_labels(sample), scores[sample.id][check.metric]
            planted = next((kind for kind in check.kinds if check.is_planted(kind, sample, labels)), "")
            flag = check.read(score, labels) if score.status == "scored" else None
            outcomes.append(Outcome(check, sample, planted, check.has_fault(sample, labels), flag))
    return outcomes


def format_share(outcomes: Sequence[Outcome], counts: Callable[[Outcome], bool]) -> str:
    """Writes how many outcomes count, their share, and its interval over the scenarios."""
    if not outcomes:
        return ""
    holds = np.array([counts(outcome) for outcome in outcomes])
    scenarios = [f"{outcome.sample.language} {outcome.sample.source}" for outcome in outcomes]
    groups = np.unique(scenarios, return_inverse=True)[1]
    return f"{holds.sum()} of {len(holds)}, {Figure.from_estimate('rate', estimate_share(holds, groups))}"


def is_found(outcome: Outcome) -> bool:
    """Says whether a planted fault was found in its place."""
    return outcome.flag is not None and outcome.flag.placed


def is_alarm(outcome: Outcome) -> bool:
    """Says whether a flag was raised."""
    return outcome.flag is not None and outcome.flag.raised


def share_row(name: Sequence[object], outcomes: Sequence[Outcome], kinds: Iterable[str]) -> list[object]:
    """Returns a row of the table: found faults of some kinds, false alarms, conversations without a score."""
    planted = [outcome for outcome in outcomes if outcome.planted in set(kinds)]
    faultless = [outcome for outcome in outcomes if not outcome.has_fault and outcome.flag is not None]
    unscored = sum(outcome.flag is None for outcome in outcomes)
    return [*name, format_share(planted, is_found), format_share(faultless, is_alarm), unscored]


def fault_rows(outcomes: Sequence[Outcome]) -> list[list[object]]:
    """Returns the rows by kind of fault and language."""
    rows = []
    for check in dict.fromkeys(outcome.check for outcome in outcomes):
        of_check = [outcome for outcome in outcomes if outcome.check is check]
        for kind in check.kinds:
            for language in (*LANGUAGES, ""):
                own = [outcome for outcome in of_check if language in {"", outcome.sample.language}]
                name = [kind, check.metric, check.decided_by, language or "both"]
                rows.append(share_row(name, own, [kind]))
    return rows


def list_errors(outcomes: Sequence[Outcome]) -> list[list[object]]:
    """Lists the planted faults that were not found, and the false alarms."""
    rows = list[list[object]]()
    for outcome in outcomes:
        error = ""
        if outcome.planted and not is_found(outcome):
            error = "no score" if outcome.flag is None else "elsewhere" if outcome.flag.raised else "not found"
        elif not outcome.has_fault and is_alarm(outcome):
            error = "false alarm"
        if error:
            kind = outcome.planted or outcome.check.kinds[0]
            rows.append([outcome.sample.id, outcome.check.metric, outcome.check.decided_by, kind, error])
    return rows


def _similarity(one: str, other: str) -> float:
    """The share of the words of two texts that are in both."""
    first, second = set(tokens(one)), set(tokens(other))
    return len(first & second) / max(1, len(first | second))


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", default="qwen1.5b")
    parser.add_argument("--mode", choices=["replay", "auto"], default="replay")
    parser.add_argument("--cassette", default="bundled:conversations.{judge}", help="{judge} is replaced")
    metrics = tuple(dict.fromkeys(check.metric for check in CHECKS))
    parser.add_argument("--metrics", nargs="+", choices=metrics, default=metrics, help="only these")
    parser.add_argument("--rules", action="store_true", help="only what rules decide; no judge")
    parser.add_argument("--show", action="store_true", help="list every miss and every false alarm")
    options = parser.parse_args()
    print_machine()
    cassette = options.cassette.format(judge=options.judge)
    recorded_judge = {"judge": options.judge, "cassette": cassette, "mode": options.mode}
    outcomes = list[Outcome]()
    for language in LANGUAGES:
        samples = load_set(f"conversations_{language}")
        for decided_by in ["rules"] if options.rules else ["rules", "judge"]:
            settings = recorded_judge if decided_by == "judge" else {}
            checks = [check for check in CHECKS if check.decided_by == decided_by and check.metric in options.metrics]
            if checks:
                scores = evaluate(samples, list(dict.fromkeys(check.metric for check in checks)), **settings).scores
                outcomes += find_outcomes(samples, scores, checks)
    header = ["found", "false alarms", "no score"]
    names = ["fault", "metric", "decided by", "language"]
    print_table("Planted faults by kind", [*names, *header], fault_rows(outcomes))
    if options.show:
        print_table("Errors", ["conversation", "metric", "decided by", "kind", "error"], list_errors(outcomes))


if __name__ == "__main__":
    main()
