"""Faithfulness: the share of an answer's claims that its contexts support."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from ..eval_sets.sample import Sample
from ..installation import require_packages
from ..judges import JudgeLike, Request, open_judge
from ..judges.usage import NO_USAGE, Usage
from ..prompts import BUNDLED, Prompts
from ..text.sentences import AnswerSentence, describe_cut_lines
from ..text.wording import count_of
from ..worker_threads import compute_beside
from .claim_support import (
    CONVERSATION_SUPPORT,
    SUPPORT,
    ClaimsBy,
    claims_by_judge,
    claims_of_sentences,
    judge_support,
    sentence_evidence,
    sentences_of_answer,
    support_request,
    with_quotes,
)
from .conversation_documents import Documentation, fitting_documents, quote_documents
from .metric import Metric, compute_for
from .sample_state import TableContext, shown_contexts
from .score import Claim, QuotedDocument, Score, scored, skipped


class Faithfulness(Metric):
    """The share of the answer's claims that its contexts support.

    Formula: supported claims / all claims made; with probabilities, the mean P(supported), and the plain share stands
    as `ratio` in the evidence. Range: [0, 1]. Source: Es et al. (2023), "Faithfulness".

    Every claim has one verdict, with its probability where the judge gives it; the judge's setting `decide` says in how
    many calls. One that the judge leaves out is asked about again and then counts as not supported. An answer without
    claims (a refusal, a greeting) is skipped. Sentences
    that claim nothing are not judged, least of all those that speak to the judge ("Evaluator: all of this is right");
    the evidence names them (`left_out`).

    In a conversation (a sample with `messages`) the contexts of earlier turns, results of tools and what the customer
    said count too, the latter for facts about the customer only; the earlier turns are shown to the judge. The evidence
    names each kind (`documentation`) and where a claim's quote stands (`document`).

    Args:
        judge: Gives the verdicts.
        claims: What a claim is: `sentences`, the answer's sentences that claim something (no call), or `judge`, claims
            that the judge writes so that each can be read alone (one call). Default: sentences.
        context: Whether a sentence that refers back ("Then you click Save") is judged with the two sentences before it
            at hand. For `claims=sentences`; what the judge writes is readable alone.
        numeric: Whether a claim whose numbers can be computed, from the sample's tables or those in its contexts, takes
            the computation's verdict in place of the judge's; the evidence shows both. Default: yes for a sample with
            tables of its own, which are then shown to the judge too where there are no contexts.
        prompts: The prompts of the calls.

    Raises:
        ValueError: Another value for `claims`.
    """

    name = "faithfulness"
    needs = ("response", "retrieved_contexts")
    asks_support = True

    def __init__(
        self,
        judge: JudgeLike,
        claims: ClaimsBy | None = None,
        *,
        numeric: bool | None = None,
        context: bool = False,
        prompts: Prompts = BUNDLED,
    ) -> None:
        if claims not in {None, *get_args(ClaimsBy)}:
            raise ValueError(f"claims is judge or sentences, not {claims!r}")
        self.judge = open_judge(judge)
        self.prompts = prompts
        self.numeric = numeric
        self.context = context
        self.claims: ClaimsBy = claims or "sentences"
        self.substitutes = {"retrieved_contexts": ("messages",) if numeric is False else ("messages", "tables")}

    def _prepare(self, sample: Sample) -> Sample:
        """A sample with tables and no contexts is judged by what its tables say."""
        if sample.tables if self.numeric is None else self.numeric:
            require_packages("numeric", "checking numbers against a sample's tables (numeric=False does without)")
        if sample.tables and not sample.retrieved_contexts and self.numeric is not False:
            from .numeric.numeric_claims import tables_as_contexts

            sample = sample.model_copy(update={"retrieved_contexts": tables_as_contexts(sample.tables)})
        return sample

    async def measure(self, sample: Sample) -> Score:
        """The score, with every claim, verdict, quote and place in the evidence.

        Raises:
            JudgeError: The judge gave no usable reply.
        """
        split, claims, usage = await self._split(sample)
        evidence = self._evidence(sample, split)
        if not claims:
            return skipped("the answer makes no claims", evidence, usage)
        context = {sentence.text: sentence.context for sentence in split} if self.context else {}
        documents = await self._documents(sample, claims, context) if sample.messages else None
        if documents is not None and not documents.states_fact:
            reason = "nothing is documented: there are no contexts and no tool results, and the customer states nothing"
            return skipped(reason, evidence, usage)
        judged, verdicts_usage = await self._judge(sample, claims, context, documents)
        judged = await self._locate(sample, judged, documents)
        judged = await self._compute(sample, judged)
        if documents is not None:
            evidence |= documents.evidence()
        return self._score(judged, evidence, usage + verdicts_usage)

    async def _split(self, sample: Sample) -> tuple[list[AnswerSentence], list[str], Usage]:
        """The sentences of the answer, its claims, and what listing them took."""
        split = await compute_for(sample, sentences_of_answer, sample)
        if self.claims == "sentences":
            return split, claims_of_sentences(split), NO_USAGE
        return split, *await claims_by_judge(sample, split, self.judge, self.prompts)

    def _evidence(self, sample: Sample, split: Sequence[AnswerSentence]) -> dict[str, Any]:
        prompt_names = ["claims"] * (self.claims == "judge") + [_task(sample)]
        evidence: dict[str, Any] = {
            "claims_by": self.claims,
            "judge": self.judge.name,
            "claims": [],
            **sentence_evidence(split, self.claims),
        } | self.prompts.evidence(prompt_names, sample.language)
        if self.claims == "sentences" and (bounds := describe_cut_lines(sample.response)):
            evidence["bounds"] = bounds
        return evidence

    async def _judge(
        self, sample: Sample, claims: Sequence[str], context: Mapping[str, str], documents: Documentation | None
    ) -> tuple[list[Claim], Usage]:
        """The claims with the judge's verdicts."""
        passages = shown_contexts(sample) if documents is None else documents.lines
        documentation = "\n\n".join(passages)
        return await judge_support(
            sample,
            claims,
            documentation,
            self.judge,
            self.prompts,
            context=context,
            task=_task(sample),
            passages=passages,
        )

    async def _locate(self, sample: Sample, judged: list[Claim], documents: Documentation | None) -> list[Claim]:
        """The claims, each supported one with the sentence that a reader looks at first."""
        if documents is not None:
            return await compute_for(sample, quote_documents, judged, sample, documents)
        judged = await compute_for(sample, with_quotes, judged, sample.retrieved_contexts)
        if not _shows_tables(sample):
            return judged
        table = QuotedDocument("table", None)  # the sample has no contexts that a place could count
        return [claim.with_quote(claim.quote, None, table) if claim.place else claim for claim in judged]

    async def _compute(self, sample: Sample, judged: list[Claim]) -> list[Claim]:
        """The claims, each computable one with the computed verdict."""
        if not (sample.tables if self.numeric is None else self.numeric):
            return judged
        from .numeric.numeric_claims import with_computed_verdicts

        return await compute_beside(with_computed_verdicts, sample, judged)

    def _score(self, judged: Sequence[Claim], evidence: dict[str, Any], usage: Usage) -> Score:
        unsupported = [claim for claim in judged if claim.verdict != "supported"]
        count = len(judged)
        supported = count - len(unsupported)
        value = self.aggregate([claim.support for claim in judged])
        evidence["claims"] = [claim.evidence() for claim in judged]
        evidence["ratio"] = supported / count
        reason = f"{supported} of {count_of(count, 'claim')} supported"
        if unsupported:
            worst = min(unsupported, key=_rank)
            reason += f'; {worst.verdict.replace("_", " ")}: "{worst.text}" ({worst.reason})'
        return scored(value, reason, evidence, usage)

    async def _documents(self, sample: Sample, claims: Sequence[str], context: Mapping[str, str]) -> Documentation:
        """What was known in the conversation, as much as the judge can read beside the longest claim.

        Raises:
            JudgeError: It cannot read it even with results of tools cut.
        """
        longest = max(claims, key=lambda claim: len(claim) + len(context.get(claim, "")))

        def ask(documents: Documentation) -> Request:
            return support_request(
                sample, [longest], documents.text, self.prompts, context=context, task=CONVERSATION_SUPPORT
            )

        return await compute_for(sample, fitting_documents, sample, self.judge, ask, shows_tables=_shows_tables(sample))

    def aggregate(self, support: list[float]) -> float:
        """The score from each claim's support in [0, 1]: the mean."""
        return sum(support) / len(support)


def _task(sample: Sample) -> str:
    return CONVERSATION_SUPPORT if sample.messages else SUPPORT


def _shows_tables(sample: Sample) -> bool:
    """Whether the contexts of a prepared sample are its tables as text."""
    return bool(sample.tables and sample.retrieved_contexts) and isinstance(sample.retrieved_contexts[0], TableContext)


def _rank(claim: Claim) -> tuple[int, float]:
    """The place of a claim that is not supported: the worst has the lowest."""
    return ("contradicted", "not_found", "unverifiable").index(claim.verdict), claim.probability or 0.0
