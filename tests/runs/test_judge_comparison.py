"""Judges side by side: agreement, costs, all together, and which to buy; and their page."""

import html
import re
from dataclasses import replace

import pytest

from assay.errors import InputError
from assay.eval_sets import Sample
from assay.judges import Usage
from assay.metrics import Score
from assay.presentation import Paragraph
from assay.runs import JudgeScores, compare_judges, make_set_card
from assay.runs.judging import comparison_report, make_card_set

N = 40
RATINGS = [1 + number % 5 for number in range(N)]
SAMPLES = [
    Sample(id=f"s{number}", user_input="q", response="a", rating=rating, group=f"g{number}")
    for number, rating in enumerate(RATINGS)
]
PERFECT = [(rating - 1) / 4 for rating in RATINGS]
NOISE = [(number * 7 % 11) / 10 for number in range(N)]  # 0 to 1, in no order of the ratings
SHIFTED = [(number * 7 % 11) / 10 for number in range(3, N + 3)]


def score(value, tokens, usd, probability=None):
    support = value if probability is None else probability
    claim = {"text": "A claim.", "verdict": "supported" if value >= 0.5 else "not_found", "probability": support}
    return Score(value, "scored", "", {"claims": [claim]}, Usage(1, 0, tokens, usd=usd, seconds=2.0))


def judged(name, values, tokens=100, usd=0.001):
    scores = {sample.id: score(value, tokens, usd) for sample, value in zip(SAMPLES, values, strict=True)}
    return JudgeScores(name, scores, 4)


def test_each_judges_row():
    """1,000 answers at 100 tokens, 0.001 USD and 2 s a call with 4 calls at once: 100,000 tokens, 1 USD, 500 s."""
    comparison = compare_judges("faithfulness", SAMPLES, [judged("good", PERFECT), judged("bad", NOISE)])
    row = comparison.judges[0]
    assert (row.judge, row.samples, row.failed) == ("good", N, 0)
    assert row.agreement.value == pytest.approx(1.0)
    assert [row.price(unit) for unit in ("tokens", "usd", "seconds")] == pytest.approx([100_000, 1.0, 500])


def test_costs_are_of_answers_like_these_as_on_a_card():
    """20 of 40 answers claim nothing and took no call; the others took 100 tokens each: 1,000 answers take 50,000."""
    judge = judged("good", PERFECT)
    nothing = Score(None, "skipped", "no claims")
    judge = replace(judge, scores=judge.scores | {f"s{number}": nothing for number in range(20)})
    row = compare_judges("faithfulness", SAMPLES, [judge, judged("bad", NOISE)]).judges[0]
    card = make_set_card(make_card_set("set", SAMPLES, 40, "faithfulness"), judge)
    assert row.price("tokens") == pytest.approx(50_000) and row.cost == card.cost


@pytest.mark.parametrize(
    ("judges", "advice"),
    [
        # as good, at a tenth of the price
        (
            [judged("expensive", PERFECT, usd=0.01), judged("cheap", PERFECT, usd=0.001)],
            "buy cheap: agreement 1.00 of 1",
        ),
        # cheap, and worth nothing
        (
            [judged("expensive", PERFECT, usd=0.01), judged("cheap", NOISE, usd=0.001)],
            "buy expensive, which agrees best here: ",
        ),
        ([judged("a", NOISE), judged("b", NOISE[::-1])], "buy none of them on this evidence"),
        ([judged("a", [0.5] * N), judged("b", [0.5] * N)], "no judge can be recommended"),
    ],
)
def test_which_to_buy(judges, advice):
    assert compare_judges("faithfulness", SAMPLES, judges).advice.startswith(advice)


def test_that_nobody_can_tell_two_judges_apart_is_said_once():
    """The advice says it of the cheaper judge, and no sentence says it again."""
    good, other = (
        [(value + error) / 2 for value, error in zip(PERFECT, noise, strict=True)] for noise in (NOISE, SHIFTED)
    )
    comparison = compare_judges("faithfulness", SAMPLES, [judged("a", good, usd=0.01), judged("b", other, usd=0.001)])
    assert comparison.advice.startswith("buy b: ") and "your ratings cannot tell" in comparison.advice
    report = comparison_report(comparison, ["s"])
    said = [part.text for block in report.blocks for part in block.parts if isinstance(part, Paragraph)]
    assert not any("Not settled" in text or "cannot tell" in text for text in said)


def test_a_cheaper_judge_is_said_to_do_as_well_only_where_it_does():
    """Scores that hardly differ are equal within 0.10. Of scores with noise nobody can tell, and so it is said.

    The same scores are no proof: other answers may show a difference that these do not.
    """
    other = [(number * 5 % 13) / 12 for number in range(N)]
    one, near = ([value + error / 2 for value, error in zip(PERFECT, noise, strict=True)] for noise in (NOISE, other))
    alike = [judged("expensive", one, usd=0.01), judged("cheap", near, usd=0.001)]
    advice = compare_judges("faithfulness", SAMPLES, alike).advice
    assert advice.endswith("; it does as well as expensive, the best here, within 0.10")
    same = [judged("expensive", PERFECT, usd=0.01), judged("cheap", PERFECT, usd=0.001)]
    advice = compare_judges("faithfulness", SAMPLES, same).advice
    assert advice.endswith("; it could be worse than expensive, the best here; your ratings cannot tell")
    good, other = (
        [(value + error) / 2 for value, error in zip(PERFECT, noise, strict=True)] for noise in (NOISE, SHIFTED)
    )
    comparison = compare_judges("faithfulness", SAMPLES, [judged("a", good, usd=0.01), judged("b", other, usd=0.001)])
    (pair,) = comparison.variants.decision.differences
    assert pair.low < -0.1 and pair.high > 0
    worse = f"it could be up to {-pair.low:.2f} worse than a, the best here"
    assert f"; {worse}; your ratings cannot tell (about " in comparison.advice


def test_an_unknown_price_makes_tokens_the_cost():
    comparison = compare_judges(
        "faithfulness", SAMPLES, [judged("a", PERFECT, tokens=900, usd=None), judged("b", PERFECT, tokens=90)]
    )
    assert (
        comparison.advice.startswith("buy b: agreement 1.00 of 1")
        and "90,000 tokens per 1,000 answers" in comparison.advice
    )
    assert comparison.judges[0].cost.usd is None


def test_judges_that_are_all_free_cost_time():
    """Tokens of a small and a large model on your own machine are not the same work; 2 s per call, 4 or 1 at once."""
    slow = replace(judged("slow", PERFECT, usd=0.0), concurrency=1)
    comparison = compare_judges("faithfulness", SAMPLES, [slow, judged("fast", PERFECT, tokens=9000, usd=0.0)])
    assert comparison.unit == "seconds"
    assert (
        comparison.advice.startswith("buy fast: agreement 1.00 of 1")
        and "500 seconds per 1,000 answers" in comparison.advice
    )


def test_without_ratings_nobody_is_bought():
    unrated = [sample.model_copy(update={"rating": None}) for sample in SAMPLES]
    comparison = compare_judges("faithfulness", unrated, [judged("a", PERFECT), judged("b", NOISE)])
    assert comparison.advice == "no judge can be recommended: none of these answers is rated"


def test_a_failed_sample_is_counted_and_not_scored():
    broken = judged("a", PERFECT)
    scores = {**broken.scores, "s0": Score(None, "failed", "cannot be read", {}, Usage(2, 0, 300, usd=0.1))}
    row = compare_judges("faithfulness", SAMPLES, [JudgeScores("a", scores, 4), judged("b", PERFECT)]).judges[0]
    assert (row.failed, row.agreement.n) == (1, N - 1)


def test_where_lower_is_better_the_judge_that_agrees_is_the_one_that_falls():
    """`declined` is better when lower: the judge whose scores fall as the ratings rise is the one to buy."""
    falling = judged("falling", [1 - value for value in PERFECT])
    comparison = compare_judges("declined", SAMPLES, [judged("rising", PERFECT), falling])
    agreement = {judge.judge: judge.agreement.value for judge in comparison.judges}
    assert agreement == {"rising": pytest.approx(-1.0), "falling": pytest.approx(1.0)}
    assert "falling" in comparison.advice
    assert "rising" not in comparison.advice.partition(":")[0]


HOSTILE = "</style><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">\u202e"


REPORTED = [
    Sample(id=f"s{number}", user_input="q", response="a", rating=1 + number % 5, group=f"g{number}")
    for number in range(20)
]


def compared(*names):
    """The report of judges that score as the ratings are."""
    scores = {sample.id: Score(sample.rating, "scored", "", {}, Usage(1, 0, 10)) for sample in REPORTED}
    comparison = compare_judges("faithfulness", REPORTED, [JudgeScores(name, scores, 1) for name in names])
    return comparison_report(comparison, [HOSTILE])


@pytest.fixture(scope="module")
def page():
    return compared(HOSTILE, "b").render()


def test_names_stay_text_and_nothing_is_fetched(page):
    assert "<script" not in page and "<img" not in page and "\u202e" not in page
    assert page.count("</style>") == 1
    assert not re.search(r"(?:src|href)\s*=", page.replace("&lt;img src=", ""))
    assert not re.search(r"\sstyle=", page)  # the policy would refuse it
    assert re.search(r"default-src 'none'.*style-src 'sha256-[\w+/]+=*'", html.unescape(page))
    assert "script-src" not in page


def test_a_page_that_cannot_be_written_says_so(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        compared("a", "b").write(tmp_path / "no" / "x.html")


@pytest.mark.parametrize("width", [1200, 375])
def test_a_browser_draws_it(browser, page, tmp_path, width):
    path = tmp_path / "judges.html"
    path.write_text(page, encoding="utf-8")
    shown = browser.new_page(viewport={"width": width, "height": 900})
    complaints = []
    shown.on("console", lambda message: complaints.append(message.text))
    shown.on("request", lambda sent: complaints.append(sent.url) if not sent.url.startswith("file:") else None)
    shown.goto(path.as_uri())
    assert shown.title() == "Assay: judges compared"
    assert shown.locator("tbody tr").count() == 2
    sizes = shown.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert sizes[0] == sizes[1]  # nothing pushes the page wider than the screen
    assert complaints == []
