"""The catalogue: one metric, one file; only variants of one formula share theirs."""

from collections import Counter

from assay.installation import registered_entries
from assay.metrics.catalogue import GROUP

SHARED = {"assay.metrics.rouge": 4, "assay.metrics.judge_rating": 3}
"""The modules of variants: ROUGE-1, -2, -L and its precision; the three ratings that a judge gives."""


def test_every_metric_has_a_module_of_its_own_or_shares_it_with_its_variants():
    entries = registered_entries(GROUP).values()
    modules = Counter(entry.module for entry in entries)
    assert {module: count for module, count in modules.items() if count > 1} == SHARED
    assert all(entry.load().__module__ == entry.module for entry in entries)
