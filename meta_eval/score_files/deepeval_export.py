"""DeepEval's results: the test run that it saves (`DEEPEVAL_RESULTS_FOLDER`), and its `EvaluationResult` as JSON."""

from collections.abc import Iterator
from typing import Any

from ...errors import InputError

_CASES = ("testCases", "test_results", "testResults")
_CONVERSATIONS = "conversationalTestCases"
# DeepEval's field, as the saved run or as Python spells it -> ours
_FIELDS = {
    "input": "user_input",
    "actualOutput": "response",
    "actual_output": "response",
    "retrievalContext": "retrieved_contexts",
    "retrieval_context": "retrieved_contexts",
    "expectedOutput": "reference",
    "expected_output": "reference",
}


def is_export(document: dict[str, Any]) -> bool:
    """Whether a JSON object is a run of DeepEval."""
    return any(isinstance(document.get(key), list) for key in _CASES)


def read_rows(document: dict[str, Any], name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields (place, row) for each metric of each test case: id, texts, metric, value (None where it failed), reason.

    Raises `InputError` where a run holds only conversations, or a case has no metrics.
    """
    key = next(key for key in _CASES if isinstance(document.get(key), list))
    if not document[key]:
        content = (
            "only conversations, which are not one message and its answer" if document.get(_CONVERSATIONS) else "none"
        )
        raise InputError(f"{name}, field {key}: holds no test cases ({content}); give a run of LLMTestCase")
    for number, case in enumerate(document[key], 1):
        place = f"test case {number}"
        if not isinstance(case, dict):
            raise InputError(f"{name}, {place}: is no object; export the run again")
        texts = {ours: case[theirs] for theirs, ours in _FIELDS.items() if case.get(theirs) is not None}
        shared = {"id": case.get("name"), **texts, "metadata": case.get("metadata") or case.get("additional_metadata")}
        metrics = case.get("metricsData", case.get("metrics_data"))
        if not isinstance(metrics, list):
            raise InputError(f"{name}, {place}, field metricsData: there are no metrics; evaluate the case first")
        for metric in metrics:
            reason = metric.get("reason") or metric.get("error")
            value = None if metric.get("error") else metric.get("score")
            yield place, {**shared, "metric": metric.get("name"), "value": value, "reason": reason}
