"""The metric: skipped, scored, with a judge that reads; its verdicts in faithfulness; the command; odd claims."""

import json

import pytest
from network_samples import network_sample

from assay.metrics import Faithfulness, Grid, Hedge, NumericClaims, check_claims, needs_judge, run_to_end, table_of


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
