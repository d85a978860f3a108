"""Questions in, the passages of one edition that answer them out; called by generation and gateway.

scope → embed → search → blend → rank → mark → join → gate. Opens nothing but the vector
store, keeps nothing.
"""
