"""A suite's file: an error names line, key and the nearest right one."""

from importlib import resources

import pytest
from case_files import cases_beside

from assay.errors import InputError
from assay.runs.suite import load_suite

CASES = cases_beside(__file__)

GOOD = """\
name: helpdesk
sets: [helpdesk_nl, helpdesk_en]
metrics: [faithfulness]
judges: [qwen1.5b]
cassette: replies.jsonl
budget: {usd: 2}
gates:
  - {gate: mean, metric: faithfulness, at_least: 0.6}
  - {gate: regression, metric: token_overlap, more_than: 0.01}
  - {gate: mean, metric: rouge_l_precision, at_most: 0.9}
outputs: {junit: out/junit.xml, json: out/report.json}
"""


def write(folder, text):
    path = folder / "nightly.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_valid_suite_is_read(tmp_path):
    suite = load_suite(write(tmp_path, GOOD))
    assert (suite.name, suite.judges, suite.false_alarms) == ("helpdesk", ("qwen1.5b",), 0.05)
    assert (suite.cassette.file, suite.cassette.mode) == ("replies.jsonl", "auto")
    assert suite.path("out/junit.xml") == tmp_path.resolve() / "out/junit.xml"  # beside the file, wherever it is run
    assert suite.plan("qwen1.5b").sets == ("helpdesk_nl", "helpdesk_en")
    (tmp_path / "helpdesk_nl").touch()
    assert suite.plan("qwen1.5b").sets[0] == str(tmp_path.resolve() / "helpdesk_nl")  # a file beside it comes first
    unnamed = load_suite(str(write(tmp_path, "sets: helpdesk_nl\nmetrics: token_overlap\n")))
    assert (unnamed.name, unnamed.judge_names) == ("nightly", ("no judge",))


def test_prompts_of_your_own_lie_beside_the_file(tmp_path):
    ours = resources.files("assay.prompts").joinpath("support.en.md").read_text(encoding="utf-8")
    path = write(tmp_path, GOOD + "prompts: mine\n")
    with pytest.raises(InputError, match=r"nightly\.yaml, line 12, prompts: .*mine: there is no such folder"):
        load_suite(path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "support.en.md").write_text(f"{ours}\nBe strict.\n", encoding="utf-8")
    assert load_suite(path).plan("qwen1.5b").prompts == str(tmp_path.resolve() / "mine")
    assert load_suite(str(path)) == load_suite(path)


@pytest.mark.parametrize(("before", "after", "message"), CASES["errors"], ids=str)
def test_an_error_names_line_and_key(tmp_path, before, after, message):
    assert before in GOOD
    path = write(tmp_path, GOOD.replace(before, after, 1))
    with pytest.raises(InputError) as error:
        load_suite(path)
    assert str(error.value).startswith(str(path))
    assert message in str(error.value)
    assert "<unicode string>" not in str(error.value)


def test_a_file_that_is_no_suite_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        load_suite(tmp_path / "none.yaml")
    for text in ("", "- a\n", "helpdesk"):
        with pytest.raises(InputError, match="write KEY: VALUE on each line; the keys are `name`, `sets`, `metrics`"):
            load_suite(write(tmp_path, text))
