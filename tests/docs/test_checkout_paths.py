"""The commands of the documentation work wherever Assay is installed: no path into a checkout, no release to come."""

import re

import pytest
from documented_pages import PAGES

IN_CHECKOUT = re.compile(r"(?<![\w/.:-])(?:cassettes|eval_sets|judges|prompts|languages)/[\w{*]+[\w{}.*-]*")
# `generation/leaflets` stands on a page that says that it needs the checkout, for a file of the benchmarks
COMMAND = re.compile(r"^(?:    |<!-- run: )?(?:\$ )?(?:\w+ = )?(?:assay|sed|cp|cat|python -m assay) ")
FROM_INDEX = re.compile(r"pip install (?:-\S+ )*[\"']?assay\b")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_command_has_a_path_into_the_checkout(page):
    """Bundled recordings are `bundled:NAME`; a bundled prompt is copied with `assay judges prompts copy`."""
    lines = page.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if COMMAND.match(line) and IN_CHECKOUT.search(line)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pip_installs_from_a_checkout_until_there_is_a_release(page):
    assert FROM_INDEX.findall(page.read_text(encoding="utf-8")) == []


def test_the_patterns_see_what_they_are_for():
    typed = "    $ assay run helpdesk_en --cassette cassettes/helpdesk.qwen1.5b.jsonl"
    assert COMMAND.match(typed)
    assert IN_CHECKOUT.findall(typed) == ["cassettes/helpdesk.qwen1.5b.jsonl"]
    assert IN_CHECKOUT.findall("assay run x --cassette bundled:helpdesk.{judge} --prompts my_prompts/a.md") == []
    assert FROM_INDEX.search('pip install "assay[web]"')
    assert not FROM_INDEX.search('pip install ".[web]"')
