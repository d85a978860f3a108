"""Answers a question from one edition of a book, every sentence with its proof.

In: a question, perhaps with marked text and earlier messages, from the gateway. Out: a stream of the
passages found, each sentence once it has passed its checks, and at last the recorded answer or refusal.
"""
