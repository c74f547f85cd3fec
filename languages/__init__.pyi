from .claim_sections import ClaimMarks as ClaimMarks, ClaimTimes as ClaimTimes
from .fallback import FALLBACK as FALLBACK
from .language import (
    GROUP as GROUP,
    Language as Language,
    find_language as find_language,
    language_codes as language_codes,
    language_or_fallback as language_or_fallback,
    load_language as load_language,
    packs_with as packs_with,
    plain_code as plain_code,
)
from .sections import Components as Components, MessageType as MessageType, Profile as Profile, Sentences as Sentences
from .yaml_file import load_yaml as load_yaml, parse_yaml as parse_yaml, read_yaml as read_yaml
