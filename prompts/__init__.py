"""What is asked: one Markdown file a prompt and language, loaded, hashed and rendered here."""

from .catalogue import load_prompt, prompt_names
from .prompt import Message, Prompt

__all__ = ["Message", "Prompt", "load_prompt", "prompt_names"]
