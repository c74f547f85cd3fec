"""Transports are found by entry points; what is registered but cannot be used is told."""

from importlib.metadata import EntryPoint

import pytest
from pydantic import ValidationError

from assay.errors import UsageError
from assay.judges import JudgeSettings, transports
from assay.judges.settings import RECORDED, TRANSPORTS


def stored_settings(decide: str) -> JudgeSettings:
    """Settings as a store holds them: what they name may have been uninstalled since."""
    return JudgeSettings.model_validate({"model": "openai/test", "decide": decide}, context=RECORDED)


def test_a_name_that_nobody_registered_is_refused_with_those_that_there_are():
    with pytest.raises(ValidationError, match="no transport is called 'sngle'; write auto, decisions, listed, "):
        JudgeSettings(model="openai/test", decide="sngle")
    assert stored_settings("sngle").decide == "sngle"


def test_what_is_registered_as_a_transport_is_one(monkeypatch):
    entry = EntryPoint("words", "collections:Counter", TRANSPORTS)
    monkeypatch.setattr(transports, "registered_entries", lambda group: {"words": entry})
    with pytest.raises(UsageError, match=r"the transport words \(collections:Counter\) is no assay.*Transport"):
        transports.choose_transport(stored_settings("words"))
    with pytest.raises(UsageError, match=r"no transport is called 'gone' \(`decide` of the judge\); there are words"):
        transports.choose_transport(stored_settings("gone"))
