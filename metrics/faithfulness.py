"""Faithfulness and weakest claim: what an answer claims, and whether its contexts support that."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel

from ..eval_sets.sample import Sample
from ..installation import require_packages
from ..judges import Answer, Judge, JudgeLike, Predicate, Question, Request, Usage
from ..judges.transports.chat import delimit_all
from ..judges.typed_questions import YES
from ..judges.usage import NO_USAGE
from ..languages import language_or_fallback
from ..prompts import BUNDLED, Prompts
from ..text.sentence_kinds import CLAIM, HEADING, TO_JUDGE, YES_NO
from ..text.sentences import (
    NO_SENTENCES,
    AnswerSentence,
    answer_sentences,
    answer_to_its_reader,
    listed_by_judge,
)
from ..text.text_matching import find_nearest_sentence
from ..text.wording import count_of
from ..worker_threads import compute_beside
from .judged import JudgedMetric
from .metric import check_choice, compute_for
from .sample_state import Documentation, TableContext, earlier_turns, fitting_documents, quote_documents, shown_contexts
from .score import SENTENCES, Claim, QuotedDocument, Score, scored, skipped

_NO_SENTENCES = {HEADING, *NO_SENTENCES}
ClaimsBy = Literal["judge", "sentences"]


class Claims(BaseModel):
    """The judge's reply: claims in the answer's order and language, each readable alone."""

    claims: list[str]


def claims_question(sample: Sample, prompts: Prompts, answer: str | None = None) -> Question[Claims]:
    """What the judge is asked for an answer's claims: it sees the turns before, to write what the answer refers to."""
    prompt = prompts.load("claims", sample.language)
    user = prompt.render({"question": sample.user_input, "answer": sample.response if answer is None else answer})
    if turns := earlier_turns(sample):
        user = f"{delimit_all(turns)}\n{user}"
    return Question(prompt, user, Claims, sample.id, prompts=prompts)


def sentences_of_answer(sample: Sample, text: str | None = None) -> list[AnswerSentence]:
    """All sentences of the answer, or of another text, each with what it is: a claim, or why it is none."""
    answer = sample.response if text is None else text
    return answer_sentences(answer, language_or_fallback(sample.language), sample.user_input)


def claims_of_sentences(split: Sequence[AnswerSentence]) -> list[str]:
    """The sentences that claim something, each once, without a judge."""
    return list(dict.fromkeys([sentence.text for sentence in split if sentence.kind == CLAIM]))


def sentence_evidence(split: Sequence[AnswerSentence], claims_by: ClaimsBy = "sentences") -> dict[str, Any]:
    """What a score's evidence says of the sentences that were judged, and of those that were not.

    Returns:
        `left_out`: the parts of the answer that are no claims, each with why; `sentences`: how many sentences were
        judged and how many left out, headings, code, images and the targets of links apart.

    Example:
        >>> from assay.languages import load_language
        >>> sentence_evidence(answer_sentences("Hello! It is free.", load_language("en")))["sentences"]
        {'judged': 1, 'left_out': 1}
    """
    left_out: list[dict[str, str]] = []
    parts: list[dict[str, str]] = []  # cut out of sentences that are judged
    answer_words: list[dict[str, str]] = []
    judged = count = 0
    for sentence in split:
        is_sentence = sentence.kind not in _NO_SENTENCES
        if sentence.kind == TO_JUDGE or (sentence.kind != CLAIM and claims_by == "sentences"):
            left_out += [{"text": sentence.text, "kind": sentence.kind}]
            count += is_sentence
        else:
            judged += is_sentence
        if sentence.cut:
            parts += [{"text": text, "kind": TO_JUDGE} for text in sentence.cut]
        if sentence.answer_word and claims_by == "sentences":  # "Yes, it is free": the judge is asked about the rest
            answer_words += [{"text": sentence.answer_word.strip(), "kind": YES_NO}]
    return {"left_out": left_out + parts + answer_words, SENTENCES: {"judged": judged, "left_out": count}}


SUPPORT = "support"
"""The prompt of a claim and its contexts."""
CONVERSATION_SUPPORT = "conversation_support"
"""The prompt where results of tools and what the customer said count too."""


def support_request(
    sample: Sample,
    claims: Sequence[str],
    documentation: str,
    prompts: Prompts,
    *,
    task: str = SUPPORT,
    passages: tuple[str, ...] = (),
) -> Request:
    """What a judge is asked: of each claim, whether the documentation supports it.

    The state has the earlier turns of the conversation too. The question itself is left out: a small judge answers it
    instead.
    """
    state = {"documentation": documentation, **earlier_turns(sample)}
    numbered = enumerate(claims, start=1)
    predicates = [Predicate(str(place), claim) for place, claim in numbered]
    return Request(task, state, predicates, sample.language, sample.id, prompts, passages=passages)


class SupportMetric(JudgedMetric):
    """A metric that asks a judge whether a text supports claims."""

    asks_support = True
    judge: Judge

    async def judge_support(
        self,
        sample: Sample,
        claims: Sequence[str],
        documentation: str,
        *,
        task: str = SUPPORT,
        passages: tuple[str, ...] = (),
    ) -> tuple[list[Claim], Usage]:
        """Has the judge say of each claim whether a text supports it; without claims nobody is asked.

        An entailment model reads the passages of the text one by one.

        Returns:
            The claims with their verdicts, in order, and the usage.
        """
        if not claims:
            return [], NO_USAGE
        answers = await self.judge.decide(
            support_request(sample, claims, documentation, self.prompts, task=task, passages=passages)
        )
        judged = [predicate_claim(answer, claim) for answer, claim in zip(answers.values(), claims, strict=True)]
        return judged, answers.usage


class ClaimsMetric(SupportMetric):
    """A metric over the claims of texts.

    Args:
        judge: Gives the verdicts.
        claims: What a claim is: `sentences` (no call), or `judge`: claims that the judge writes (one call per text).
        prompts: The prompts of the requests.
    """

    mode: str = ""
    """Which of its formulas gives the value; "" for a metric with one."""

    def __init__(self, judge: JudgeLike, claims: ClaimsBy = "sentences", prompts: Prompts = BUNDLED) -> None:
        check_choice("claims", claims, ClaimsBy)
        super().__init__(judge, prompts)
        self.claims: ClaimsBy = claims

    async def extract_claims(self, sample: Sample, text: str) -> tuple[Sequence[AnswerSentence], list[str], Usage]:
        """Lists the sentences and the claims of a text of a sample: its answer, or its reference as if it were one.

        What the text says to its judge is not shown to the judge, and is no claim.
        """
        split = await compute_for(sample, sentences_of_answer, sample, text)
        if self.claims == "sentences":
            return split, claims_of_sentences(split), NO_USAGE
        reply = await self.judge.ask(claims_question(sample, self.prompts, answer_to_its_reader(text, split)))
        return split, listed_by_judge(reply.value.claims, language_or_fallback(sample.language)), reply.usage

    def claims_evidence(self, sample: Sample, found: dict[str, Any], task: str = SUPPORT) -> dict[str, Any]:
        """The evidence of claims: how they were listed and judged, with what was found in between."""
        names = ["claims", task] if self.claims == "judge" else [task]
        evidence: dict[str, Any] = {"mode": self.mode} if self.mode else {}
        evidence |= {"claims_by": self.claims, "judge": self.judge.name} | found
        return evidence | self.prompts.evidence(names, sample.language)


def predicate_claim(answer: Answer, text: str = "") -> Claim:
    """The answer to a predicate as a claim with its verdict, the shape that reports show.

    Example:
        >>> answer = Answer(Predicate("1", "It is free."), "yes", {"yes": 0.75, "no": 0.25})
        >>> predicate_claim(answer).evidence()["probability"]
        0.75
    """
    statement = text or (answer.question.statement if isinstance(answer.question, Predicate) else "")
    if answer.option is None:
        return Claim(statement, "unverifiable", answer.problem or "the judge gave no answer")
    probability = None if answer.probabilities is None else answer.probability
    reason = f"the judge says {answer.option}"
    reason += ", and gives no probability" if probability is None else f", P(yes) = {probability:.2f}"
    reason += f": {answer.reason}" if answer.reason else ""
    return Claim(statement, "supported" if answer.option == YES else "not_found", reason, probability=probability)


def with_quotes(claims: Sequence[Claim], contexts: tuple[str, ...]) -> list[Claim]:
    """The claims, each supported one with the sentence of the contexts that shares most of its words.

    The judge gives no quote with a one-word answer; this is where a reader looks first.
    """
    quoted = []
    for claim in claims:
        if claim.verdict == "supported" and (place := find_nearest_sentence(claim.text, contexts)):
            quoted += [claim.with_quote(contexts[place.context][place.start : place.end], place)]
        else:
            quoted += [claim]
    return quoted


class Faithfulness(ClaimsMetric):
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
        numeric: Whether a claim whose numbers can be computed, from the sample's tables or those in its contexts, takes
            the computation's verdict in place of the judge's; the evidence shows both. Default: yes for a sample with
            tables of its own, which are then shown to the judge too where there are no contexts.
        prompts: The prompts of the calls.

    Raises:
        ValueError: Another value for `claims`.
    """

    name = "faithfulness"
    needs = ("response", "retrieved_contexts")

    def __init__(
        self,
        judge: JudgeLike,
        claims: ClaimsBy | None = None,
        *,
        numeric: bool | None = None,
        prompts: Prompts = BUNDLED,
    ) -> None:
        super().__init__(judge, "sentences" if claims is None else claims, prompts)
        self.numeric = numeric
        self.substitutes = {"retrieved_contexts": ("messages",) if numeric is False else ("messages", "tables")}

    def _prepare(self, sample: Sample) -> Sample:
        """A sample with tables and no contexts is judged by what its tables say."""
        if sample.tables if self.numeric is None else self.numeric:
            require_packages("numeric", "checking numbers against a sample's tables (numeric=False does without)")
        if sample.tables and not sample.retrieved_contexts and self.numeric is not False:
            from .numeric.sample_tables import tables_as_contexts

            sample = sample.model_copy(update={"retrieved_contexts": tables_as_contexts(sample.tables)})
        return sample

    async def measure(self, sample: Sample) -> Score:
        """The score, with every claim, verdict, quote and place in the evidence."""
        split, claims, usage = await self.extract_claims(sample, sample.response)
        task = CONVERSATION_SUPPORT if sample.messages else SUPPORT
        found = {"claims": [], **sentence_evidence(split, self.claims)}
        evidence = self.claims_evidence(sample, found, task)
        if not claims:
            return skipped("the answer makes no claims", evidence, usage)
        documents = await self._documents(sample, claims) if sample.messages else None
        if documents is not None and not documents.states_fact:
            reason = "nothing is documented: there are no contexts and no tool results, and the customer states nothing"
            return skipped(reason, evidence, usage)
        passages = shown_contexts(sample) if documents is None else documents.lines
        judged, verdicts_usage = await self.judge_support(
            sample, claims, "\n\n".join(passages), task=task, passages=passages
        )
        judged = await self._locate(sample, judged, documents)
        judged = await self._compute(sample, judged)
        if documents is not None:
            evidence |= documents.evidence()
        return self._score(judged, evidence, usage + verdicts_usage)

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
        shown: list[dict[str, Any]] = []
        support: list[float] = []
        unsupported: list[Claim] = []
        for claim in judged:
            shown += [claim.evidence()]
            support += [claim.support]
            if claim.verdict != "supported":
                unsupported += [claim]
        count = len(judged)
        supported = count - len(unsupported)
        value = self.aggregate(support)
        evidence["claims"] = shown
        evidence["ratio"] = supported / count
        reason = f"{supported} of {count_of(count, 'claim')} supported"
        if unsupported:
            worst = min(unsupported, key=_rank)
            reason += f'; {worst.verdict.replace("_", " ")}: "{worst.text}" ({worst.reason})'
        return scored(value, reason, evidence, usage)

    async def _documents(self, sample: Sample, claims: Sequence[str]) -> Documentation:
        """What was known in the conversation, as much as the judge can read beside the longest claim.

        Raises:
            JudgeError: It cannot read it even with results of tools cut.
        """
        longest = max(claims, key=len)

        def ask(documents: Documentation) -> Request:
            return support_request(sample, [longest], documents.text, self.prompts, task=CONVERSATION_SUPPORT)

        return await compute_for(sample, fitting_documents, sample, self.judge, ask, shows_tables=_shows_tables(sample))

    def aggregate(self, support: list[float]) -> float:
        """The score from each claim's support in [0, 1]: the mean."""
        return sum(support) / len(support)


def _shows_tables(sample: Sample) -> bool:
    """Whether the contexts of a prepared sample are its tables as text."""
    return bool(sample.tables and sample.retrieved_contexts) and isinstance(sample.retrieved_contexts[0], TableContext)


def _rank(claim: Claim) -> tuple[int, float]:
    """The place of a claim that is not supported: the worst has the lowest."""
    return ("contradicted", "not_found", "unverifiable").index(claim.verdict), claim.probability or 0.0


class WeakestClaim(Faithfulness):
    """The support of the answer's least supported claim.

    Formula: the minimum over the claims of P(supported); without probabilities 1 for a supported claim and 0 for
    another. Range: [0, 1]. Options and edge cases: see `Faithfulness`.

    It asks what `faithfulness` asks with the same options, so that both together cost no more than one. The mean hides
    one false claim among many true ones, which is how chatbots are wrong; a support team rates such an answer low.
    """

    name = "weakest_claim"

    def aggregate(self, support: list[float]) -> float:
        """The lowest support."""
        return min(support)
