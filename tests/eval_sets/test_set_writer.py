"""What is written is read back as it was."""

import json
import math

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from assay.errors import InputError
from assay.eval_sets import Sample, Table, load_set, read_set, write_set

text = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30)
name = text.filter(lambda held: held.strip() == held and held != "")
rating = st.floats(1, 5)
json_value = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda held: st.lists(held, max_size=3) | st.dictionaries(text, held, max_size=3),
    max_leaves=6,
)
cell = (
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(allow_nan=False, allow_infinity=False) | text
)


@st.composite
def tables(draw):
    length = draw(st.integers(0, 3))
    columns = draw(st.dictionaries(text, st.lists(cell, min_size=length, max_size=length), max_size=3))
    units = {column: draw(text) for column in columns if draw(st.booleans())}
    return Table(name=draw(text), columns=columns, units=units)


def sets(optional):
    one = st.builds(
        Sample,
        id=name,
        user_input=text,
        response=text,
        retrieved_contexts=st.lists(text, max_size=3).map(tuple),
        reference=st.none() | optional,
        language=st.sampled_from(["nl", "en", "de"]),
        tables=st.lists(tables(), max_size=2).map(tuple),
        rating=st.none() | rating,
        ratings=st.dictionaries(text, rating, max_size=2),
        rating_min=st.sampled_from([0, 0.5, 1]),
        rating_max=st.sampled_from([5, 10]),
        message_type=st.none() | optional,
        group=st.none() | optional,
        metadata=st.dictionaries(text, json_value, max_size=3),
    )
    return st.lists(one, min_size=1, max_size=4, unique_by=lambda sample: sample.id)


quick = settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
@quick
@given(data=st.data())
def test_every_sample_is_kept_exactly(tmp_path_factory, suffix, data):
    """In CSV save empty optional texts."""
    path = tmp_path_factory.mktemp("law") / f"set{suffix}"
    samples = data.draw(sets(name if suffix == ".csv" else text))
    assert write_set(samples, path) == len(samples)
    assert list(read_set(path)) == samples


def sample(**fields):
    return Sample(**{"id": "a", "user_input": "q", "response": "r", "language": "en", **fields})


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_an_id_that_is_a_word_for_nothing_is_one_where_nothing_was_asked(tmp_path, suffix):
    samples = [
        sample(id="None", user_input=""),
        sample(id="n/a", user_input="", response=""),
        sample(id="0", user_input=" "),
    ]
    write_set(samples, tmp_path / f"set{suffix}")
    assert load_set(tmp_path / f"set{suffix}") == samples


def test_a_set_can_be_rewritten_in_place(tmp_path):
    path = tmp_path / "set.jsonl"
    write_set([sample(id="a"), sample(id="b")], path)
    assert write_set((one for one in read_set(path) if one.id == "b"), path) == 1
    assert [one.id for one in load_set(path)] == ["b"]


def test_after_an_error_the_old_file_stands_and_nothing_lies_beside_it(tmp_path):
    path = tmp_path / "set.jsonl"
    write_set([sample(id="old")], path)
    with pytest.raises(InputError, match=r"samples 1 and 2 both have the id a; make the ids differ"):
        write_set([sample(), sample()], path)
    with pytest.raises(InputError, match=r"sample a, field metadata: .*; write it as text or number"):
        write_set([sample(metadata={"what": object()})], path)
    assert [one.id for one in load_set(path)] == ["old"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["set.jsonl"]


@pytest.mark.parametrize(
    ("name", "says"),
    [("set.parquet", "written as .jsonl or .csv, not `.parquet`"), ("no/set.jsonl", "there is no folder")],
)
def test_where_no_set_can_be_written(tmp_path, name, says):
    with pytest.raises(InputError, match=says):
        write_set([sample()], tmp_path / name)
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(InputError, match=r"is a folder, not a file; name a file in it"):
        write_set([sample()], tmp_path / "folder.jsonl")


def test_metadata_that_json_has_no_word_for(tmp_path):
    path = tmp_path / "set.jsonl"
    write_set([sample(metadata={"nan": math.nan, "half": "\ud83d", "pair": (1, 2)})], path)
    assert load_set(path)[0].metadata == {"nan": None, "half": "\ud83d", "pair": [1, 2]}


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_the_rows_of_one_set_keep_their_scales(tmp_path, suffix):
    """A 2 of 1-5 beside a 9 of 1-10 and a thumb of 0-1 stays a 2 of 5, whether an answer or a turn is rated."""
    chat = [{"role": "user", "content": "Free?"}, {"role": "assistant", "content": "Yes."}]
    samples = [
        sample(id=f"{kind}-{top}", rating_min=low, rating_max=top, **rated)
        for low, top, value in ((1, 5, 2), (1, 10, 9), (0, 1, 0))
        for kind, rated in (
            ("own", {"rating": value}),
            ("rater", {"ratings": {"ada": value}}),
            ("turn", {"messages": [*chat, *chat[:1], chat[1] | {"rating": value}]}),
        )
    ]
    write_set(samples, tmp_path / f"set{suffix}")
    notes = []
    back = load_set(tmp_path / f"set{suffix}", notes=notes)
    assert [(one.id, one.rating_min, one.rating_max) for one in back] == [
        (one.id, one.rating_min, one.rating_max) for one in samples
    ]
    assert not any("--scale" in note for note in notes)


def test_a_row_that_tells_one_bound_has_no_say_in_the_scale_of_the_others(tmp_path):
    """As earlier versions wrote a rating on 1-10: its lowest, 1, is the usual one and left out."""
    rows = [{"rating": 2.0}, {"rating": 3.0}, {"rating": 9.0, "rating_max": 10.0}]
    lines = [json.dumps({"id": str(n), "user_input": "q", "response": "r"} | row) for n, row in enumerate(rows)]
    (tmp_path / "set.jsonl").write_text("\n".join(lines))
    back = load_set(tmp_path / "set.jsonl")
    assert [(one.rating_min, one.rating_max) for one in back] == [(1, 5), (1, 5), (1, 10)]
