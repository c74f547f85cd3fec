"""Versions read for a decision: paired, rated by the same raters, with one measure that is fixed before."""

import json
import math
from dataclasses import replace

import pytest
from case_files import cases_beside
from tables_of_scores import made_scorer

from assay import Results, Sample, Score, decide, scored
from assay.errors import InputError, UsageError
from assay.meta_eval.decision import give_decision_verdict
from assay.runs import Store, VersionOptions, decide_reading, read_versions


def sample(name, question, answer, rating=None, **fields):
    return Sample(id=name, user_input=question, response=answer, rating=rating, **fields)


def results(samples, higher_is_better=True, **metrics):
    scores = {
        one.id: {
            name: Score(None, "skipped", "none") if values[place] is None else scored(values[place] or 0.0, "")
            for name, values in metrics.items()
        }
        for place, one in enumerate(samples)
    }
    return Results(dict.fromkeys(metrics, higher_is_better), {one.id: one for one in samples}, scores)


def version(name, ratings, prefix="q"):
    return [sample(f"{prefix}{n}", f"Question {n}?", f"{name} {n}", rating) for n, rating in enumerate(ratings)]


def write(path, rows):
    path.write_text("".join(row.model_dump_json(exclude_none=True) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def read(folder, *versions, **options):
    names = [f"{chr(65 + place)}={write(folder / f'{place}.jsonl', rows)}" for place, rows in enumerate(versions)]
    return read_versions(None, names, VersionOptions(**options))


def by_version(reading, values):
    table = reading.table
    return {
        name: [None if math.isnan(value) else value for value in values[table.version == place].tolist()]
        for place, name in enumerate(table.versions)
    }


@pytest.mark.parametrize("case", cases_beside(__file__), ids=lambda case: case["name"])
def test_a_file_beside_the_versions_is_read_as_what_it_means(tmp_path, case):
    rated = case.get("rated") or dict.fromkeys("AB", [None] * case["of"])
    files = [tmp_path / name for name in case["files"]]
    for file, text in zip(files, case["files"].values(), strict=True):
        file.write_text(text, encoding="utf-8")
    versions = version("old", rated["A"]), version("new", rated["B"])
    options = {"ratings": tuple(files), "scale": tuple(case["scale"]) if "scale" in case else None}
    if "error" in case:
        with pytest.raises(InputError, match=case["error"]):
            read(tmp_path, *versions, **options)
        return
    reading = read(tmp_path, *versions, **options)
    if "ratings" in case:
        assert by_version(reading, reading.table.ratings) == case["ratings"]
    if "range" in case:
        assert reading.table.scale == tuple(case["range"])
    if "choices" in case:
        assert reading.preferences.question.tolist() == case["choices"]
    for said in case.get("says", ()):
        assert sum(said in note for note in reading.notes) == 1


def test_versions_are_paired_by_id_and_what_one_did_not_answer_stands_beside_n(tmp_path):
    reading = read(tmp_path, version("old", [1, 2, 3, 4]), version("new", [2, 3, 4]))
    assert by_version(reading, reading.table.question) == {"A": [0, 1, 2, 3], "B": [0, 1, 2]}
    row = decide_reading(reading).differences[0]
    assert (row.questions, row.left_out) == (3, 1)


def test_versions_with_other_ids_are_paired_by_question(tmp_path):
    reading = read(tmp_path, version("old", [1, 2, 3]), list(reversed(version("new", [3, 4, 5], "other-"))))
    questions = by_version(reading, reading.table.question)
    assert sorted(questions["A"]) == sorted(questions["B"]) == [0, 1, 2] and questions["B"] == [2, 1, 0]
    assert by_version(reading, reading.table.ratings) == {"A": [1, 2, 3], "B": [5, 4, 3]}


def test_ids_that_are_of_other_questions_pair_nothing_and_ratings_go_to_the_question_that_they_name(tmp_path):
    old = version("old", [None] * 4)
    new = [sample(f"q{n}", f"Question {3 - n}?", f"new {3 - n}") for n in range(4)]
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("id,version,rating\nq0,A,1\nq0,B,5\n")
    reading = read(tmp_path, old, new, ratings=(ratings,))
    assert by_version(reading, reading.table.question) == {"A": [0, 1, 2, 3], "B": [3, 2, 1, 0]}
    assert by_version(reading, reading.table.ratings)["B"] == [5, None, None, None]
    ratings.write_text("id,version,question,rating\nq0,A,Question 0?,1\nq0,B,Question 0?,5\nq1,B,Written otherwise,2\n")
    reading = read(tmp_path, old, new, ratings=(ratings,))
    assert by_version(reading, reading.table.ratings) == {"A": [1, None, None, None], "B": [None, 2, None, 5]}


def test_trials_of_one_task_are_paired_by_group(tmp_path):
    """Two agents on three tasks, two trials each, whose customers begin with other words each time."""
    rows = [
        sample(f"{agent}-{task}-{trial}", f"{agent} {task} {trial}?", f"Done {agent} {task} {trial}.", 1 + task)
        for agent in ("old", "new")
        for task in range(3)
        for trial in range(2)
    ]
    rows = [
        row.model_copy(update={"metadata": {"system": row.id.split("-")[0]}, "group": row.id.split("-")[1]})
        for row in rows
    ]
    path = write(tmp_path / "agents.jsonl", rows)
    reading = read_versions(None, [path], VersionOptions(by="system"))
    assert reading.table.versions == ("old", "new")
    assert by_version(reading, reading.table.question) == {"old": [0, 0, 1, 1, 2, 2], "new": [0, 0, 1, 1, 2, 2]}
    assert reading.table.group.tolist() == reading.table.question.tolist()
    assert any("by group" in note for note in reading.notes)
    swapped = read_versions(None, [path], VersionOptions(by="metadata.system=new,old"))
    assert swapped.table.versions == ("new", "old")


def test_versions_that_share_no_question_are_compared_unpaired(tmp_path):
    other = [sample(f"x{n}", f"Another {n}?", f"new {n}", 3) for n in range(3)]
    reading = read(tmp_path, version("old", [1, 2, 3]), other)
    assert len(set(reading.table.question.tolist())) == 6
    assert any("compared unpaired" in note for note in reading.notes)


def test_topics_in_common_are_no_questions_in_common(tmp_path):
    """A has questions 0 to 19 and B 19 to 38, two of each topic: 1 of 39 is in common.

    B also has questions 40 to 42 on topics of A: 4 of the 10 topics of A are in common, which are no pairs of answers.
    """

    def on(numbers, name, rating):
        return [
            sample(f"{name}{n}", f"Question {n}?", f"{name} {n}", rating).model_copy(update={"group": f"topic {topic}"})
            for n, topic in numbers
        ]

    old = on([(n, n // 2) for n in range(20)], "old", 2)
    new = on([*((n, n // 2) for n in range(19, 39)), *((n, n - 40) for n in range(40, 43))], "new", 3)
    decision = decide_reading(read(tmp_path, old, new))
    (row,) = decision.differences
    assert (row.questions, row.changed, row.rated) == (42, 42, 42)
    assert any(note.startswith("The versions have 1 of 42 questions in common") for note in decision.notes)
    assert not decision.is_paired


def test_few_questions_in_common_decide_nothing_against_all_other_answers(tmp_path):
    """A and B share 3 of 10 questions, on which A is rated 4 and B 3; elsewhere A is rated 1 and B 5.

    The means are (3 x 4 + 7 x 1) / 10 = 1.9 and (3 x 3 + 7 x 5) / 10 = 4.4, so that B is 2.5 higher.
    """
    other = [sample(f"x{n}", f"Another {n}?", f"new {n}", 5) for n in range(7)]
    reading = read(tmp_path, version("old", [4] * 3 + [1] * 7), [*version("new", [3] * 3), *other])
    decision = decide_reading(reading)
    (row,) = decision.differences
    assert (round(row.difference, 9), row.left_out) == (2.5, 0)
    assert [round(one.mean, 9) for one in decision.versions] == [1.9, 4.4]
    assert any(
        note.startswith("The versions have 3 of 17 questions in common, and are compared unpaired")
        for note in decision.notes
    )
    half = read(tmp_path, version("old", [4] * 5 + [1] * 5), [*version("new", [3] * 5), *other[:5]])
    by_pairs = decide_reading(half)  # half of the questions
    assert (by_pairs.deciding.difference, by_pairs.deciding.left_out) == (-1, 10)
    rests_on = give_decision_verdict(by_pairs).as_json()["Rests on"]
    assert rests_on.startswith("your raters' ratings of 5 of 5 pairs of answers; 10 without a pair"), rests_on


def test_the_first_look_at_unpaired_versions_knows_how_few_of_one_are_rated(tmp_path):
    """All 30 of A and 5 of 30 of B: (30 x 5 / 35) / (30 x 30 / 60) = 2 / 7 of the information."""
    other = [sample(f"x{n}", f"Another {n}?", f"new {n}", 1 + n % 5 if n < 5 else None) for n in range(30)]
    decision = decide_reading(read(tmp_path, version("old", [1 + n % 5 for n in range(30)]), other))
    assert decision.look.share == pytest.approx(2 / 7)


def test_a_mean_is_over_the_answers_of_a_version_however_often_a_question_is_asked(tmp_path):
    """Four answers to one question, rated 1, and one to another, rated 5: 9 / 5."""
    often = [sample(f"a{n}", "Hello?", f"Hi {n}.", 1) for n in range(4)] + [sample("a4", "Open?", "Yes.", 5)]
    decision = decide_reading(read(tmp_path, often, version("new", [3, 4, 5])))
    assert round(decision.versions[0].mean, 9) == 1.8


def test_of_ratings_that_name_nobody_and_those_of_a_person_both_count_where_each_is_of_both_versions(tmp_path):
    old, new = version("old", [3] * 12), version("new", [4] * 6 + [None] * 6)
    again = [(one, 2) for one in old[6:]] + [(one, 3) for one in new[6:]]
    rated = [one.model_copy(update={"rating": None, "ratings": {"mia": value}}) for one, value in again]
    for number, one in enumerate(rated):
        rated[number] = one.model_copy(update={"id": f"answer-{number}"})
    write(tmp_path / "rated.jsonl", rated)
    reading = read(tmp_path, old, new, ratings=(tmp_path / "rated.jsonl",))
    assert by_version(reading, reading.table.ratings) == {"A": [3] * 6 + [2] * 6, "B": [4] * 6 + [3] * 6}


def test_turns_of_one_conversation_are_other_questions(tmp_path):
    """Two systems answer the second and the third question of a conversation that is the same for both."""
    texts = ["Free?", "Yes.", "Until when?", "May.", "And then?"]
    roles = ["user", "assistant"]
    history = [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]
    rows = []
    for system in ("old", "new"):
        for turn in (3, 5):
            answer = {"role": "assistant", "content": f"{system} {turn}"}
            metadata = {"system": system}
            row = {"id": f"{system}-{turn}", "messages": [*history[:turn], answer], "rating": 3, "metadata": metadata}
            rows.append(Sample.model_validate(row))
    reading = read_versions(None, [write(tmp_path / "chats.jsonl", rows)], VersionOptions(by="system"))
    assert by_version(reading, reading.table.question) == {"old": [0, 1], "new": [0, 1]}


def test_the_same_answer_has_one_text_and_both_versions_ratings(tmp_path):
    same = [sample("q0", "Q?", "Yes.", 2), sample("q1", "R?", "old", 3)]
    other = [sample("q0", "Q?", "Yes."), sample("q1", "R?", "new", 5)]
    reading = read(tmp_path, same, other)
    assert by_version(reading, reading.table.text) == {"A": [0, 0], "B": [0, 1]}
    assert by_version(reading, reading.table.ratings) == {"A": [2, 3], "B": [2, 5]}


def test_only_raters_of_every_version_count_and_it_is_said(tmp_path):
    def rated(name, **ratings):
        return [
            row.model_copy(update={"ratings": {rater: values[n] for rater, values in ratings.items()}})
            for n, row in enumerate(version(name, [None] * 2))
        ]

    reading = read(tmp_path, rated("old", ann=[2, 3], strict=[1, 1]), rated("new", ann=[4, 5]))
    assert by_version(reading, reading.table.ratings) == {"A": [2, 3], "B": [4, 5]}
    (note,) = (note for note in reading.notes if "left out" in note)
    assert note.startswith("2 ratings are left out: only raters count who rated answers of every version (ann)")


def by_rater(name, **ratings):
    return [
        row.model_copy(update={"rating": None, "ratings": {r: own[n] for r, own in ratings.items() if own[n]}})
        for n, row in enumerate(version(name, [None] * 12))
    ]


def test_raters_of_every_version_who_share_no_question_settle_nothing(tmp_path):
    """Ann rates the old answer to the even questions and the new one to the others, Bob the rest: 24 ratings."""
    even, odd = [3, None] * 6, [None, 4] * 6
    old, new = by_rater("old", ann=even, bob=odd), by_rater("new", ann=odd, bob=even)
    decision = decide_reading(read(tmp_path, old, new))
    assert decision.verdict == "unsettled" and decision.has_other_raters
    assert [(one.n, one.rated) for one in decision.versions] == [(12, 12), (12, 12)]
    assert decision.differences[0].low is decision.differences[0].p is None
    assert decision.warning.startswith("No rater rated the answers of every version to one question")
    old[0] = old[0].model_copy(update={"ratings": {"ann": 3, "bob": 3}})  # one question that Bob rated in both
    assert [one.rated for one in decide_reading(read(tmp_path, old, new)).versions] == [1, 1]


@pytest.mark.parametrize("again", [3, 4], ids=["equally", "otherwise"])
def test_the_same_answers_rated_twice_make_nobody_a_rater_of_both_versions(tmp_path, again):
    """Ann rates the old version and, of the new one, the four answers that are the same; Bob rates the others."""
    old, new = by_rater("old", ann=[3] * 12), by_rater("new", ann=[again] * 4 + [None] * 8, bob=[None] * 4 + [4] * 8)
    new[:4] = [one.model_copy(update={"response": other.response}) for one, other in zip(new[:4], old[:4], strict=True)]
    decision = decide_reading(read(tmp_path, old, new))
    assert decision.verdict == "unsettled" and decision.has_other_raters
    assert [(one.n, one.rated) for one in decision.versions] == [(12, 12), (12, 12)]


def test_versions_rated_by_other_people_settle_nothing(tmp_path):
    """One point more is what Bob gives; the same answer in both versions says nothing of who is strict."""
    old, new = by_rater("old", ann=[2, 3, 4] * 4), by_rater("new", bob=[3, 4, 5] * 4)
    new[0] = new[0].model_copy(update={"response": old[0].response})
    reading = read(tmp_path, old, new)
    decision = decide_reading(reading)
    assert (decision.verdict, decision.look) == ("unsettled", None)
    assert decision.warning.startswith("No rater rated the answers of every version to one question")
    assert "let the same people rate both" in decision.warning
    assert decision.differences[0].low is decision.differences[0].p is None
    lines = give_decision_verdict(decision).as_json()
    assert lines["Decision"] == "Not settled: no rater rated every version's answers to one question"
    assert lines["To settle it"].startswith("let the same people rate both")
    mia = [
        one.model_copy(update={"id": f"answer-{number}", "ratings": {"mia": 3 + ("new" in one.response)}})
        for number, one in enumerate([*old, *new])
    ]
    write(tmp_path / "mia.jsonl", mia)
    reading = read(tmp_path, old, new, ratings=(tmp_path / "mia.jsonl",))
    assert decide_reading(reading).verdict == "ship"


@pytest.mark.parametrize("again", ["", "q0,Question 0?,old 0,3,bob\n"], ids=["once", "twice"])
def test_a_column_of_raters_with_one_row_per_answer_tells_who_rated(again, tmp_path):
    """Ann rated the old version and Bob the new one, each answer one point more: 12 answers of each."""
    names = []
    for name, rater, more in (("old", "ann", 0), ("new", "bob", 1)):
        rows = [f"q{n},Question {n}?,{name} {n},{2 + n % 3 + more},{rater}\n" for n in range(12)]
        text = "id,question,answer,rating,rater\n" + "".join(rows) + (again if name == "old" else "")
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
        names.append(f"{name}={tmp_path / name}.csv")
    decision = decide_reading(read_versions(None, names, VersionOptions()))
    assert decision.verdict == "unsettled" and decision.has_other_raters == (not again)
    assert [one.rated for one in decision.versions] == ([1, 12] if again else [12, 12])


def test_where_raters_are_not_named_or_some_rated_both_the_ratings_decide(tmp_path):
    unnamed = read(tmp_path, version("old", [2, 3, 4] * 4), version("new", [4, 4, 5] * 4))
    both = {"ann": [2, 3, 4] * 4}, {"ann": [4, 4, 5] * 4, "bob": [1] * 12}
    some = read(tmp_path, *(by_rater(name, **own) for name, own in zip(("old", "new"), both, strict=True)))
    assert [decide_reading(one).verdict for one in (unnamed, some)] == ["ship", "ship"]


def test_ratings_on_two_scales_do_not_count(tmp_path):
    on_ten = [row.model_copy(update={"rating_max": 10.0}) for row in version("new", [5, 4])]
    with pytest.raises(InputError, match="different scales, 2 on 1 to 5 and 2 on 1 to 10; bring them to one scale"):
        read(tmp_path, version("old", [1, 2]), on_ten)


def test_one_measure_decides_and_the_others_are_shown():
    old, new = version("old", [None] * 6), version("new", [None] * 6)
    one = results(old, own=[0.1, 0.2, 0.3, 0.1, 0.2, 0.3], token_overlap=[0.5] * 6)
    other = results(new, own=[0.4, 0.6, 0.5, 0.4, 0.6, 0.7], token_overlap=[0.4, 0.5, 0.5, 0.4, 0.5, 0.5])
    decision = decide([one, other])
    assert (decision.measure, decision.basis, decision.scale) == ("own", "scores", (0.0, 1.0))
    assert [row.metric for row in decision.others] == ["token_overlap"]
    assert [version.name for version in decision.versions] == ["A", "B"]
    assert decision.differences[0].difference == pytest.approx(2.0 / 6)  # (3.2 - 1.2) / 6
    assert decide([one, other], metric="token_overlap").measure == "token_overlap"


def test_where_several_could_decide_one_must_be_named():
    one, other = (results(version(name, [None] * 5), own=[0.1] * 5, next=[0.2] * 5) for name in ("old", "new"))
    with pytest.raises(UsageError, match="fixed before you look: name one with --metric, of own, next"):
        decide([one, other])
    with pytest.raises(UsageError, match="B was not scored with it"):
        decide([one, results(version("new", [None] * 5), other=[0.1] * 5)], metric="own")


def test_a_metric_of_which_less_is_better_counts_negated():
    one = results(version("old", [None] * 6), False, cost=[3.0, 4.0, 5.0, 3.0, 4.0, 5.0])
    other = results(version("new", [None] * 6), False, cost=[1.0, 1.0, 2.0, 1.0, 2.0, 2.0])
    decision = decide([one, other])
    assert decision.differences[0].difference == pytest.approx(2.5)  # 4 - 1.5
    assert any("Lower is better for cost" in note for note in decision.notes)


@pytest.fixture
def team(tmp_path):
    """A scorer that reads `own`, and predicts 1 to 5 on it; fitted on the first answer of the old version."""
    path = tmp_path / "team.yaml"
    made_scorer("own", by_rating=((1, 1),), by_prediction=((1, 1),), send_at=None).save(path)
    return f"scorer:{path}"


def predicted(name, ratings, team, own):
    """A version as the scorer scored it, which was fitted on the first answer of the old one."""
    samples = version(name, ratings)
    scores = {
        one.id: {
            team: Score(None, "skipped", "none")
            if value is None
            else scored(1 + 4 * value, "", {"fitted_on": (name, place) == ("old", 0)})
        }
        for place, (one, value) in enumerate(zip(samples, own, strict=True))
    }
    return Results({team: True}, {one.id: one for one in samples}, scores)


def test_a_scorer_decides_on_the_scale_of_its_predictions(team):
    one = predicted("old", [None] * 6, team, [0.0, 0.25, 0.5, 0.0, 0.25, 0.5])
    other = predicted("new", [None] * 6, team, [0.5, 0.5, 1.0, 0.5, 1.0, None])
    decision = decide([one, other], metric=team)
    assert (decision.measure, decision.scale) == (team, (1.0, 5.0))
    assert decision.versions[0].mean == pytest.approx(2.0)  # 1 + 4 * 0.25
    assert any("1 answer has no scorer:" in note for note in decision.notes)
    with pytest.raises(UsageError, match=r"B was not scored with it .*assay run SET --metrics"):
        decide([one, results(version("new", [None] * 6), next=[0.1] * 6)], metric=team)


def test_ratings_that_the_scorer_was_fitted_on_do_not_count(team):
    ratings = [1.0, 2.0, 3.0, 2.0, 1.0, 4.0, None]
    own = [0.0, 0.25, 0.5, 0.2, 0.1, 0.7, 0.3]
    one, other = (predicted(name, ratings, team, own) for name in ("old", "new"))
    decision = decide([one, other], metric=team)
    assert [version.rated for version in decision.versions] == [5, 6]
    assert any("was fitted on 1 of the 6 rated answers of A, whose rating does not count" in n for n in decision.notes)
    few = [1.0, 2.0, 3.0, 2.0, 1.0, None, None]
    one, other = (predicted(name, few, team, own) for name in ("old", "new"))
    decision = decide([one, other], metric=team)
    assert decision.measure == "" and decision.basis == "ratings"
    assert any("few others are rated: the scores do not count" in note for note in decision.notes)


def test_what_to_rate_first_is_the_version_that_nobody_rated():
    """Seven answers of each are all there are, and the old one has its seven ratings."""
    one = results(version("old", [1.0, 2.0, 3.0, 2.0, 1.0, 4.0, 2.0]), own=[0.5] * 7)
    other = results(version("new", [None] * 7), own=[0.6] * 7)
    decision = decide([one, other], metric="own")
    assert give_decision_verdict(decision).as_json()["To settle it"] == "rate about 7 answers of B"
    neither = decide([results(version("old", [None] * 7), own=[0.5] * 7), other], metric="own")
    assert neither.sentence.endswith("rate about 7 answers of each.")


def test_where_all_answers_of_a_version_are_rated_it_does_not_matter_what_the_scorer_was_fitted_on(team):
    """Its mean is that of its ratings; the scorer helps with the other version, which it was not fitted on."""
    own = [0.0, 0.25, 0.5, 0.2, 0.1, 0.7, 0.3]
    one = predicted("old", [1.0, 2.0, 3.0, 2.0, 1.0, 4.0, 2.0], team, own)
    other = predicted("new", [1.0, 2.0, 3.0, 2.0, 1.0, None, None], team, own)
    decision = decide([one, other], metric=team)
    assert [version.rated for version in decision.versions] == [7, 5]
    assert decision.basis == "ratings and scores"
    assert decision.versions[0].mean == pytest.approx(15 / 7)


def test_of_two_choices_by_one_rater_that_of_the_later_file_counts(tmp_path):
    versions = [version(name, [None] * 4) for name in ("old", "new")]
    first, second = tmp_path / "monday.csv", tmp_path / "friday.csv"
    first.write_text("question,first,second,choice,rater\nq0,A,B,first,ann\nq1,A,B,first,ann\nq1,A,B,first,bob\n")
    second.write_text("question,first,second,choice,rater\nQuestion 0?,B,A,first,ann\n")
    reading = read(tmp_path, *versions, ratings=(first, second, second))
    choices = reading.preferences
    assert choices is not None and choices.question.tolist() == [1, 1, 0] and choices.first.tolist() == [0, 0, 1]
    assert any("1 choice of" in note and "monday.csv does not count: a newer one" in note for note in reading.notes)


@pytest.mark.parametrize("by_rater", [True, False], ids=["rater after rater", "answer after answer"])
def test_the_version_of_the_first_row_of_a_file_of_ratings_is_in_use(by_rater, tmp_path):
    """`new` comes first in the file, whose rows are those of Ann and then of Bob, or of each answer both."""
    rows = [(number, version, rater) for number in range(6) for version in ("new", "old") for rater in ("ann", "bob")]
    rows.sort(key=lambda row: row[2] if by_rater else "")
    rows.remove((0, "new", "bob"))
    rows.append((0, "new", "bob"))  # its last rating stands below all of `old`
    text = [f"Question {number}?,{version} {number},{version},{rater},4" for number, version, rater in rows]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(["question,answer,version,rater,rating", *text]), encoding="utf-8")
    assert read_versions(None, [str(path)], VersionOptions(by="version")).names == ("new", "old")


@pytest.mark.parametrize(
    ("names", "by", "message"),
    [
        (["old.jsonl"], "", "name two versions or more"),
        (["old.jsonl", "new.jsonl"], "system", "name one run"),
        (["old.jsonl", "old.jsonl"], "", "named more than once"),
        (["old.jsonl", "nope"], "", "'nope' is no set, and no run"),
        (["old.jsonl", "last"], "", "there are no runs here"),
        (["old.jsonl"], "system", "no sample of old.jsonl has metadata.system; they have topic"),
        (["old.jsonl"], "topics", "they have topic"),
        (["old.jsonl"], "topic", "all answers of old.jsonl are of x"),
        (["old.jsonl"], "topic=x,y", "no sample of old.jsonl has topic 'y'; there is x"),
    ],
)
def test_what_cannot_be_compared_is_said(names, by, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("old", "new"):
        rows = [row.model_copy(update={"metadata": {"topic": "x"}}) for row in version(name, [1, 2, 3])]
        write(tmp_path / f"{name}.jsonl", rows)
    with pytest.raises(UsageError, match=message):
        read_versions(None, names, VersionOptions(by=by))


def test_a_file_that_is_missing_is_named_as_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "old.jsonl", version("old", [1, 2, 3]))
    with pytest.raises(InputError, match=r"^nope.jsonl: there is no such file or folder; did you mean `old.jsonl`\?$"):
        read_versions(None, ["old.jsonl", "nope.jsonl"], VersionOptions())


def test_systems_whose_rows_have_the_id_of_the_question_are_paired_by_it(tmp_path):
    """Also where one of them writes the questions otherwise; a file of ratings names them by this id."""
    rows = [
        sample(f"q{n}", f"Question {n}{'?' if system == 'old' else '!'}", f"{system} {n}", metadata={"system": system})
        for system in ("old", "new")
        for n in range(6)
    ]
    path = write(tmp_path / "export.jsonl", rows)
    ratings, choices = tmp_path / "ratings.csv", tmp_path / "choices.csv"
    ratings.write_text("id,system,rating\nq0,old,1\nq0,new,4\nq1@new,new,5\n")
    choices.write_text("question,first,second,choice,rater\nq5,old,new,first,ann\n")
    reading = read_versions(None, [path], VersionOptions(by="system", ratings=(ratings, choices)))
    assert by_version(reading, reading.table.question) == {"old": [*range(6)], "new": [*range(6)]}
    assert by_version(reading, reading.table.ratings) == {"old": [1, *[None] * 5], "new": [4, 5, *[None] * 4]}
    assert reading.preferences is not None and reading.preferences.question.tolist() == [5]
    ratings.write_text("id,rating\nq0,1\n")
    with pytest.raises(InputError, match="'q0' is an answer of old and new; say whose is rated"):
        read_versions(None, [path], VersionOptions(by="system", ratings=(ratings,)))


@pytest.mark.parametrize("by", ["channel", "metadata.channel", "channel = web,app"])
def test_however_the_field_of_versions_is_written_rows_and_ratings_are_read_by_it(tmp_path, by):
    """Rows of one id are of two channels, which the file of ratings names too; looks are those at one pair of versions.

    Each channel has six answers; q0 is rated 1 on the web and 4 in the app.
    """
    answers, ratings = tmp_path / "answers.csv", tmp_path / "ratings.csv"
    rows = [f"q{n},Question {n}?,{channel} {n},{channel}" for n in range(6) for channel in ("web", "app")]
    answers.write_text("\n".join(["id,user_input,response,channel", *rows]))
    ratings.write_text("id,channel,rating\nq0,web,1\nq0,app,4\n")
    options = VersionOptions(by=by, ratings=(ratings,), scale=(1, 5))
    reading = read_versions(None, [str(answers)], options)
    assert by_version(reading, reading.table.question) == {"web": [*range(6)], "app": [*range(6)]}
    assert by_version(reading, reading.table.ratings) == {"web": [1, *[None] * 5], "app": [4, *[None] * 5]}
    plain = read_versions(None, [str(answers)], replace(options, by="channel"))
    assert reading.stored == plain.stored


def test_samples_without_the_field_are_left_out_and_counted(tmp_path):
    rows = [
        sample(f"{n}-{system}", f"Q{n}?", f"{system} {n}", 3 + n % 2, metadata={"system": system} if system else {})
        for n in range(6)
        for system in ("old", "new", "")
    ]
    reading = read_versions(None, [write(tmp_path / "all.jsonl", rows)], VersionOptions(by="system"))
    assert len(reading.answers) == 12
    assert any("6 answers of" in note and "without metadata.system are left out" in note for note in reading.notes)


def test_python_names_the_argument_that_is_wrong():
    one = results(version("old", [1] * 6), own=[0.1] * 6)
    for bad, message in (([one], "two versions or more"), (["run"], r"results\[0\]"), ("run", "a list of results")):
        with pytest.raises(UsageError, match=message):
            decide(bad)
    with pytest.raises(UsageError, match="give one per version, 2 and not 1"):
        decide([one, one], names=["A"])
    with pytest.raises(UsageError, match="named more than once"):
        decide([one, one], names=["A", "A"])
    with pytest.raises(UsageError, match="margin 0"):
        decide([one, one], margin=0, names=["A", "B"])


def test_identical_versions_differ_by_nothing(tmp_path):
    rows = version("same", [1, 2, 3, 4, 5, 2, 3])
    decision = decide_reading(read(tmp_path, rows, rows))
    assert decision.verdict == "equivalent"
    assert "A and B gave the same answers." in decision.notes
    assert json.loads(json.dumps(decision.differences[0].difference)) == 0


def test_preferences_are_read_from_a_file_and_named_by_version_or_run(tmp_path):
    rows = ["id,model_a,model_b,winner"]
    rows += [f"q{n},A,B,{'model_b' if n % 4 else 'tie'}" for n in range(20)]
    file = tmp_path / "preferred.csv"
    file.write_text("\n".join(rows) + "\n")
    reading = read(tmp_path, version("old", [None] * 20), version("new", [None] * 20), ratings=(file,))
    assert reading.preferences is not None and reading.measure == ""
    assert reading.preferences.choice.tolist() == [0, 1, 1, 1] * 5
    assert reading.preferences.question.tolist() == list(range(20))
    assert any(note.startswith("20 choices between two answers, of ") for note in reading.notes)
    decision = decide_reading(reading)
    assert (decision.verdict, decision.best) == ("ship", "B")


def prefer(file, *rows, columns="id,model_a,model_b,winner"):
    file.write_text("\n".join([columns, *rows]) + "\n", encoding="utf-8")
    return file


def test_too_few_preferences_are_named_with_their_file(tmp_path):
    versions = version("old", [None] * 20), version("new", [None] * 20)
    file = prefer(tmp_path / "few.csv", *(f"q{n},A,B,B" for n in range(4)))
    with pytest.raises(
        InputError, match=r"few.csv: preferences of 4 questions, and no answer is rated or scored; 5 gro"
    ):
        decide_reading(read(tmp_path, *versions, ratings=(file,)))


def test_the_same_answer_with_ratings_that_differ_counts_in_each_mean_with_its_own(tmp_path):
    """Of 6 answers the first 2 are the same, rated 1 and 1 in A's file and 5 and 5 in B's; the others 3, 4, 3, 4.

    The means are (1 + 1 + 14) / 6 and (5 + 5 + 14) / 6; answers that are the same count as no different.
    """
    rated = {"A": [1, 1, 3, 4, 3, 4], "B": [5, 5, 3, 4, 3, 4]}
    old, new = (
        [sample(f"q{n}", f"Question {n}?", f"{'same' if n < 2 else name} {n}", of) for n, of in enumerate(ratings)]
        for name, ratings in rated.items()
    )
    reading = read(tmp_path, old, new)
    assert by_version(reading, reading.table.ratings) == rated
    decision = decide_reading(reading)
    said = "A difference compares answers to the same questions, and the same answer counts as none; each mean is"
    assert any(note.startswith(said) for note in decision.notes)
    assert [one.mean for one in decision.versions] == pytest.approx([16 / 6, 24 / 6])
    assert (decision.differences[0].difference, decision.differences[0].changed) == (0, 4)


def test_the_same_answer_without_ratings_has_the_mean_of_those_that_differ(tmp_path):
    """Three versions gave one answer: 2 in A, 5 in B, nothing in C, where it counts as 3.5."""
    versions = [[sample("q0", "Free?", "Yes.", rating), *version(name, [None, 3])[1:]] for name, rating in
                (("a", 2), ("b", 5), ("c", None))]  # fmt: skip
    reading = read(tmp_path, *versions)
    assert by_version(reading, reading.table.ratings) == {"A": [2, 3], "B": [5, 3], "C": [3.5, 3]}


def test_questions_of_one_text_are_one_group(tmp_path):
    """Ids q0 to q5 ask three texts twice, so that there are three groups; a group that is named stays by itself."""
    old, new = (
        [sample(f"q{n}", f"Question {n % 3}?", f"{name} {n}", 3, group="page" if n == 5 else None) for n in range(6)]
        for name in ("old", "new")
    )
    assert by_version(read(tmp_path, old, new), read(tmp_path, old, new).table.group) == {
        "A": [0, 1, 2, 0, 1, 3],
        "B": [0, 1, 2, 0, 1, 3],
    }


def test_a_store_that_can_only_be_read_says_that_it_keeps_no_look(tmp_path, monkeypatch):
    """What the store knows already, it keeps: the same look is counted."""
    store = Store(tmp_path / "store")
    names = [
        write(tmp_path / f"{name}.jsonl", [sample(f"q{n}", f"Q{n}?", f"{name} {n}", better + n % 3) for n in range(12)])
        for name, better in (("old", 1), ("new", 2))
    ]

    def decision():
        return decide_reading(read_versions(store, names, VersionOptions()))

    with monkeypatch.context() as patched:
        patched.setattr(type(store.database), "is_read_only", True)
        unkept = decision()
        assert sum("is not counted, since the store can only be read" in note for note in unkept.notes) == 1
    kept = decision()
    assert kept.look == unkept.look and kept.notes == unkept.notes[1:]
    monkeypatch.setattr(type(store.database), "is_read_only", True)
    assert decision() == kept


def test_a_winner_that_is_worse_on_a_topic_says_so(tmp_path):
    """Twelve questions on invoices fall from 4 to 2, forty others rise from 1 to 5: B wins, and not on invoices.

    All twelve gaps have one sign: of 4,096 signs one reaches as far, over three kinds 3 in 4,096. On the others it does
    better, and a topic of four questions is too small to say anything.
    """
    topics = ["invoices"] * 12 + ["leave"] * 40 + ["pay"] * 4
    kept = [4.0] * 12 + [1.0] * 40 + [4.0] * 4
    new = [2.0 + n % 2 * 0.5 for n in range(12)] + [5.0] * 40 + [1.0] * 4
    old, other = (
        [
            sample(f"q{n}", f"{n}?", f"{name} {n}", rating, metadata={"topic": topics[n]})
            for n, rating in enumerate(rows)
        ]
        for name, rows in (("old", kept), ("new", new))
    )
    decision = decide_reading(read(tmp_path, old, other))
    assert (decision.verdict, decision.best) == ("ship", "B")
    assert decision.notes[0] == "B is rated lower than A on topic invoices: by 1.75 on 12 questions."
    assert not any("leave" in note or "pay" in note for note in decision.notes)


def test_choices_and_what_is_not_settled_say_on_which_topics_a_version_is_worse(tmp_path):
    """Of twelve invoices B wins none, of twelve others all: not settled, and each is worse on one topic, 1 in 4,096."""
    topics = ["invoices"] * 12 + ["leave"] * 12
    versions = [
        [sample(f"q{n}", f"{n}?", f"{name} {n}", None, metadata={"topic": topic}) for n, topic in enumerate(topics)]
        for name in ("old", "new")
    ]
    file = tmp_path / "choices.csv"
    file.write_text("\n".join(["id,model_a,model_b,winner", *(f"q{n},A,B,{'ab'[n >= 12]}" for n in range(24))]))
    decision = decide_reading(read(tmp_path, *versions, ratings=(file,)))
    assert (decision.verdict, decision.basis) == ("unsettled", "preferences")
    assert decision.notes[:2] == (
        "B is chosen less than A on topic invoices: by 100% on 12 questions.",
        "A is chosen less than B on topic leave: by 100% on 12 questions.",
    )
