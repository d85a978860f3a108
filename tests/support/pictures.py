"""Small pictures of each kind, and drawings that would do harm."""

import struct
import zlib

from tests.support.gateway_fakes import EVIL


def png(width: int = 2, height: int = 1) -> bytes:
    """Return a picture of one colour."""
    rows = b"".join(b"\0" + b"\x30\x60\x90" * width for _ in range(height))
    return _png(width, height, rows)


def _png(width: int, height: int, rows: bytes) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


BOMB = _png(60_000, 60_000, b"\0" * 1_000_000)
"""A few kilobytes that say to be 3.6 thousand million pixels."""

GIF = b"GIF89a\x03\x00\x02\x00\x80\x00\x00\0\0\0\xff\xff\xff,\0\0\0\0\x03\0\x02\0\0\x02\x02D\x01\0;"
JPEG = (
    b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
    b"\xff\xc0\x00\x0b\x08\x00\x05\x00\x07\x01\x01\x11\x00\xff\xd9"
)
WEBP = b"RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\x08\xc0\x01\x00\0\0\0\0"
AVIF = (
    struct.pack(">I", 20)
    + b"ftypavif\0\0\0\0avif"
    + struct.pack(">I", 48)
    + b"meta\0\0\0\0"
    + struct.pack(">I", 36)
    + b"iprp"
    + struct.pack(">I", 28)
    + b"ipco"
    + struct.pack(">I", 20)
    + b"ispe\0\0\0\0"
    + struct.pack(">II", 11, 6)
)

DRAWING = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30" viewBox="0 0 40 30">'
    b'<rect width="40" height="30" fill="url(#g)"/><text x="1" y="9">Tide</text></svg>'
)
HOSTILE_DRAWING = f"""<?xml version="1.0"?><?xml-stylesheet href="https://evil.example/s.css"?>
<!DOCTYPE svg [<!ENTITY evil SYSTEM "file:///etc/passwd"><!ENTITY big "bang">]>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
 width="40" height="30" onload="alert(1)" ONCLICK="alert(2)" xml:base="https://evil.example/">
<script>window.hacked = 1</script><script href="https://evil.example/x.js"/>
<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><iframe src="https://evil.example/"/>
<img src="x" onerror="window.hacked=1"/></body></foreignObject>
<image href="https://evil.example/p.png"/><use href="https://evil.example/s.svg#a"/>
<use xlink:href="data:image/svg+xml,x"/><a href="javascript:alert(1)"><text>&evil;&big; kept</text></a>
<style>@import url(https://evil.example/a.css); rect {{ fill: url(https://evil.example/b) }}</style>
<style>rect {{ stroke: red }}</style>
<rect id="r" style="fill:url('https://evil.example/c')" filter="url(//evil.example/d)" fill="red"
 width="9" height="9" onmouseover="alert(3)"/><use href="#r"/>
<animate attributeName="href" values="javascript:alert(1)"/><set attributeName="onload" to="x"/>
<title>{EVIL.replace("&", "&amp;").replace("<", "&lt;")}</title></svg>""".encode()


def laughs(levels: int) -> bytes:
    """Return a drawing of ten to the power of `levels` rectangles, most of them by `use`."""
    groups = "".join(
        f'<g id="g{n}">' + f'<use href="#g{n - 1}"/>' * 10 + "</g>" for n in range(1, levels + 1)
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><defs><rect id="g0" width="1"/>'
        f'{groups}</defs><use href="#g{levels}"/></svg>'
    ).encode()
