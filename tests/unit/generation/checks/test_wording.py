"""The words of a sentence tell whether it takes back, or speaks of, what the one before it says."""

import pytest

from services.generation.checks.wording import Wording


@pytest.mark.parametrize(
    "text",
    [
        "An exception is August.",
        "There are two exceptions to this.",
        "Steel hulls do not count.",
        "On no account is it opened.",
        "The makers advise against it.",
        "Some see this differently.",
        "See the errata.",
        "Misprint: it is five.",
        "Well, nearly.",
        "At least, so the label says.",
        "This permit was revoked in 2019.",
        "It is no longer supported.",
        "They were wrong.",
        "The opposite is true.",
        "Suppose that he was told so.",
    ],
)
def test_a_sentence_that_limits_or_withdraws_takes_back(text: str) -> None:
    assert Wording(text, "en").takes_back


@pytest.mark.parametrize(
    "text",
    [
        "The pump runs all day.",
        "They can be revoked at any time.",
        "Nearly all engines use it.",
        "We do not count the spare one.",
        "For now, we look at pumps.",
        "Do not do any of the following:",
        "Valves that are wrong are sent back.",
        "Suppose that a pump stops.",
        f"An exception is this one{', or this one' * 40}.",
    ],
)
def test_a_sentence_that_goes_on_takes_nothing_back(text: str) -> None:
    assert not Wording(text, "en").takes_back


@pytest.mark.parametrize(
    "text", ["In a gale it is not.", "We have stopped doing so.", "Light engines are spared that."]
)
def test_a_short_sentence_comments(text: str) -> None:
    assert Wording(text, "en").comments


@pytest.mark.parametrize(
    "text",
    [
        "It is cheap without taxes.",
        "The main rules are these:",
        "The pump is red.",
        "Whoever wants a boat that neither leaks nor sinks will have to pay for this.",
    ],
)
def test_another_does_not(text: str) -> None:
    assert not Wording(text, "en").comments


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        (
            "de",
            ("Eine Ausnahme ist der August.", "Davon ist abzuraten.", "Manche sehen das anders."),
        ),
        ("fr", ("Une exception est août.", "C’est déconseillé.", "C’était le cas jusqu’en 1985.")),
        ("es", ("Una excepción es agosto.", "No se recomienda.", "Eso era así hasta 1985.")),
        ("pt", ("Uma exceção é agosto.", "Não é recomendado.", "Isso valia até 1985.")),
        (
            "ru",
            ("Исключение составляет август.", "Это не рекомендуется.", "Так было до 1985 года."),
        ),
        ("ar", ("الاستثناء هو شهر أغسطس.", "لا ينصح بذلك.", "كان هذا حتى عام 1985.")),
        ("hi", ("अपवाद अगस्त है।", "यह उचित नहीं है।", "ऐसा 1985 तक होता था।")),
        ("ja", ("例外は八月である。", "これは勧められない。", "それは1985年までの話である。")),
        ("zh", ("八月除外。", "这种做法不推荐。", "那是1985年以前的做法。")),
    ],
)
def test_each_language_of_the_product_takes_back(language: str, texts: tuple[str, ...]) -> None:
    assert [text for text in texts if not Wording(text, language).takes_back] == []
