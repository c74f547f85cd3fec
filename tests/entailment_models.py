"""Small entailment models, made with the real library: one with random weights, one that has learnt what support is.

The second one begins with attention that finds each word of a claim in the document, and learns from the claims of a
bundled set what that says: it tells a claim of the document from one of another, and it tells the two texts apart.
"""

import random
import re
from functools import cache
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

from assay import load_set
from assay.languages import load_language
from assay.text import sentences

HIDDEN = 64
PLACES = 256  # tokens that the models read at once
KIND, MATCHED, FROM, SHARE = range(4)  # dimensions: which text a token is of, where its word stands, whom [CLS] reads


@cache
def documents() -> list[list[str]]:
    """The sentences of the contexts of a bundled set, by sample."""
    english = load_language("en")
    by_sample = [[" ".join(sample.retrieved_contexts)] for sample in load_set("helpdesk_en")]
    return [sentences(text, english) for (text,) in by_sample]


@cache
def tokenizer() -> PreTrainedTokenizerFast:
    """A tokenizer of whole words: those of the documents, and a few more."""
    text = " ".join(sentence for document in documents() for sentence in document)
    words = sorted({*re.findall(r"\w+|[^\w\s]", text.lower()), *["it", "costs", "5", "euro", "flowers", "are", "free"]})
    vocabulary = {word: number for number, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words])}
    built = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    built.normalizer = normalizers.Lowercase()
    built.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    built.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    inputs = ["input_ids", "token_type_ids", "attention_mask"]
    return PreTrainedTokenizerFast(
        tokenizer_object=built, eos_token="[SEP]", model_max_length=PLACES, model_input_names=inputs, **names
    )


def random_model(labels: list[str], seed: int = 0) -> BertForSequenceClassification:
    """A classifier of two layers with random weights and these labels."""
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(tokenizer()),
        hidden_size=HIDDEN,
        num_hidden_layers=2,
        num_attention_heads=1,
        intermediate_size=HIDDEN,
        max_position_embeddings=PLACES,
        hidden_dropout_prob=0,
        attention_probs_dropout_prob=0,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
    )
    return BertForSequenceClassification(config)


def trained_model(labels: list[str], yes: int) -> BertForSequenceClassification:
    """A classifier that has learnt which claims a document supports; `yes` is the place of the label that says so."""
    model = random_model(labels).eval()
    draw = random.Random(0)
    others = [number for number in range(len(labels)) if number != yes]
    texts: list[tuple[str, str]] = []
    right: list[int] = []
    for number in range(300):
        document, other = draw.sample(documents(), 2)
        document = document[:6]
        texts.append((" ".join(document), draw.choice(other if number % 2 else document)))
        right.append(draw.choice(others) if number % 2 else yes)
    inputs = tokenizer()(*map(list, zip(*texts, strict=True)), padding=True, return_tensors="pt")
    with torch.no_grad():
        _find_words(model)
        read = model.bert(**inputs).last_hidden_state.detach()
    optimizer = torch.optim.AdamW([*model.bert.pooler.parameters(), *model.classifier.parameters()], lr=0.02)
    for _ in range(400):
        optimizer.zero_grad()
        logits = model.classifier(model.bert.pooler(read))
        torch.nn.functional.cross_entropy(logits, torch.tensor(right)).backward()
        optimizer.step()
    return model


def _find_words(model: BertForSequenceClassification) -> None:
    """Sets the weights below the classifier: a token finds its own word in either text, and [CLS] asks the claim's."""
    words = torch.diag(torch.tensor([0.0] * 4 + [1.5] * (HIDDEN - 4)))
    embeddings = model.bert.embeddings
    embeddings.position_embeddings.weight.zero_()
    embeddings.word_embeddings.weight.normal_(0, 1)
    embeddings.word_embeddings.weight[:, :4] = 0
    embeddings.token_type_embeddings.weight.zero_()
    embeddings.token_type_embeddings.weight[:, KIND] = torch.tensor([-6.0, 6.0])
    for layer in model.bert.encoder.layer:
        attention = layer.attention
        for part in (attention.self.query, attention.self.key, attention.self.value, layer.output.dense):
            part.weight.zero_()
            part.bias.zero_()
        attention.output.dense.weight.copy_(torch.eye(HIDDEN))
        attention.output.dense.bias.zero_()
    first, second = (layer.attention.self for layer in model.bert.encoder.layer)
    first.query.weight.copy_(words)
    first.key.weight.copy_(words)
    first.value.weight[MATCHED, KIND] = 1
    second.query.bias[FROM] = 10
    second.key.weight[FROM, KIND] = 1
    second.value.weight[SHARE, MATCHED] = 1


def save(model: BertForSequenceClassification, folder: Path) -> str:
    """Saves a model with the tokenizer; returns what `--judge` calls it."""
    model.save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return f"entail:{folder}"
