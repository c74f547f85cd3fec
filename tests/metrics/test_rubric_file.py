"""Files of rubrics and choices: both formats say the same, and a mistake is told with file, line, field and cure."""

from pathlib import Path

import pytest

from assay.errors import InputError
from assay.metrics.choice_file import read_choice
from assay.metrics.rubric_file import read_rubric

YAML = """\
name: Helpful
fields: [user_input, response, reference]
criteria:
  - name: Steps
    question: Does the answer name the steps?
    weight: 2
    levels:
      none: It names no step.
      some: It names some.
      all: It names all steps of the reference.
  - name: Tone
    question: Is the answer polite?
    levels:
      1: It is rude.
      2: It is polite.
"""
MARKDOWN = """\
# Helpful

Fields: `user_input`, response, reference

## Steps (weight 2)

Does the answer name the steps?

1. none: It names no step.
2. some: It names
   some.
3. all: It names all steps of the reference.

## Tone

Is the answer polite?

1. It is rude.
2. It is polite.
"""
CHOICE = """\
question: How is the customer addressed?
options:
  formally: {value: 1, description: The answer says "Sir" or "Madam".}
  "no": {value: 0.5, description: The answer addresses nobody.}
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_yaml_and_markdown_say_the_same(tmp_path):
    rubric = read_rubric(write(tmp_path, "helpful.yaml", YAML))
    assert rubric == read_rubric(write(tmp_path, "helpful.md", MARKDOWN))
    assert [criterion.weight for criterion in rubric.criteria] == [2, 1]
    assert list(rubric.criteria[0].levels) == ["none", "some", "all"], "the lowest first, as written"
    assert rubric.criteria[1].levels == {"1": "It is rude.", "2": "It is polite."}


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("weight: 2", "weight: -2", "line 6, criteria.0.weight: is -2; write a number above 0"),
        ("weight: 2", "wieght: 2", "line 6, criteria.0.wieght: is an unknown field; correct its name"),
        ("reference]", "answer]", "line 2, fields.2: is \"answer\"; write 'user_input', 'response', 'ret"),
        (
            "      some: It names some.\n",
            "      none: It names some.\n",
            "line 9, criteria.0.levels.none: line 8 has this key too",
        ),
        ("    question: Is the answer polite?\n", "", "line 11, criteria.1.question: is missing; add it"),
        ("      2: It is polite.\n", "", "line 13, criteria.1.levels: has too few entries (1); give 2"),
        ("criteria:", "criteria: [", "not valid YAML"),
    ],
)
def test_a_mistake_in_yaml(tmp_path, before, after, told):
    assert before in YAML
    path = write(tmp_path, "helpful.yaml", YAML.replace(before, after))
    with pytest.raises(InputError) as caught:
        read_rubric(path)
    assert told in str(caught.value)
    assert str(caught.value).startswith(f"{path}, line ")


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("(weight 2)", "(weight two)", 'line 5, criteria.0.weight: is a text ("two"), not a number; write (weight 2)'),
        ("Is the answer polite?", "", "line 14, criteria.1.question: is missing; write the question under the heading"),
        ("2. It is polite.", "", "line 18, criteria.1.levels: has too few entries (1); write 2 to 10 levels"),
        ("2. some: It names\n   some.", "2. none: again.", "line 10, criteria.0.levels: 'none' is a level already"),
        (
            MARKDOWN,
            "Just text.",
            "line 1, criteria: has too few entries (0); write a heading ## NAME for each criterion",
        ),
    ],
)
def test_a_mistake_in_markdown(tmp_path, before, after, told):
    path = write(tmp_path, "helpful.md", MARKDOWN.replace(before, after, 1))
    with pytest.raises(InputError) as caught:
        read_rubric(path)
    assert told in str(caught.value)
    assert str(caught.value).startswith(f"{path}, line ")


def test_a_choice(tmp_path):
    choice = read_choice(write(tmp_path, "tone.yaml", CHOICE))
    assert choice.range == (0.5, 1.0)
    assert list(choice.options) == ["formally", "no"]
    assert choice.fields == ("user_input", "response")


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("value: 1", "value: high", 'line 3, options.formally.value: is a text ("high"), not a number'),
        ("value: 0.5, ", "", "line 4, options.no.value: is missing; add it"),
        ('"no"', "no", "line 2, options.0: YAML reads this label as false; put it in quotes"),
        (CHOICE, "", "line 1, the whole file: is empty; write FIELD: VALUE on each line; the fields are question"),
    ],
)
def test_a_mistake_in_a_choice(tmp_path, before, after, told):
    assert before in CHOICE
    path = write(tmp_path, "tone.yaml", CHOICE.replace(before, after))
    with pytest.raises(InputError) as caught:
        read_choice(path)
    assert told in str(caught.value)
    assert str(caught.value).startswith(f"{path}, line ")
