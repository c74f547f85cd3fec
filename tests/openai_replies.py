"""What a sensible judge would say to Assay's prompts, worked out from the request alone: the same each time."""

import base64
import json
import math
import re
import struct
import zlib
from functools import lru_cache

_SCHEMAS = ("Claims", "ListedAnswers", "ReverseQuestions")
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_NO_CLAIM = re.compile(r"hello|hi\b|hallo|goede|thank|bedankt|dank|sorry|i don't know|dat weet ik niet", re.IGNORECASE)
_DIMENSIONS = 64


def schema_asked_for(body):
    """Whose reply a request wants: `Claims`, `ListedAnswers`, ..., `options` for one word, "" for another."""
    shape = body.get("response_format") or {}
    if shape.get("type") == "json_schema":
        return str(shape["json_schema"]["name"])
    if shape.get("type") == "json_object":
        opening = body["messages"][0]["content"]
        return next((name for name in _SCHEMAS if f'"title": "{name}"' in opening), "")
    return "options" if body.get("max_tokens") == 1 else ""


def question_of(body):
    """The text under test as the prompt has it: the last user message that begins with a tag, else the last."""
    messages = [message["content"] for message in body.get("messages", []) if message["role"] == "user"]
    return next((text for text in reversed(messages) if text.startswith("<")), messages[-1] if messages else "")


def sensible_reply(body):
    """The text of the reply, and the alternatives at each token (said first) where the request wants them.

    claims: the answer's sentences. questions: the answer's sentences as questions. yes or no: by the share of the
    statement's words in the documentation, which is also the probability of yes. A level of a scale: ratings by the
    words that documentation, question and answer share, others in the middle. Several questions in one request
    likewise.
    """
    question = question_of(body)
    reply = {"Claims": _claims, "ReverseQuestions": _questions}.get(schema_asked_for(body))
    if schema_asked_for(body) == "options":
        return _one_word(body, question)
    if schema_asked_for(body) == "ListedAnswers":
        return _listed_answers(body, question)
    text = json.dumps(reply(question), ensure_ascii=False) if reply else "I see."
    return text, [{text: 0.0}] if body.get("logprobs") else None


def _claims(question):
    answer_sentences = _sentences(_part(question, "answer"))
    return {"claims": [each for each in answer_sentences if not each.endswith("?") and not _NO_CLAIM.match(each)]}


def _questions(question):
    claims = _claims(question)["claims"]
    count = int(re.findall(r"\d+", question.rpartition("</answer>")[2])[0])
    stems = [sentence.rstrip(".!") for sentence in claims or ["What do you mean"]]
    questions = [f"{stems[n % len(stems)]}{', again' * (n // len(stems))}?" for n in range(count)]
    return {"noncommittal": not claims, "questions": questions}


def _one_word(body, question):
    asked = question.rpartition("</answer>")[2].strip()
    if levels := re.findall(r"^(\d+)(?::|$)", asked, re.MULTILINE):
        shares = _level_shares(levels, next((name for name in _RATED if name in asked), ""), question)
    else:
        words = body["messages"][0]["content"]
        yes, no = ("Ja", "Nein" if "\nNein:" in words else "Nee") if "\nJa:" in words else ("Yes", "No")
        probability = min(0.99, max(0.01, _share(_part(question, "statement"), _part(question, "documentation"))))
        shares = {yes: probability, no: 1 - probability}
    place = {word: math.log(share) for word, share in sorted(shares.items(), key=lambda each: -each[1])}
    return next(iter(place)), [place] if body.get("logprobs") else None


def _level_shares(levels, name, asked):
    """The level by the words that texts share is 80% sure, and its neighbour towards the middle has the rest."""
    level = round((len(levels) - 1) * _RATED.get(name, lambda _: 0.5)(asked))
    return {levels[level]: 0.8, levels[level + (1 if level < len(levels) // 2 else -1)]: 0.2}


def _listed_answers(body, asked):
    """An answer for each property of the schema, as likely as its probability says."""
    statements = dict(line.split(": ", 1) for line in _part(asked, "statements").splitlines())
    places = []
    for question, words in _words_by_question(body).items():
        places.append({f'{", " if places else "{"}"{question}": "': 0.0})
        if question in statements:
            yes = min(0.99, max(0.01, _share(statements[question], _part(asked, "documentation"))))
            shares = {words[0]: yes, words[1]: 1 - yes}
        else:
            shares = _level_shares(words, question, asked)
        likely_first = sorted(shares, key=lambda word: -shares[word])
        places += [{word: math.log(shares[word]) for word in likely_first}, {'"': 0.0}]
    places.append({"}": 0.0})
    return "".join(next(iter(place)) for place in places), places if body.get("logprobs") else None


def sensible_decisions(body):
    """The body of a decision model's reply, in the protocol of the request.

    A predicate's probability is the share of its words in the documentation; of a choice and of a scale the first
    option has 0.75 and the last one 0.25.
    """
    taken = {"input_tokens": len(json.dumps(body)) // 4, "output_tokens": 3}
    if "state" in body:
        documentation = body["state"].get("documentation", "")
        answers = {}
        for question, asked in body["questions"].items():
            if asked["type"] == "noul":
                answers[question] = {"type": "noul", "noul": _share(asked["instructions"], documentation)}
                continue
            options = (
                [*asked["criteria"]] if asked["type"] == "choice" else list(map(str, range(len(asked["criteria"]))))
            )
            answers[question] = {"type": asked["type"], "confidence": 0.75, "probabilities": _first_and_last(options)}
            if asked["type"] == "choice":
                answers[question]["choice"] = options[0]
            else:
                legend = dict(zip(options, asked["criteria"], strict=True))
                answers[question] |= {"score": 0.25 * (len(options) - 1), "legend": legend}
        return {"model": body["model"], "answers": answers, "usage": taken}
    documentation, listed = _part(body["input"], "documentation"), []
    for asked in body["questions"]:
        answer = {"type": asked["type"], "name": asked["name"]}
        if asked["type"] == "predicate":
            listed.append(answer | {"probability": _share(asked["instructions"], documentation)})
            continue
        key, kind = ("choice", "choices") if asked["type"] == "choice" else ("score", "levels")
        values = [each["value"] for each in asked[kind]] if key == "choice" else list(range(len(asked[kind])))
        shares = _first_and_last(values)
        probabilities = [{"value": value, "probability": share} for value, share in shares.items()]
        if key == "score":
            for each, level in zip(probabilities, asked[kind], strict=True):
                each["label"] = level["label"]
        listed.append(answer | {key: values[0], "confidence": 0.75, "probabilities": probabilities})
    return {"model": body["model"], "answers": listed, "usage": taken | {"total_tokens": taken["input_tokens"] + 3}}


def _first_and_last(options):
    return {option: {0: 0.75, len(options) - 1: 0.25}.get(place, 0.0) for place, option in enumerate(options)}


def _words_by_question(body):
    shape = body.get("response_format") or {}
    schema = (shape.get("json_schema") or {}).get("schema")
    if schema is None:
        schema = json.loads(body["messages"][0]["content"].rpartition("\nJSON schema: ")[2])
    return {question: values["enum"] for question, values in schema["properties"].items()}


def _rated(of, within):
    return lambda asked: _share(_part(asked, of), _part(asked, within))


_RATED = {
    "truthfulness": _rated("answer", "documentation"),
    "relatedness": _rated("question", "answer"),
    "completeness": _rated("documentation", "answer"),
}


def embedding(text, as_base64):
    """A vector by the text's words, so that texts that share words lie near each other."""
    vector = [0.0] * _DIMENSIONS
    for word in _words(text):
        vector[zlib.crc32(word.encode()) % _DIMENSIONS] += 1.0
    return base64.b64encode(struct.pack(f"<{_DIMENSIONS}f", *vector)).decode() if as_base64 else vector


def _part(question, tag):
    return question.partition(f"<{tag}>\n")[2].rpartition(f"\n</{tag}>")[0]


def _sentences(text):
    return [sentence.strip() for sentence in _SENTENCE_END.split(text) if _WORD.search(sentence)]


@lru_cache(maxsize=512)
def _words(text):
    return frozenset(_WORD.findall(text.casefold()))


def _share(of, within):
    return len(_words(of) & _words(within)) / (len(_words(of)) or 1)
