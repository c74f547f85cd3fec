from .crosseval import (
    Exchange as Exchange,
    Page as Page,
    build_pages as build_pages,
    load_bot as load_bot,
    summarise_split as summarise_split,
)
from .crosseval.bots import BotQuestion as BotQuestion, FunctionBot as FunctionBot, HttpBot as HttpBot
from .crosseval.pages import PageStore as PageStore
from .documents import Extraction as Extraction, extract_sections as extract_sections
from .documents.block import Block as Block
from .documents.document_reader import read_document as read_document
from .documents.docx import docx_blocks as docx_blocks
from .documents.extraction import list_documents as list_documents
from .documents.markdown import parse_markdown as parse_markdown
from .documents.pdf import pdf_blocks as pdf_blocks
from .documents.section_builder import (
    build_sections as build_sections,
    emulate_pages as emulate_pages,
    estimate_tokens as estimate_tokens,
)
from .folds import FoldError as FoldError, make_folds as make_folds
from .folds.boilerplate import leave_out_boilerplate as leave_out_boilerplate
from .folds.fold_search import mark_sampled as mark_sampled
from .folds.separation import (
    folds_per_document as folds_per_document,
    remove_shared as remove_shared,
    split_sections as split_sections,
)
from .folds.topic_splits import SETTINGS as SETTINGS, fold_distances as fold_distances, split_topics as split_topics
from .pair import Fact as Fact, Pair as Pair
from .pair_filters import (
    SINGLE_PAIR_FILTERS as SINGLE_PAIR_FILTERS,
    rouge_l_precision as rouge_l_precision,
)
from .pair_selection import FILTERS as FILTERS, select_pairs as select_pairs
from .questions import (
    GeneratedPair as GeneratedPair,
    GeneratedPairs as GeneratedPairs,
    PlannedQuestion as PlannedQuestion,
    generate_pairs as generate_pairs,
    plan_questions as plan_questions,
)
from .quotas import covering_quotas as covering_quotas, proportional_quotas as proportional_quotas
from .section import (
    Fold as Fold,
    Section as Section,
    read_folds as read_folds,
    read_sections as read_sections,
    write_folds as write_folds,
    write_sections as write_sections,
)
from .topics import (
    SectionTopic as SectionTopic,
    TopicDiscovery as TopicDiscovery,
    find_topics as find_topics,
)
