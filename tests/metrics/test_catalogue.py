"""The catalogue: one metric, one file."""

from importlib.metadata import entry_points

from assay.metrics.catalogue import GROUP


def test_every_metric_has_a_module_of_its_own() -> None:
    modules = [entry.module for entry in entry_points(group=GROUP)]
    assert sorted(modules) == sorted(set(modules))
    assert all(entry.load().__module__ == entry.module for entry in entry_points(group=GROUP))
