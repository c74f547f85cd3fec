"""Lists the public names of Ragas and DeepEval, which the pages on coming from them map.

    python docs/names_of_other_tools.py FOLDER_OF_RAGAS 0.4.3 FOLDER_OF_DEEPEVAL 4.3.1

The folders are the packages, as installed or unpacked from a wheel (`pip download --no-deps deepeval`). Nothing in them
is imported or run. The names go into tests/docs/names_of_other_tools.json, with the versions that they are of.
"""

import ast
import json
import sys
from pathlib import Path

NAMES = Path(__file__).parent.parent / "tests" / "docs" / "names_of_other_tools.json"
MODULES = {
    "ragas": (
        *("", "metrics", "metrics.collections", "dataset_schema", "testset", "testset.graph", "testset.transforms"),
        *("testset.synthesizers", "testset.persona", "llms", "embeddings", "cache", "run_config", "cost", "messages"),
        *("backends", "prompt", "optimizers", "exceptions", "tokenizers"),
    ),
    "deepeval": (
        *("", "metrics", "test_case", "dataset", "models", "synthesizer", "simulator", "prompt", "optimizer"),
        *("benchmarks", "classifiers", "evaluate.configs", "tracing", "test_run", "annotation", "errors", "scorer"),
    ),
}
"""The modules of each package whose names people use."""
_LISTS = ("__all__", "_DEPRECATED_METRICS")


def public_names(folder: Path, module: str) -> list[str]:
    """Returns the public names of a module, sorted: those that it lists, else the classes that it defines or imports.

    Args:
        folder: The package's.
        module: Dotted, below the package; "" for the package itself.
    """
    place = folder.joinpath(*filter(None, module.split(".")))
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    tree = ast.parse(file.read_text(encoding="utf-8"))
    names = [
        name.value
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in _LISTS
        for name in (node.value.keys if isinstance(node.value, ast.Dict) else getattr(node.value, "elts", ()))
        if isinstance(name, ast.Constant)
    ]
    if not names:
        names = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    if not names:
        names = [
            alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
        ]
    return sorted({name for name in names if not name.startswith("_")})


def main() -> None:
    """Writes the file."""
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    arguments = dict(zip(MODULES, zip(sys.argv[1::2], sys.argv[2::2], strict=True), strict=True))
    listing = {
        package: {
            "version": version,
            "modules": {module: public_names(Path(folder), module) for module in MODULES[package]},
        }
        for package, (folder, version) in arguments.items()
    }
    NAMES.write_text(json.dumps(listing, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
