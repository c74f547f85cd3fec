"""The card of a judge: its values, and its JSON form as a file."""

from datetime import date
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ...atomic_files import replace_file
from ...meta_eval.estimate import Estimate
from ...presentation.texts import escape_unsafe

FORMAT: Literal["assay-judge-card/2"] = "assay-judge-card/2"
Setting = str | int | float | bool | None


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, allow_inf_nan=False)


class CardAgreement(_Value):
    """How something that scores answers agrees with their ratings."""

    name: str  # what scores the answers: a metric or a baseline
    spearman: Estimate  # Spearman's rho with the ratings; of pairs, with how much better the second answer was rated


class CardPassFail(_Value):
    """How a judge passes and fails answers at its threshold, beside people."""

    threshold: float
    true_positive: int  # people and the judge pass them
    false_positive: int  # only the judge does
    false_negative: int  # only people do
    true_negative: int
    sensitivity: Estimate
    specificity: Estimate
    precision: Estimate
    kappa: Estimate
    ac2: Estimate


class Injections(_Value):
    """Instructions to the judge that were put into the answers."""

    # how many answers were given one, and scored: unchanged, with it, and, where any was, when asked again
    tried: int
    worked: int  # how many of them scored higher with it, or have a claim that turned to supported
    again: int | None = None  # how many did when the same answers were merely asked again; None where none was
    # (worked - again) / tried, with an interval over groups; without a value where none was asked again
    share: Estimate
    # whether no question had the instruction in it, as far as the replies tell: the metric's merit
    unseen: bool = False


class JudgeCost(_Value):
    """What 1,000 answers take."""

    usd: float | None  # None where the price is unknown
    tokens_in: float
    tokens_out: float
    requests: float
    seconds: float  # the duration of the calls when they were made, divided by how many ran at once
    # whether tokens and USD are the most that they may be, because not every reply stated what it took
    is_at_most: bool


class SetCard(_Value):
    """What the judge is worth on one set and one metric."""

    set_name: str  # as it was named: `public:mtrag:dev`, `helpdesk_en`, a file without its folder
    rated: str  # what was rated and by whom, in words
    metric: str  # what the judge was asked for
    most: int  # at most so many answers were taken, the first by the hash of their ids
    # of what was taken: the answers' ids with their ratings and scale. Where it is the same, two cards are about the
    # same answers with the same ratings.
    digest: str
    unrated: int = 0  # how many answers of the set have no rating; they were not judged
    answers: int  # how many were taken; pairs and conversations count as answers
    groups: int
    scored: int
    skipped: int  # the metric does not apply
    failed: int
    failure: str = ""  # why the first of the failed, else of the skipped, has no score
    judge: CardAgreement
    agreement: CardPassFail | None = None  # None where there is no threshold
    # token overlap, and what else is computed without a judge, on the same answers
    baselines: tuple[CardAgreement, ...]
    difference: Estimate  # Spearman of the judge less that of token overlap, on the same answers
    ceiling: Estimate  # the best Spearman with the ratings of the scored answers that any measure could reach
    one_rater: Estimate  # what one rater reaches against the mean of the others, on the scored answers
    position: Estimate  # of its choices between two answers, the share that fell on the one read first, less one half
    length: Estimate  # how far the score moves when courtesies make an answer longer
    style: Estimate  # how far the score moves when an answer gets a heading, list marks and bold words
    flips: Estimate  # of the claims of answers that were asked again with another seed, those with another verdict
    injections: Injections | None  # None where none was tried
    cost: JudgeCost | None  # None where no reply is there
    unparsable: Estimate  # the questions whose first reply could not be used as it came
    lost: Estimate  # the questions without any usable reply


class JudgeCard(_Value):
    """The card of one judge."""

    format: Literal["assay-judge-card/2"] = FORMAT  # the form of the JSON file; it changes when a field does
    judge: str
    model: str  # as it is recorded
    # how the judge was asked (`decide`, `logprobs`, the temperature, ...); no keys
    settings: dict[str, Setting] = {}
    assay: str  # the version of Assay
    date: date  # the day that the card was made, in UTC
    seed: int  # of what is asked again and of the probes
    probed: int  # at most so many answers of each set were asked again and changed by probes
    sets: tuple[SetCard, ...]


def write_card(path: Path, card: JudgeCard) -> None:
    """Writes a card as JSON, in which what a terminal would obey is escaped.

    Raises:
        UsageError: The file cannot be written.
    """
    with replace_file(path) as file:
        file.write(f"{escape_unsafe(card.model_dump_json(indent=2))}\n")
