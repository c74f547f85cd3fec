"""Answers about a network of four days: throughput 41, 43, none and 45 Mbps, latency 22, 21, 25 and 20 ms."""

from assay.eval_sets import Sample

NETWORK = {
    "name": "network",
    "columns": {
        "date": ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"],
        "throughput_mbps": [41.0, 43.0, None, 45.0],
        "latency_ms": [22, 21, 25, 20],
    },
    "units": {"throughput_mbps": "Mbps", "latency_ms": "ms"},
}


def network_sample(response, **fields):
    """A sample with the table and an English answer, unless the fields say otherwise."""
    given = {"id": "s", "user_input": "", "response": response, "language": "en", "tables": [NETWORK]}
    return Sample.model_validate(given | fields)
