from .components import (
    find_components as find_components,
    find_guides as find_guides,
    normal_name as normal_name,
    unspecified_components as unspecified_components,
)
from .demands import find_rules as find_rules
from .entities import (
    KINDS as KINDS,
    Entity as Entity,
    find_entities as find_entities,
    find_unstated as find_unstated,
    states_fact as states_fact,
)
from .language_detection import FEWEST_LETTERS as FEWEST_LETTERS, detect_language as detect_language
from .numbers import (
    Number as Number,
    NumberFormat as NumberFormat,
    NumeralValue as NumeralValue,
    find_numbers as find_numbers,
    format_shown as format_shown,
    known_unit as known_unit,
    numeral_readings as numeral_readings,
    parse_number as parse_number,
)
from .phrases import JudgeAddresses as JudgeAddresses
from .sentence_kinds import CLAIM as CLAIM, TO_JUDGE as TO_JUDGE, load_sentence_kinds as load_sentence_kinds
from .sentences import (
    AnswerSentence as AnswerSentence,
    answer_sentences as answer_sentences,
    answer_to_its_reader as answer_to_its_reader,
    claiming_sentences as claiming_sentences,
    sentences as sentences,
    without_words_to_judge as without_words_to_judge,
)
from .text_matching import Place as Place, find_quote as find_quote, tokens as tokens
from .wording import (
    count_of as count_of,
    in_reader_language as in_reader_language,
    list_first as list_first,
    phrase as phrase,
)
