"""What may be stated as the language of a book, and what is said of anything else."""

import pytest

from libs.errors import InvalidInput
from services.ingest.model.language_tag import read_language


@pytest.mark.parametrize(
    ("stated", "code"),
    [
        ("en", "en"),
        ("EN", "en"),
        ("pt-BR", "pt"),
        ("pt_br", "pt"),
        ("zh-Hans", "zh"),
        ("sr-Latn-RS", "sr"),
        ("es-419", "es"),
        ("de-CH-1996", "de"),
        ("ca-valencia", "ca"),
        ("zh-yue-HK", "zh"),
        ("deu", "de"),
        ("ger", "de"),
        ("cmn", "zh"),
        ("iw", "he"),
        ("haw", "haw"),
        ("hsb", "hsb"),
    ],
)
def test_a_language_is_taken_with_region_and_script_and_kept_alone(stated: str, code: str) -> None:
    assert read_language(stated, "language") == code


@pytest.mark.parametrize(
    ("stated", "part"),
    [
        ("xx", '"xx" is no language code. Give a code'),
        ("xxx", '"xxx" is no language code'),
        ("qaa", '"qaa" is no language code'),
        ("und", '"und" is no language code'),
        ("german", "Did you mean de (German)?"),
        ("jp", "Did you mean ja (Japanese)?"),
        ("zh-Hanz", '"hanz" is no script or region. Did you mean zh (Chinese)?'),
        ("en-UK", '"uk" is no script or region'),
        ("en-US-GB", '"gb" is no script or region'),
        ("\n", r'"\n" is no language code'),
        ("é" * 40, "is no language code"),
        ("de" + "-valencia" * 9, "is no language code"),
    ],
)
def test_anything_else_is_refused_with_one_message(stated: str, part: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_language(stated, "language")
    message = str(refused.value)
    assert message.startswith('language: "')
    assert part in message
    assert "such as en, pt-BR or zh-Hans" in message
    assert "\n" not in message
