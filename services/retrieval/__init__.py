"""Find the passages of one edition that answer a question; called by generation and gateway.

scope → embed → search → fuse → rank → highlight → join → answerability. Opens nothing but the vector
store, keeps nothing.
"""
