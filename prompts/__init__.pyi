from .catalogue import (
    BUNDLED as BUNDLED,
    OTHER_LANGUAGE as OTHER_LANGUAGE,
    Prompt as Prompt,
    PromptMessage as PromptMessage,
    Prompts as Prompts,
    bundled_prompt_text as bundled_prompt_text,
    bundled_prompts as bundled_prompts,
    parse_prompt as parse_prompt,
    prompt_names as prompt_names,
    read_prompt as read_prompt,
    read_prompt_as as read_prompt_as,
)
