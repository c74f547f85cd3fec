"""The metric: skipped, scored, with a judge that reads; its verdicts in faithfulness; the command; odd claims."""

import json

import pytest
from network_samples import network_sample

from assay.metrics import (
    Faithfulness,
    Grid,
    Hedge,
    NumericClaims,
    check_claims,
    needs_judge,
    run_to_end,
    table_of,
)


def score(response, **fields):
    return run_to_end(NumericClaims().assess(network_sample(response, **fields)))


def test_the_score_is_the_share_of_checkable_claims_that_hold():
    # (41 + 43 + 45) / 3 = 43; the highest latency is 25; the third sentence states nothing
    measured = score("The average throughput was 43 Mbps. The highest latency was 26 ms. It was a quiet week.")
    assert (measured.status, measured.value) == ("scored", 0.5)
    held, wrong, other = measured.evidence["claims"]
    needed = {"text", "verdict", "statistic", "series", "window", "stated", "computed", "reason"}
    assert all(needed <= claim.keys() for claim in (held, wrong, other))
    assert (held["verdict"], held["statistic"], held["series"], held["computed"]) == (
        "supported",
        "mean",
        "throughput_mbps",
        43.0,
    )
    assert wrong["verdict"] == "contradicted" and wrong["computed"] == 25.0 and "25 ms" in wrong["reason"]
    assert other["verdict"] == "unverifiable" and "no number" in other["reason"]
    json.dumps(measured.evidence, allow_nan=False)


def test_without_anything_to_check_it_is_skipped_with_a_reason():
    assert score("The average was 5.", tables=[]).reason == "the sample has no table to compute from"
    refused = score("Sorry, I do not know.")
    assert refused.status == "skipped" and refused.value is None
    forecast = score("Throughput will be 50 Mbps next week.")
    assert forecast.status == "skipped" and "forecast" in forecast.reason
    assert not needs_judge("numeric_claims")
    wrong, *_ = score("The highest latency was 26 ms.").claims
    assert (wrong.verdict, wrong.quote, wrong.place) == ("contradicted", "", None)
    assert [(check["statistic"], check["computed"]) for check in wrong.computed] == [("maximum", 25.0)]
    big = table_of(Grid("big", {"users": list(range(100_000))}))
    assert [checked.verdict for checked in check_claims(["The highest users was 99,999."], [big], "en")] == [
        "supported"
    ]


@pytest.mark.parametrize(
    "caption", ["Omzet in mln euro", "Omzet (mln. EUR)", "Omzet in miljoenen euro's", "Umsatz in Mio. EUR"]
)
def test_a_scale_above_a_table_may_be_short_or_of_many(caption):
    contexts = [f"{caption}\n\n| jaar | omzet |\n|---|---|\n| 2020 | 5 |\n| 2021 | 6 |"]
    answer = "In 2020 was de omzet 5 miljoen euro."
    assert NumericClaims().score(response=answer, retrieved_contexts=contexts, language="nl").value == 1


def test_tables_in_a_context_and_a_scale_that_another_context_states():
    contexts = ["Quarter | 2019 | 2018\nRevenue | 1,500 | 1,200\nCosts | 900 | 800", "All amounts are (in thousands)."]
    question = "What was the change in Revenue between 2018 and 2019?"
    measured = score("300 thousand", tables=[], retrieved_contexts=contexts, user_input=question)
    assert measured.value == 1.0, measured
    wrong = score("320 thousand", tables=[], retrieved_contexts=contexts, user_input=question)
    assert wrong.value == 0.0


def test_in_faithfulness_a_computed_verdict_takes_the_judges_place(judge, script):
    claims = ["The average throughput was 43 Mbps.", "The highest latency was 26 ms.", "Engineers were on site."]
    script(Claims={"claims": claims}, ListedAnswers={"1": "No", "2": "Yes", "3": "No"})
    answered = network_sample(" ".join(claims))
    measured = run_to_end(Faithfulness(judge(), "judge").assess(answered))
    first, second, third = measured.evidence["claims"]
    assert [c["verdict"] for c in (first, second, third)] == ["supported", "contradicted", "not_found"]
    assert [c["source"] for c in (first, second, third)] == ["numeric", "numeric", "judge"]
    assert (first["judge"]["verdict"], second["judge"]["verdict"]) == ("not_found", "supported")
    assert measured.value == pytest.approx(1 / 3)
    plain = run_to_end(
        Faithfulness(judge(), "judge", numeric=False).assess(
            network_sample(" ".join(claims), retrieved_contexts=["25"])
        )
    )
    assert [c["source"] for c in plain.evidence["claims"]] == ["judge"] * 3


BAD_INPUT = [
    # numbers with thin spaces, and a minus that is a dash
    ("en", "The highest value was 1\u2009234.5.", [1234.5, 2.0], "supported"),
    ("en", "The lowest value was \u20133.5.", [3.5, 4.0], "contradicted"),
    # the notation of the other language
    ("en", "De hoogste value was 1234.5.", [1234.5, 2.0], "unverifiable"),  # a claim in the wrong language
    ("en", "The average value was 3 per visitor.", [3.0, 3.0], "unverifiable"),
]


@pytest.mark.parametrize(("language", "claim", "values", "expected"), BAD_INPUT)
def test_odd_claims(language, claim, values, expected):
    table = table_of(Grid("t", {"date": ["2026-03-01", "2026-03-02"], "value": values}))
    assert [checked.verdict for checked in check_claims([claim], [table], language)] == [expected]


@pytest.fixture(scope="module")
def orders():
    """Of January to June."""
    months = [f"2025-{month:02}-01" for month in range(1, 7)]
    return table_of(Grid("kpi", {"month": months, "orders": [1200, 1250, 1100, 1310, 1400, 1600]}, {}))


@pytest.mark.parametrize(
    ("language", "claim"),
    [
        ("en", "Orders should have been 1,600 in June."),
        ("en", "Weekly orders were 1,600 in June."),
        ("en", "Online orders were 1,600 in June."),
        ("en", "Orders collapsed to 1,600 in June."),
        ("en", "Orders were hardly 1,600 in June."),
        ("en", "Orders were wrongly reported as 1,600 in June."),
        ("en", "Orders improved to 1,100 in March."),
        ("en", "Orders were again 1,100 in March."),
        ("en", "The orders shortfall in June was 1,600."),
        ("nl", "De orders waren gepland op 1.600 in juni."),
        ("nl", "De orders hadden 1.600 moeten zijn in juni."),
        ("nl", "De orders herstelden tot 1.100 in maart."),
        ("nl", "De orders werden teruggebracht tot 1.600 in juni."),
        ("nl", "De orders waren opnieuw 1.100 in maart."),
    ],
)
def test_a_word_that_may_change_the_claim_leaves_it_unchecked(language, claim, orders):
    """1,100 in March and 1,600 in June is what the table says; what the words around it say, the table does not."""
    plain = "Orders were 1,600 in June." if language == "en" else "De orders waren 1.600 in juni."
    assert [checked.verdict for checked in check_claims([plain], [orders], language)] == ["supported"]
    verdicts = {checked.verdict for checked in check_claims([claim], [orders], language)}
    assert "contradicted" in verdicts or verdicts == {"unverifiable"}  # collapsed: its value holds, and it rose


@pytest.mark.parametrize(
    ("language", "claim"),
    [
        ("en", "Orders were 1,200, 1,250 and 1,100 in January, February and March."),
        ("nl", "De orders waren 1.200 en 1.250 in januari en februari."),
        ("en", "June and May were the two highest months for orders."),
        ("nl", "De orders hadden in juni en mei de hoogste twee."),
    ],
)
def test_a_true_claim_of_values_in_a_list_or_of_how_many_highest_is_unchecked(language, claim, orders):
    """Cut at its commas, the second part would say that a value holds in other months too; "two" is no value."""
    assert {checked.verdict for checked in check_claims([claim], [orders], language)} == {"unverifiable"}


def test_two_tables_with_the_same_column_must_agree():
    days = ["2026-03-01", "2026-03-02"]
    one, other = (table_of(Grid(n, {"date": days, "users": u})) for n, u in (("north", [10, 20]), ("south", [10, 30])))
    high, low = check_claims(["The highest users was 20.", "The lowest users was 10."], [one, other], "en")
    assert (high.verdict, low.verdict) == ("unverifiable", "supported")


@pytest.fixture(scope="module")
def depots():
    """Mean 30, median 20, maximum 60 of the parcels."""
    columns = {"depot": ["Breda", "Delft", "Zwolle"], "parcels": [60, 20, 10], "vans": [6, 4, 2]}
    return table_of(Grid("depots", columns))


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "Breda had a shade under 62 parcels"), ("de", "Breda hatte einen Hauch unter 62 parcels")],
)
def test_a_shade_under_is_nearly(language, text, depots):
    (checked,) = check_claims([text], [depots], language)
    assert (checked.verdict, checked.specification and checked.specification.hedge) == ("supported", Hedge.NEARLY)


def test_a_rounded_value_of_a_named_row_is_that_value(depots):
    """Not a search for a row with exactly 60: "had" may introduce both."""
    weights = table_of(Grid("weights", {"depot": ["Breda", "Delft"], "tonnes": [60.4, 20.0]}))
    (checked,) = check_claims(["Breda had 60 tonnes"], [weights], "en")
    assert (checked.verdict, checked.specification and checked.specification.statistic) == ("supported", "value_at")


HIVES = [12, 8, 15, 6]  # 41 together, 10.25 on average


@pytest.mark.parametrize("label", ["Total", "**Total**", "Total:", "TOTALS", "Grand total", "Eindtotaal", "Average"])
def test_a_row_of_totals_is_no_row_of_the_data(label):
    apiaries = ["Oak Hill", "Rivermead", "Old Quarry", "Church Lane", label]
    table = table_of(Grid("hives", {"apiary": apiaries, "hives": [*HIVES, 10.25 if label == "Average" else 41]}))
    claims = [
        "The average number of hives is 10.25.",
        "There were 41 hives in total.",
        "Old Quarry has the most hives.",
        "There were 82 hives in total.",
    ]
    verdicts = [checked.verdict for checked in check_claims(claims, [table], "en")]
    assert verdicts == ["supported", "supported", "supported", "contradicted"]


def test_what_a_row_of_totals_says_beside_its_rows_is_not_contradicted():
    """The total is of more rows than the table shows, 41 of which are shown."""
    table = table_of(Grid("hives", {"apiary": ["A", "B", "C", "D", "Total"], "hives": [*HIVES, 60]}))
    claims = ["There were 60 hives in total.", "There were 61 hives in total."]
    assert [checked.verdict for checked in check_claims(claims, [table], "en")] == ["unverifiable", "contradicted"]


def test_a_row_of_totals_over_years_is_a_series():
    """Of the row Total alone: it rose by 10."""
    columns = {"team": ["North", "South", "Total"], "2023": [10, 20, 30], "2024": [15, 25, 40]}
    (checked,) = check_claims(["The total rose by 10 from 2023 to 2024."], [table_of(Grid("teams", columns))], "en")
    assert checked.verdict == "supported", checked.reason


NIGHTS = [112, 98, 240, 610, 1155, 1840, 2975, 3120, 1490, 520, 180, 95]
"""12,435 in the year, of which 7,585 in the third quarter; 1,036 a month."""


@pytest.fixture(scope="module")
def marina():
    return table_of(Grid("marina", {"month": [f"2025-{month:02}" for month in range(1, 13)], "visitor_nights": NIGHTS}))


def test_a_time_of_an_earlier_sentence_is_only_one_reading_of_a_later_one(marina):
    answer = [
        "In the third quarter there were 7,585 visitor nights.",
        "In total there were 12,435 visitor nights.",  # 7,585 of the quarter
        "The lowest number of visitor nights was 95.",  # 1,490 of the quarter
        "The highest number of visitor nights was 3,120.",  # of both
    ]
    verdicts = [checked.verdict for checked in check_claims(answer, [marina], "en")]
    assert verdicts == ["supported", "unverifiable", "unverifiable", "supported"]


def test_a_mean_or_an_extreme_is_not_of_the_one_row_of_the_sentence_before(marina):
    """Of August alone each would hold; of the year the mean is 1,036 and the lowest 95."""
    said = "Visitor nights were 3,120 in August."
    for claim in ("The average was 3,120.", "The lowest number of visitor nights was 3,120."):
        _, checked = check_claims([said, claim], [marina], "en")
        assert checked.verdict != "supported", claim


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("There were over 12,000 visitor nights in 2025.", "unverifiable"),  # the sum is; no month is
        ("There were over 13,000 visitor nights in 2025.", "contradicted"),  # neither
        ("In the third quarter there were more than 1,000 visitor nights.", "supported"),  # each month, and together
        ("In the third quarter there were fewer than 4,000 visitor nights.", "unverifiable"),  # each is, the sum is not
        ("In 2025 there were fewer than 13,000 visitor nights.", "supported"),
        ("The number of visitor nights was below 4,000 in the third quarter.", "supported"),  # of each month
    ],
)
def test_a_bound_on_what_is_counted_may_be_of_the_rows_together(claim, verdict, marina):
    (checked,) = check_claims([claim], [marina], "en")
    assert checked.verdict == verdict, checked.reason


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [  # July: 78,000 of Texel's 171,000 (45.6%); 21,000 of July's 99,000 (21.2%), of all 215,000 (9.8%)
        ("July accounted for 46% of Texel's passengers.", "supported"),
        ("July accounted for 79% of Texel's passengers.", "contradicted"),  # of July's
        ("July accounted for 46% of the passengers of Texel.", "supported"),
        ("In July, Vlieland accounted for 21% of the passengers.", "supported"),
        ("Vlieland's share of passengers in July was 21%.", "unverifiable"),
        ("Vlieland's share of passengers in July was 50%.", "contradicted"),  # 21.2%, 9.8%, or 47.7% of Vlieland's
    ],
)
def test_a_share_is_of_the_whole_that_is_named(claim, verdict):
    months = ["2025-05", "2025-06", "2025-07"]
    passengers = [41_000, 52_000, 78_000, 9_000, 14_000, 21_000]
    columns = {"route": ["Texel"] * 3 + ["Vlieland"] * 3, "month": months * 2, "passengers": passengers}
    (checked,) = check_claims([claim], [table_of(Grid("ferry", columns))], "en")
    assert checked.verdict == verdict, checked.reason
