"""Whether a quote stands in the context, and exactly where."""

import pytest
from hypothesis import assume, example, given, strategies as st

from assay.text import Place, find_quote

PAGE = "1. Go to: Payroll > Payments.\n2. Click **New**.\n\nA bonus above\n500 euros needs\tapproval."


def text_at(place: Place, *contexts: str) -> str:
    return contexts[place.context][place.start : place.end]


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ("Payroll > Payments", "Payroll > Payments"),
        ("  “Click **New**.” ", "Click **New**."),
        ("above 500 euros needs approval", "above\n500 euros needs\tapproval"),
        (
            "Go to: Payroll ... needs approval",
            "Go to: Payroll > Payments.\n2. Click **New**.\n\nA bonus above\n500 euros needs\tapproval",
        ),
        ("Go to […] Click", "Go to: Payroll > Payments.\n2. Click"),
        ("...A bonus above…", "A bonus above"),
    ],
)
def test_where_it_stands(quote, there):
    place = find_quote(quote, ("Another page.", PAGE))
    assert place is not None
    assert place.context == 1
    assert text_at(place, "Another page.", PAGE) == there


@pytest.mark.parametrize(
    "quote",
    [
        "Payroll > Bonuses",
        "A bonus above 5000 euros",
        "needs approval ... Payroll",  # the other way round
        "",
        "...",
        "Go",  # two letters stand anywhere
        "> .",
        "o ... n ... e",  # single letters in order stand anywhere, too
        "payments.2.click",  # white space may differ, but is not nothing
    ],
)
def test_what_proves_nothing(quote):
    assert find_quote(quote, (PAGE,)) is None


def test_parts_of_a_quote_stand_in_one_context():
    assert find_quote("The manager ... approves it", ("The manager waits.", "Nobody approves it.")) is None
    assert find_quote("a whole sentence", ()) is None


@pytest.mark.parametrize(
    ("context", "quote", "there"),
    [
        ("Open\u200b the f\u00adile \ufeffnow.", "the file now", "the f\u00adile \ufeffnow"),
        ("İİİ Ga naar İnstellingen.", "GA NAAR", "Ga naar"),  # letters that become two in lower case
        ("ﬁle ﬁle Open the ﬁle.", "OPEN THE ﬁLE", "Open the ﬁle"),  # ligatures keep their width
        ("ΟΔΟΣ ΣΟΦΟΣ ΝΕΟΣ", "σοφος  νεος", "ΣΟΦΟΣ ΝΕΟΣ"),  # a sigma in lower case depends on its place
        ("<b>Save</b> the file", "‹b>Save‹/b> the  file", "<b>Save</b> the file"),  # as the judge was shown it
        ("Klik op\u00a0Opslaan.", "klik op opslaan", "Klik op\u00a0Opslaan"),
    ],
)
def test_places_are_exact_among_odd_characters(context, quote, there):
    place = find_quote(quote, (context,))
    assert place is not None
    assert text_at(place, context) == there


ALPHABETIC = "abcXYZ019éÉßİıΣσςﬁﬀñÅ中"
OTHERS = " \n\t\u00a0\u200b\u00ad\ufeff.,:;>*\"'“”_-"
AROUND = " \t\n\"'“”‘’«»`*\u00a0\u200b\u00ad\ufeff"  # what a quote may have around it that is not of it
letter = st.sampled_from(ALPHABETIC)
some = st.text(st.sampled_from(ALPHABETIC + OTHERS), max_size=15)
with_three_letters = st.tuples(some, letter, some, letter, some, letter, some).map("".join)


def folded(text: str) -> list[str]:
    """Words in one case, without what no reader sees."""
    seen = "".join(each for each in text if each not in "\u200b\u00ad\ufeff")
    return ["".join(map(in_one_case, word)) for word in seen.split()]


def in_one_case(each: str) -> str:
    return each if len(each.lower()) > 1 else each.lower().replace("ς", "σ")


def in_upper_case(each: str) -> str:
    return each.upper() if in_one_case(each.upper()) == in_one_case(each) else each


@given(some, with_three_letters, some, st.sampled_from([" ", "\n", " \t ", "\u00a0"]), st.booleans())
@example("", "ΑΣ Α", "Α", " ", False)
@example("", "abc ΑΣ", "Α", " \t ", False)
def test_whatever_stands_in_a_context_is_found(before, quote, after, space, upper):
    """White space and case apart, and at a place that reads like the quote."""
    context = before + quote + after
    assume("..." not in context)  # what leaves words out has a law of its own
    mangled = space.join(quote.split())
    if upper:
        mangled = "".join(map(in_upper_case, mangled))
    place = find_quote(mangled, ("nothing here", context))
    assert place is not None
    assert place.context == 1
    assert folded(text_at(place, "", context).strip(AROUND)) == folded(mangled.strip(AROUND))


@given(st.text(max_size=40), st.lists(st.text(max_size=60), max_size=3))
def test_a_place_is_always_inside_its_context(quote, pages):
    place = find_quote(quote, tuple(pages))
    if place is not None:
        assert 0 <= place.start < place.end <= len(pages[place.context])
