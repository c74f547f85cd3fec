"""Tables and texts that may be read in two ways: a claim that they disagree on is left open; worked out by hand."""

import pytest

from assay.metrics import Grid, check_claims, table_of

S, C, U = "supported", "contradicted", "unverifiable"


def verdicts(columns, *sentences, language="en"):
    return [checked.verdict for checked in check_claims(sentences, [table_of(Grid("t", columns))], language)]


def orders(last_name, *numbers):
    cities = ["Utrecht", "Breda", "Zwolle"][: len(numbers) - 1]
    return {"city": [*cities, last_name], "orders": list(numbers)}


SUM, MEAN = orders("Total", 50, 30, 20, 100), orders("Monthly average", 50, 30, 10, 30)
OFF, MEANT = orders("Total", 50, 30, 20, 90), orders("Average Joe", 50, 30, 20, 25)


@pytest.mark.parametrize(
    ("columns", "claim", "verdict"),
    [
        (SUM, "There were 100 orders in total.", S),
        (SUM, "The highest number of orders was 100.", C),  # 50: a total serves no maximum
        (SUM, "Utrecht had 50% of the orders.", S),
        (SUM, "In total there were more than 100 orders.", C),
        (orders("Total", 50, 50), "There were 100 orders in total.", C),  # one other row is enough
        (orders("Totaal", 50, 30, 20, None), "There were 100 orders in total.", S),
        (orders("Average", 50, 30, 21, 34), "There were 101 orders in total.", S),  # 33.7, as the row rounds it
        (OFF, "Utrecht had the most orders.", U),  # or the row of 90 had
        (OFF, "There were 100 orders in total.", U),  # 100 or 190
        (OFF, "There were 90 orders in total.", U),  # as the row says
        (OFF, "There were 120 orders in total.", C),
        (OFF, "The lowest number of orders was 20.", S),
        (MEAN, "There were 90 orders in total.", S),
        (MEAN, "There were 120 orders in total.", C),
        (orders("Total 2025", 50, 30, 20, 100), "Utrecht had the most orders.", S),
        (orders("Total 2025", 50, 50), "There were 100 orders in total.", U),  # Utrecht may have the other's number
        (MEANT, "There were 125 orders in total.", S),  # a name, and no mean
    ],
)
def test_a_row_of_totals_is_one_where_its_numbers_say_so(columns, claim, verdict):
    assert verdicts(columns, claim) == [verdict]


def test_a_row_of_totals_under_a_column_of_times_is_no_time():
    columns = {"month": ["2025-01", "2025-02", "Total"], "orders": [5, 7, 20]}
    assert verdicts(columns, "February had the most orders.", "In total there were 20 orders.") == [S, U]


CROSSED = {
    "city": ["Utrecht", "Breda", "Utrecht", "Breda", "Utrecht", "Breda"],
    "month": ["July", "July", "August", "August", "October", "October"],
    "orders": [50, 50, 60, 30, 10, 70],
}
"""Utrecht has 120, Breda 150; July 100, August 90, October 80."""
DATED = CROSSED | {"month": ["2025-07", "2025-07", "2025-08", "2025-08", "2025-10", "2025-10"]}


@pytest.mark.parametrize("columns", [CROSSED, DATED], ids=["names", "dates"])
@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("There were 100 orders in July.", U),  # two rows of 50: added up, or the value of each
        ("There were 50 orders in July.", U),
        ("There were 70 orders in July.", C),
        ("There were 90 orders in August.", S),
        ("There were 60 orders in August.", C),
        ("Breda had the most orders.", S),
        ("Utrecht had the most orders.", C),
        ("July had the most orders.", S),
        ("October had the most orders.", C),
        ("Utrecht had the most orders in August.", S),
        ("In August Breda had the most orders.", C),
        ("In Utrecht the orders were highest in August.", U),  # of Utrecht's months, or of all cities
        ("Utrecht accounted for 66.7% of the orders in August.", S),  # 60 of 90
        ("66.7% of the orders in August came from Utrecht.", S),
        ("In August, Utrecht had 22.2% of the orders.", C),  # 60 of 270
        ("Utrecht had 30 more orders than Breda in August.", S),
        ("Utrecht had 60 more orders than Breda in August.", C),
        ("August had 50 more orders than October in Utrecht.", S),
        ("August had 10 more orders than October.", S),
        ("The difference between Utrecht and Breda in August was 30 orders.", S),
    ],
)
def test_rows_of_a_city_and_a_month_by_name(columns, claim, verdict):
    assert verdicts(columns, claim) == [verdict]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("From January to March there were 60 orders.", S),  # 10 + 20 + 30
        ("Between January and March there were 40 orders.", C),
        ("From January through March the average number of orders was 20.", S),
        ("The highest number of orders between January and March was 30.", S),
        ("The difference between January and March was 20 orders.", S),
        ("From March to January there were 40 orders.", U),  # the table has no January after March
    ],
)
def test_from_one_month_to_another_has_the_months_between(claim, verdict):
    columns = {"month": ["January", "February", "March", "April"], "orders": [10, 20, 30, 40]}
    assert verdicts(columns, claim) == [verdict]
    days = {"January": "Monday", "February": "Tuesday", "March": "Wednesday", "April": "Thursday"}
    for month, day in days.items():
        claim = claim.replace(month, day)
    assert verdicts(columns | {"month": [*days.values()]}, claim) == [verdict]


@pytest.mark.parametrize("columns", [CROSSED, DATED], ids=["names", "dates"])
@pytest.mark.parametrize(
    ("first", "claim", "verdict"),
    [
        ("In August there were 90 orders.", "Utrecht had 60 orders.", S),
        ("Let us look at August.", "Utrecht had 60 orders.", S),
        ("Let us look at August.", "There were 90 orders.", S),
        ("Let us look at August.", "Utrecht had 120 orders.", U),  # in August, or in all
        ("Let us look at August.", "Utrecht had 61 orders.", C),
        ("Utrecht had 60 orders in August.", "Overall there were 270 orders.", S),
        ("Utrecht had 60 orders in August.", "Altogether there were 270 orders.", S),
        ("Utrecht had 60 orders in August.", "In total there were 60 orders.", U),
        ("Utrecht had 60 orders in August.", "In total there were 120 orders.", U),  # of Utrecht
    ],
)
def test_the_sentence_before_says_which_rows(columns, first, claim, verdict):
    assert verdicts(columns, first, claim)[-1] == verdict


@pytest.mark.parametrize(
    ("language", "claim", "verdict"),
    [
        ("en", "Utrecht had over three thousand visitors.", S),
        ("en", "Utrecht had over one hundred visitors.", S),
        ("en", "Utrecht had over four thousand visitors.", C),
        ("en", "Utrecht had upwards of 3,000 visitors.", S),
        ("en", "Utrecht had upwards of four thousand visitors.", C),
        ("en", "Breda had north of two hundred visitors.", S),
        ("en", "Breda had south of 200 visitors.", C),
        ("nl", "Utrecht had goed drieduizend visitors.", S),
        ("nl", "Utrecht had ruim vierduizend visitors.", C),
        ("nl", "Utrecht had over de vierduizend visitors.", C),
        ("en", "Utrecht had costs of -5.", S),
        ("en", "Utrecht had costs of 5.", U),  # some write costs with a minus
        ("en", "Breda had costs of -8.", U),
        ("en", "Breda had costs of -9.", C),
        ("en", "Utrecht had a profit of 5.", C),
    ],
)
def test_hedges_in_words_and_costs_below_0(language, claim, verdict):
    columns = {"city": ["Utrecht", "Breda"], "visitors": [3120, 290], "costs": [-5, 8], "profit": [-5, 8]}
    assert verdicts(columns, claim, language=language) == [verdict]
