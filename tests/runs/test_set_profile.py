"""A metric that can score no sample ends the run before anything is asked; the columns are said once."""

from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.eval_sets import Sample
from assay.judges import JudgeSettings, LiteLLMJudge
from assay.metrics import load_metric
from assay.runs import SetProfile


def sample(number, **fields):
    return Sample(**({"id": f"s{number}", "user_input": "How?", "response": "So."} | fields))


def profile(*samples):
    profile = SetProfile()
    assert list(profile.observe(samples)) == list(samples)
    return profile


def test_the_message_names_what_is_missing_the_columns_and_the_option():
    observed = profile(sample(1, metadata={"page": "A page.", "score": 0.5}), sample(2, metadata={"page": "B"}))
    with pytest.raises(UsageError) as error:
        observed.check([load_metric("rouge_l_precision"), load_metric("bleu")])
    assert str(error.value) == (
        "bleu can score none of the 2 samples: it needs reference, which none of them has. Give them a column "
        "`reference`, or say which one holds it: --map THEIRS=reference (in Python mapping=), or choose other metrics"
    )


def test_one_sample_that_can_be_scored_is_enough():
    profile(sample(1), sample(2, reference="So it is.")).check([load_metric("bleu")])


def test_fields_that_no_sample_has_together_are_not_enough():
    with pytest.raises(UsageError, match="it needs response and reference, which none of them has"):
        profile(sample(1), sample(2, response=" ", reference="x")).check([load_metric("bleu")])


def test_a_baseline_may_have_nothing_to_score():
    profile(sample(1)).check([load_metric("token_overlap"), load_metric("declined")])


def test_the_command_ends_and_begins_no_run(assay):
    Path("answers.csv").write_text("question,answer,page,stars\nq,a,one,4\nq,b,two,2\n", encoding="utf-8")
    done = assay("run", "answers.csv", "--metrics", "bleu", code=2)
    assert "read question as user_input, answer as response, stars as rating from 1 to 5 (change wi" in done.err
    assert "--map THEIRS=reference" in done.err
    assert assay("show", "last").code != 0


JUDGE = LiteLLMJudge(JudgeSettings(model="openai/test"))
CHAT = [{"role": "user", "content": "Cancel it."}, {"role": "assistant", "content": "Done."}]
POLICY = {"role": "system", "content": "Never cancel."}


@pytest.mark.parametrize(
    ("metric", "key", "value"), [("tool_calls", "expected_actions", []), ("resolved:goal=given", "customer_goal", "x")]
)
def test_what_metadata_must_say_is_needed_too(metric, key, value):
    loaded = load_metric(metric, JUDGE)
    with pytest.raises(UsageError) as error:
        profile(Sample(id="1", messages=CHAT, metadata={"page": "A"})).check([loaded])
    assert f"it needs metadata.{key}, which none of them has" in str(error.value)
    assert f"--map THEIRS={key}" in str(error.value)
    with pytest.raises(UsageError, match=f"Give them a column `{key}`"):
        profile(Sample(id="1", messages=CHAT)).check([loaded])
    profile(Sample(id="1", messages=CHAT), Sample(id="2", messages=CHAT, metadata={key: value})).check([loaded])


def test_a_policy_is_needed_where_it_is_measured():
    loaded = load_metric("policy_kept", JUDGE)
    with pytest.raises(UsageError, match=r"it needs policy, .* The policy is the first system message"):
        profile(Sample(id="1", messages=CHAT)).check([loaded])
    profile(Sample(id="1", messages=[POLICY, *CHAT])).check([loaded])
