"""Forms of claims that a bot makes about a table, each with the verdict of every number in it, worked out by hand."""

from contextlib import suppress
from typing import Any

import pytest

from assay.metrics import Grid, NumericTable, check_claims, table_of, unit_and_power

S, C, U = "supported", "contradicted", "unverifiable"
# a table's name and the units that its columns do not name, then a column to a line; `-` is a missing value
TEXT = """
payroll: overtime_hours h, gross_pay EUR
  month = 2025-01 2025-02 2025-03 2025-04 2025-05 2025-06
  employees = 10 12 12 13 15 16
  overtime_hours = 20 25 - 30 15 10
  gross_pay = 1000 1200 1300 1250 1500 1600
regions: wait_time_min min
  region = North South East
  calls = 30 20 10
  wait_time_min = 5 8 2
tickets:
  week = 2026-01-05 2026-01-12 2026-01-19 2026-01-26
  tickets_opened = 10 20 30 40
  tickets_closed = 12 18 25 41
pool: air_temp °C
  date = 2025-07-01 2025-07-02 2025-07-03
  visitors = 900 400 650
  air_temp = 31.5 19 24
  avg_wait_min = 6 2 4
  waste_kg = 12 30 18
complexes: avg_rent EUR/month
  complex = Linden Meadow Harbour
  label = A B A
  nr_apart = 48 36 112
  avg_rent = 600 700 800
quarters:
  quarter = 2023-Q1 2023-Q2 2023-Q3 2023-Q4 2024-Q1 2024-Q2 2024-Q3 2024-Q4
  revenue [TEUR] = 2000 3000 3500 2500 2200 3100 3900 2800
loon: overuren h
  maand = 2025-01 2025-02 2025-03 2025-04 2025-05 2025-06
  medewerkers = 10 12 12 13 15 16
  overuren = 20 25 - 30 15 10
months:
  month = 2025-01 2025-02 2025-03 2025-04 2025-05 2025-06 2025-07 2025-08
  orders (n) = 9 10 8 9 10 11 12 13
  costs (EUR) = 5 6 7 6 5 4 3 2
  staff (n) = 20 20 21 22 22 24 25 26
areas:
  region = North South East
  calls (n) = 30 20 10
  missed calls (n) = 3 2 5
  wait (min) = 5 8 2
  fee (EUR) = 12.5 20 7.5
maanden:
  maand = 2025-01 2025-02 2025-03 2025-04 2025-05 2025-06 2025-07 2025-08
  bestellingen (n) = 9 10 8 9 10 11 12 13
  kosten (EUR) = 5 6 7 6 5 4 3 2
  medewerkers (n) = 20 20 21 22 22 24 25 26
filialen:
  filiaal = Noord Zuid Oost
  klachten (n) = 30 20 10
  wachttijd (min) = 5 8 2
  tarief (EUR) = 12.5 20 7.5
sales:
  month = 2025-01 2025-02 2025-03 2025-04
  revenue = 10 12 17 19
shop:
  month = 2025-01 2025-02 2025-03 2025-04
  revenue = 10 12 9 14
  users = 100 150 120 90
loss:
  month = 2025-01 2025-02 2025-03 2025-04
  profit = -10 -15 -20 -18
zones:
  month = 2025-01 2025-01 2025-02 2025-02
  zone = Portside Hilltop Portside Hilltop
  complaints = 31 21 32 22
post:
  month = 2025-01 2025-02
  parcels delivered = 1000 1100
  late parcels = 50 44
network:
  zone = Ashby Ashby Linden Linden Carrow Carrow
  month = 2025-05 2025-06 2025-05 2025-06 2025-05 2025-06
  complaints = 14 16 20 4 9 17
  leakage_pct = 15 17 14 10 22 18
line:
  date = 2025-03-01 2025-03-02 2025-03-03
  download (Mbit/s) = 400 410 420
  upload (Mbit/s) = 48 50 52
  outage (min) = 0 90 30
parcels:
  week starting = 2025-03-03 2025-03-10 2025-03-17
  parcels delivered (n) = 1000 1200 1100
  late parcels (n) = 50 120 80
  cost per parcel (€) = 4.1 4.2 4.0
clinics:
  clinic = Eye Heart
  no-shows (n) = 20 30
  waiting time (days) = 11 25
  patients (n) = 300 400
library:
  quarter = 2024-Q1 2024-Q2
  book loans (n) = 4000 4200
  e-book loans (n) = 600 700
gym:
  branch = East West
  members (n) = 500 700
  new members (n) = 40 60
  cancellations (n) = 30 20
netwerk:
  week = 2025-03-03 2025-03-10 2025-03-17
  downloadsnelheid (Mbit/s) = 400 410 420
  storingsmeldingen (n) = 12 18 15
  ziekteverzuim (%) = 4.2 5.0 4.6
club:
  jaar = 2022 2023 2024
  leden (n) = 900 950 990
  opzeggingen (n) = 40 60 50
depots:
  depot = Breda Venlo
  pakketten (n) = 2000 1500
  te laat bezorgd (n) = 120 60
treinen:
  datum = 2025-03-01 2025-03-02 2025-03-03
  treinen (n) = 400 410 405
  uitgevallen (n) = 4 20 5
stroom:
  maand = 2025-01 2025-02 2025-03
  zonnestroom (kWh) = 30 60 120
  gasverbruik (m3) = 200 180 120
  kosten (x 1.000 EUR) = 2 3 4
"""


def read_cell(text: str) -> Any:
    with suppress(ValueError):
        return float(text) if "." in text else int(text)
    return None if text == "-" else text


def read_tables() -> dict[str, NumericTable]:
    tables = {}
    for block in TEXT.strip().replace("\n  ", "\t").splitlines():
        head, *lines = block.split("\t")
        name, units = head.split(":")
        columns = {column: [*map(read_cell, cells.split())] for column, cells in (line.split(" = ") for line in lines)}
        tables[name] = table_of(Grid(name, columns, dict(pair.split() for pair in units.split(",") if pair)))
    return tables


TABLES = read_tables()
CLAIMS = [
    ("en", "quarters", "Revenue rose from 11.0 million euros in 2023 to 12.0 million euros in 2024.", "SSS"),
    ("en", "quarters", "Revenue rose from 11.0 million euros in 2023 to 12.5 million euros in 2024.", "SCS"),
    ("en", "pool", "The coldest day was 2 July at 19 degrees.", "SS"),
    ("en", "pool", "The heaviest day was 2 July with 30 kilograms of waste.", "SS"),
    ("en", "pool", "The coldest day was 2 July with 400 visitors.", "U"),
    ("en", "pool", "The wait over the three days was 4 minutes.", "S"),
    ("en", "pool", "The waste on 2 July was 30 grams.", "C"),
    ("en", "complexes", "The complexes with label A have 160 apartments in total.", "S"),  # 48 + 112
    ("en", "complexes", "Harbour has 112 apartments, 60 more than Linden.", "SC"),
    ("en", "payroll", "Leaving out June, overtime was 22.5 hours on average.", "S"),
    ("en", "payroll", "Except for June, overtime hours stayed above 14 every month.", "S"),
    ("en", "payroll", "Gross pay rose by 250 euros in May compared with the month before.", "S"),  # 1500 - 1250
    ("en", "payroll", "Employees rose from 10 in January to 16 in June, an increase of 5.", "SSSC"),
    ("en", "payroll", "There is no figure for overtime hours in April.", "C"),
    ("nl", "loon", "De overuren van maart ontbreken.", "S"),
    ("en", "payroll", "Gross pay per employee was 100 euros in January.", "S"),  # 1000 / 10
    ("en", "regions", "South took 20 calls, more than any other region.", "SC"),
    ("en", "regions", "50% of the calls came from North.", "S"),  # 30 of 60
    ("en", "regions", "South comes second with 20 calls.", "SS"),
    ("en", "regions", "Two regions had a wait time of more than 4 minutes.", "S"),
    ("en", "tickets", "More tickets were opened than closed: 100 against 96.", "SSS"),
    ("en", "tickets", "In the week of 12 January 20 tickets came in.", "S"),
    ("en", "tickets", "In 2 of the 4 weeks more tickets were opened than closed.", "S"),  # the second and the third
    ("en", "tickets", "Tickets opened stayed between 5 and 30.", "SC"),
    ("en", "tickets", "Tickets opened ranged from 5 to 40.", "CS"),
    ("en", "regions", "The 2024 report says there were 60 calls.", "U"),
    # what may mean something else is not checked
    ("en", "payroll", "The average overtime in Amsterdam was 20 hours.", "U"),  # a place that no column has
    ("en", "regions", "In the busiest region the wait time was 8 minutes.", "U"),  # busiest by calls, not by waiting
    ("en", "payroll", "Overtime came to 20 hours per week on average.", "U"),  # the rows are months
    ("en", "regions", "250% of the calls were answered.", "U"),  # calls are no percentage
    ("en", "payroll", "Some 16 employees defected in June.", "U"),  # an unknown verb says which employees
    # a part in words is a round share: 30, 20 and 10 of 60 calls are 50%, 33.3% and 16.7%
    ("en", "regions", "A third of the calls came from South.", "S"),
    ("en", "regions", "About a fifth of the calls came from East.", "U"),  # more than 12% below 20, less than 18%
    ("en", "regions", "Two thirds of the calls came from South.", "C"),
    ("en", "regions", "A quarter of the calls came from South.", "C"),
    ("en", "regions", "South took a third fewer calls than North.", "S"),  # 20 against 30
    ("en", "months", "Orders have grown five months in a row.", "S"),
    ("en", "months", "Orders have grown six months in a row.", "C"),
    ("en", "months", "Since May, orders have risen three months running.", "S"),
    ("en", "areas", "East accounts for 17% of all calls.", "S"),
    ("nl", "filialen", "Driekwart van de klachten kwam uit Zuid.", "C"),
    ("en", "months", "49% of all orders in 2025 came in between May and August.", "C"),  # 46 of 82 are 56%
    ("en", "areas", "There is a gap of 6 minutes between the shortest and the longest wait.", "S"),
    ("nl", "filialen", "Tussen het drukste en het rustigste filiaal zit een verschil van 15 klachten.", "C"),
    ("en", "areas", "East is 5 euros cheaper than North.", "S"),
    ("en", "areas", "The wait at East is better than at North.", "S"),
    ("nl", "filialen", "Het goedkoopst is Oost, met 7,50 euro.", "SS"),
    ("nl", "filialen", "In Noord waren er drie keer zoveel klachten als in Oost.", "S"),
    ("en", "months", "Orders were above 10 for the first time in June.", "S"),
    ("en", "months", "Orders were above 10 for the first time in July.", "C"),
    ("en", "months", "Orders have not fallen below 9 in any month.", "C"),
    ("en", "months", "In 2025 there were 82 orders.", "S"),
    ("en", "areas", "Missed calls averaged 3.3 per region.", "S"),
    ("en", "areas", "The longest and the shortest wait are 5 minutes apart.", "C"),
    ("en", "months", "Orders have risen every month since January.", "C"),
    # what restricts and is not understood keeps it unread
    ("en", "months+areas", "The quietest was South, with 20 calls and an unclear smallest.", "U"),
    ("en", "months+areas", "Orders stood at 9 after the storm.", "U"),
    ("en", "months+areas", "Of the missed calls, 3 were due to the strike.", "UU"),
    ("en", "months+areas", "In North the average review rate was 4.2.", "U"),
    # where a change began, where an extreme was, which number is of which series
    ("en", "sales", "Revenue was 19 in April, up from 17 in March.", "SSS"),
    ("en", "sales", "Revenue was 19 in April, up from 5 in March.", "SCS"),
    ("en", "sales", "Revenue was 12 in February, up from 10 the month before.", "SSS"),
    ("en", "sales", "Revenue was 19 in April, up from 17.", "U"),
    ("nl", "sales", "De omzet was 19 in april, een stijging van 2.", "SS"),
    ("en", "sales", "Revenue was 19 in April, up 2 from March.", "SS"),
    ("en", "zones", "The fewest complaints were in Hilltop, 43.", "SS"),
    ("en", "zones", "The most complaints came from Portside: 96.", "CS"),
    ("en", "zones", "The highest number of complaints in Hilltop was 22.", "S"),
    ("en", "sales", "March had the second-highest revenue.", "S"),  # 19, then 17
    ("en", "loss", "Profit was negative in three of the four months.", "U"),  # in four; no value of the series
    ("nl", "loss", "In drie van de vier maanden was de winst negatief.", "U"),
    ("en", "post", "5% of the parcels came late in January.", "S"),
    ("en", "shop", "Revenue was 12 (users: 150) in February.", "SS"),
    ("en", "loss", "Profit rose by 50% in February.", "U"),
    ("en", "loss", "Profit rose by 30% in February.", "C"),
    ("en", "loss", "Profit fell by 50% in February.", "S"),
    # groups of rows: amounts are ranked by their sums (Ashby 30, Linden 24, Carrow 26; May 43, June 37), levels by
    # their means (Ashby 16, Linden 12, Carrow 20); the highest single row is Linden's of May
    ("en", "network", "Ashby had the most complaints of all zones.", "S"),
    (
        "en",
        "network",
        "Linden had the most complaints of all zones.",
        "C",
    ),  # 20 is the most of a month, 24 the fewest of a zone
    ("en", "network", "Linden has the fewest complaints of all zones, 24 in total.", "SS"),
    ("en", "network", "Carrow comes second for complaints, with 26.", "SS"),
    ("en", "network", "Complaints were highest in May, at 43.", "SS"),
    ("en", "network", "Average leakage is highest in Carrow, at 20%, and lowest in Linden, at 12%.", "SSSS"),
    ("en", "network", "In May, Linden had the most complaints of all zones.", "S"),
    # which series:
    ("nl", "netwerk", "In de week van 10 maart waren er 18 meldingen.", "S"),
    ("nl", "netwerk", "De snelheid was gemiddeld 410 Mbit/s.", "S"),
    ("nl", "club", "Het ledental was 990 in 2024.", "S"),
    ("en", "parcels", "In the week of 10 March there were 1,200 parcels.", "S"),
    ("en", "parcels", "In the week of 10 March 120 parcels were late.", "S"),
    ("nl", "depots", "In Venlo zijn 1.500 pakketten te laat bezorgd.", "C"),
    ("nl", "depots", "Met 120 te late pakketten staat Breda bovenaan.", "SS"),
    ("en", "clinics", "Heart had 30 no-shows.", "S"),
    ("en", "library", "In the second quarter of 2024 there were 4,200 book loans.", "S"),
    ("en", "gym", "At West 60 people joined.", "S"),
    ("nl", "club", "In 2023 zegden er 60 op.", "S"),
    ("nl", "stroom", "In maart leverden uw panelen 120 kWh op.", "S"),
    ("en", "line", "On 2 March you were offline for 90 minutes.", "S"),
    ("en", "line", "On average you got 410 Mbit/s.", "S"),
    ("en", "line", "On 2 March you were getting 410 Mbit/s down and 52 Mbit/s up.", "SC"),
    ("nl", "stroom", "In maart waren de kosten 4.000 euro.", "S"),
    ("nl", "treinen", "Op 2 maart zijn er 20 treinen uitgevallen.", "S"),
    # what the series cannot be is not checked
    ("nl", "netwerk", "In de week van 10 maart was het verzuim 2 procentpunt.", "U"),  # a value is in percent
    ("en", "gym", "At West 60 members joined.", "U"),  # members, or those who joined
    ("en", "parcels", "In the week of 10 March 1,200 parcels went missing.", "U"),  # an unknown verb is not left out
    ("nl", "treinen", "Op 2 maart vielen vijf keer zoveel treinen uit als de dag ervoor.", "U"),  # not all trains
    ("en", "line", "In March you got 60 Mbit/s in total.", "U"),  # a sum has any size
    ("en", "clinics", "Last year Heart had 30 no-shows.", "U"),  # the table has no times
]


@pytest.mark.parametrize(("language", "tables", "claim", "verdicts"), CLAIMS, ids=[claim[2] for claim in CLAIMS])
def test_claims(language, tables, claim, verdicts):
    checks = check_claims([claim], [TABLES[name] for name in tables.split("+")], language)
    assert "".join(checked.verdict[0] for checked in checks).upper() == verdicts, [check.reason for check in checks]


def test_a_change_is_measured_from_what_was_said():
    claims = ["In April there were 30 overtime hours.", "A month later there were 15 overtime hours."]
    assert [checked.verdict for checked in check_claims(claims, [TABLES["payroll"]], "en")] == [S, S]
    (checked,) = check_claims(["Gross pay rose by 60% from January to June."], [TABLES["payroll"]], "en")
    assert checked.verdict == S
    assert checked.evidence()["compared"] == "2025-01-01..2025-01-31"


@pytest.mark.parametrize(
    ("question", "answer", "verdict"),
    [
        ("In how many months were there more than 10 orders?", "That happened in three months.", S),  # 11, 12, 13
        ("In how many months were there more than 10 orders?", "That happened in four months.", C),
        ("How did we do?", "That happened in four months.", U),
    ],
)
def test_how_often_what_was_asked_was_so(question, answer, verdict):
    (checked,) = check_claims([answer], [TABLES["months"]], "en", question)
    assert checked.verdict == verdict, checked.reason


def test_values_of_days_scales_and_what_a_number_is_of():
    days = [f"2025-03-{day:02}" for day in range(3, 17)]  # two weeks from a Monday
    visits = [10, 10, 10, 10, 10, 30, 40, 10, 10, 10, 10, 10, 50, 60]
    museum = table_of(Grid("museum", {"day": days, "visits (n)": visits}))
    water = table_of(Grid("water", {"year": ["2022", "2023", "2024"], "supplied (million m3)": [75.5, 78.3, 76.0]}))
    gifts = table_of(
        Grid("gifts", {"quarter": ["2023-Q1", "2023-Q2", "2024-Q1", "2024-Q2"], "donations (£k)": [100, 100, 110, 107]})
    )
    claims = [
        ("Saturdays and Sundays averaged 40 visits a day.", museum, [C]),
        ("On 8 March there were 30 visits, three times as many as on 7 March.", museum, [S, S]),
        ("In 2023 78.3 million m3 was supplied.", water, [S]),
        ("Donations in 2024 added up to £217,000, an increase of 8.5% on 2023.", gifts, [S, S]),  # 217 / 200
        ("Of the donations in 2024, £60,000 came from legacies.", gifts, [U]),
    ]
    for claim, table, verdicts in claims:
        checks = check_claims([claim], [table], "en")
        assert [checked.verdict for checked in checks] == verdicts, [checked.reason for checked in checks]


@pytest.mark.parametrize(
    ("written", "held"),
    [("EUR thousand", ("EUR", 3)), ("x 1.000 EUR", ("EUR", 3)), ("€ mln", ("EUR", 6)), ("€ per maand", ("EUR", 0))],
)
def test_a_scale_beside_a_currency(written, held):
    assert unit_and_power(written) == held
