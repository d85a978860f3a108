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
    """One step of a request. `name` is also the name of its span."""

    name: str
    cap_s: float
    floor_s: float


RESOLVE = Stage("gateway.resolve", cap_s=0.5, floor_s=0.005)
ANSWER = Stage("gateway.answer", cap_s=5.0, floor_s=0.05)
GATEWAY = (RESOLVE, ANSWER)

RECALL = Stage("generation.recall", cap_s=1.0, floor_s=0.001)
"""Of requests that say that they may come twice."""
REWRITE = Stage("generation.rewrite", cap_s=1.0, floor_s=0.001)
"""By rules, always; the model's part may be left out, and says itself what it needs."""
RETRIEVE = Stage("generation.retrieve", cap_s=2.0, floor_s=0.02)
PROMPT = Stage("generation.prompt", cap_s=0.1, floor_s=0.001)
COMPLETE = Stage("generation.complete", cap_s=2.5, floor_s=0.05)
VALIDATE = Stage("generation.validate", cap_s=0.5, floor_s=0.01)
RELEASE = Stage("generation.release", cap_s=1.0, floor_s=0.001)
"""What readers see before the whole is put on record while the draft is still being written."""
RECORD = Stage("generation.record", cap_s=0.5, floor_s=0.02)
GENERATION = (RECALL, REWRITE, RETRIEVE, PROMPT, COMPLETE, VALIDATE, RELEASE, RECORD)

SCOPE = Stage("retrieval.scope", cap_s=0.2, floor_s=0.001)
EMBED = Stage("retrieval.embed", cap_s=1.0, floor_s=0.005)
SEARCH = Stage("retrieval.search", cap_s=2.0, floor_s=0.005)
FUSE = Stage("retrieval.fuse", cap_s=0.1, floor_s=0.001)
RERANK = Stage("retrieval.rerank", cap_s=1.0, floor_s=0.001)
"""A step that may be left out: nothing is kept back for it, and it says itself what it needs."""
RANK = Stage("retrieval.rank", cap_s=0.1, floor_s=0.001)
HIGHLIGHT = Stage("retrieval.highlight", cap_s=0.5, floor_s=0.005)
ANSWERABILITY = Stage("retrieval.answerability", cap_s=0.1, floor_s=0.001)
RETRIEVAL = (SCOPE, EMBED, SEARCH, FUSE, RERANK, RANK, HIGHLIGHT, ANSWERABILITY)

PIPELINES = (GATEWAY, GENERATION, RETRIEVAL)
