"""Which series a claim is about: Dutch compounds, names for short, verbs, units, sizes, words beside a name."""

import pytest

from assay.metrics.numeric.lexicon import stem_of
from assay.metrics.numeric.names.column_names import HINT, column_names, head_stems, name_words
from assay.metrics.numeric.numeric_claims import check_claims
from assay.metrics.numeric.tables.grids import Grid
from assay.metrics.numeric.tables.sample_tables import table_of
from assay.metrics.numeric.units import unit_and_power

S, C, U = "supported", "contradicted", "unverifiable"
DAYS = ["2025-03-01", "2025-03-02", "2025-03-03"]
WEEKS = ["2025-03-03", "2025-03-10", "2025-03-17"]
TABLES = {
    "line": Grid(
        "line",
        {
            "date": DAYS,
            "download (Mbit/s)": [400, 410, 420],
            "upload (Mbit/s)": [48, 50, 52],
            "outage (min)": [0, 90, 30],
        },
    ),
    "parcels": Grid(
        "parcels",
        {
            "week starting": WEEKS,
            "parcels delivered (n)": [1000, 1200, 1100],
            "late parcels (n)": [50, 120, 80],
            "cost per parcel (€)": [4.1, 4.2, 4.0],
        },
    ),
    "clinics": Grid(
        "clinics",
        {
            "clinic": ["Eye", "Heart"],
            "no-shows (n)": [20, 30],
            "waiting time (days)": [11, 25],
            "patients (n)": [300, 400],
        },
    ),
    "library": Grid(
        "library",
        {"quarter": ["2024-Q1", "2024-Q2"], "book loans (n)": [4000, 4200], "e-book loans (n)": [600, 700]},
    ),
    "gym": Grid(
        "gym",
        {
            "branch": ["East", "West"],
            "members (n)": [500, 700],
            "new members (n)": [40, 60],
            "cancellations (n)": [30, 20],
        },
    ),
    "netwerk": Grid(
        "netwerk",
        {
            "week": WEEKS,
            "downloadsnelheid (Mbit/s)": [400, 410, 420],
            "storingsmeldingen (n)": [12, 18, 15],
            "ziekteverzuim (%)": [4.2, 5.0, 4.6],
        },
    ),
    "club": Grid(
        "club",
        {"jaar": ["2022", "2023", "2024"], "leden (n)": [900, 950, 990], "opzeggingen (n)": [40, 60, 50]},
    ),
    "depots": Grid(
        "depots",
        {"depot": ["Breda", "Venlo"], "pakketten (n)": [2000, 1500], "te laat bezorgd (n)": [120, 60]},
    ),
    "treinen": Grid(
        "treinen",
        {"datum": DAYS, "treinen (n)": [400, 410, 405], "uitgevallen (n)": [4, 20, 5]},
    ),
    "stroom": Grid(
        "stroom",
        {
            "maand": ["2025-01", "2025-02", "2025-03"],
            "zonnestroom (kWh)": [30, 60, 120],
            "gasverbruik (m3)": [200, 180, 120],
            "kosten (x 1.000 EUR)": [2, 3, 4],
        },
    ),
}
DUTCH = ("netwerk", "treinen", "club", "depots", "stroom")

CLAIMS = [
    # the head of a compound
    ("netwerk", "In de week van 10 maart waren er 18 meldingen.", S),
    ("netwerk", "In de week van 10 maart waren er 15 meldingen.", C),
    ("netwerk", "De snelheid was gemiddeld 410 Mbit/s.", S),
    ("netwerk", "Het hoogste verzuim was 5,0%.", S),
    ("club", "Het ledental was 990 in 2024.", S),
    ("club", "Het ledenaantal was 990 in 2023.", C),
    # without what only says that it was so; not the narrower ones
    ("parcels", "In the week of 10 March there were 1,200 parcels.", S),
    ("parcels", "In the week of 10 March 120 parcels were late.", S),
    ("parcels", "In the week of 10 March 1,200 parcels were late.", C),
    ("depots", "In Breda werden 120 pakketten te laat bezorgd.", S),
    ("depots", "In Venlo zijn 1.500 pakketten te laat bezorgd.", C),
    ("depots", "Met 120 te late pakketten staat Breda bovenaan.", S),
    # hyphens
    ("clinics", "Heart had 30 no-shows.", S),
    ("clinics", "Heart had 31 no-shows.", C),
    ("library", "In the second quarter of 2024 there were 4,200 book loans.", S),
    ("library", "In the second quarter of 2024 700 e-books were borrowed.", S),
    # verbs and plain nouns
    ("gym", "At West 60 people joined.", S),
    ("gym", "At West 700 people cancelled.", C),
    ("club", "In 2023 zegden er 60 op.", S),
    ("stroom", "In maart leverden uw panelen 120 kWh op.", S),
    ("line", "On 2 March you were offline for 90 minutes.", S),
    # the unit and the size tell
    ("line", "On average you got 410 Mbit/s.", S),
    ("line", "On average you got 430 Mbit/s.", C),
    ("line", "On 2 March you were getting 410 Mbit/s down and 50 Mbit/s up.", S),
    ("line", "On 2 March you were getting 410 Mbit/s down and 52 Mbit/s up.", C),
    ("clinics", "Eye has the shortest waiting time, 11 days.", S),
    # amounts in thousands
    ("stroom", "In maart waren de kosten 4.000 euro.", S),
    ("stroom", "In maart waren de kosten 3.000 euro.", C),
]


def verdict(table: str, claim: str) -> str:
    language = "nl" if table in DUTCH else "en"
    verdicts = {checked.verdict for checked in check_claims([claim], [table_of(TABLES[table])], language)}
    return C if C in verdicts else S if verdicts == {S} else U


@pytest.mark.parametrize(("table", "claim", "expected"), CLAIMS, ids=[claim for _, claim, _ in CLAIMS])
def test_the_series_is_told(table: str, claim: str, expected: str) -> None:
    assert verdict(table, claim) == expected


NOT_GUESSED = [
    ("parcels", "In the week of 10 March parcels came to 64 euros."),  # parcels are counted
    ("netwerk", "In de week van 10 maart was het verzuim 2 procentpunt."),  # a value is in percent
    ("gym", "Members come to West 2.3 times a week."),  # no number of members
    ("gym", "At West 60 members joined."),  # members, or those who joined
    ("parcels", "In the week of 10 March 1,200 parcels went missing."),  # an unknown verb is not left out
    ("treinen", "Op 2 maart vielen vijf keer zoveel treinen uit als de dag ervoor."),  # not all trains
    ("line", "In March you got 60 Mbit/s in total."),  # a sum has any size
    ("line", "Your neighbours' download speed was 410 Mbit/s on average."),
    ("clinics", "Last year Heart had 30 no-shows."),  # the table has no times
]


@pytest.mark.parametrize(("table", "claim"), NOT_GUESSED, ids=[claim for _, claim in NOT_GUESSED])
def test_what_the_series_cannot_be_is_not_checked(table: str, claim: str) -> None:
    assert verdict(table, claim) == U


def test_an_exclamation_claims_nothing() -> None:
    assert check_claims(["Good question!"], [table_of(TABLES["line"])], "en") == []


@pytest.mark.parametrize(
    ("compound", "head"),
    [
        ("storingsmeldingen", "meldingen"),
        ("ziekteverzuim", "verzuim"),
        ("klanttevredenheid", "tevredenheid"),
        ("terugbetalingen", None),  # no betalingen
        ("bestellingen", None),
    ],
)
def test_a_compound_is_called_by_its_head(compound: str, head: str | None) -> None:
    (word,) = name_words(compound, "nl")
    assert head_stems(word, "nl") == ((stem_of(head, "nl"),) if head else ())


def test_hints_are_those_of_what_the_whole_name_means() -> None:
    assert (("join",), HINT) in column_names("new members (n)", "en")
    assert (("rang",), HINT) in column_names("phone calls received (n)", "en")
    assert HINT not in {rank for _, rank in column_names("missed calls (n)", "en")}


@pytest.mark.parametrize(
    ("written", "held"),
    [
        ("EUR thousand", ("EUR", 3)),
        ("x 1.000 EUR", ("EUR", 3)),
        ("€ mln", ("EUR", 6)),
        ("¥ million", ("JPY", 6)),
        ("SEK thousand", ("SEK", 3)),
        ("€ per maand", ("EUR", 0)),
    ],
)
def test_a_scale_beside_a_currency(written: str, held: tuple[str, int]) -> None:
    assert unit_and_power(written) == held


def test_what_counts_has_no_unit() -> None:
    table = table_of(TABLES["parcels"])
    assert not table.can_be_in("late parcels (n)", "EUR")
    assert table.can_be_in("cost per parcel (€)", "EUR")
