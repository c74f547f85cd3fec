"""What other tools call their metrics: our name for the same thing, or what stands in a metric's place."""

import re
from collections.abc import Mapping

OTHER_NAMES: Mapping[str, str] = {
    "answerrelevancy": "answer_relevance",
    "responserelevancy": "answer_relevance",
    "responserelevance": "answer_relevance",
    "qarelevance": "answer_relevance",
    "groundedness": "faithfulness",
    "hallucination": "faithfulness",
    "responsegroundedness": "faithfulness",
    "nvresponsegroundedness": "faithfulness",
    "contextrelevancy": "context_relevance",
    "contextualrelevancy": "context_relevance",
    "contextualrelevance": "context_relevance",
    "nvcontextrelevance": "context_relevance",
    "contextualprecision": "context_precision",
    "contextualrecall": "context_recall",
    "llmcontextrecall": "context_recall",
    "llmcontextprecisionwithreference": "context_precision",
    "contextprecisionwithreference": "context_precision",
    "qacorrectness": "answer_correctness",
    "noisesensitivityrelevant": "noise_sensitivity",
    "toolcallaccuracy": "tool_calls",
    "toolcallf1": "tool_calls",
    "toolcorrectness": "tool_calls",
    "agentgoalaccuracy": "resolved",
    "agentgoalaccuracywithoutreference": "resolved",
    "topicadherencescore": "topic_adherence",
    "rougescore": "rouge_l",
    "rougel": "rouge_l",
    "rouge1": "rouge_1",
    "rouge2": "rouge_2",
    "bleuscore": "bleu",
    "bertscoref1": "bertscore",
}
"""Our metric by what other tools call it, in small letters without what parts words and without `metric` at the end."""

_SIMILARITY = "how near an answer is to the reference say rouge_l and, by vectors, bertscore"
_CHARACTERS = (
    "rouge_l and bleu compare an answer with the reference word by word; @metric takes a function over characters"
)
_AGAINST_RESPONSE = "write context_precision:against=response"
_RUBRIC = "write rubric:FILE, with the criteria in a file"
_RUBRIC_PER_SAMPLE = "write rubric:FILE for one rubric, or @metric over each sample's metadata"
_BY_CLAIM = "claim by claim it is"
_NO_IDS = "passages of a sample have no ids; write @metric over ids in its metadata"
_NO_CHARACTERS = "a character distance says little of a passage's use;"
_TEXTS = "answers and contexts are texts here"
_SUMMARY = "what a summary makes up: faithfulness; what it leaves out: factual_correctness:mode=recall"
_SQL = "answers are texts for customers here; three lines with @metric compare queries"
_NUMBERS = "numbers in an answer against tables: numeric_claims"
INSTEAD: Mapping[str, str] = {
    "faithfulnesswithhhem": "write faithfulness, with an entailment model as its judge: --judge entail:MODEL",
    "semanticsimilarity": _SIMILARITY,
    "answersimilarity": _SIMILARITY,
    "nonllmstringsimilarity": _CHARACTERS,
    "chrfscore": _CHARACTERS,
    "exactmatch": "factoid compares an answer with a list of right ones; three lines with @metric compare it exactly",
    "stringpresence": "factoid looks for one of a list of right answers",
    "stringpresent": "factoid looks for one of a list of right answers",
    "contextutilization": _AGAINST_RESPONSE,
    "contextprecisionwithoutreference": _AGAINST_RESPONSE,
    "llmcontextprecisionwithoutreference": _AGAINST_RESPONSE,
    "nonllmcontextprecisionwithreference": f"{_NO_CHARACTERS} context_precision asks a judge",
    "nonllmcontextrecall": f"{_NO_CHARACTERS} context_recall asks a judge",
    "idbasedcontextprecision": _NO_IDS,
    "idbasedcontextrecall": _NO_IDS,
    "answeraccuracy": f"{_BY_CLAIM} factual_correctness",
    "nvaccuracy": f"{_BY_CLAIM} factual_correctness",
    "contextentityrecall": f"{_BY_CLAIM} context_recall",
    "quotedspansalignment": "faithfulness gives each claim's quote with its place in the contexts",
    "summarizationscore": _SUMMARY,
    "summaryscore": _SUMMARY,
    "summarization": _SUMMARY,
    "aspectcritic": 'write predicate:"The answer is polite", with what it has to be',
    "simplecriteriascore": _RUBRIC,
    "rubricsscore": _RUBRIC,
    "rubricsscorewithreference": _RUBRIC,
    "rubricsscorewithoutreference": _RUBRIC,
    "domainspecificrubrics": _RUBRIC,
    "discrete": _RUBRIC,
    "geval": _RUBRIC,
    "instancerubrics": _RUBRIC_PER_SAMPLE,
    "instancespecificrubrics": _RUBRIC_PER_SAMPLE,
    "agentgoalaccuracywithreference": "write resolved:goal=given",
    "datacompyscore": _NUMBERS,
    "datacomparescore": _NUMBERS,
    "llmsqlequivalence": _SQL,
    "llmsqlequivalencewithreference": _SQL,
    "sqlsemanticequivalence": _SQL,
    "multimodalfaithfulness": f"{_TEXTS}; of those it is faithfulness",
    "multimodalfaithness": f"{_TEXTS}; of those it is faithfulness",
    "faithfulrate": f"{_TEXTS}; of those it is faithfulness",
    "multimodalrelevance": f"{_TEXTS}; of those it is answer_relevance",
    "relevancerate": f"{_TEXTS}; of those it is answer_relevance",
}
"""What stands in the place of a metric that has no counterpart of one name here, written as in `OTHER_NAMES`."""


def plain_name(name: str) -> str:
    """A metric's name as the two tables have it."""
    return re.sub(r"[\s_-]+", "", name).lower().removesuffix("metric")
