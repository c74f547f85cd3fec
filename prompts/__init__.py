"""Prompts: one Markdown file per prompt and language; loading, hashing and rendering them."""

from .catalogue import (
    BUNDLED,
    OTHER_LANGUAGE,
    Prompts,
    bundled_prompt_text,
    bundled_prompts,
    prompt_names,
    read_prompt,
    read_prompt_as,
)
from .prompt import Message, Prompt

__all__ = [
    "BUNDLED",
    "OTHER_LANGUAGE",
    "Message",
    "Prompt",
    "Prompts",
    "bundled_prompt_text",
    "bundled_prompts",
    "prompt_names",
    "read_prompt",
    "read_prompt_as",
]
