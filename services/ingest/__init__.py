"""Turn the source of a book into a published edition, for the gateway or an operator.

`fetch -> parse -> split -> embed -> publish`, run by a worker on durable jobs. The service also
answers what books there are and what their documents hold.
"""
