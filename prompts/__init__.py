"""Prompts: one Markdown file per prompt and language; loading, hashing and rendering them."""

from .catalogue import BUNDLED, Prompts, bundled_prompt_text, bundled_prompts, prompt_names, read_prompt, read_prompt_as
from .prompt import Message, Prompt

__all__ = [
    "BUNDLED",
    "Message",
    "Prompt",
    "Prompts",
    "bundled_prompt_text",
    "bundled_prompts",
    "prompt_names",
    "read_prompt",
    "read_prompt_as",
]
