"""The source of a book comes in from the gateway or an operator; a published edition goes out.

`fetch -> parse -> split -> embed -> publish`, run by a worker on durable jobs. The service also
answers what books there are and what their documents hold.
"""
