"""Models that are fitted elsewhere and only evaluated here."""

from libs.ml.logistic import Band, LogisticModel, load_model, load_models, tell

__all__ = ["Band", "LogisticModel", "load_model", "load_models", "tell"]
