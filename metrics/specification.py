"""How a metric is named as text: parsed once, and handed on as a value.

It imports no metric, so that whoever lists runs can say which metrics are baselines.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

BASELINES = ("token_overlap", "rouge_l_precision", "answer_length")
CONVERSATION_BASELINES = ("conversation_turns", "conversation_length", "thanks_at_end")
"""What stands in the table of a run with conversations too: what a metric of a conversation should beat."""
ALL_BASELINES = (*BASELINES, *CONVERSATION_BASELINES)
UNDIRECTED: Mapping[str, tuple[str, str]] = {
    "answer_length": ("shorter", "longer"),
    "conversation_turns": ("fewer", "more"),
    "conversation_length": ("shorter", "longer"),
}
"""The metrics of which neither more nor less is better, with the words for less and for more."""
DEFAULT_METRICS = ("weakest_claim", "faithfulness", "token_overlap")
"""What agreed best with people's ratings (docs/evidence.md); the first two come of the same calls."""
RAGAS = "ragas"
SCORER = "scorer"

_NAME = r'(?:(?P<path>[^"]+\.py):(?P<name_in_file>[^:=]+)|(?P<name>[^:]*))'
# what stands right after the name: in quotes, or up to the first option
_ARGUMENT = r'(?::(?:"(?P<quoted>[^"]*)"|(?P<plain>.*?)))'
_OPTIONS = r"(?P<options>(?::\w+=[^:]*)*)"
_TEXT = re.compile(f"{_NAME}{_ARGUMENT}??{_OPTIONS}", re.DOTALL)
_WITH_ARGUMENT = re.compile(f"{_NAME}{_ARGUMENT}?{_OPTIONS}", re.DOTALL)  # a file's name may look like an option


OTHER_NAMES: Mapping[str, str] = {
    "answerrelevancy": "answer_relevance",
    "responserelevancy": "answer_relevance",
    "responserelevance": "answer_relevance",
    "qarelevance": "answer_relevance",
    "groundedness": "faithfulness",
    "responsegroundedness": "faithfulness",
    "contextrelevancy": "context_relevance",
    "contextualrelevancy": "context_relevance",
    "contextualrelevance": "context_relevance",
    "contextualprecision": "context_precision",
    "contextualrecall": "context_recall",
    "llmcontextrecall": "context_recall",
    "llmcontextprecisionwithreference": "context_precision",
    "llmcontextprecisionwithoutreference": "context_precision",
    "qacorrectness": "answer_correctness",
    "noisesensitivityrelevant": "noise_sensitivity",
    "toolcallaccuracy": "tool_calls",
    "toolcorrectness": "tool_calls",
    "topicadherencescore": "topic_adherence",
    "rougescore": "rouge_l",
    "rougel": "rouge_l",
    "rouge1": "rouge_1",
    "rouge2": "rouge_2",
    "bleuscore": "bleu",
    "bertscoref1": "bertscore",
}
"""Our metric by what other tools call it, in small letters without what parts words and without `metric` at the end."""


@dataclass(frozen=True, slots=True)
class MetricSpecification:
    """What `--metrics` and a plan say of one metric. Made by `parse_specification`."""

    text: str  # as it was typed: what a run records the metric and its scores under. `str()` gives it back.
    name: str  # the metric's name in the catalogue, `ragas`, `scorer`, or a name in a file
    # what stands right after the name: what a predicate states, the name of a metric of Ragas, a scorer's file; "" for
    # nothing
    argument: str = ""
    options: Mapping[str, str] = field(default_factory=dict, hash=False)  # the text of each option by its name
    path: str = ""  # the Python file that has the metric; "" for a metric that has none of its own

    def __str__(self) -> str:
        return self.text

    @property
    def is_ragas(self) -> bool:
        """Whether it names a metric of the ragas library (`ragas:NAME`)."""
        return not self.path and self.name == RAGAS and bool(self.argument)

    @property
    def is_scorer(self) -> bool:
        """Whether it names a saved scorer (`scorer:FILE`)."""
        return not self.path and self.name == SCORER and bool(self.argument)

    def with_option(self, name: str, value: str) -> "MetricSpecification":
        """Returns this specification with one more option.

        Example:
            >>> str(parse_specification("faithfulness").with_option("claims", "judge"))
            'faithfulness:claims=judge'
        """
        return parse_specification(f"{self.text}:{name}={value}")


@lru_cache(maxsize=1024)
def parse_specification(text: str) -> MetricSpecification:
    """Parses what names a metric: `NAME`, `NAME:ARGUMENT`, `PATH.py:NAME`, each with `:option=value` after it.

    Whether the metric exists and takes what is given is the catalogue's affair. An argument that holds `:word=` stands
    in double quotes.

    Example:
        >>> predicate = parse_specification('predicate:"The answer: polite":threshold=0.7')
        >>> predicate.name, predicate.argument, predicate.options
        ('predicate', 'The answer: polite', {'threshold': '0.7'})
        >>> parse_specification("Answer Relevancy").name
        'answer_relevance'
        >>> in_file = parse_specification("C:/quality/my_metrics.py:is_short:limit=80")
        >>> in_file.path, in_file.name, in_file.options
        ('C:/quality/my_metrics.py', 'is_short', {'limit': '80'})
    """
    match = (_WITH_ARGUMENT if text.startswith((f"{RAGAS}:", f"{SCORER}:")) else _TEXT).fullmatch(text)
    assert match is not None  # every part may be empty
    options = [option.partition("=")[::2] for option in match["options"].split(":")[1:]]
    if match["plain"] == "":  # a colon with nothing after it, which is no option as one is written
        options.insert(0, ("", ""))
    return MetricSpecification(
        text=text,
        name=match["name_in_file"] or OTHER_NAMES.get(_plain(match["name"] or ""), match["name"] or ""),
        argument=match["quoted"] or match["plain"] or "",
        options=dict(options),
        path=match["path"] or "",
    )


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).lower().removesuffix("metric")
