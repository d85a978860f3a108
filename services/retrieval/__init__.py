"""Questions in, the passages of one edition that answer them out; called by generation and gateway.

scope → embed → search → blend → rank → mark → gate. Opens nothing but the vector store, keeps nothing.
"""
