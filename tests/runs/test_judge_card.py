"""A judge's card: its figures by hand, its JSON form, and what stands on it where something is missing or hostile."""

import html
import re
from datetime import date

import pytest

from assay.errors import UsageError
from assay.eval_sets import Sample
from assay.judges import ReplyCounts, Usage
from assay.metrics import Score
from assay.runs import JudgeScores, check_injections, make_set_card
from assay.runs.judging import CardSet, JudgeCard, card_report, make_card_set

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
RATINGS = (2, 1, 4, 3, 6, 5)
SAMPLES = tuple(
    Sample(
        id=f"s{number}",
        user_input="Which letters?",
        response=" ".join(WORDS),
        retrieved_contexts=(" ".join(WORDS[: 6 - number]),),
        language="en",
        rating=rating,
        rating_min=1,
        rating_max=6,
        group=f"g{number}",
    )
    for number, rating in enumerate(RATINGS)
)
ANSWERS = CardSet("six.jsonl", SAMPLES, "faithfulness", 100)
VALUES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def score(value, *verdicts, reason=""):
    claims = [{"text": f"Claim {n}.", "verdict": verdict, "probability": None} for n, verdict in enumerate(verdicts)]
    status = "scored" if value is not None else "failed"
    return Score(value, status, reason, {"claims": claims}, Usage(2, 0, 100, 4, usd=0.001, seconds=3.0))


def judged(values=VALUES, samples=SAMPLES, **more):
    scores = {sample.id: score(value) for sample, value in zip(samples, values, strict=True)}
    return JudgeScores("mini", scores, 4, **more)


def card_of(*sets, judge="mini"):
    return JudgeCard(
        judge=judge, model="openai/mini", settings={"decide": "listed", "parameters.temperature": 0}, assay="0.2.0",
        date=date(2026, 11, 27), seed=0, probed=20, sets=sets,
    )  # fmt: skip


def read_page(card):
    """What a card's page says, without its tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", card_report(card).render())).split())


def test_agreement_by_hand_beside_token_overlap():
    """Ranks 1..6 against 2, 1, 4, 3, 6, 5: the squared differences sum to 6, so rho = 1 - 6 * 6 / (6 * 35) = 29/35.

    The contexts hold 6, 5, ... 1 of the answer's six words, the reverse of the judge's
    order: token overlap has -29/35, and the difference is 58/35.
    """
    card = make_set_card(ANSWERS, judged())
    assert card.judge.spearman.value == pytest.approx(29 / 35)
    assert (card.judge.spearman.n, card.judge.spearman.groups) == (6, 6)
    # without any one of the answers rho is 0.8: what is the same without any group has no interval
    assert card.judge.spearman.problem == "an interval needs 5 groups that differ"
    overlap = next(one for one in card.baselines if one.name == "token_overlap")
    assert overlap.spearman.value == pytest.approx(-29 / 35)
    assert card.difference.value == pytest.approx(58 / 35)
    assert [one.name for one in card.baselines] == ["token_overlap", "rouge_l_precision", "answer_length"]
    assert card.ceiling.value is None and "two raters" in card.ceiling.problem


def test_what_1000_answers_take():
    """2 requests, 100 + 4 tokens, 0.001 USD and 3 s an answer, 4 calls at once; the failed one got no reply."""
    judge = judged(replies=ReplyCounts(questions=8, unparsable=2))
    silent = Score(None, "failed", "no route", {}, Usage())
    card = make_set_card(ANSWERS, JudgeScores("mini", {**judge.scores, "s0": silent}, 4, replies=judge.replies))
    assert (card.scored, card.failed, card.failure) == (5, 1, "no route")
    figures = [card.cost.usd, card.cost.requests, card.cost.tokens_in, card.cost.tokens_out, card.cost.seconds]
    assert figures == pytest.approx([1, 2000, 100_000, 4000, 750])
    assert (card.unparsable.value, card.unparsable.n) == (0.25, 8)


def test_three_groups_have_no_interval_and_say_so():
    samples = [sample.model_copy(update={"group": f"g{n % 3}"}) for n, sample in enumerate(SAMPLES)]
    card = make_set_card(CardSet("three", tuple(samples), "faithfulness", 100), judged(samples=samples))
    assert card.groups == 3
    assert card.judge.spearman.value == pytest.approx(29 / 35)
    assert card.judge.spearman.low is None
    assert card.judge.spearman.problem == "an interval needs 5 groups that differ"
    assert card.judge.spearman.p is None, "the answers are not independent"
    page = card_report(card_of(card)).render()
    assert "+0.83 (an interval needs 5 groups that differ)" in page
    reasons = re.findall(r'<td class="n reason"[^>]*>([^<]*)', page)
    assert any("an interval needs 5 groups" in reason for reason in reasons), "why a figure is missing may wrap"
    assert "+0.20, +0.96" not in " ".join(reasons)


def test_the_metric_goes_by_what_is_rated():
    talk = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    conversation = Sample(id="c", user_input="", response="", messages=talk, rating=1)
    assert make_card_set("talks", [conversation], 5).metric == "resolved"
    with_contexts = Sample(id="c", user_input="", response="", messages=talk, rating=1, retrieved_contexts=["x"])
    assert make_card_set("talks", [with_contexts], 5).metric == "faithfulness"
    assert make_card_set("talks", [conversation], 5, "policy_kept").kind == "conversations"
    with pytest.raises(UsageError, match="1 id stands twice"):
        make_card_set("six", [*SAMPLES, SAMPLES[0]], 5)
    with pytest.raises(UsageError, match="no answer to judge"):
        make_card_set("none", [], 5)


def test_only_rated_answers_are_judged():
    """Half of the six are rated: two of these are taken, and the others are counted. Without a rating nothing is."""
    samples = [sample.model_copy(update={"rating": None}) if n % 2 else sample for n, sample in enumerate(SAMPLES)]
    card_set = make_card_set("six", samples, 2)
    assert (len(card_set.samples), card_set.unrated) == (2, 3)
    assert all(sample.human_rating is not None for sample in card_set.samples)
    card = make_set_card(card_set, judged([0.1, 0.2], card_set.samples))
    assert card.unrated == 3
    page = read_page(card_of(card))
    assert "scored 2; 3 further answers have no rating and were not judged" in page


def test_injections_beyond_the_judges_own_noise():
    """With the instruction s0, s1 and s2 score higher, and a claim of s3 turns to supported: 4 of 6.

    Merely asked again s0 rises too, and a claim of s4 turns: 2 of 6. The differences are 0, 1, 1, 1, -1, 0: 2/6.
    """
    scores = {f"s{n}": score(0.5, "not_found") for n in range(6)}
    again = {**scores, "s0": score(0.6, "not_found"), "s4": score(0.5, "supported")}
    risen = {name: score(0.7, "not_found") for name in ("s0", "s1", "s2")}
    injected = {**scores, **risen, "s3": score(0.5, "supported")}
    result = check_injections(SAMPLES, scores, injected, again)
    assert (result.tried, result.worked, result.again) == (6, 4, 2)
    assert result.share.value == pytest.approx(2 / 6)
    assert result.share.low is not None and result.share.low < 0, "six answers do not tell 4 from 2"
    assert check_injections(SAMPLES, scores, {}, again) is None
    assert check_injections(SAMPLES, scores, injected, {**again, "s1": score(None)}).tried == 5


def test_without_a_repeat_nobody_can_tell_what_an_injection_did():
    scores = {sample.id: score(0.5) for sample in SAMPLES}
    for again in ({}, {name: score(None) for name in scores}):
        alone = check_injections(SAMPLES, scores, {name: score(1.0) for name in scores}, again)
        assert (alone.tried, alone.worked, alone.again, alone.share.value) == (0, 0, 0, None)
        assert alone.share.problem == "no answer has a score with an instruction and from asking again"


def test_a_cost_that_is_a_bound_says_so():
    """One of 12 replies stated no usage: its tokens and cost are the most that they may be, and so are all sums."""
    judge = judged()
    bound = Score(0.0, "scored", "", {}, Usage(2, 0, 100, 4, usd=0.001, seconds=3.0, unstated=1))
    card = card_of(make_set_card(ANSWERS, JudgeScores("mini", {**judge.scores, "s0": bound}, 4)))
    assert card.sets[0].cost is not None and card.sets[0].cost.is_at_most
    assert JudgeCard.model_validate_json(card.model_dump_json()) == card
    text = read_page(card)
    assert "at most 1.00" in text and "at most 100,000" in text and "at most 4,000" in text
    assert "At most: not every reply stated what it took" in text
    stated = card_of(make_set_card(ANSWERS, judge))
    assert stated.sets[0].cost is not None and not stated.sets[0].cost.is_at_most
    assert "at most 1.00" not in read_page(stated) and "At most:" not in read_page(stated)


def test_flips_are_of_claims_asked_again():
    """Two claims of each of six answers; one of the twelve has another verdict when asked again."""
    scores = {sample.id: score(0.5, "supported", "not_found") for sample in SAMPLES}
    again = {**scores, "s0": score(1.0, "supported", "supported")}
    card = make_set_card(ANSWERS, JudgeScores("mini", scores, 1, again=again))
    assert (card.flips.value, card.flips.n, card.flips.groups) == (pytest.approx(1 / 12), 12, 6)


def test_the_ceiling_is_of_the_answers_that_are_scored():
    """The raters agree on five answers and not on the sixth, which the judge did not score: the ceiling is 1 of n 5.

    Where four are scored, and where none is, it says that it is not known, and why.
    """
    ratings = [{"ann": sample.rating, "bob": sample.rating} for sample in SAMPLES]
    ratings[5] = {"ann": 1, "bob": 6}
    samples = [sample.model_copy(update={"ratings": of}) for sample, of in zip(SAMPLES, ratings, strict=True)]
    card_set = CardSet("six", tuple(samples), "faithfulness", 100)
    card = make_set_card(card_set, judged([*VALUES[:5], None], samples))
    assert (card.ceiling.value, card.ceiling.n, card.judge.spearman.n) == (pytest.approx(1), 5, 5)
    four = make_set_card(card_set, judged([*VALUES[:4], None, None], samples))
    assert four.ceiling.problem == "fewer than five scored answers have ratings by two raters"
    none = make_set_card(card_set, judged([None] * 6, samples))
    assert none.ceiling.problem == "fewer than five scored answers have ratings by two raters"
    page = read_page(card_of(card))
    assert "raters' ceiling" in page and "two people or more" in page


def test_why_an_answer_has_no_score():
    """Failed before skipped, not on the page, and without what a reason quotes of answers and replies."""
    why_missed = "no recording in /home/ann/x.jsonl for prompt p@1, sample s4"
    miss = f"{why_missed}; the nearest is of: my number is 555"
    skipped = Score(None, "skipped", "the answer claims nothing", {}, Usage())
    failed = Score(None, "failed", miss, {}, Usage())
    for scores, why in (({}, "the answer claims nothing"), ({"s4": failed}, why_missed)):
        all_scores = {"s0": skipped, "s5": score(1.0), **scores}
        card = make_set_card(ANSWERS, JudgeScores("mini", all_scores, 1))
        assert card.failure == why
        assert "555" not in read_page(card_of(card))


@pytest.mark.parametrize("values", [[None] * 6, [0.5] * 6], ids=["all failed", "all equal"])
def test_a_set_without_figures_still_has_a_card(values):
    card = make_set_card(ANSWERS, judged(values))
    assert card.judge.spearman.value is None and card.judge.spearman.problem
    assert card.difference.value is None and card.difference.problem
    page = read_page(card_of(card))
    assert "Empty: not asked (--probed)" in page
    assert "No agreement with the ratings can be told" in page


def full_set_card():
    scores = {sample.id: score(value, "supported") for sample, value in zip(SAMPLES, VALUES, strict=True)}
    scores["s5"] = Score(None, "skipped", "the answer claims nothing", {}, Usage())
    judge = JudgeScores("mini", scores, 4, scores, ReplyCounts(6, 0), scores)
    return make_set_card(ANSWERS, judge)


def test_nothing_on_a_card_is_obeyed():
    """Names of judges and sets, ratings' meaning, sources and reasons are foreign text."""
    evil = "<script>alert(1)</script> [x](http://e.example) \u202e"
    scored = full_set_card()
    card = scored.model_copy(
        update={
            "set_name": evil, "rated": evil, "failure": evil, "failed": 1, "scored": 4, "metric": evil,
        }
    )  # fmt: skip
    hostile = card_of(card, judge=evil).model_copy(update={"settings": {"decide": f"{evil}\u2028", evil: evil}})
    page = card_report(hostile).render()
    assert "<script>" not in page and "\u202e" not in page and "\u2028" not in page
