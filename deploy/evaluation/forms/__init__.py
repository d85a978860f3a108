"""One module a form of labelled data: rows and a running product in, what was measured out."""
