"""Facts that stand in a text word for word: telephone numbers, e-mail addresses, dates, hours, amounts, addresses."""

from .entity import KINDS, Entity, entities, states

__all__ = ["KINDS", "Entity", "entities", "states"]
