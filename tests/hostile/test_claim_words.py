"""The pages' marks of what each word of a claim was taken for, with evidence that nobody promised anything about."""

import re

import pytest

from assay.metrics import ROLES, ClaimPart
from assay.presentation import template_environment


def rendered(words):
    macros = template_environment().get_template("evidence.html").module
    claims = [{"text": "a claim", "verdict": "supported", "words": words}]
    return str(macros.evidence_of("claims", claims))


def test_a_word_shows_its_role_and_its_meaning():
    parts = ClaimPart("The "), ClaimPart("mean", "statistic", "mean"), ClaimPart(" of "), ClaimPart("x", "left out")
    page = rendered([part.as_json() for part in parts])
    assert 'The <mark class="statistic">mean<small>statistic: mean</small></mark> of ' in page.replace("\n", "")
    assert '<mark class="left-out">x<small>left out</small></mark>' in page


@pytest.mark.parametrize("role", [role for role in ROLES if role])
def test_every_role_has_a_style(role):
    assert f'<mark class="{role.replace(" ", "-")}">' in rendered([{"text": "x", "role": role}])


@pytest.mark.parametrize(
    "words",
    [
        [{"text": "<script>alert(1)</script>", "role": "number", "meaning": '"><img src=x onerror=alert(1)>'}],
        [{"text": "x", "role": '"><script>alert(1)</script>'}],
        [{"text": ["<script>"], "role": ["number"], "meaning": {"<script>": 1}}],
        [{"role": "number"}, {"text": None, "role": None}, "<script>", None, 3],
        "<script>",
        {"<script>": "number"},
        3,
    ],
)
def test_words_are_never_markup(words):
    page = rendered(words)
    assert re.findall(r"<(?!/?(?:ul|li|span|mark|small|wbr)\b)", page) == []
    assert set(re.findall(r'<mark class="([^"]*)"', page)) <= {"number"}
