"""What is known of a model's languages is told apart from what is not."""

from libs.embedding.local import LocalEmbedder
from libs.embedding.port import ModelStamp
from services.retrieval.languages import dense_weight


def test_a_model_weighs_less_in_a_language_that_it_does_not_know() -> None:
    stamp = LocalEmbedder.stamp
    assert dense_weight(stamp, "en") == 1.0
    assert 0 <= dense_weight(stamp, "zh") < dense_weight(stamp, "de") <= 1.0
    assert dense_weight(stamp, "xx") < 1.0


def test_a_model_that_was_not_measured_keeps_the_profiles_weight() -> None:
    other = ModelStamp("other", "1", 3, 512, "mean")
    assert dense_weight(other, "zh") == dense_weight(other, "en") == 1.0
