"""Facts that stand in a text word for word: telephone numbers, e-mail addresses, dates, hours, amounts, addresses."""

from .entity import KINDS, Entity, find_entities, find_unstated, states_fact

__all__ = ["KINDS", "Entity", "find_entities", "find_unstated", "states_fact"]
