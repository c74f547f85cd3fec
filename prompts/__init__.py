"""What is asked: one Markdown file a prompt and language, loaded, hashed and rendered here."""

from .catalogue import load_prompt, own_prompts, parse_own, prompt_names, prompts_from, read_prompts
from .prompt import Message, Prompt

__all__ = [
    "Message",
    "Prompt",
    "load_prompt",
    "own_prompts",
    "parse_own",
    "prompt_names",
    "prompts_from",
    "read_prompts",
]
