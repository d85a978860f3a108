"""REST and SSE over gRPC: the only part of Quoth that readers and programs talk to.

Requests come from the reader page (web/), from programs and from `quoth`; they leave as calls to
ingest, retrieval and generation. The gateway forwards and renders; it decides nothing about books.
"""
