"""Cross-evaluation of a model, a real HTTP endpoint and a function; the bundled leaflets up to Tables 3 and 4."""

import asyncio
import json
import re
from dataclasses import replace

import pytest
from api_server import ApiServer, Reply
from modules import module_of
from openai_server import Answer

from assay.errors import InputError, JudgeError, UsageError
from assay.eval_sets import Sample, load_set, write_set
from assay.generation import (
    BotQuestion,
    Exchange,
    Fold,
    FunctionBot,
    HttpBot,
    Page,
    PageStore,
    build_pages,
    load_bot,
    summarise_split,
    write_folds,
    write_sections,
)
from assay.judges import load_embedder
from assay.metrics import Score, failed

REFUSAL = "Dat weet ik niet, want het staat niet in mijn documenten."


@pytest.fixture
def crossed(tmp_path, sections, folds):
    """A set of five questions: of fold 1 the MRI and the gips, with a fact each; of fold 2 salt. Sections beside it."""
    write_sections(sections, tmp_path / "set.sections.jsonl")
    tested = [
        fold.model_copy(update={"split": "test" if fold.section.startswith("gips") else fold.split}) for fold in folds
    ]
    more = tested[4].model_copy(update={"split": "test"})
    write_folds([*tested[:4], more, tested[5]], tmp_path / "set.folds.jsonl")
    questions = [
        ("mri", 1, "validation", "Wat mag ik eten voor de MRI?", "U mag gewoon eten en drinken.", None),
        ("bel", 1, "validation", "Hoe bereik ik Radiologie?", "Bel 088 708 52 20.", "088 708 52 20"),
        ("vocht", 2, "validation", "Hoeveel mag ik drinken?", "Niet meer dan anderhalve liter per dag.", None),
        ("gips", 1, "test", "Hoe lang blijft het gips zitten?", "Het gips blijft zes weken zitten.", None),
        ("zout", 2, "test", "Hoeveel zout mag ik eten?", "Minder dan zes gram zout per dag.", None),
    ]
    samples = [
        Sample(
            id=name, user_input=question, response="", reference=answer, language="nl", group=name,
            metadata={"fold": fold, "split": split, "kind": "factoid" if fact else "long-form"}
            | ({"fact": {"kind": "phone", "text": fact}} if fact else {}),
        )
        for name, fold, split, question, answer, fact in questions
    ]  # fmt: skip
    write_set(samples, tmp_path / "set.jsonl")
    return tmp_path / "set.jsonl"


def test_pages_are_the_whole_sections_of_a_fold_and_split(sections, folds):
    second = sections[3].model_copy(update={"emulated_page": 2})
    pages = build_pages([*sections[:3], second, *sections[4:]], folds, 1, "validation")
    assert [page.id for page in pages] == ["gips.md, page 1", "gips.md, page 2", "mri.md, page 1"]
    assert pages[2].text == f"{sections[0].full_text}\n\n{sections[1].full_text}"
    assert build_pages(sections, folds, 1, "test") == []


def test_the_nearest_pages_are_retrieved(sections):
    pages = [Page(section.id, section.full_text) for section in sections]

    async def nearest(least):
        store = PageStore(load_embedder("use"))
        await store.load(pages[:1])
        await store.load(pages)  # in place of those before
        return [page.id for page in await store.nearest("Hoeveel zout mag ik eten?", 2, least)]

    assert asyncio.run(nearest(-1))[0] == "dieet.md#000"
    assert len(asyncio.run(nearest(-1))) == 2
    assert asyncio.run(nearest(0.99)) == []


def answer_from_pages(request):
    """A model that answers when the answer's words are in its pages, and always about salt: a hallucination."""
    if request.schema or "<pages>" not in request.user:
        return None
    pages, _, question = request.user.rpartition("</pages>")
    if "eten voor de MRI" in question and "gewoon eten" in pages:
        return Answer(text="U mag gewoon eten en drinken.")
    if "Radiologie" in question and "088 708 52 20" in pages:
        return Answer(text="Bel Radiologie op 088-7085220.")
    if "zout" in question:
        return Answer(text="Minder dan zes gram zout per dag.")
    if "gips" in question and "zes weken" in pages:
        return Answer(text="Het blijft zes weken zitten.")
    return Answer(text=REFUSAL)


def test_the_rates_of_a_model_behind_the_retrieval(assay, crossed, judge_file, openai_server, tmp_path):
    """Validation: with fold 1 loaded both its questions are answered, drinking never; test: salt is answered twice."""
    openai_server.script = answer_from_pages
    done = assay("sets", "crosseval", crossed, "--bot", judge_file(), "-o", "answers.jsonl", "--json", code=0)
    validation, test = done.json["splits"]
    assert (validation["split"], test["split"]) == ("validation", "test")
    assert validation["answered"]["1"]["1"]["mean"] == 1.0
    assert validation["answered"]["1"]["2"]["mean"] == 0.0
    assert validation["answered"]["2"]["2"]["mean"] == 0.0
    # fold 1 loaded 2 of 2 answered, fold 2 loaded 0 of 1: 2 of 3 questions
    assert validation["average"]["answer rate"]["mean"] == pytest.approx(2 / 3)
    assert validation["average"]["hallucination rate"]["mean"] == 0.0
    assert validation["average"]["facts correct"] == {"n": 1, "mean": 1.0, "low": None, "high": None}
    # of the one long-form answer, which is the reference word for word, and of the fact
    assert validation["by_fold"]["rouge_1"]["1"]["n"] == 2
    # test: gips answered with its fold only; salt with its own (right) and the other's (a hallucination)
    assert test["average"]["answer rate"]["mean"] == 1.0
    assert test["verdict"] == {
        "Your chatbot": "answered 2 of 2 questions that its documents answer",
        "Made up": "by patterns it answered 1 of 2 questions that it could not know",
        "Decided by": "patterns; --judge decides all but plain refusals",
    }
    assert test["average"]["hallucination rate"]["mean"] == pytest.approx((1 + 0) / 2)
    assert validation["balance"] == pytest.approx((2 / 3 + 1) / 2)
    assert "BERTScore cannot be computed" in validation["skipped"].get("bertscore", "BERTScore cannot be computed")
    assert done.json["usage"]["calls"] == len(openai_server.requests) == 3 * 2 + 2 * 2
    answers = load_set(tmp_path / "answers.jsonl")
    assert len(answers) == 10
    salt = next(sample for sample in answers if sample.id == "zout with fold 1")
    assert salt.metadata["crosseval"]["answerable"] is False
    assert salt.metadata["crosseval"]["declined"] is False
    assert "gips" in salt.retrieved_contexts[0]
    shown = assay("sets", "crosseval", crossed, "--bot", judge_file()).out
    assert re.search(r"\nMade up +by patterns it answered 1 of 2 questions that it could not know\n", shown)
    for words in ("Table 3", "answered with fold 1", "questions of fold 2", "rouge_l", "facts correct"):
        assert words in shown
    for words in ("Table 4", "Q1_CTX2 corr.", "Q2_CTX1 corr.", "factoids corr.", "Over the questions of all folds"):
        assert words in shown


class Endpoint(ApiServer):
    """A chatbot behind HTTP: it answers with the start of its first page, and fails where the question says so."""

    @property
    def url(self):
        return f"http://{self.host}/vraag"

    def answer(self, call):
        if "bronnen" not in call.body or "kapot" in call.body["vraag"]:
            return Reply(500, {})
        sentence = call.body["bronnen"][0].split("\n\n")[1].split(".")[0]
        return Reply(200, {"data": [{"text": f"{sentence}."}]})


@pytest.fixture
def endpoint(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Endpoint() as server:
        yield server


def test_an_http_bot_with_a_template_and_replay_without_it(assay, crossed, endpoint, tmp_path):
    template = {"vraag": "$question", "bronnen": "$pages", "kennis": {"fold": "$fold"}, "taal": "$language"}
    (tmp_path / "template.json").write_text(json.dumps(template), encoding="utf-8")
    command = ["crosseval", crossed, "--bot", endpoint.url, "--bot-template", "template.json"]
    command += ["--bot-answer", "data.0.text", "--cassette", "bot.jsonl", "--json"]
    done = assay(*command, code=0)
    assert len(endpoint.calls) == 10
    assert endpoint.calls[0].body["kennis"] == {"fold": 1}
    assert endpoint.calls[0].body["taal"] == "nl"
    # it answers every question: the hallucination rate is 1
    assert done.json["splits"][0]["average"]["hallucination rate"]["mean"] == 1.0
    assert assay(*command, "--mode", "replay").json["splits"] == done.json["splits"]
    assert len(endpoint.calls) == 10


def test_an_endpoint_that_fails(assay, crossed, endpoint, monkeypatch):
    bot = HttpBot(endpoint.url, {"vraag": "$question", "bronnen": "$pages"}, "answer")
    page = Page("p", "Kop\n\nTekst. Meer.")
    with pytest.raises(JudgeError, match=r"without 'answer' \(--bot-answer\)"):
        asyncio.run(bot.answer(BotQuestion("hallo", [page], 1, "nl")))
    with pytest.raises(JudgeError, match="gave no answer: status 500"):
        asyncio.run(bot.answer(BotQuestion("kapot", [page], 1, "nl")))
    assert len(endpoint.calls) == 1 + 3  # an error of the server is tried again
    monkeypatch.setattr(module_of(load_bot), "_TRIES", 1)  # each of ten questions would wait for its next try
    assert "10 answers are missing" in assay("sets", "crosseval", crossed, "--bot", endpoint.url, code=4).err


def test_a_function_is_a_bot(assay, crossed, tmp_path):
    (tmp_path / "mijn_bot.py").write_text(
        "async def zegt(question, pages):\n"
        "    answer = 'Minder dan zes gram zout per dag.' if 'zout' in question else ''\n"
        "    return {'answer': answer, 'contexts': ['bron']}\n"
        "def breekt(question, pages):\n    raise KeyError('weg')\n",
        encoding="utf-8",
    )
    done = assay("sets", "crosseval", crossed, "--bot", "mijn_bot:zegt", "-o", "a.jsonl", "--json", code=0)
    assert done.json["splits"][1]["average"]["rouge_l"] == {"n": 1, "mean": 1.0, "low": None, "high": None}
    assert load_set(tmp_path / "a.jsonl")[0].retrieved_contexts == ("bron",)
    done = assay("sets", "crosseval", crossed, "--bot", "mijn_bot:breekt", code=4)
    assert "mijn_bot:breekt broke: KeyError: 'weg'" in done.err
    with pytest.raises(UsageError, match="cannot be imported"):
        FunctionBot("mijn_bot:niets")


def test_the_best_bot_on_validation_is_tested(assay, crossed, tmp_path):
    (tmp_path / "bots2.py").write_text(
        f"def weigert(question, pages):\n    return {REFUSAL!r}\n"
        "def weet(question, pages):\n"
        "    return 'Bel 088 708 52 20.' if 'MRI' in pages[0] and 'drinken' not in question else ''\n",
        encoding="utf-8",
    )
    done = assay("sets", "crosseval", crossed, "--bot", "bots2:weigert", "--bot", "bots2:weet", "--json").json["splits"]
    assert [(each["bot"], each["split"]) for each in done] == [
        ("bots2:weigert", "validation"),
        ("bots2:weet", "validation"),
        ("bots2:weet", "test"),
    ]
    assert done[0]["balance"] == pytest.approx((0 + 1) / 2)
    # of fold 1 it answers both when that is loaded, of fold 2 nothing of one: answer rate 2 / 3, hallucination rate 0
    assert done[1]["balance"] == pytest.approx((2 / 3 + 1) / 2)


def exchange(name, loaded, fold, declined, **scores):
    sample = Sample(id=f"{name}{loaded}", user_input="", response="x", group=name)
    metric_scores = {metric: Score(value, "scored", "") for metric, value in scores.items()}
    return Exchange("bot", "test", loaded, fold, sample, declined, metric_scores)


def test_the_verdict_and_the_tables_count_the_same_questions():
    """Of six questions that it could not know the bot answered one: one of the two that it got with fold 2 loaded.

    The mean of the folds' rates, 0 and 1/2, would be 25%. Each question is of a document of its own, so that the
    intervals are those of Clopper and Pearson: of 1 in 6 and of 2 in 5.
    """
    exchanges = [exchange(f"a{n}", 1, 2, True) for n in range(4)]
    exchanges += [exchange(f"b{n}", 2, 1, n > 0) for n in range(2)]
    exchanges += [exchange(f"a{n}", 2, 2, n > 0, bleu=0.1) for n in range(4)]
    exchanges += [exchange("b0", 1, 1, False, bleu=0.4), exchange("b1", 1, 1, None)]
    summary = summarise_split(exchanges, ["bleu"])
    assert summary.give_verdict().as_json() == {
        "Your chatbot": "answered 2 of 5 questions that its documents answer (5% to 85%)",
        "Made up": "it answered 1 of 6 questions that it could not know (0% to 64%)",
        "Missing": "1 answer is missing and counts nowhere",
    }
    rate = summary.average["hallucination rate"]
    assert (rate.n, rate.value, rate.groups) == (6, pytest.approx(1 / 6), 6)
    assert 0 < rate.low < 1 / 6 < rate.high < 1
    assert [summary.answered[loaded][fold].value for loaded, fold in ((1, 2), (2, 1))] == [0, 0.5]  # Table 3
    answered = summary.average["answer rate"]
    assert (answered.n, answered.value) == (5, pytest.approx(2 / 5))
    assert summary.average["bleu"].value == pytest.approx((4 * 0.1 + 0.4) / 5)


def test_answers_that_are_not_judged_give_bounds():
    """The judge failed on three answers to questions that the bot could not know: those that patterns cannot decide."""
    exchanges = [exchange(f"a{n}", 1, 2, True) for n in range(7)]
    exchanges += [replace(exchange(f"b{n}", 1, 2, None), scores={"declined": failed("no")}) for n in range(3)]
    exchanges += [exchange("c", 2, 2, False), exchange("d", 2, 2, None)]
    summary = summarise_split(exchanges, [])
    assert summary.give_verdict().as_json() == {
        "Your chatbot": "answered 1 of 1 question that its documents answer",
        "Made up": "it answered 0 to 3 of 10 questions that it could not know",
        "Judge": "3 answers could not be judged; the same command asks again",
        "Missing": "1 answer is missing and counts nowhere",
    }
    rate = summary.average["hallucination rate"]
    assert (rate.n, rate.value, rate.low, rate.high) == (10, None, 0, pytest.approx(0.3))
    assert summary.answered[1][2].high == pytest.approx(0.3)
    assert summary.balance == pytest.approx((1 + 0.85) / 2)


def test_a_rate_has_an_interval_from_five_documents_on():
    def rate(documents):
        return summarise_split([exchange(f"a{n}", 1, 1, False) for n in range(documents)], []).average["answer rate"]

    assert (rate(4).value, rate(4).low, rate(4).high) == (1, None, None)
    # Clopper and Pearson of 5 in 5: the lower end is 0.025 ** (1 / 5)
    assert (rate(5).low, rate(5).high) == (pytest.approx(0.025 ** (1 / 5)), 1)


def test_errors_name_what_is_missing_and_what_to_do(assay, crossed, tmp_path):
    (tmp_path / "set.folds.jsonl").rename(tmp_path / "elders.jsonl")
    assert "--folds" in assay("sets", "crosseval", crossed, "--bot", "x:y", code=2).err
    done = assay("sets", "crosseval", crossed, "--folds", "elders.jsonl", "--bot", "qwen9b", code=2)
    assert "qwen1.5b" in done.err
    write_set([Sample(id="s", user_input="q", response="")], tmp_path / "plain.jsonl")
    words = "sets crosseval plain.jsonl --folds elders.jsonl --sections set.sections.jsonl --bot x:y"
    done = assay(*words.split(), code=1)
    assert "metadata.fold" in done.err
    one = [Fold(section="mri.md#000", fold=1, split="test", topic=0)]
    write_folds(one, tmp_path / "one.jsonl")
    done = assay("sets", "crosseval", crossed, "--folds", "one.jsonl", "--bot", "x:y")
    assert "all sections are in one fold" in done.err
    (tmp_path / "t.json").write_text('{"q": "question"}', encoding="utf-8")
    with pytest.raises(InputError):
        load_bot("http://x", lambda _: None, template=tmp_path / "t.json")


def test_a_folder_does_not_hide_the_bundled_set_of_its_name(assay, tmp_path):
    (tmp_path / "leaflets").mkdir()
    (tmp_path / "silent.py").write_text("def answer(question, pages):\n    return ''\n", encoding="utf-8")
    done = assay("sets", "crosseval", "leaflets", "--bot", "silent:answer", "--json", code=0)
    assert done.json["splits"][0]["exchanges"] == 28  # 14 questions, each with either fold
