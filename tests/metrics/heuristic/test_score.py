"""The score of section V-C and Fig. 4, and the parsing behind it."""

import asyncio
import sys
from importlib import resources

import pytest
from modules import module_of

from assay.errors import UsageError
from assay.eval_sets import Sample
from assay.installation import install_command
from assay.languages import Language
from assay.metrics import find_pipeline, load_metric, plain_score, rate
from assay.metrics.heuristic import Heuristic

_load_pipeline = module_of(find_pipeline)._load_pipeline

CONTEXT = "1. Go to: Hours > Import.\n2. Click **Choose file**.\n3. Click **Import**."


def sample(**fields: object) -> Sample:
    defaults = {
        "id": "s",
        "user_input": "How do I import hours?",
        "response": CONTEXT,
        "retrieved_contexts": [CONTEXT],
        "language": "en",
    }
    return Sample.model_validate(defaults | fields)


def test_the_sum_is_rescaled_to_1_to_5_over_the_features_that_have_a_value():
    assert plain_score([0, 0, 0]) == 1
    assert plain_score([1, 1, 1]) == 5
    assert plain_score([1, 0.5, 0, 0.5]) == 3
    # (1 + 0.5) / 2 = 0.75 of the way from 1 to 5
    assert plain_score([1, None, 0.5]) == 4
    assert plain_score([None]) is None


@pytest.mark.parametrize(
    ("unspecified", "verbatim", "value", "override"),
    [
        (False, False, 2.5, None),
        (True, False, 1, "unspecified_components"),
        (False, True, 5, "verbatim_guide"),
        (True, True, 1, "unspecified_components"),
    ],
)
def test_what_overrides_the_sum(unspecified, verbatim, value, override):
    rated = rate(2.5, unspecified=unspecified, verbatim=verbatim)
    assert (rated.value, rated.plain, rated.override) == (value, 2.5, override)
    assert rate(2.5, unspecified=unspecified, verbatim=verbatim, overrides=False) == (2.5, 2.5, None)


def test_a_verbatim_guide_is_5_and_its_evidence_has_the_seven_features():
    score = asyncio.run(Heuristic().assess(sample()))
    assert score.value == 5
    assert score.evidence["override"] == "verbatim_guide"
    assert score.evidence["verbatim_guide"] is True
    assert score.evidence["unspecified_components"] == []
    assert score.evidence["message_type"] == "instruction"
    names = (
        "company_terms, components_defined, complex_answer, prompt_overlap, hal, subject_combination, verbatim_guide"
    )
    assert ", ".join(score.evidence["features"]) == names


def test_an_invented_button_beside_a_verbatim_guide_is_1():
    score = asyncio.run(Heuristic().assess(sample(response=CONTEXT + "\n\nThen click **Undo all**.")))
    assert score.value == 1
    assert score.evidence["verbatim_guide"] is True
    assert "Undo all" in score.reason


def test_which_messages_are_scored():
    error = sample(user_input="I get the error: mutation cannot be executed")
    score = asyncio.run(Heuristic().assess(error))
    assert score.status == "skipped"
    assert "error" in score.reason
    assert asyncio.run(Heuristic(all_types=True).assess(error)).status == "scored"
    statement = sample(user_input="I want to import hours")  # no question mark: reasoning by the paper's lists
    assert asyncio.run(Heuristic().assess(statement)).status == "scored"
    assert asyncio.run(Heuristic(rules="paper").assess(statement)).evidence["message_type"] == "reasoning"


def test_a_pipeline_that_is_not_there_is_told_by_name(tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_SPACY_EN", str(tmp_path))
    with pytest.raises(UsageError, match=tmp_path.name):
        asyncio.run(load_metric("heuristic.subject_combination").assess(sample()))


def test_without_a_pipeline_the_reason_says_what_to_type(monkeypatch):
    """The parser's feature is left out, the others are scored."""
    monkeypatch.setattr(module_of(find_pipeline), "_installed", lambda language: "")
    _load_pipeline.cache_clear()
    unread = sample(response="Employees who were never parsed before open the page.")
    score = asyncio.run(Heuristic(all_types=True).assess(unread))
    _load_pipeline.cache_clear()
    assert score.status == "scored"
    assert score.evidence["features"]["subject_combination"] is None
    assert (
        f"{sys.executable} -m spacy download en_core_web_sm" in score.evidence["without_value"]["subject_combination"]
    )


def test_without_spacy_the_reason_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    esperanto = Language("eo", resources.files("assay.languages") / "en")
    pipeline = find_pipeline(esperanto)
    assert pipeline.nlp is None
    assert f"{install_command('heuristic')}; then {sys.executable} -m spacy download en_core_web_sm" in pipeline.lacking
    monkeypatch.setenv("ASSAY_SPACY_EO", "eo_pipeline")
    with pytest.raises(UsageError, match="needs the extra `heuristic` \\(spacy is missing\\)"):
        find_pipeline(esperanto)


@pytest.mark.parametrize("name", ["heuristic", "heuristic.hal", "heuristic.company_terms"])
def test_a_language_without_a_pack_is_skipped_with_the_reason(name):
    score = asyncio.run(load_metric(name).assess(sample(language="es")))
    assert score.status == "skipped"
    assert score.reason == "the heuristics have no language pack for es; they know English, Dutch"
