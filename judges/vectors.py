"""Vectors of texts, checked before anything is computed from them or recorded."""

from collections.abc import Iterable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

from ..errors import JudgeError
from ..text.wording import count_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def read_embedding_reply(data: Sequence[Any] | None, count: int, model: str) -> "list[NDArray[np.float32]]":
    """Takes the vectors out of an embedding reply, one per text, in the order of the texts."""
    import numpy as np

    items = list(data or [])
    if len(items) != count:
        raise unusable(model, f"it has {count_of(len(items), 'vector')} for {count_of(count, 'text')}")
    try:
        indexes = [item.get("index") for item in items]
        with np.errstate(over="ignore"):  # too large for 32 bits becomes infinite, which the check refuses
            vectors = [np.asarray(_numbers(item["embedding"]), dtype=np.float64).astype(np.float32) for item in items]
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise unusable(model, f"an item has no vector of numbers ({type(error).__name__}: {error})") from error
    if any(index is not None for index in indexes):
        if sorted(map(str, indexes)) != sorted(map(str, range(count))):
            raise unusable(model, f"the indexes of its vectors are {indexes[:10]}, not 0 to {count - 1}")
        vectors = [vector for _, vector in sorted(zip(indexes, vectors, strict=True), key=lambda pair: int(pair[0]))]
    check_vectors(vectors, model)
    return vectors


def _numbers(values: Any) -> Any:
    """The numbers of a vector; numpy would make numbers of booleans and of texts."""
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float | Real):
            raise TypeError(f"{value!r:.40} is no number")
    return values


def check_vectors(vectors: "Iterable[NDArray[np.float32]]", model: str) -> None:
    """Checks that a cosine can be computed between any two vectors.

    Raises:
        JudgeError: Vectors differ in length, or one is empty, infinite, not a number, or zero.

    Example:
        >>> import numpy as np
        >>> check_vectors([np.array([0.6, 0.8]), np.array([0.0, 0.0])], "m")
        Traceback (most recent call last):
        ...
        assay.errors.JudgeError: m: the vectors cannot be used: vector 2 is zero, which has no direction
    """
    import numpy as np

    vectors = list(vectors)
    lengths = sorted({vector.shape for vector in vectors})
    if len(lengths) > 1 or any(len(shape) != 1 or not shape[0] for shape in lengths):
        raise unusable(model, f"vectors of {' and '.join(str(list(shape)) for shape in lengths)} dimensions")
    for number, vector in enumerate(vectors, start=1):
        if not np.isfinite(vector).all():
            raise unusable(model, f"vector {number} holds a value that is infinite or not a number")
        if not vector.any():
            raise unusable(model, f"vector {number} is zero, which has no direction")


def to_unit_length(vectors: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Scales vectors (texts, dimensions) that were checked to length 1."""
    import numpy as np

    precise = vectors.astype(np.float64)
    unit: NDArray[np.float32] = (precise / np.linalg.norm(precise, axis=1, keepdims=True)).astype(np.float32)
    return unit


def unusable(model: str, problem: str) -> JudgeError:
    """The error of vectors that cannot be used."""
    return JudgeError(f"{model}: the vectors cannot be used: {problem}")
