"""The store of `assay view`: named as for all commands."""


def test_a_store_is_named_by_its_option_or_by_itself_but_not_twice(assay):
    for words in (("--store", "here"), ("here",)):
        refused = assay("view", *words)
        assert refused.code == 2 and "here/runs.sqlite: there are no runs here" in refused.err
    assert "two stores are named: leave out STORE or --store" in assay("view", "here", "--store", "there").err
