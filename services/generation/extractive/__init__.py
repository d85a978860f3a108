"""Answer without a language model: pick the sentences of the passages that answer."""
