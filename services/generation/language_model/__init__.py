"""What the adapters of language models share: messages, one bounded call, reading a draft, prices."""
