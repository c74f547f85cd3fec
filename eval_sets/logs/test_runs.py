"""Runs of tests that other tools save as one JSON document: DeepEval's and promptfoo's, one row per answer."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ..column_table import ALIASES, columns_by_usual_name

_CASES = ("testCases", "test_cases", "test_results", "testResults", "conversationalTestCases")
# DeepEval's fields, as the saved run or as Python spells them, by ours
_FIELDS = {
    "user_input": ("input",),
    "response": ("actualOutput", "actual_output"),
    "retrieved_contexts": ("retrievalContext", "retrieval_context", "context"),
    "reference": ("expectedOutput", "expected_output"),
    "messages": ("turns",),
    "metadata": ("additionalMetadata", "additional_metadata", "metadata"),
}
# the head of a column of answers in promptfoo's CSV, `[provider] prompt`, and of the columns after it
_ANSWERS_OF_PROMPTFOO, _PROVIDER = re.compile(r"\[[^]]+\] "), re.compile(r"\[[a-z][\w-]*:[^]]+\] ")
_OF_PROMPTFOO = {"Status", "Score", "Named Scores"}


def promptfoo_cure(columns: Collection[str]) -> str:
    """What to do with a table that promptfoo exported as CSV, whose answers stand under each prompt; "" for any other.

    Example:
        >>> promptfoo_cure(["question", "[openai:gpt-4o-mini] {{question}}", "Status", "Score", "Named Scores"])
        'this is the CSV export of promptfoo; export JSON instead: promptfoo export eval EVAL_ID -o FILE.json'
    """
    head = _ANSWERS_OF_PROMPTFOO if {*columns} >= _OF_PROMPTFOO else _PROVIDER
    if not any(map(head.match, columns)):
        return ""
    return "this is the CSV export of promptfoo; export JSON instead: promptfoo export eval EVAL_ID -o FILE.json"


def is_test_run(document: object) -> bool:
    """Whether a JSON document is a saved run of tests.

    Example:
        >>> is_test_run({"testCases": [{"input": "Free?"}]}), is_test_run({"results": {"results": [{"vars": {}}]}})
        (True, True)
    """
    return isinstance(document, Mapping) and (bool(_deepeval_cases(document)) or _promptfoo_results(document) != [])


def read_test_run(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields a row per answer: its texts, with `scores` and `reasons` by metric; a metric that failed has no score."""
    for case in _deepeval_cases(document):
        yield _deepeval_row(case)
    for number, result in enumerate(_promptfoo_results(document)):
        yield _promptfoo_row(result, number)


def _deepeval_cases(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    inner = document.get("testRunData", document.get("test_run_data"))
    run = inner if isinstance(inner, Mapping) else document
    listed = [case for key in _CASES if isinstance(run.get(key), list) for case in run[key]]
    names = {"name", *(name for names in _FIELDS.values() for name in names)}
    return listed if all(isinstance(case, Mapping) and names & case.keys() for case in listed) else []


def _deepeval_row(case: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"id": case["name"]} if case.get("name") else {}
    for ours, names in _FIELDS.items():
        value = next((case[name] for name in names if case.get(name) is not None), None)
        if value is not None:
            row[ours] = value
    if "messages" not in row:
        row.setdefault("response", None)
    metrics = case.get("metricsData", case.get("metrics_data"))
    for metric in metrics if isinstance(metrics, list) else ():
        name, error = str(metric.get("name")), metric.get("error")
        row.setdefault("scores", {})[name] = None if error else metric.get("score")
        row.setdefault("reasons", {})[name] = metric.get("reason") or error
    return row


def _promptfoo_results(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    results = document.get("results")
    while isinstance(results, Mapping):
        results = results.get("results")
    listed = results if isinstance(results, list) else []
    return listed if all(isinstance(result, Mapping) and "vars" in result for result in listed) else []


def _promptfoo_row(result: Mapping[str, Any], number: int) -> dict[str, Any]:
    variables = result["vars"] if isinstance(result["vars"], Mapping) else {}
    by_name = columns_by_usual_name(variables)
    row: dict[str, Any] = {"id": str(result.get("testIdx", number))}
    used = set[str]()
    for field, names in ALIASES.items():
        column = next((by_name[name] for name in (field, *names) if name in by_name), None)
        if column is not None and field != "response":
            row[field] = variables[column]
            used.add(column)
    prompt, response = result.get("prompt"), result.get("response")
    if "user_input" not in row and isinstance(prompt, Mapping):
        row["user_input"] = prompt.get("raw")
    output = response.get("output") if isinstance(response, Mapping) else response
    is_text = output is None or isinstance(output, str)
    row["response"] = output if is_text else json.dumps(output, ensure_ascii=False)
    provider = result.get("provider")
    row["system"] = provider.get("label") or provider.get("id") if isinstance(provider, Mapping) else provider
    grading = result.get("gradingResult")
    reason = grading.get("reason") if isinstance(grading, Mapping) else None
    named = result.get("namedScores")
    scores = dict(named) if isinstance(named, Mapping) else {}
    scores["promptfoo"] = None if result.get("error") and not output else result.get("score")
    row |= {"scores": scores, "reasons": {"promptfoo": reason or result.get("error")}}
    return row | {name: value for name, value in variables.items() if name not in used}
