"""What the gateway shows and is asked: books, passages, answers, jobs; the structs are the JSON."""
