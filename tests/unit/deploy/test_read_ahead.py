"""What a node reads of its shards when it starts."""

from pathlib import Path

from deploy.qdrant_node.read_ahead import read_ahead

PAGE = 1000


def shard(folder: Path, pages: int) -> Path:
    for number in range(pages):
        path = folder / "segments" / "one" / "payload_storage" / f"page_{number}.dat"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(PAGE))
    (folder / "segments" / "one" / "vectors.dat").write_bytes(bytes(PAGE))
    return folder


def test_payloads_are_read_and_nothing_else(tmp_path: Path) -> None:
    folders = [shard(tmp_path / "a", 2), shard(tmp_path / "b", 1), tmp_path / "gone"]
    assert read_ahead(folders, 1 << 20) == 3 * PAGE


def test_no_more_than_a_quarter_of_the_free_memory_is_filled(tmp_path: Path) -> None:
    folders = [shard(tmp_path, 3)]
    assert read_ahead(folders, 4 * 2 * PAGE) == 2 * PAGE
    assert read_ahead(folders, 4 * PAGE - 1) == 0
