"""Entailment models as judges: the real loading code on small models that are made here."""

import asyncio
import json
import logging
import shutil
from types import SimpleNamespace

import pytest

from assay import evaluate
from assay.errors import BudgetReached, InputError, UsageError
from assay.judges import (
    Budget,
    JudgeSettings,
    LiteLLMJudge,
    Predicate,
    Request,
    bundled_judge_names,
    cut_windows,
    load_settings,
    pinned_revision,
)

pytestmark = pytest.mark.extras("torch", "transformers")
NLI = ["entailment", "neutral", "contradiction"]


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """The judges' names: `random`, `trained`, and `turned`, which is `trained` with its labels in another order."""
    import entailment_models as made
    import torch

    folder = tmp_path_factory.mktemp("models")
    trained = made.trained_model(NLI, yes=0)
    names = {"random": made.save(made.random_model(NLI), folder / "random")}
    names["trained"] = made.save(trained, folder / "trained")
    with torch.no_grad():
        for part in (trained.classifier.weight, trained.classifier.bias):
            part.copy_(part.flip(0))
    trained.config.id2label = dict(enumerate(reversed(NLI)))
    trained.config.label2id = {label: number for number, label in enumerate(reversed(NLI))}
    return SimpleNamespace(**names, turned=made.save(trained, folder / "turned"), folder=folder)


@pytest.fixture(scope="session")
def facts():
    """Four sentences of each of two documents, which share few words."""
    import entailment_models as made

    return made.documents()[7][:4], made.documents()[0][:4]


def ask(judge, passages, *claims, **request):
    """P(yes) of each claim."""
    predicates = [Predicate(str(number), claim) for number, claim in enumerate(claims, start=1)]
    state = {"documentation": "\n\n".join(passages)}
    asked = Request("support", state, predicates, "en", "s", passages=tuple(passages), **request)
    opened = judge if isinstance(judge, LiteLLMJudge) else LiteLLMJudge(judge)
    return [answer.probability for answer in asyncio.run(opened.decide(asked)).values()]


def reference(judge, *texts):
    """P(entailment) of the same model by transformers alone."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    folder = judge.removeprefix("entail:")
    inputs = AutoTokenizer.from_pretrained(folder)(*texts, return_tensors="pt")
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.no_grad():
        return torch.softmax(model(**inputs).logits, dim=1)[0, model.config.label2id["entailment"]].item()


def test_the_probability_is_that_of_the_models_own_library(models, facts):
    document, claim = " ".join(facts[0]), facts[0][1]
    assert ask(models.random, [document], claim) == pytest.approx([reference(models.random, document, claim)], abs=1e-4)
    settings = load_settings(models.random).with_changes(template="{claim} {eos} in {document}?")
    one_text = reference(models.random, f"{claim} [SEP] in {document}?")
    assert ask(settings, [document], claim) == pytest.approx([one_text], abs=1e-4)


def test_a_batch_says_what_one_by_one_says(models, facts):
    claims = [*facts[0], *facts[1], facts[0][0] + " " + facts[1][0]]
    passages = [" ".join(facts[0]), facts[1][0], " ".join(facts[1])]
    alone = [ask(models.random, passages, claim)[0] for claim in claims]
    assert ask(models.random, passages, *claims) == pytest.approx(alone, abs=2e-4)


def test_the_document_and_the_claim_keep_their_order(models, facts):
    """All words of the sentence stand in the document, and few of the document's in the sentence."""
    document, sentence = " ".join(facts[0]), facts[0][1]
    (right,), (turned,) = ask(models.trained, [document], sentence), ask(models.trained, [sentence], document)
    assert right > 0.6
    assert turned < 0.4


def test_the_label_of_support_is_found_wherever_it_stands(models, facts):
    document = " ".join(facts[0])
    claims = [facts[0][2], facts[1][2]]
    right = ask(models.trained, [document], *claims)
    assert right[0] > 0.6 and right[0] > right[1]
    assert ask(models.turned, [document], *claims) == pytest.approx(right, abs=1e-4)
    for yes in ("entailment", "ENTAILMENT", "2"):
        settings = load_settings(models.turned).with_changes(yes=yes)
        assert ask(settings, [document], *claims) == pytest.approx(right, abs=1e-4)
    with pytest.raises(UsageError, match=r"no label 'supported'.*0: contradiction, 1: neutral, 2: entailment"):
        ask(load_settings(models.turned).with_changes(yes="supported"), [document], *claims)


def test_labels_without_a_name_are_asked_for(models, facts, tmp_path):
    shutil.copytree(models.folder / "trained", tmp_path / "m")
    config = json.loads((tmp_path / "m/config.json").read_text())
    config |= {"id2label": {str(n): f"LABEL_{n}" for n in range(3)}, "label2id": {f"LABEL_{n}": n for n in range(3)}}
    (tmp_path / "m/config.json").write_text(json.dumps(config))
    with pytest.raises(UsageError, match=r"is not known; its labels are 0: LABEL_0, .* \(`yes: LABEL`"):
        ask(f"entail:{tmp_path / 'm'}", facts[0], facts[0][0])
    for yes in ("LABEL_0", "0"):
        file = tmp_path / "judge.yaml"
        file.write_text(f"model: entail:{tmp_path / 'm'}\nyes: {yes}\nwindow: 200\nlanguages: [en]\n")
        assert ask(str(file), facts[0], facts[0][0]) == ask(models.trained, facts[0], facts[0][0])


def test_the_surest_window_and_passage_count(models, facts):
    claim, filler = facts[0][1], " ".join(facts[1])
    short = ask(models.trained, [claim], claim)[0]
    assert ask(models.trained, [filler, claim, filler], claim) == [short]
    long = " ".join([filler] * 30 + [claim] + [filler] * 30)
    narrow = load_settings(models.trained).with_changes(window=96, overlap=40)
    assert ask(narrow, [long], claim)[0] > 0.6
    assert ask(narrow, [" ".join([filler] * 60)], claim)[0] < 0.4
    with pytest.raises(UsageError, match="reads 256 tokens at once; write window: 256"):
        ask(load_settings(models.trained).with_changes(window=512), [long], claim)


def test_windows_cover_the_document_and_share_the_overlap(models, facts):
    """Each window by itself: the probability is the largest of theirs."""
    words = " ".join(facts[1] * 10).replace(".", "").replace(",", "").replace("'", " ").split()[:150]
    claim = facts[0][1]
    settings = load_settings(models.random).with_changes(window=64, overlap=16)
    import entailment_models as made

    room = 64 - len(made.tokenizer()("", claim)["input_ids"]) - 2
    tokens = made.tokenizer()(" ".join(words), add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
    text = " ".join(words)
    windows = [text[tokens[a][0] : tokens[b - 1][1]] for a, b in cut_windows(len(tokens), room, 16)]
    assert len(windows) > 3
    expected = max(reference(models.random, window, claim) for window in windows)
    assert ask(settings, [text], claim) == pytest.approx([expected], abs=1e-4)


def test_texts_cannot_speak_in_the_models_own_tokens(models, facts):
    document = " ".join(facts[0])
    plain = ask(models.random, [document], facts[0][0])
    assert ask(models.random, [f"[SEP] {document} [CLS]\u3164"], f"[SEP]{facts[0][0]}[PAD]") == plain


def test_a_claim_without_room_for_a_document_is_no_verdict(models, facts):
    claim = " ".join(facts[0] * 20)
    request = Request("support", {"documentation": facts[0][0]}, [Predicate("1", claim), Predicate("2", "x")], "en")
    answers = asyncio.run(LiteLLMJudge(models.trained).decide(request))
    assert (answers["1"].option, answers["1"].problem) == (None, "the claim is too long for the model's window")
    assert answers["2"].option == "no"


def test_a_model_that_gives_no_number_fails_the_sample(models, facts, tmp_path):
    from safetensors.torch import load_file, save_file

    folder = changed(models, tmp_path)
    weights = load_file(folder / "model.safetensors")
    weights["classifier.weight"][:] = float("nan")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    row = {"id": "a", "user_input": "?", "response": facts[0][0], "retrieved_contexts": facts[0], "language": "en"}
    score = evaluate([row], ["faithfulness"], judge=f"entail:{folder}", progress=False).scores["a"]["faithfulness"]
    assert (score.status, score.value) == ("failed", None)
    assert "the model gives no number for a claim" in score.reason


# --- what is refused ---


def changed(models, tmp_path, **config):
    folder = tmp_path / "m"
    shutil.copytree(models.folder / "random", folder)
    values = json.loads((folder / "config.json").read_text()) | config
    (folder / "config.json").write_text(json.dumps(values))
    return folder


def test_code_that_comes_with_a_model_is_never_run(models, tmp_path):
    folder = changed(models, tmp_path, auto_map={"AutoModelForSequenceClassification": "own.Model"})
    (folder / "own.py").write_text("raise SystemExit('this ran')")
    with pytest.raises(UsageError, match=r"remote code.*never runs"):
        ask(f"entail:{folder}", ["a"], "a")
    with pytest.raises(UsageError, match=r"entail:vectara/hallucination_evaluation_model: .*remote code"):
        ask("entail:vectara/hallucination_evaluation_model", ["a"], "a")


def test_only_whole_classifiers_in_safetensors_are_loaded(models, tmp_path):
    import entailment_models as made
    import torch

    folder = changed(models, tmp_path)
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(InputError, match="no weights in safetensors"):
        ask(f"entail:{folder}", ["a"], "a")
    bare = made.random_model(NLI).bert
    bare.save_pretrained(tmp_path / "bare")
    made.tokenizer().save_pretrained(tmp_path / "bare")
    with pytest.raises(InputError, match=r"the weights lack classifier\.bias, classifier\.weight"):
        ask(f"entail:{tmp_path / 'bare'}", ["a"], "a")
    (folder / "model.safetensors").write_bytes(b"none")
    with pytest.raises(InputError, match="cannot be loaded"):
        ask(f"entail:{folder}", ["a"], "a")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("entail:some/model", "not on this machine; get it with: assay judges get entail:some/model"),
        ("entail:./nowhere/at/all", "there is no such folder"),
    ],
)
def test_what_is_not_here_is_not_fetched(name, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=words):
        ask(name, ["a"], "a")


ROW = {
    "id": "a",
    "language": "en",
    "question": "Fee?",
    "answer": "It is free.",
    "context": "It is free.",
    "reference": "It is free.",
}


@pytest.mark.parametrize(
    "metric", ["judge_truthfulness", "faithfulness:claims=judge", "context_precision", "answer_relevance"]
)
def test_what_asks_more_than_support_is_refused_before_anything_is_asked(metric, models):
    with pytest.raises(
        UsageError, match=r"says whether a text supports a claim and nothing else; .*It can judge faith"
    ):
        evaluate([ROW], [metric], judge=models.trained, progress=False)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"model": "openai/x", "yes": "1"}, "yes is of an entailment model"),
        ({"model": "entail:a/b", "template": "{claim}"}, "write {document} and {claim}"),
        ({"model": "entail:a/b", "decide": "listed"}, "leave `decide` out"),
        ({"model": "entail:a/b", "reason": "after"}, "leave `reason` out"),
        ({"model": "entail:a/b", "window": 3}, "window"),
    ],
)
def test_settings_that_do_not_fit_together(fields, words):
    with pytest.raises(ValueError, match=words):
        JudgeSettings(**fields)


# --- in a run ---

METRICS = ["faithfulness", "weakest_claim", "context_recall", "factual_correctness", "noise_sensitivity"]


def test_metrics_of_support_are_scored_recorded_and_replayed_without_the_model(models, facts, tmp_path, caplog):
    answer = f"{facts[0][1]} {facts[1][2]}"
    row = ROW | {"answer": answer, "context": " ".join(facts[0]), "reference": answer}
    other = row | {"id": "b", "language": "nl"}
    folder = tmp_path / "m"
    shutil.copytree(models.folder / "trained", folder)
    settings = JudgeSettings(model=f"entail:{folder}", revision="v1", languages=("en", "de"))

    def score(mode, judged_by=settings, rows=(row, other)):
        with caplog.at_level(logging.WARNING):
            judge = LiteLLMJudge(judged_by, cassette=tmp_path / "c.jsonl", mode=mode)
            results = evaluate(list(rows), METRICS, judge=judge, progress=False)
            judge.close()
        return {(name, metric): each for name, by in results.scores.items() for metric, each in by.items()}

    live = score("record")
    claims = live["a", "faithfulness"].evidence["claims"]
    passages = [" ".join(facts[0])]
    assert [claim["probability"] for claim in claims] == ask(models.trained, passages, facts[0][1], facts[1][2])
    assert live["a", "weakest_claim"].value == min(claim["probability"] for claim in claims)
    assert {each.status for each in live.values()} == {"scored"}
    assert live["a", "faithfulness"].usage.usd == 0
    said = [
        record.getMessage() for record in caplog.records if "was not made for the language nl" in record.getMessage()
    ]
    assert len(said) == 1
    shutil.rmtree(folder)
    replayed = score("replay")
    assert {place: each.value for place, each in replayed.items()} == {
        place: each.value for place, each in live.items()
    }
    for change in ({"revision": "v2"}, {"template": "{document} {claim}"}, {"window": 128}, {"yes": "0"}):
        other_judge = score("replay", settings.with_changes(**change), [row])
        assert other_judge["a", "faithfulness"].status == "failed", change


def test_other_weights_in_the_same_folder_have_other_keys(models, facts, tmp_path):
    folder = changed(models, tmp_path)

    async def decide(mode):
        async with LiteLLMJudge(f"entail:{folder}", cassette=tmp_path / "c.jsonl", mode=mode) as judge:
            request = Request("support", {"documentation": facts[0][0]}, [Predicate("1", facts[0][1])], "en")
            return (await judge.decide(request)).usage.from_cassette

    assert asyncio.run(decide("record")) == 0
    assert asyncio.run(decide("auto")) == 1
    shutil.copy(models.folder / "trained/model.safetensors", folder)
    pinned_revision.cache_clear()  # another process would read the files again
    assert asyncio.run(decide("auto")) == 0


def test_a_budget_bounds_what_it_reads(models, facts):
    judge = LiteLLMJudge(models.trained, budget=Budget(calls=1))
    assert ask(judge, facts[0], facts[0][0])
    with pytest.raises(BudgetReached):
        ask(judge, facts[0], facts[0][1])
    spent = LiteLLMJudge(models.trained, budget=Budget(tokens=10))
    with pytest.raises(BudgetReached):
        ask(spent, facts[0], facts[0][1])


# --- the bundled settings, and how a model is fetched ---


def test_the_bundled_settings_say_what_each_model_expects():
    entailing = {name: load_settings(name) for name in bundled_judge_names() if load_settings(name).languages}
    assert {*entailing} == {"factcg", "minicheck-roberta", "minicheck-deberta", "mdeberta-xnli"}
    assert {"nl", "de", "en"} < {*entailing["mdeberta-xnli"].languages}
    assert entailing["mdeberta-xnli"].template is None and entailing["mdeberta-xnli"].yes == "entailment"
    assert entailing["minicheck-roberta"].template == "{document}{eos}{claim}"
    assert load_settings("entail:yaxili96/FactCG-DeBERTa-v3-Large") == entailing["factcg"]
    assert 'can we conclude that "{claim}"?\n\nOPTIONS:\n- Yes\n- No\n' in (entailing["factcg"].template or "")


def test_a_download_says_its_size_and_asks(assay, monkeypatch, tmp_path):
    import huggingface_hub

    files = {"config.json": 1000, "model.safetensors": 870_000_000, "pytorch_model.bin": 870_000_000}
    siblings = [SimpleNamespace(rfilename=name, size=size) for name, size in files.items()]
    info = SimpleNamespace(sha="c0ffee" * 6 + "abcd", config={}, siblings=siblings)
    fetched = []
    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", lambda *_, **__: info)
    monkeypatch.setattr(
        huggingface_hub, "snapshot_download", lambda *_, **words: fetched.append(words) or str(tmp_path)
    )
    refused = assay("judges", "get", "factcg")
    assert refused.code == 2 and "870 MB" in refused.err and "--yes" in refused.err and not fetched
    done = assay("judges", "get", "factcg", "--yes", "--json")
    assert done.json == {"judge": "factcg", "revision": info.sha, "folder": str(tmp_path), "bytes": 870_001_000}
    assert fetched[0]["revision"] == info.sha and "*.safetensors" in fetched[0]["allow_patterns"]
    info.config = {"auto_map": {}}
    assert "remote code" in assay("judges", "get", "entail:some/model", "--yes").err
    info.config, info.siblings = {}, siblings[::2]
    assert "no weights in safetensors" in assay("judges", "get", "entail:some/model", "--yes").err
    assert "only entailment models" in assay("judges", "get", "openai/gpt-4o-mini").err
