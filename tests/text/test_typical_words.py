"""The words that say what a group of texts is about."""

from assay.text.typical_words import find_typical_words


def test_typical_words_are_those_that_other_groups_do_not_have():
    words = find_typical_words({0: "gips gips zaag folder", 4: "koffie koffie melk folder"}, ["nl"], count=2)
    assert words == {0: ["gips", "zaag"], 4: ["koffie", "melk"]}
    assert find_typical_words({0: "1 2", 1: "..."}, ["nl"]) == {0: [], 1: []}
