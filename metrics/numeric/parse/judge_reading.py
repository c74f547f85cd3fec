"""Claims that a judge reads where the grammar cannot: the judge says what each number is, and computes nothing."""

from collections.abc import Mapping, Sequence

from ....eval_sets.sample import Sample
from ....judges import Answer, Judge, Request, Usage
from ....prompts import Prompts
from ....worker_threads import compute_beside
from ..compute.statistics import STATISTICS
from ..quantities.tolerance import HEDGES
from ..specification import Specification
from ..tables.table import NumericTable, time_text
from .claim_questions import MOST_NUMBERS, NOT_COMPUTABLE, NOTHING, OpenClaim, QuestionSlot, Subject, subjects_of
from .clause import Clause
from .judge_checks import CannotUse, JudgedNumber, checks_of
from .sentence_reading import ReadCheck, Unread

_MOST_COLUMNS = 40


def reading_request(sample: Sample, claims: Sequence[OpenClaim], prompts: Prompts) -> Request:
    """What the judge is asked about all open claims of an answer, what all requests share first."""
    tables = {clause.table.name: clause.table for claim in claims for clause in claim.clauses}
    state = {
        "statistics": "\n".join(f"{entry.statistic}: {entry.described}" for entry in STATISTICS.values()),
        "hedges": "\n".join(f"{entry.hedge}: {entry.described}" for entry in HEDGES.values()),
        "tables": "\n".join(map(describe, tables.values())),
        "question": sample.user_input,
        "claims": "\n".join(f"{place}: {' '.join(claim.text.split())}" for place, claim in enumerate(claims, start=1)),
    }
    questions = [question for name, subject in _named_subjects(claims) for question in subject.questions(name)]
    return Request("numeric", state, questions, sample.language, sample.id, prompts, together=True)


def _named_subjects(claims: Sequence[OpenClaim]) -> list[tuple[str, Subject]]:
    """The subjects of claims, with ids: the number of the claim, and their own in it."""
    return [
        (f"{place}.{own}", subject)
        for place, claim in enumerate(claims, start=1)
        for own, subject in enumerate(subjects_of(claim), start=1)
    ]


def describe(table: NumericTable) -> str:
    """A table's columns in a line, with units and the times that it reaches over; no values."""
    parts = []
    if table.times is not None and len(known := table.times.dropna()):
        reach = f"{time_text(known.min(), table.period)}..{time_text(known.max(), table.period)}"
        parts.append(f"{table.time_column or 'time'} ({reach})")
    texts = [str(c) for c in table.labels.columns if c != table.time_column and c not in table.columns]
    parts += [f"{name} (text)" for name in texts]
    parts += [f"{name} [{table.units[name]}]" if name in table.units else name for name in table.columns]
    more = len(parts) - _MOST_COLUMNS
    listed = [*parts[:_MOST_COLUMNS], f"and {more} more"] if more > 0 else parts
    return f"{table.name}: {', '.join(listed)}"


async def read_by_judge(
    sample: Sample, claims: Sequence[OpenClaim], judge: Judge, prompts: Prompts
) -> tuple[list[list[ReadCheck | Unread]], Usage]:
    """The checks of each claim as the judge reads it, all claims in one request.

    The judge only chooses among the claim's own words and the table's names. An answer that does not fit the claim, or
    that leaves out a number, a time, a name or a meaningful word, makes the claim unread.

    Raises:
        JudgeError: The judge gave no usable reply.
    """
    asked = [claim for claim in claims if _may_be_asked(claim)]
    if not asked:
        return [[_too_many(claim)] for claim in claims], Usage()
    request = await compute_beside(reading_request, sample, asked, prompts)
    answers = await judge.decide(request)
    read = iter(await compute_beside(_read_all, asked, answers))
    return [next(read) if _may_be_asked(claim) else [_too_many(claim)] for claim in claims], answers.usage


def _may_be_asked(claim: OpenClaim) -> bool:
    return bool(claim.clauses) and len(claim.numbers) <= MOST_NUMBERS


def _too_many(claim: OpenClaim) -> Unread:
    return Unread(claim.sentence, f"a judge is asked about at most {MOST_NUMBERS} numbers of a claim")


def _read_all(claims: Sequence[OpenClaim], answers: Mapping[str, Answer]) -> list[list[ReadCheck | Unread]]:
    return [_read(claim, str(place), answers) for place, claim in enumerate(claims, start=1)]


def _read(claim: OpenClaim, name: str, answers: Mapping[str, Answer]) -> list[ReadCheck | Unread]:
    try:
        judged = [
            _judged_number(subject, f"{name}.{own}", answers) for own, subject in enumerate(subjects_of(claim), start=1)
        ]
    except CannotUse as problem:
        return [Unread(claim.sentence, str(problem))]
    if not any(subject.slots[QuestionSlot.STATISTIC] for subject in judged):
        return [Unread(claim.sentence, "the judge finds nothing in it that can be computed")]
    made: list[tuple[Clause, list[list[Specification]]]] = []
    problems = []
    for clause in claim.clauses:
        try:
            made.append((clause, checks_of(clause, judged, claim.begin)))
        except CannotUse as problem:
            problems.append(str(problem))
    if not made:
        return [Unread(claim.sentence, f"the judge's reading cannot be used: {problems[0]}")]
    alike = [(clause, checks) for clause, checks in made if len(checks) == len(made[0][1])]
    return [
        ReadCheck(claim.text, (tuple((spec, clause.table) for clause, checks in alike for spec in checks[place]),))
        for place in range(len(made[0][1]))
    ]


def _judged_number(subject: Subject, name: str, answers: Mapping[str, Answer]) -> JudgedNumber:
    slots = {}
    for slot, options in subject.options.items():
        option: str | None = options[0]
        if len(options) > 1:
            answer = answers[f"{name}.{slot}"]
            option = answer.option
            if option is None:
                why = "it declined" if answer.declined else answer.problem
                raise CannotUse(f"the judge does not say its {slot}: {why}")
        slots[slot] = "" if option in (None, NOTHING, NOT_COMPUTABLE) else str(option)
    return JudgedNumber(subject.number, slots)
