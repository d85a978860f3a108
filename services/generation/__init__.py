"""Answer a question from one edition of a book, every sentence with its proof.

The gateway asks, perhaps with selected text and earlier messages. It is streamed the passages found,
each sentence once it has passed its checks, and at last the recorded answer or refusal.
"""
