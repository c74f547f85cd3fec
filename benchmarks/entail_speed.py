"""Measures how many claims per second entailment models judge, and in how much memory.

    python benchmarks/entail_speed.py [--answers 40]

The models have the shapes of published ones and random weights, which takes as long. Faithfulness splits the answers of
helpdesk_en and asks about all claims of an answer at once. Words are tokens, so that a text has fewer of them than with
a published tokenizer. Seconds are of the machine and of the processor, after the model is loaded. Needs the extra
`entail`.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import checkout  # noqa: F401
from benchmark_output import print_machine, print_table

from assay import Sample, evaluate, load_set
from assay.judges import open_judge
from assay.languages import read_yaml

SHAPES: Mapping[str, dict[str, Any]] = read_yaml(
    Path(__file__).with_name("entailment_shapes.yaml"), dict[str, dict[str, Any]]
)
_LABELS = {"id2label": {0: "not supported", 1: "supported"}, "label2id": {"not supported": 0, "supported": 1}}
_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def main() -> None:
    """Prints claims per second and memory by shape; each shape is measured in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=40)
    parser.add_argument("--model", type=Path, help="measure the model in this folder, and print JSON")
    options = parser.parse_args()
    samples = load_set("helpdesk_en")[: options.answers]
    if options.model:
        print(json.dumps(measure(options.model, samples)))
        return
    print_machine()
    rows: list[list[object]] = []
    for name, shape in SHAPES.items():
        with tempfile.TemporaryDirectory() as folder:
            parameters, tokens = save_model(Path(folder), shape, samples)
            command = [sys.executable, __file__, "--answers", str(options.answers), "--model", folder]
            result = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        claims = result["claims"]
        speeds = [claims / result["seconds"], claims / result["processor_seconds"]]
        rows.append(
            [name, f"{parameters / 1e6:.0f} M", claims, round(tokens), *speeds, f"{result['memory'] / 1e6:.1f} GB"]
        )
    heads = ["shape", "parameters", "claims", "tokens of a context", "claims/s", "claims/s of the processor", "memory"]
    print_table(f"{options.answers} answers of helpdesk_en", heads, rows)


def save_model(folder: Path, shape: Mapping[str, Any], samples: list[Sample]) -> tuple[int, float]:
    """Saves a model with random weights and a tokenizer of whole words.

    Returns:
        The number of parameters, and the mean number of tokens of a sample's contexts.
    """
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import AutoConfig, AutoModelForSequenceClassification, PreTrainedTokenizerFast
    from transformers.utils import logging

    logging.disable_progress_bar()

    texts = [text for sample in samples for text in (*sample.retrieved_contexts, sample.response)]
    splitter = pre_tokenizers.BertPreTokenizer()
    words = sorted({word for text in texts for word, _ in splitter.pre_tokenize_str(text)})
    built = Tokenizer(
        models.WordLevel({word: place for place, word in enumerate([*_SPECIAL, *words])}, unk_token="[UNK]")
    )
    built.pre_tokenizer = splitter
    ends = [(word, _SPECIAL.index(word)) for word in ("[CLS]", "[SEP]")]
    built.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=ends
    )
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=built, model_max_length=512, model_input_names=["input_ids", "attention_mask"], **names
    )
    model = AutoModelForSequenceClassification.from_config(AutoConfig.for_model(**shape, **_LABELS, pad_token_id=0))
    model.save_pretrained(folder, safe_serialization=True)
    tokenizer.save_pretrained(folder)
    contexts = sum(len(built.encode(text).ids) for sample in samples for text in sample.retrieved_contexts)
    return sum(weights.numel() for weights in model.parameters()), contexts / len(samples)


def measure(folder: Path, samples: list[Sample]) -> dict[str, float]:
    """Judges the samples with the model in a folder; memory is the process's highest, in kB."""
    judge = open_judge(f"entail:{folder}")
    evaluate(samples[:1], "faithfulness", judge=judge, progress=False)  # loads libraries and the model
    started, processor = time.perf_counter(), time.process_time()
    results = evaluate(samples, "faithfulness", judge=judge, progress=False)
    seconds, processor_seconds = time.perf_counter() - started, time.process_time() - processor
    claims = sum(len(scores["faithfulness"].evidence.get("claims", ())) for scores in results.scores.values())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"claims": claims, "seconds": seconds, "processor_seconds": processor_seconds, "memory": memory}


if __name__ == "__main__":
    main()
