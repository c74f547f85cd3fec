"""Verdicts as one list: all claims of an answer judged in one call, each with an id, a quote and a reason."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel

from ..eval_sets.sample import Sample
from ..judges import Judge, Question, Usage
from ..prompts import Prompts
from ..text.quotes import find_quote
from .claim import Claim
from .worker import compute_for

MOST_CLAIMS_PER_CALL = 12


class ListedVerdict(BaseModel):
    """One claim's verdict as the judge writes it: the quote first, so that it looks before it decides."""

    id: int
    quote: str
    reason: str
    verdict: Literal["supported", "contradicted", "not_found"]


class ListedVerdicts(BaseModel):
    """The judge's reply."""

    verdicts: list[ListedVerdict]


def verdicts_question(sample: Sample, claims: Mapping[int, str], prompts: Prompts) -> Question[ListedVerdicts]:
    """What the judge is asked for the verdicts on claims by their ids."""
    prompt = prompts.load("verdicts", sample.language)
    listed = "\n".join(f"{number}. {' '.join(claim.split())}" for number, claim in claims.items())
    user = prompt.render({"documentation": "\n\n".join(sample.retrieved_contexts), "claims": listed})
    return Question(prompt, user, ListedVerdicts, sample.id, prompts=prompts)


async def listed_verdicts(
    sample: Sample, claims: Sequence[str], judge: Judge, prompts: Prompts
) -> tuple[list[Claim], Usage]:
    """One verdict per claim, in the claims' order, and the usage of the calls.

    Claims that the judge leaves out, or judges twice in two ways, are asked about once more and then stand as
    `unverifiable`. A `supported` whose quote is not in the contexts becomes `not_found`.

    Raises:
        JudgeError: The judge gave no usable reply.
    """
    numbered = dict(enumerate(claims, start=1))
    verdicts, usage = await _ask(sample, numbered, judge, prompts)
    if missing := [number for number in numbered if number not in verdicts]:
        # all of them go under new numbers: the same question would have the same reply
        shift = len(claims) if len(missing) == len(claims) else 0
        again, further_usage = await _ask(sample, {n + shift: numbered[n] for n in missing}, judge, prompts)
        verdicts |= {number - shift: verdict for number, verdict in again.items()}
        usage += further_usage
    return await compute_for(sample, _with_checked_quotes, sample, numbered, verdicts), usage


async def _ask(
    sample: Sample, claims: Mapping[int, str], judge: Judge, prompts: Prompts
) -> tuple[dict[int, ListedVerdict], Usage]:
    """The verdicts on claims by their ids, in as many calls as their number needs."""
    numbers = list(claims)
    batches = [numbers[start : start + MOST_CLAIMS_PER_CALL] for start in range(0, len(numbers), MOST_CLAIMS_PER_CALL)]
    asking = [_ask_once(sample, {number: claims[number] for number in batch}, judge, prompts) for batch in batches]
    # one batch is the rule, and a task of its own would take longer than a replayed reply
    answers = [await asking[0]] if len(asking) == 1 else await asyncio.gather(*asking)
    merged = {number: verdict for verdicts, _ in answers for number, verdict in verdicts.items()}
    return merged, Usage.total([usage for _, usage in answers])


async def _ask_once(
    sample: Sample, claims: Mapping[int, str], judge: Judge, prompts: Prompts
) -> tuple[dict[int, ListedVerdict], Usage]:
    """The verdicts that were given once, or several times alike, for the ids that were asked about."""
    reply = await judge.ask(verdicts_question(sample, claims, prompts))
    by_id: dict[int, list[ListedVerdict]] = {}
    for verdict in reply.value.verdicts:
        if verdict.id in claims:
            by_id.setdefault(verdict.id, []).append(verdict)
    agreed = {number: same[0] for number, same in by_id.items() if len({each.verdict for each in same}) == 1}
    return agreed, reply.usage


def _with_checked_quotes(
    sample: Sample, claims: Mapping[int, str], verdicts: Mapping[int, ListedVerdict]
) -> list[Claim]:
    contexts = sample.retrieved_contexts
    return [_with_checked_quote(claim, verdicts.get(number), contexts) for number, claim in claims.items()]


def _with_checked_quote(claim: str, listed: ListedVerdict | None, contexts: tuple[str, ...]) -> Claim:
    if listed is None:
        return Claim(claim, "unverifiable", "the judge gave no verdict on this claim, asked twice")
    place = find_quote(listed.quote, contexts)
    if listed.verdict == "supported" and place is None:
        reason = f"called supported, but its quote is not in the context. The judge: {listed.reason}"
        return Claim(claim, "not_found", reason, listed.quote)
    return Claim(claim, listed.verdict, listed.reason, listed.quote, place)
