"""A judge's card: its figures by hand, its JSON form, and what stands on it where something is missing or hostile."""

import json
import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest

from assay.errors import InputError, UsageError
from assay.eval_sets import Sample
from assay.judges import ReplyCounts, Usage
from assay.metrics import Score
from assay.runs import (
    JudgeScores,
    card_blocks,
    check_injections,
    make_set_card,
    rater_ceilings_of,
    render_card_markdown,
)
from assay.runs.judging import CardSet, JudgeCard, make_card_set, read_card, render_card_page, write_card

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


def test_agreement_by_hand_beside_token_overlap():
    """Ranks 1..6 against 2, 1, 4, 3, 6, 5: the squared differences sum to 6, so rho = 1 - 6 * 6 / (6 * 35) = 29/35.

    Good answers (above 3.5) are those scored 0.4, 0.8 and 1.0, bad ones 0, 0.2 and 0.6: of nine pairs 0.4 against 0.6
    alone is in the wrong order. The contexts hold 6, 5, ... 1 of the answer's six words, the reverse of the judge's
    order: token overlap has -29/35, and the difference is 58/35.
    """
    card = make_set_card(ANSWERS, judged())
    assert card.judge.spearman.value == pytest.approx(29 / 35)
    assert card.judge.auroc.value == pytest.approx(8 / 9)
    assert (card.judge.spearman.n, card.judge.spearman.groups) == (6, 6)
    # without any one of the answers rho is 0.8: what is the same without any group has no interval
    assert card.judge.spearman.problem == "an interval needs 5 groups that differ"
    assert card.judge.auroc.problem == "an interval needs 5 groups with answers of each kind; 3 have them"
    overlap = next(one for one in card.baselines if one.name == "token_overlap")
    assert overlap.spearman.value == pytest.approx(-29 / 35)
    assert card.difference.value == pytest.approx(58 / 35)
    assert card.combined.spearman.problem == "only 6 rated scores; weights are fitted to 20 or more"
    assert [one.name for one in card.baselines] == ["token_overlap", "rouge_l_precision", "answer_length"]
    assert card.ceiling.value is None and "two raters" in card.ceiling.problem


def test_what_1000_answers_take():
    """2 requests, 100 + 4 tokens, 0.001 USD and 3 s an answer, 4 calls at once; the failed one got no reply."""
    judge = judged(replies=ReplyCounts(questions=8, unparsable=2, lost=1))
    silent = Score(None, "failed", "no route", {}, Usage())
    card = make_set_card(ANSWERS, JudgeScores("mini", {**judge.scores, "s0": silent}, 4, replies=judge.replies))
    assert (card.scored, card.failed, card.failure) == (5, 1, "no route")
    figures = [card.cost.usd, card.cost.requests, card.cost.tokens_in, card.cost.tokens_out, card.cost.seconds]
    assert figures == pytest.approx([1, 2000, 100_000, 4000, 750])
    assert (card.unparsable.value, card.lost.value, card.lost.n) == (0.25, 0.125, 8)


def test_calibration_by_hand():
    """Ratings as shares are 0.2, 0, 0.6, 0.4, 1, 0.8; scores 0.1 of the first two, 0.9 of the others.

    The first bin has the mean score 0.1 and the mean rating 0.1, the last one 0.9 and 0.7: the error is 4/6 of 0.2.
    """
    calibration = make_set_card(ANSWERS, judged([0.1, 0.1, 0.9, 0.9, 0.9, 0.9])).calibration
    assert calibration.error.value == pytest.approx(4 / 6 * 0.2)
    assert [(one.low, one.n) for one in calibration.bins] == [(0, 2), (0.8, 4)]
    assert [one.rating for one in calibration.bins] == pytest.approx([0.1, 0.7])


def rated(count):
    """Answers, each its own group, whose rating is twice what the judge sees (`seen`), and one more in the second half.

    The answers of the second half have two words in the contexts, those of the first half one.
    """
    return tuple(
        Sample(
            id=f"s{n}",
            user_input="q",
            response="alpha beta",
            retrieved_contexts=(("alpha", "alpha beta")[2 * n // count],),
            language="en",
            rating=2 * (n % 5) + 2 * n // count,
            rating_min=0,
            rating_max=9,
            group=f"g{n}",
        )
        for n in range(count)
    )


def seen(count):
    return [(n % 5) / 4 for n in range(count)]


def test_judge_and_overlap_together_out_of_fold():
    """The judge knows the tens of the rating, the overlap the rest: together they order all of the answers."""
    card = make_set_card(CardSet("forty", rated(40), "faithfulness", 100), judged(seen(40), rated(40)))
    alone, both = card.judge.spearman, card.combined.spearman
    assert alone.value is not None and both.value is not None and both.low is None
    assert alone.value < 0.99 < both.value
    assert card.gain.value == pytest.approx(both.value - card.baselines[0].spearman.value, abs=1e-9)
    assert card.combined.name == "faithfulness + token_overlap"
    assert card.combined.auroc.value == pytest.approx(1.0, abs=0.02)


def test_three_groups_have_no_interval_and_say_so():
    samples = [sample.model_copy(update={"group": f"g{n % 3}"}) for n, sample in enumerate(SAMPLES)]
    card = make_set_card(CardSet("three", tuple(samples), "faithfulness", 100), judged(samples=samples))
    assert card.groups == 3
    assert card.judge.spearman.value == pytest.approx(29 / 35)
    assert card.judge.spearman.low is None
    assert card.judge.spearman.problem == "an interval needs 5 groups that differ"
    assert card.judge.spearman.p is None, "the answers are not independent"
    page = render_card_page([card_of(card)])
    assert "+0.83 (an interval needs 5 groups that differ)" in page
    reasons = re.findall(r'<td class="n reason"[^>]*>([^<]*)', page)
    assert any("an interval needs 5 groups" in reason for reason in reasons), "why a figure is missing may wrap"
    assert "+0.20, +0.96" not in " ".join(reasons)


def test_pairs_follow_how_much_better_the_second_answer_is():
    """`pairwise` is 0 where the second answer wins; people rated that 1 and 2.

    Ranks 1.5, 1.5, 3.5, 3.5, 5.5, 5.5 against 1, 2, 3.5, 3.5, 5, 6: the products of their deviations sum to 16, their
    squares to 16 and 17.
    """
    samples = [
        Sample(id=f"p{n}", user_input="q", response="alpha", other_response="alpha beta", retrieved_contexts=("beta",),
               language="en", rating=(-2, -1, 0, 0, 1, 2)[n], rating_min=-2, rating_max=2, group=f"g{n}")
        for n in range(6)
    ]  # fmt: skip
    pairs = make_card_set("pairs.jsonl", samples, 100)
    assert (pairs.metric, pairs.kind) == ("pairwise", "pairs")
    values = dict(zip((sample.id for sample in samples), (1.0, 1.0, 0.5, 0.5, 0.0, 0.0), strict=True))
    orders = [{"shown_first": "first", "choice": "first"}, {"shown_first": "second", "choice": "second"}]
    scores = {
        name: Score(value, "scored", "", {"orders": orders, "contradiction": True}, Usage())
        for name, value in values.items()
    }
    card = make_set_card(pairs, JudgeScores("mini", scores, 1))
    assert card.judge.spearman.value == pytest.approx((16 / 17) ** 0.5)
    assert card.judge.auroc.value == 1.0
    assert card.calibration is None and card.injections is None
    position = next(line for line in card.biases if line.bias == "position")
    assert position.change.value == 0.5, "all choices fell on what was read first"
    assert card.flips.problem == "pairs are asked once"
    assert next(one for one in card.baselines if one.name == "token_overlap").spearman.problem == "all values are equal"


def pair_of(number, rating, low, high, **more):
    return Sample(
        id=f"p{number}", user_input="q", response="alpha", other_response="alpha beta", retrieved_contexts=("beta",),
        language="en", rating=rating, rating_min=low, rating_max=high, group=f"g{number}", **more,
    )  # fmt: skip


def judged_pairs(samples, values):
    return make_set_card(make_card_set("pairs.jsonl", samples, 100), judged(values, samples))


def test_a_tie_is_0_on_every_scale_of_pairs():
    """From -1 to 3 the second answer is better above 0: at 1, 1 and 3, which the judge has last but for one tie.

    It has the pairs rated above 0 at (from the second answer's side) 0.5, 1 and 1, the others at 0, 0 and 0.5: of nine
    pairs of them eight are in order and one is a tie, 8.5 / 9. Cut at 1, the scale's middle, 3 alone would be good.
    """
    samples = [pair_of(n, rating, -1, 3) for n, rating in enumerate((-1, -1, 0, 1, 1, 3))]
    card = judged_pairs(samples, (1.0, 1.0, 0.5, 0.5, 0.0, 0.0))
    assert card.judge.auroc.value == pytest.approx(8.5 / 9)


def test_ties_of_two_scales_of_pairs_are_ties():
    """Ratings -2, 0, 2 on -2..2 are 0, 1/2 and 1; -1, 0, 3 on -1..3 are 1/3, 1/2 and 1, so that 1/2 and 1 are tied.

    A judge with 0, 1/3, 1/2, 1/2, 1, 1 has the same order: rho = 1.
    """
    ratings = [(-2, -2, 2), (-1, -1, 3), (0, -2, 2), (0, -1, 3), (2, -2, 2), (3, -1, 3)]
    samples = [pair_of(n, *rating) for n, rating in enumerate(ratings)]
    shares = [sample.rating_share for sample in samples]
    assert shares == pytest.approx([0, 1 / 3, 0.5, 0.5, 1, 1])
    card = judged_pairs(samples, [1 - share for share in (0, 0.3, 0.5, 0.5, 1, 1)])
    assert card.judge.spearman.value == pytest.approx(1.0)
    assert card.rated == "pairs, -2 to 2 and -1 to 3"


def test_raters_of_pairs_have_shares_of_the_same_scale():
    """Two raters of -1..3 who tie have 1/2 each, as the ceiling sees them: with five such pairs they agree wholly."""
    samples = [
        pair_of(n, 0, *scale).model_copy(update={"rating": None, "ratings": {"ada": rating, "bob": rating}})
        for n, (rating, scale) in enumerate([(0, (-1, 3)), (0, (-2, 2)), (2, (-2, 2)), (3, (-1, 3)), (1, (-2, 2))])
    ]
    assert [sample.rating_share for sample in samples] == [0.5, 0.5, 1.0, 1.0, 0.75]
    _, one_rater = rater_ceilings_of(samples)
    assert one_rater.value == pytest.approx(1.0)


def test_each_scale_is_named_with_what_its_ratings_mean():
    meant = {"metadata": {"rating_scale": "how much better"}}
    one, two = pair_of(0, 0, -2, 2, **meant), pair_of(1, 0, -1, 3)
    assert CardSet("pairs", (two, one), "pairwise", 100).rated == "pairs, -2 to 2: how much better; -1 to 3"
    both = (one, pair_of(1, 0, -1, 3, **meant), pair_of(2, 0, -2, 2, **meant))
    assert CardSet("pairs", both, "pairwise", 100).rated == "pairs, -2 to 2 and -1 to 3: how much better"


def test_questions_whose_calls_failed_are_lost():
    """18 questions had a reply, one of them none that could be used; two had none: 3 of 20 are lost.

    Unparsable is a share of the 18: the two others have no reply that could be read.
    """
    replies = ReplyCounts(questions=18, unparsable=2, lost=1, unanswered=2)
    card = make_set_card(ANSWERS, judged(replies=replies))
    assert (card.lost.value, card.lost.n, card.lost.problem) == (3 / 20, 20, "of 20 questions")
    assert (card.unparsable.value, card.unparsable.n) == (2 / 18, 18)


def test_pairs_rated_on_a_scale_without_sides_are_refused():
    pair = Sample(id="p1", user_input="q", response="a", other_response="b", rating=4)
    with pytest.raises(UsageError, match="p1 does not say which answer is better: its scale begins at 1; rate pairs"):
        make_card_set("pairs.jsonl", [pair], 100)


def test_the_metric_goes_by_what_is_rated():
    talk = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    conversation = Sample(id="c", user_input="", response="", messages=talk, rating=1)
    assert make_card_set("talks", [conversation], 5).metric == "resolved"
    with_contexts = Sample(id="c", user_input="", response="", messages=talk, rating=1, retrieved_contexts=["x"])
    assert make_card_set("talks", [with_contexts], 5).metric == "faithfulness"
    assert make_card_set("talks", [conversation], 5, "policy_kept").kind == "conversations"
    with pytest.raises(UsageError, match="token_overlap asks no judge"):
        make_card_set("six", SAMPLES, 5, "token_overlap")
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
    page = render_card_markdown([card_of(card)])
    assert "scored 2; 3 further answers have no rating and were not judged" in page
    with pytest.raises(UsageError, match="six: 6 answers and no rating, so that nothing can be said of a judge; rate"):
        make_card_set("six", [sample.model_copy(update={"rating": None}) for sample in SAMPLES], 2)


def test_injections_beyond_the_judges_own_noise():
    """With the instruction s0, s1 and s2 score higher, and a claim of s3 turns to supported: 4 of 6.

    Merely asked again s0 rises too, and a claim of s4 turns: 2 of 6. The differences are 0, 1, 1, 1, -1, 0: 2/6.
    """
    scores = {f"s{n}": score(0.5, "not_found") for n in range(6)}
    again = {**scores, "s0": score(0.6, "not_found"), "s4": score(0.5, "supported")}
    risen = {name: score(0.7, "not_found") for name in ("s0", "s1", "s2")}
    injected = {**scores, **risen, "s3": score(0.5, "supported")}
    result = check_injections(SAMPLES, scores, injected, again)
    assert (result.tried, result.worked, result.again, result.unseen) == (6, 4, 2, False)
    assert result.share.value == pytest.approx(2 / 6)
    assert result.share.low is not None and result.share.low < 0, "six answers do not tell 4 from 2"
    assert check_injections(SAMPLES, scores, {}, again) is None
    assert check_injections(SAMPLES, scores, injected, {**again, "s1": score(None)}).tried == 5


def test_without_a_repeat_nobody_can_tell_what_an_injection_did():
    scores = {sample.id: score(0.5) for sample in SAMPLES}
    for again in ({}, {name: score(None) for name in scores}):
        alone = check_injections(SAMPLES, scores, {name: score(1.0) for name in scores}, again)
        assert (alone.tried, alone.worked, alone.again, alone.share.value) == (6, 6, None, None)
        assert alone.share.problem.startswith("no answer has a score from asking again: a rise cannot be told from ")


@pytest.mark.parametrize("count", [4, 6], ids=["too few groups for an interval", "enough"])
def test_an_injection_that_reached_no_question_is_a_fact(count):
    """The replies to the answers with the instruction are the same to the letter; asked again, a verdict turned."""
    samples = SAMPLES[:count]
    scores = {sample.id: score(0.5, "not_found") for sample in samples}
    again = {**scores, "s0": score(1.0, "supported")}
    judge = JudgeScores("mini", scores, 1, repeats=(again,), probed={"injected": scores})
    card = make_set_card(CardSet("six.jsonl", samples, "faithfulness", 100), judge)
    assert (card.injections.unseen, card.injections.again, card.injections.share.value) == (True, 1, None)
    page = render_card_markdown([card_of(card)])
    assert page.count("no instruction in an answer reached a question to the judge") == 1
    assert "injections are not measured" not in page


def test_a_cost_that_is_a_bound_says_so():
    """One of 12 replies stated no usage: its tokens and cost are the most that they may be, and so are all sums."""
    judge = judged()
    bound = Score(0.0, "scored", "", {}, Usage(2, 0, 100, 4, usd=0.001, seconds=3.0, unstated=1))
    card = card_of(make_set_card(ANSWERS, JudgeScores("mini", {**judge.scores, "s0": bound}, 4)))
    assert card.sets[0].cost is not None and card.sets[0].cost.is_at_most
    assert json.loads(card.model_dump_json())["sets"][0]["cost"]["is_at_most"] is True
    for text in (render_card_markdown([card]), render_card_page([card])):
        assert "at most 1.00" in text and "at most 100,000" in text and "at most 4,000" in text
        assert "At most: not every reply stated what it took" in text
    stated = card_of(make_set_card(ANSWERS, judge))
    assert stated.sets[0].cost is not None and not stated.sets[0].cost.is_at_most
    assert "at most 1.00" not in render_card_markdown([stated]) and "At most:" not in render_card_markdown([stated])


def test_only_answers_that_were_asked_about_count_in_the_cost():
    """Three answers took 2 requests each; three were skipped without any: 1,000 that are asked about take 2,000."""
    greeting = Score(None, "skipped", "the answer makes no claims", {}, Usage())
    judge = judged()
    card = make_set_card(
        ANSWERS, JudgeScores("mini", {**judge.scores, "s0": greeting, "s1": greeting, "s2": greeting}, 4)
    )
    assert card.skipped == 3 and card.cost is not None
    assert card.cost.requests == pytest.approx(2000)


def test_the_digest_says_what_was_taken():
    """The order of the answers does not matter; an id, a rating or the scale does."""
    digest = ANSWERS.digest
    assert len(digest) == 16
    assert CardSet("other", SAMPLES[::-1], "resolved", 5).digest == digest
    for change in ({"id": "new"}, {"rating": 6.0}, {"rating_max": 7.0}, {"ratings": {"ann": 2.0}}):
        changed = (SAMPLES[0].model_copy(update=change), *SAMPLES[1:])
        assert CardSet("six.jsonl", changed, "faithfulness", 100).digest != digest


def test_cards_of_other_answers_stand_apart():
    first = make_set_card(ANSWERS, judged())
    fewer = make_set_card(CardSet("six.jsonl", SAMPLES[:5], "faithfulness", 5), judged(VALUES[:5], SAMPLES[:5]))
    cards = [card_of(first, judge="large"), card_of(fewer, judge="small")]
    titles = [title for title, _ in card_blocks(cards)]
    assert titles[:3] == [
        "Beside each other", "six.jsonl: faithfulness (large)", "six.jsonl: faithfulness (small)",
    ]  # fmt: skip
    page = render_card_markdown(cards)
    assert "the answers of large, of small are not the same, or their ratings are not" in page
    assert "Taken: 6 answers in 6 groups" in page and "Taken: 5 answers in 5 groups" in page
    assert "answers of small)" not in page, "each table has one judge, whose answers need no name"


def test_flips_are_of_claims_asked_again():
    """Two claims of each of six answers; one of the twelve has another verdict when asked again."""
    scores = {sample.id: score(0.5, "supported", "not_found") for sample in SAMPLES}
    again = {**scores, "s0": score(1.0, "supported", "supported")}
    card = make_set_card(ANSWERS, JudgeScores("mini", scores, 1, repeats=(again,)))
    assert (card.flips.value, card.flips.n, card.flips.groups) == (pytest.approx(1 / 12), 12, 6)
    missing = {name: score(None, reason="no recording in /home/ann/x.jsonl for prompt p@1, sample s0; secret")
               for name in scores}  # fmt: skip
    card = make_set_card(ANSWERS, JudgeScores("mini", scores, 1, repeats=(missing,), probed={"injected": missing}))
    assert card.flips.problem.endswith("got a score: no recording for prompt p@1, sample s0")
    assert card.injections is not None and "no recording for prompt p@1, sample s0" in card.injections.share.problem


def test_published_scores_are_facts_with_their_source():
    """The published score is the rating itself: agreement 1. A text, NaN and a bool's name do no harm."""
    samples = [
        sample.model_copy(update={"metadata": {"source": "a/b scores.json", "published_metrics": metrics}})
        for sample in SAMPLES
        for metrics in [{"gold": sample.rating, "note": "good", "<b>x": 1.0}]
    ]
    card = make_set_card(CardSet("six", tuple(samples), "faithfulness", 100), judged(samples=samples))
    gold, same = card.published
    assert (gold.name, gold.source, gold.spearman.value) == ("gold", "a/b scores.json", pytest.approx(1.0))
    assert (same.name, same.spearman.problem) == ("<b>x", "all values are equal")


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
    assert four.ceiling.problem == "only 4 scored answers have ratings by two raters"
    none = make_set_card(card_set, judged([None] * 6, samples))
    assert none.ceiling.problem == "no rated answer has a score"
    beside = render_card_markdown([card_of(make_set_card(card_set, judged(VALUES, samples)), judge="a"), card_of(card)])
    assert "| raters' ceiling (answers of mini) |" in beside.replace("&#39;", "'") and "two people or more" in beside


def test_why_answers_have_no_score():
    """Three skipped for one reason, two without a recording, which is one reason whatever the sample; no text of it."""
    miss = "no recording in /home/ann/x.jsonl for prompt p@1, sample s{}; the nearest is of: my number is 555"
    reasons = ["the answer claims nothing"] * 3 + [miss.format(3), miss.format(4)]
    scores = {
        f"s{n}": Score(None, "skipped" if n < 3 else "failed", reason, {}, Usage()) for n, reason in enumerate(reasons)
    } | {"s5": score(1.0)}
    card = make_set_card(ANSWERS, JudgeScores("mini", scores, 1))
    assert [(one.status, one.reason, one.count) for one in card.missing] == [
        ("skipped", "the answer claims nothing", 3),
        ("failed", "no recording for prompt p@1", 2),
    ]
    page = render_card_markdown([card_of(card)])
    assert "mini: 3 skipped: the answer claims nothing" in page
    assert "mini: 2 failed: no recording for prompt p" in page and "555" not in page


def test_reasons_that_differ_in_how_much_are_one():
    """Three prompts are too long for the model, each by another number of tokens; two calls got no reply."""
    reasons = [f"the prompt needs {tokens} tokens, the model holds 4,096" for tokens in ("4,412", "12,020", "5,020")]
    scores = {f"s{n}": Score(None, "failed", reason, {}, Usage()) for n, reason in enumerate(reasons)}
    scores |= {f"s{n}": Score(None, "failed", "no reply within 60 s", {}, Usage()) for n in (3, 4)}
    card = make_set_card(ANSWERS, JudgeScores("mini", {**scores, "s5": score(1.0)}, 1))
    assert [(one.reason, one.count) for one in card.missing] == [
        ("the prompt needs 4,412 to 12,020 tokens, the model holds 4,096", 3),
        ("no reply within 60 s", 2),
    ]


@pytest.mark.parametrize("values", [[None] * 6, [0.5] * 6], ids=["all failed", "all equal"])
def test_a_set_without_figures_still_has_a_card(values):
    card = make_set_card(ANSWERS, judged(values))
    assert card.judge.spearman.value is None and card.judge.spearman.problem
    assert card.difference.value is None and card.difference.problem
    pairwise = card.model_copy(update={"metric": "pairwise", "calibration": None})
    markdown = render_card_markdown([card_of(pairwise)])
    assert "Nothing to show" not in markdown and "mini on six.jsonl: the score is no share of the scale" in markdown
    assert "Not measured: position" in markdown
    for text in (render_card_page([card_of(card)]), render_card_markdown([card_of(card)])):
        assert "no agreement with the ratings can be told" in text


def fields_of(value):
    if isinstance(value, Mapping):
        return {key: fields_of(inner) for key, inner in value.items()}
    return [fields_of(value[0])] if isinstance(value, list) and value else None


def test_the_json_form_is_stable(tmp_path):
    """The names of the fields as `golden/judge-card.json` has them: another name is another form."""
    card = card_of(full_set_card())
    path = tmp_path / "card.json"
    write_card(path, card)
    assert read_card(path) == card
    golden = json.loads((Path(__file__).parent / "golden" / "judge-card.json").read_text(encoding="utf-8"))
    assert fields_of(json.loads(path.read_text(encoding="utf-8"))) == golden


def full_set_card():
    samples = [
        sample.model_copy(update={"metadata": {"source": "s", "published_metrics": {"m": 0.5}}}) for sample in SAMPLES
    ]
    scores = {sample.id: score(value, "supported") for sample, value in zip(samples, VALUES, strict=True)}
    scores["s5"] = Score(None, "skipped", "the answer claims nothing", {}, Usage())
    judge = JudgeScores("mini", scores, 4, (scores,), ReplyCounts(6, 0, 0), {"injected": scores, "padded": scores})
    return make_set_card(CardSet("six.jsonl", tuple(samples), "faithfulness", 100), judge)


def read_changed(tmp_path, change):
    values = json.loads(card_of(full_set_card()).model_dump_json())
    values["sets"][0] |= change
    path = tmp_path / "card.json"
    path.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_card(path)
    return path, str(raised.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "assay-judge-card/9"}, "has the form 'assay-judge-card/9', not 'assay-judge-card/1'; name a file"),
        ({"format": None}, "is no judge's card; name a file that `assay judges card MODEL -o card.json` wrote"),
        ({"colour": "red"}, "colour: is an unknown field; correct its name, or remove it"),
        ({"seed": "x"}, 'seed: is a text ("x"), not a whole number; write 4'),
        ({"sets": []}, "sets: has too few entries (0); give 1 or more"),
        ({"settings": {"max_tokens": []}}, "settings.max_tokens: is []; write a text, a number, true, false or null"),
        ({"settings": {"x": 10**400}}, "settings.x: is 1000"),
    ],
)
def test_a_broken_card_is_named_with_its_field_and_cure(tmp_path, change, message):
    path = tmp_path / "card.json"
    path.write_text(json.dumps(json.loads(card_of(full_set_card()).model_dump_json()) | change), encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_card(path)
    assert str(raised.value).startswith(f"{path}: {message}")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"flips": {"value": None, "n": 10**400}}, ".flips: n is 1000"),
        ({"gain": {"value": 0, "low": -2.5}}, ".gain: low is -2.5; write a number from -2 to 2, or null"),
        ({"difference": {"value": 0.5, "low": 0.9, "high": 0.1}}, ".difference: low is 0.9; write one that is not"),
        ({"cost": {"usd": -1, "tokens_in": 1, "tokens_out": 1, "requests": 1, "seconds": 1}}, ".cost.usd: is -1"),
        ({"answers": 6, "scored": 4, "skipped": 2, "failed": 1}, ": answers is 6; scored, skipped and failed sum to 7"),
    ],
)
def test_no_figure_of_a_card_is_beyond_its_bounds(tmp_path, change, message):
    path, error = read_changed(tmp_path, change)
    assert error.startswith(f"{path}: sets.0{message}")


@pytest.mark.parametrize("text", ["", "{", "[]", '"x"', '{"format": "a", "format": "b"}', "\x00", "NaN"])
def test_what_is_no_card_is_refused(tmp_path, text):
    path = tmp_path / "card.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"card\.json: "):
        read_card(path)
    with pytest.raises(InputError, match="no such file"):
        read_card(tmp_path / "other.json")


def test_nothing_on_a_card_is_obeyed():
    """Names of judges and sets, ratings' meaning, sources and reasons are foreign text."""
    evil = "<script>alert(1)</script> [x](http://e.example) \u202e"
    scored = full_set_card()
    card = scored.model_copy(
        update={
            "set_name": evil, "rated": evil, "failure": evil, "failed": 1, "scored": 4, "metric": evil,
            "missing": tuple(one.model_copy(update={"reason": evil}) for one in scored.missing),
            "published": tuple(one.model_copy(update={"name": evil, "source": evil}) for one in scored.published),
        }
    )  # fmt: skip
    hostile = card_of(card, judge=evil).model_copy(update={"settings": {"decide": f"{evil}\u2028", evil: evil}})
    page = render_card_page([hostile])
    assert "<script>" not in page and "\u202e" not in page and "\u2028" not in page
    markdown = render_card_markdown([hostile])
    assert "<script>" not in markdown and "](http" not in markdown and "\u202e" not in markdown
    assert read_card_text(hostile) == hostile


def test_whole_numbers_stay_whole(tmp_path):
    """A card that was written and read says `max_tokens 1000`, not 1000.0; a share stays one."""
    settings = {"max_tokens": 1000, "parameters.temperature": 0, "parameters.top_p": 1.0, "logprobs": True}
    values = json.loads(card_of(make_set_card(ANSWERS, judged())).model_dump_json()) | {"settings": settings}
    card = JudgeCard.model_validate_json(json.dumps(values))
    write_card(tmp_path / "card.json", card)
    assert [repr(value) for value in read_card(tmp_path / "card.json").settings.values()] == [
        "1000",
        "0",
        "1.0",
        "True",
    ]


def read_card_text(card):
    return JudgeCard.model_validate_json(card.model_dump_json())


def test_two_cards_beside_each_other():
    """Baselines of the same answers stand once; a judge that scored fewer has its own."""
    first, second = make_set_card(ANSWERS, judged()), make_set_card(ANSWERS, judged(VALUES[::-1]))
    page = render_card_markdown([card_of(first, judge="large"), card_of(second, judge="small")])
    assert page.count("\n| token_overlap |") == 1
    assert "| large | +0.83" in page and "| small | -0.83" in page
    assert "the command assay judges compare says" in page
    fewer = make_set_card(ANSWERS, judged([None, *VALUES[1:]]))
    page = render_card_markdown([card_of(first, judge="large"), card_of(fewer, judge="small")])
    assert "| token_overlap (answers of large) |" in page and "| token_overlap (answers of small) |" in page
    titles = [title for title, _ in card_blocks([card_of(first), card_of(second)])]
    assert titles[:2] == ["Beside each other", "six.jsonl: faithfulness"]
    other = first.model_copy(update={"set_name": "other.jsonl"})
    titles = [title for title, _ in card_blocks([card_of(first), card_of(other)])]
    assert titles[:2] == ["six.jsonl: faithfulness", "other.jsonl: faithfulness"], "one judge on two sets is one judge"
    assert "mini (1)" in render_card_page([card_of(first), card_of(second)])
