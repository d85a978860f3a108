"""A document that tells no language by itself is in that of what stands around it."""

import pytest

from libs.language.detect import tells_language
from libs.profiles import load_profile
from services.ingest.model.book import PlacedFile, SourceFile
from services.ingest.ports.reading import ReadTask
from services.ingest.surroundings import ReaderInPlace
from tests.support.ingest_fakes import DirectReader

CHUNKING = load_profile("").chunking

GERMAN = (
    "Der Ofen muss vor dem ersten Brand langsam erwärmt werden, damit die Feuchtigkeit aus den Steinen "
    "entweichen kann. Danach wird die Klappe geschlossen und die Temperatur gehalten, bis die Ware "
    "fertig ist. Wer zu früh öffnet, riskiert Risse in der Glasur und verliert den ganzen Brand."
)
ENGLISH = "The door of the kiln is to be shut before the fire is lit, and it is not to be opened."
RUSSIAN = "Печь нельзя открывать, пока она не остынет до комнатной температуры полностью."


class KnownFiles:
    """The files of a book, which notes what is read."""

    def __init__(self, texts: dict[str, str]) -> None:
        self._files = [SourceFile(path, text.encode()) for path, text in texts.items()]
        self.placed = [PlacedFile(file, at, "", "A") for at, file in enumerate(self._files)]

    async def read(self, paths: list[str]) -> list[SourceFile]:
        return [file for file in self._files if file.path in paths]


async def languages(texts: list[str], stated: str = "") -> tuple[list[str], int]:
    files = KnownFiles({f"{at}.md": text for at, text in enumerate(texts)})
    reader = DirectReader()
    book = ReaderInPlace(reader, files, files.placed)  # type: ignore[arg-type]
    tasks = [ReadTask("b", stated, placed, CHUNKING) for placed in files.placed]
    found = [(await book.read(task)).report.language for task in tasks]
    return found, len(reader.read_paths)


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (["# Ofen\n", GERMAN, "# Anhang\n", GERMAN], ["de"] * 4),
        ([GERMAN, "Kiln door\n", "# Klappe\n"], ["de"] * 3),
        ([GERMAN, ENGLISH, "# Anhang\n", RUSSIAN], ["de", "en", "en", "ru"]),
        (["# Ofen\n", "# Kiln\n"], ["en", "en"]),
        ([RUSSIAN * 4, "# Kiln\n"], ["ru", "en"]),
    ],
)
async def test_a_short_document_is_in_the_language_of_the_nearest_that_tells(
    texts: list[str], found: list[str]
) -> None:
    assert (await languages(texts))[0] == found


async def test_each_document_is_looked_at_once_and_none_where_the_language_is_stated() -> None:
    names = [f"# Name {at}\n" for at in range(30)]
    assert (await languages(names, "de")) == (["de"] * 30, 30)
    found, read = await languages([*names, GERMAN])
    assert found == ["en"] * 24 + ["de"] * 7
    assert read <= 2 * 31 + 6


async def test_the_language_of_a_document_does_not_depend_on_who_is_read_first() -> None:
    files = KnownFiles({"a.md": "# Ofen\n", "b.md": "# Klappe\n", "c.md": GERMAN})
    book = ReaderInPlace(DirectReader(), files, files.placed)  # type: ignore[arg-type]
    for at in (1, 0, 2):
        read = await book.read(ReadTask("b", "", files.placed[at], CHUNKING))
        assert read.report.language == "de"


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        (GERMAN, True),
        (GERMAN[:110], True),
        (ENGLISH, True),
        (RUSSIAN * 3, True),
        ("窯の扉は、温度が室温まで完全に下がるまで決して開けてはいけません。", True),
        (GERMAN[:60], False),
        ("Anhang", False),
        ("Servo PID Kalman CAN GPIO UART I2C SPI PWM ADC", False),
    ],
)
def test_a_short_text_tells_its_language_only_where_nothing_else_comes_near(
    text: str, tells: bool
) -> None:
    assert tells_language(text) is tells
