"""One module per chunking strategy: a document's blocks in, the ranges of its chunks out."""
