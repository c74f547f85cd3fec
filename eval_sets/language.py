"""Which of our languages a text is in."""

from functools import cache
from typing import Any

LANGUAGES = ("en", "nl")
# enough to tell two languages apart; the detector walks every byte in Python
_CHARACTERS = 400
_SURE = 0.6


def detect_language(*texts: str) -> str:
    """ISO 639-1 code of the language of the texts, among Dutch and English; English where they do not tell."""
    text = "\n".join(text[:_CHARACTERS] for text in texts)
    ranked = _identifier().rank(text)
    language, probability = ranked[0]
    return str(language) if probability >= _SURE else "en"


@cache
def _identifier() -> Any:
    from py3langid import langid

    # 0.4 renamed it
    build = getattr(langid.LanguageIdentifier, "from_model_file", None) or langid.LanguageIdentifier.from_pickled_model
    identifier = build(langid.MODEL_FILE, norm_probs=True)
    # an identifier of our own: the module's is shared with whoever else uses the library in this process
    identifier.set_languages(list(LANGUAGES))
    return identifier
