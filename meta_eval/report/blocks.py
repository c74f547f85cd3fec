"""A meta-evaluation as blocks: the sentence, then the tables and sentences behind it."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from ...presentation.figure import Figure, format_p
from ...presentation.result_table import Paragraph, ReportBlock
from ...presentation.texts import one_line
from ...text.wording import count_of, verb_of
from ..agreement import baselines_among
from ..meta_evaluation import MetaEvaluation
from ..raters import Raters
from ..selection import Selection
from ..sending import Policy
from .tables import (
    combination_table,
    comparison_table,
    metric_table,
    pass_fail_table,
    policy_table,
    rater_table,
    slice_table,
    trial_table,
    version_table,
)

if TYPE_CHECKING:
    from ..score_join import JoinedScores

_LONGEST_NOTE = 300


def report_blocks(
    evaluation: MetaEvaluation, joined: "JoinedScores", *, only: Collection[str] | None = None
) -> dict[str, ReportBlock]:
    """The report by the names of its parts: all, or the verdict and the table of metrics with those of `only`."""
    blocks = {"verdict": _verdict_block(evaluation, joined), "metrics": ReportBlock((metric_table(evaluation),))}
    return blocks | {name: block for name, block in _further_blocks(evaluation) if only is None or name in only}


def _verdict_block(evaluation: MetaEvaluation, joined: "JoinedScores") -> ReportBlock:
    settings = evaluation.settings
    low, high = Figure("rating", settings.rating_min), Figure("rating", settings.rating_max)
    made = (
        f"{count_of(settings.rated, 'rated item')} of {settings.items:,} in {count_of(settings.groups, 'group')}, "
        f"scale {low}-{high}; "
        f"{count_of(settings.permutations, 'shuffling')} of whole groups, seed {settings.seed}"
    )
    notes = [made, *(one_line(note, _LONGEST_NOTE) for note in joined.notes)]
    notes += [one_line(f"Note: {evaluation.severity}.", _LONGEST_NOTE)] if evaluation.severity else []
    return ReportBlock((*evaluation.verdict.paragraphs(), Paragraph(""), *(Paragraph(note, "quiet") for note in notes)))


def _further_blocks(evaluation: MetaEvaluation) -> Iterator[tuple[str, ReportBlock]]:
    """What is behind the verdict: raters, combinations, comparisons, parts, what may be sent."""
    if evaluation.raters is not None:
        yield "raters", _rater_block(evaluation.raters)
        if evaluation.raters.pairs:
            yield "rater-tables", ReportBlock((rater_table(evaluation.raters),))
    baselines = baselines_among(evaluation.metrics)
    told = {name: one for name, one in evaluation.agreement.items() if one.threshold is not None}
    if told:
        others = {name: one for name, one in told.items() if name not in baselines}
        lower = {one.name for one in evaluation.metrics if not one.higher_is_better}
        yield "pass-fail", ReportBlock((pass_fail_table(others or told, lower),))
    if evaluation.trials:
        yield "trials", ReportBlock((trial_table(evaluation.trials),))
    if evaluation.selection is not None:
        choices = _sentences_of_choice(evaluation.selection, baselines)
        yield "combinations", ReportBlock((combination_table(evaluation.selection), *choices))
    if evaluation.comparisons:
        yield "comparisons", ReportBlock((comparison_table(evaluation.comparisons),))
    if evaluation.slices:
        yield "slices", ReportBlock((slice_table(evaluation),))
    if evaluation.versions is not None:
        yield "versions", ReportBlock((version_table(evaluation.versions),))
    if evaluation.policy is not None:
        yield "triage", _policy_block(evaluation.policy)


def _rater_block(raters: Raters) -> ReportBlock:
    agreement = (
        f"{count_of(raters.count, 'rater')}, {count_of(raters.items_rated_twice, 'item')} rated twice or more: "
        f"Krippendorff's alpha {Figure.from_estimate('rho', raters.alpha)}"
    )
    problem = [Paragraph(f"{raters.problem[0].upper()}{raters.problem[1:]}.", "strong")] if raters.problem else []
    return ReportBlock((Paragraph(agreement), *problem, Paragraph(raters.ceiling_sentence)))


def _sentences_of_choice(selection: Selection, baselines: set[str]) -> Iterator[Paragraph]:
    best, chance = Figure("rho", selection.best_in_sample), Figure("rho", selection.best_by_chance)
    yield Paragraph(f"That chance alone makes the choice agree as far: {format_p(selection.p_of_selection)}.")
    yield Paragraph(
        f"out of fold: chosen and judged on different answers, {selection.repeats} x "
        f"{count_of(selection.folds, 'fold')}. On the "
        f"answers that chose it the best of all subsets reaches {best}; on shuffled ratings it reaches {chance}.",
        "quiet",
    )
    if len(selection.chosen.metrics) > 1:
        yield Paragraph(f"The chosen combination: {', '.join(selection.chosen.metrics)}.")
    for metric, reason in selection.left_out:
        if metric not in baselines:
            yield Paragraph(f"{metric} is left out: {reason}", "quiet")


def _policy_block(policy: Policy) -> ReportBlock:
    if policy.problem:
        return ReportBlock((Paragraph(f"Sending answers without a person: {policy.problem}"),))
    bound, confidence = Figure("share", policy.bound), Figure("share", policy.confidence)
    line = (
        f"Aim: at most {bound} bad answers among those sent, with {confidence} confidence. On answers it had not seen, "
        f"by thresholds chosen on others, {policy.checked_sent_bad:,} of "
        f"{count_of(policy.checked_sent, 'sent answer')} {verb_of(policy.checked_sent_bad, 'was', 'were')} bad."
    )
    return ReportBlock((policy_table(policy), Paragraph(line, "quiet")))
