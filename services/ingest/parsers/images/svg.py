"""Make a drawing (SVG) of nothing but shapes and text: no script, no address, no foreign element."""

import re

from lxml import etree

from libs.errors import InvalidInput

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_XML = "http://www.w3.org/XML/1998/namespace"
_HEAD = 4096
_MOST_DRAWN = 100_000
"""Elements, those that `use` repeats counted each time."""
_KEPT = frozenset(
    (
        *("svg", "g", "defs", "symbol", "use", "title", "desc", "style", "view"),
        *("path", "rect", "circle", "ellipse", "line", "polyline", "polygon"),
        *("text", "tspan", "textPath", "linearGradient", "radialGradient", "stop"),
        *("clipPath", "mask", "pattern", "marker", "filter", "feBlend", "feColorMatrix"),
        *("feComponentTransfer", "feComposite", "feDropShadow", "feFlood", "feFuncA", "feFuncB"),
        *("feFuncG", "feFuncR", "feGaussianBlur", "feMerge", "feMergeNode", "feOffset"),
    )
)
_AS_GROUPS = frozenset(("a", "switch"))
"""Kept for what is in them."""
_UNSAFE = re.compile(
    r"@|\\|expression|javascript:|data:|url\s*\((?!\s*['\"]?#)|image-set|image\s*\(|behavior|binding",
    re.IGNORECASE,
)
"""What may name something outside of the drawing, in a style or in an attribute."""
_LOCAL = re.compile(r"#[^\s\"'()<>]{1,200}")
_LENGTH = re.compile(r"\s*([0-9]{1,6}(?:\.[0-9]*)?)\s*(px|pt|pc|mm|cm|in|em|ex)?\s*")
_PIXELS = {
    "pt": 4 / 3,
    "pc": 16.0,
    "mm": 96 / 25.4,
    "cm": 96 / 2.54,
    "in": 96.0,
    "em": 16.0,
    "ex": 8.0,
}


def looks_like_svg(data: bytes) -> bool:
    return b"<svg" in data[:_HEAD].replace(b"\0", b"") or b":svg" in data[:_HEAD]


def sanitise_svg(data: bytes) -> tuple[bytes, int, int]:
    """Return the drawing without what is not known to be harmless, and its width and height in pixels.

    Raises InvalidInput for what is no drawing, or draws too much.
    """
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        huge_tree=False,
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise InvalidInput("its drawing (SVG) is damaged") from error
    if root.tag != f"{{{_SVG}}}svg":
        raise InvalidInput("its drawing (SVG) is none that a browser shows")
    _clean(root)
    if _drawn(root) > _MOST_DRAWN:
        raise InvalidInput("its drawing (SVG) has too many parts")
    # Declarations of the names that are gone would stay.
    etree.cleanup_namespaces(root)
    width, height = _size_of(root)
    # Without the document around it, and with that what its type declares.
    return etree.tostring(root, encoding="utf-8"), width, height


def _clean(root: etree._Element) -> None:
    for element in list(root.iter()):
        if element is not root and not _is_kept(element):
            _remove(element)
            continue
        if str(element.tag) == f"{{{_SVG}}}style" and (
            len(element) or _UNSAFE.search(element.text or "")
        ):
            _remove(element)
            continue
        for name, value in element.attrib.items():
            if not _is_harmless(str(name), str(value)):
                del element.attrib[name]


def _is_kept(element: etree._Element) -> bool:
    """Whether an element may stay, as what it is or as a group."""
    tag = element.tag
    if not isinstance(tag, str) or not tag.startswith(f"{{{_SVG}}}"):
        return False
    name = tag.rpartition("}")[2]
    if name in _AS_GROUPS:
        element.tag = f"{{{_SVG}}}g"
        return True
    return name in _KEPT


def _is_harmless(name: str, value: str) -> bool:
    space, _, bare = name.rpartition("}")
    space = space.lstrip("{")
    if bare == "href" and space in ("", _XLINK):
        return _LOCAL.fullmatch(value) is not None
    if space == _XML:
        return bare in ("space", "lang", "id")
    if space or bare.lower().startswith("on") or bare in ("src", "base", "requiredExtensions"):
        return False
    return not _UNSAFE.search(value)


def _remove(element: etree._Element) -> None:
    """Take an element out with all that is in it; the text after it stays."""
    parent = element.getparent()
    if parent is None:
        return
    tail = element.tail or ""
    before = element.getprevious()
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    parent.remove(element)


def _drawn(root: etree._Element) -> int:
    """Count the elements that are drawn, and stop at more than may be.

    Raises InvalidInput for one that holds itself.
    """
    named = {str(element.get("id")): element for element in root.iter() if element.get("id")}
    counts: dict[etree._Element, int] = {}
    for element in reversed(list(root.iter())):
        # What stands behind or inside comes first; what `use` names may not have been counted yet.
        _count(element, named, counts, 0)
    return counts[root]


def _count(
    element: etree._Element,
    named: dict[str, etree._Element],
    counts: dict[etree._Element, int],
    depth: int,
) -> int:
    if element in counts:
        if counts[element] < 0:
            raise InvalidInput("its drawing (SVG) holds itself")
        return counts[element]
    if depth > 200:
        raise InvalidInput("its drawing (SVG) is nested too deep")
    counts[element] = -1
    total = 1 + sum(_count(child, named, counts, depth + 1) for child in element)
    if str(element.tag).endswith("}use"):
        address = element.get("href") or element.get(f"{{{_XLINK}}}href") or ""
        target = named.get(address.removeprefix("#"))
        if target is not None:
            total += _count(target, named, counts, depth + 1)
    counts[element] = min(total, _MOST_DRAWN + 1)
    return counts[element]


def _size_of(root: etree._Element) -> tuple[int, int]:
    """Return width and height in pixels; zeros where the drawing says neither, nor a view box."""
    width, height = (_pixels(root.get(side) or "") for side in ("width", "height"))
    if width and height:
        return width, height
    box = [_pixels(part) for part in re.split(r"[\s,]+", (root.get("viewBox") or "").strip())]
    return (box[2], box[3]) if len(box) == 4 and box[2] and box[3] else (0, 0)


def _pixels(length: str) -> int:
    found = _LENGTH.fullmatch(length)
    return round(float(found[1]) * _PIXELS.get(found[2] or "", 1.0)) if found else 0
