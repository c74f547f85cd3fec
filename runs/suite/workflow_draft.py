"""A workflow for GitHub Actions that runs a suite each night."""

import json
import re
from pathlib import Path

from ...installation import find_own_commit

_TEMPLATE = Path(__file__).parent / "templates" / "workflow.yml"
_PLACE = Path(".github", "workflows", "assay.yml")
PLACEHOLDER = "OWNER/assay@COMMIT"
"""What stands for the action where the repository and the commit that Assay was installed from are unknown."""
_PROVIDER = re.compile(r"([a-z]\w*)/.")


def find_workflow_file(suite: Path) -> Path:
    """Returns where the workflow of a suite belongs: in its repository, or beside the suite where there is none."""
    beside = suite.resolve().parent
    folder = next((parent for parent in (beside, *beside.parents) if (parent / ".git").exists()), beside)
    return folder / _PLACE


def draft_workflow(suite: str, model: str | None) -> str:
    """Writes a workflow as YAML with comments: each night and by hand, with the box that accepts a run.

    Actions are pinned by commit, since a tag can be moved; that of Assay by the one that it was installed from.

    Examples:
        >>> [line.strip() for line in draft_workflow("suite.yaml", "mistral/large").splitlines() if "KEY" in line]
        ['MISTRAL_API_KEY: ${{ secrets.MISTRAL_API_KEY }}']
        >>> "secrets" in draft_workflow("suite.yaml", None)
        False
    """
    text = _TEMPLATE.read_text(encoding="utf-8").replace("<SUITE>", json.dumps(suite, ensure_ascii=False))
    own = find_own_commit()
    action = (
        "@".join(own) if own else f"{PLACEHOLDER}   # replace both: the repository that holds Assay, and its commit"
    )
    text = text.replace("<ACTION>", action)
    key = find_key(model)
    if key is None:
        return text.partition("        env:")[0]
    return text.replace("<KEY>", key)


def find_key(model: str | None) -> str | None:
    """Returns the environment variable with the key of a model's provider, as litellm calls it; None without one.

    Examples:
        >>> find_key("openai/gpt-4o-mini"), find_key("gguf:models/qwen.gguf"), find_key(None)
        ('OPENAI_API_KEY', None, None)
    """
    match = _PROVIDER.match(model or "")
    return None if match is None else f"{match[1].upper()}_API_KEY"
