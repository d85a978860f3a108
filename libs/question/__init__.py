"""Analyse a question: its type, its parts and what it leans on."""
