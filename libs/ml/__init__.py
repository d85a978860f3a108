"""Models that are fitted elsewhere and only evaluated here."""

from libs.ml.logistic import LogisticModel, load_model, load_models

__all__ = ["LogisticModel", "load_model", "load_models"]
