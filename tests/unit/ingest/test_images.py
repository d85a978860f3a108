"""What a picture's file is by its bytes, and what is left of a drawing that would do harm."""

import hashlib

import pytest
from lxml import etree

from libs.errors import InvalidInput
from services.ingest.parsers.images import check_image, is_image
from tests.support.pictures import (
    AVIF,
    BOMB,
    DRAWING,
    GIF,
    HOSTILE_DRAWING,
    JPEG,
    WEBP,
    laughs,
    png,
)


@pytest.mark.parametrize(
    ("data", "media_type", "size"),
    [
        (png(2, 1), "image/png", (2, 1)),
        (GIF, "image/gif", (3, 2)),
        (JPEG, "image/jpeg", (7, 5)),
        (WEBP, "image/webp", (9, 8)),
        (AVIF, "image/avif", (11, 6)),
        (DRAWING, "image/svg+xml", (40, 30)),
    ],
)
def test_a_picture_is_what_its_bytes_say(
    data: bytes, media_type: str, size: tuple[int, int]
) -> None:
    image = check_image(data)
    assert (image.media_type, (image.width, image.height)) == (media_type, size)
    assert image.image_id == hashlib.sha256(image.data).hexdigest()
    if media_type != "image/svg+xml":
        assert image.data == data


@pytest.mark.control("V7")
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"<html><script>alert(1)</script></html>", "is no PNG"),
        (b"%PDF-1.7", "is no PNG"),
        (b"GIF89a", "is no PNG"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 40, "is no PNG"),
        (b"\xff\xd8\xff" + b"\xff" * 5000, "is no PNG"),
        (b"\0\0\0\x14ftypavif" + b"\0" * 40, "is no PNG"),
        (BOMB, "60000 × 60000 pixels"),
        (png() + b"\0" * (8 << 20), "larger than 8 MiB"),
        (DRAWING + b" " * (2 << 20), "larger than 2 MiB"),
        (b"<svg", "damaged"),
        (b"<svg><rect/></svg>", "none that a browser shows"),
        (b"<html xmlns='x'><svg/></html>", "none that a browser shows"),
        (laughs(6), "too many parts"),
        (
            b'<svg xmlns="http://www.w3.org/2000/svg"><g id="a"><use href="#a"/></g></svg>',
            "holds itself",
        ),
    ],
)
def test_a_file_that_is_no_picture_or_too_large_is_refused_with_its_reason(
    data: bytes, reason: str
) -> None:
    with pytest.raises(InvalidInput, match=reason):
        check_image(data)


@pytest.mark.control("V7", "V8")
def test_a_hostile_drawing_keeps_shapes_and_words_and_names_nothing_outside() -> None:
    data = check_image(HOSTILE_DRAWING).data
    text = data.decode()
    for gone in ("script", "foreignObject", "https:", "javascript", "@import", "ENTITY", "<image"):
        assert gone not in text.replace("<title>" + text.partition("<title>")[2], "")
    root = etree.fromstring(data)
    attributes = [str(name) for one in root.iter() for name in one.attrib]
    assert not [name for name in attributes if name.lower().startswith("on") or "base" in name]
    assert {etree.QName(one).localname for one in root.iter()} == {
        *("svg", "use", "g", "text", "style", "rect", "title")
    }
    assert "kept" in text
    assert "rect { stroke: red }" in text
    assert 'href="#r"' in text


def test_a_drawing_that_repeats_itself_within_reason_stays() -> None:
    assert check_image(laughs(3)).width == 9


def test_a_drawing_keeps_what_it_looks_like() -> None:
    text = check_image(DRAWING).data.decode()
    assert 'fill="url(#g)"' in text
    assert ">Tide</text>" in text


@pytest.mark.parametrize(
    "path", ["a.PNG", "x/b.jpeg", "c.svg", "d.webp", "e.avif", "f.gif", "g.jpg"]
)
def test_pictures_are_known_by_their_names(path: str) -> None:
    assert is_image(path)


@pytest.mark.parametrize("path", ["a.md", "b.svgz", "png", "c.bmp", "d.tiff"])
def test_other_files_are_no_pictures(path: str) -> None:
    assert not is_image(path)
