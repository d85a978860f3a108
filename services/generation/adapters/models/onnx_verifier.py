"""The verifier that runs an entailment network from a folder, in this process.

The folder holds `model.onnx`, `tokenizer.json` and `config.json`, in one of the common layouts: three
labels as DeBERTa has them, two as MiniCheck, one number as HHEM.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from libs.embedding.tokenwise import OneThread
from libs.ml.onnx import ort
from libs.settings import SettingsError
from services.generation.model import Statement
from services.generation.transcript import Judgement

_SUPPORTED = re.compile(
    r"entail(?:ment|s|ed)|support(?:ed|s)?|consistent|faithful|grounded|factual|true|yes",
    re.IGNORECASE,
)
_GENERIC = re.compile(r"label_\d+", re.IGNORECASE)
_MAX_TOKENS = 512
_FILES = ("model.onnx", "onnx/model.onnx")

Numbers = npt.NDArray[np.float32]


class OnnxVerifier:
    """Judges by the network in `folder`. Raises SettingsError when it can't be used."""

    name = "nli"

    def __init__(self, folder: Path, threshold: float = 0.5) -> None:
        self.threshold = threshold
        graph = next((folder / name for name in _FILES if (folder / name).is_file()), None)
        if graph is None:
            raise SettingsError(f"GENERATION_NLI_DIR: there is no model.onnx in {folder.name}")
        try:
            config = json.loads((folder / "config.json").read_text("utf-8"))
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._session = ort.InferenceSession(
                str(graph), _one_thread(), providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # the libraries raise what they like
            reason = f"GENERATION_NLI_DIR: what is in {folder.name} can't be read"
            raise SettingsError(reason) from error
        most = min(int(config.get("max_position_embeddings") or _MAX_TOKENS), _MAX_TOKENS)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(most, strategy="only_first")
        self._inputs = {item.name for item in self._session.get_inputs()}
        self._label = find_label(config.get("id2label") or {}, self._count_labels())
        self._thread = OneThread()

    async def verify(
        self,
        statements: Sequence[Statement],
        allowed_s: float,  # noqa: ARG002 - who waits for it gives up by itself
    ) -> Sequence[Judgement]:
        return list(map(Judgement, await self._thread.map(self._judge, statements)))

    def _judge(self, statement: Statement) -> float:
        """Return the greatest probability that the quotes, or one of the passages, support it."""
        premises = ["\n".join(statement.quotes), *statement.passages]
        return max(self._entails(premise, statement.text) for premise in premises)

    def _entails(self, premise: str, hypothesis: str) -> float:
        read = self._tokenizer.encode(premise, hypothesis)
        given = {
            "input_ids": read.ids,
            "attention_mask": read.attention_mask,
            "token_type_ids": read.type_ids,
        }
        asked = {
            name: np.array([ids], np.int64) for name, ids in given.items() if name in self._inputs
        }
        logits = np.asarray(self._session.run(None, asked)[0], np.float64).reshape(-1)
        return to_probability(logits, self._label)

    def _count_labels(self) -> int:
        shape = self._session.get_outputs()[0].shape
        if len(shape) == 2 and isinstance(shape[1], int):
            return shape[1]
        raise SettingsError("GENERATION_NLI_DIR: its graph does not give one row of labels")


def find_label(names: Mapping[str, str], count: int) -> int | None:
    """Return the number of the label that says "supported"; None for a single number.

    Two labels without names are "not supported" and "supported", as MiniCheck has them. Raises
    SettingsError for more that have no names we know.
    """
    if count == 1:
        return None
    fitting = [int(number) for number, name in names.items() if _SUPPORTED.fullmatch(name)]
    if len(fitting) == 1 and fitting[0] < count:
        return fitting[0]
    unnamed = all(_GENERIC.fullmatch(name) for name in names.values())
    if count == 2 and unnamed:
        return 1
    raise SettingsError(
        "GENERATION_NLI_DIR: config.json's id2label does not name an entailment label"
    )


def to_probability(logits: npt.NDArray[np.float64], label: int | None) -> float:
    """Return what the network's numbers say of support, in [0, 1]."""
    if label is None:
        return float(1 / (1 + np.exp(-np.clip(logits[0], -500, 500))))
    powers = np.exp(logits - logits.max())
    return float(powers[label] / powers.sum())


def _one_thread() -> ort.SessionOptions:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return options
