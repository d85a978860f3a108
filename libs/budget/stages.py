"""The one table of stages: what each may take, what it needs at least, and its span's name.

A stage is allowed min(its cap, what is left of the deadline - the floors of the stages after it).
With less than its floor it is not started. Caps and total are those of the specification.
"""

from dataclasses import dataclass

TOTAL_S = 5.0
"""Seconds from the request's arrival to its answer."""

HOP_S = 0.01
"""Seconds kept back on every call to another service, for the way there and back."""


@dataclass(frozen=True)
class Stage:
    """One step of a request. `name` is also the name of its span.

    `during` says in an error what went on, and `awaits` names the part, of the product or beside it,
    that the stage does little else than wait for; "" for work of its own.
    """

    name: str
    cap_s: float
    floor_s: float
    during: str = ""
    awaits: str = ""


_RECORDS, _STORE = "The record of answers", "The vector store"

RESOLVE = Stage(
    "gateway.resolve",
    cap_s=0.5,
    floor_s=0.005,
    during="the book was looked up",
    awaits="The list of books",
)
ANSWER = Stage("gateway.answer", cap_s=5.0, floor_s=0.05, during="the answer was made")
GATEWAY = (RESOLVE, ANSWER)

RECALL = Stage(
    "generation.recall",
    cap_s=1.0,
    floor_s=0.001,
    during="what was asked before was looked up",
    awaits=_RECORDS,
)
"""Of requests that say that they may come twice."""
REWRITE = Stage("generation.rewrite", cap_s=1.0, floor_s=0.001, during="the question was read")
"""By rules, always; the model's part may be left out, and says itself what it needs."""
RETRIEVE = Stage(
    "generation.retrieve",
    cap_s=2.0,
    floor_s=0.02,
    during="the book was searched",
    awaits="The retrieval service",
)
PROMPT = Stage(
    "generation.prompt", cap_s=0.1, floor_s=0.001, during="the passages were put together"
)
COMPLETE = Stage("generation.complete", cap_s=2.5, floor_s=0.05, during="the answer was written")
VALIDATE = Stage("generation.validate", cap_s=0.5, floor_s=0.01, during="the answer was checked")
RELEASE = Stage(
    "generation.release",
    cap_s=1.0,
    floor_s=0.001,
    during="the answer was recorded",
    awaits=_RECORDS,
)
"""What readers see before the whole is put on record while the draft is still being written."""
RECORD = Stage(
    "generation.record", cap_s=0.5, floor_s=0.02, during="the answer was recorded", awaits=_RECORDS
)
GENERATION = (RECALL, REWRITE, RETRIEVE, PROMPT, COMPLETE, VALIDATE, RELEASE, RECORD)

SCOPE = Stage(
    "retrieval.scope", cap_s=0.5, floor_s=0.001, during="the book was searched", awaits=_STORE
)
EMBED = Stage(
    "retrieval.embed",
    cap_s=1.0,
    floor_s=0.005,
    during="the question was embedded",
    awaits="The embedding model",
)
SEARCH = Stage(
    "retrieval.search", cap_s=2.0, floor_s=0.005, during="the book was searched", awaits=_STORE
)
FUSE = Stage("retrieval.fuse", cap_s=0.1, floor_s=0.001, during="the passages were ranked")
RERANK = Stage("retrieval.rerank", cap_s=1.0, floor_s=0.001, during="the passages were ranked")
"""A step that may be left out: nothing is kept back for it, and it says itself what it needs."""
RANK = Stage("retrieval.rank", cap_s=0.1, floor_s=0.001, during="the passages were ranked")
HIGHLIGHT = Stage(
    "retrieval.highlight", cap_s=0.5, floor_s=0.005, during="the passages were marked"
)
ANSWERABILITY = Stage(
    "retrieval.answerability", cap_s=0.1, floor_s=0.001, during="the passages were judged"
)
RETRIEVAL = (SCOPE, EMBED, SEARCH, FUSE, RERANK, RANK, HIGHLIGHT, ANSWERABILITY)

PIPELINES = (GATEWAY, GENERATION, RETRIEVAL)
