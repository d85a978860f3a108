"""Read XML without opening anything, and put the files of one book together."""

import posixpath
import re
from dataclasses import dataclass, field

from lxml import etree

from libs.errors import InvalidInput
from services.ingest.parsers.docbook.entities import (
    UNDEFINED,
    Budget,
    Expander,
    Read,
    missing,
    nothing,
    resolve,
)

XML = "{http://www.w3.org/XML/1998/namespace}"
_INCLUDES = ("{http://www.w3.org/2001/XInclude}", "{http://www.w3.org/2003/XInclude}")
_NO_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_DEEPEST = 100
"""Elements in each other: books have some thirty, and each is read by calls inside of calls."""
_MOST_INCLUDES = 2000
_PICTURES = ("fileref", "src")


def read_tree(source: str, path: str = "") -> etree._Element:
    """Return the root of a document that stands alone; instructions stand for what it lacks.

    Raises InvalidInput for what is not well-formed, nested too deep, or grows without bounds.
    """
    return _parse(Expander(nothing, Budget()).expand(source, path))


def _parse(text: str) -> etree._Element:
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
    )
    text = re.sub(r"\A\s*<\?xml\s[^<>]*\?>", "", text.lstrip("\ufeff"))
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        if "depth" in str(error).lower():
            raise InvalidInput("it is nested too deep to be read") from error
        reason = re.sub(r",? ?line \d+, column \d+.*", "", str(error.msg or "it is empty"))
        raise InvalidInput(
            f"it is no well-formed XML: {reason[:200]}, line {error.lineno or 1}"
        ) from error
    _check_depth(root)
    return root


def _check_depth(root: etree._Element) -> None:
    depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > _DEEPEST:
            raise InvalidInput("it is nested too deep to be read")


def local(element: etree._Element) -> str:
    """Return the name of an element without its namespace; "" for an instruction."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def id_of(element: etree._Element) -> str:
    return str(element.get("id") or element.get(f"{XML}id") or "")


@dataclass
class Whole:
    """A document with the files that it takes in, and their paths."""

    text: str
    used: dict[str, None] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    """Paths of files that it declares and never takes in."""


def put_together(path: str, source: str, read: Read, *, strict: bool) -> Whole:
    """Return a document with the files that its entities and inclusions name in their places.

    What lies outside of the source is never read; what is missing is marked in place. With `strict`
    raises InvalidInput, naming it, for a part that is not well-formed, which else is marked alike.
    """
    joiner = _Joiner(read, strict=strict)
    try:
        root = joiner.read_file(path, source, (path,))
    except InvalidInput as error:
        if strict:
            raise (
                error
                if error.message.startswith('"')
                else InvalidInput(f'"{path}": {error.message}')
            ) from error
        return Whole(source, joiner.used)
    unused = tuple(one for one in joiner.declared if one not in joiner.used)
    text = etree.tostring(root, encoding="unicode") if joiner.used else source
    return Whole(text, joiner.used, unused)


class _Joiner:
    def __init__(self, read: Read, *, strict: bool) -> None:
        self._read = read
        self._strict = strict
        self._budget = Budget()
        self._left = _MOST_INCLUDES
        self.used: dict[str, None] = {}
        self.declared: dict[str, None] = {}

    def read_file(self, path: str, source: str, within: tuple[str, ...]) -> etree._Element:
        expander = Expander(self._read, self._budget, self.used, self.declared, self._check)
        root = _parse(expander.expand(source, path))
        for one in [one for one in root.iter() if _is_include(one)]:
            if one is root or one.getparent() is not None:
                self._include(one, path, within)
        return root

    def _check(self, path: str, text: str) -> str:
        """Say what is wrong with a part, whose place in itself is lost in the whole."""
        try:
            _parse(f"<part>{text}</part>")
        except InvalidInput as error:
            if self._strict:
                raise InvalidInput(f'"{path}": {error.message}') from error
            return error.message
        return ""

    def _include(self, one: etree._Element, path: str, within: tuple[str, ...]) -> None:
        address = one.get("href") or ""
        target = resolve(path, address) if address else path
        self._left -= 1
        text = self._read(target) if target and self._left > 0 else None
        if text is None or target in within:
            reason = "it takes in itself" if target in within else "the source does not hold it"
            self._fall_back(one, address, reason)
            return
        self.used[target] = None
        self._budget.spend(len(text))
        if one.get("parse") == "text":
            _put_text(one, _NO_CHARACTER.sub("", text))
            return
        try:
            root = self.read_file(target, text, (*within, target))
        except InvalidInput as error:
            if self._strict:
                named = target in error.message
                raise error if named else InvalidInput(f'"{target}": {error.message}') from error
            self._fall_back(one, address, error.message)
            return
        found = _pointed(root, one.get("xpointer") or one.get("fragid") or "")
        if found is None:
            self._fall_back(one, address, "the file has not the part that is named")
        else:
            _lead_pictures(found, posixpath.dirname(path), posixpath.dirname(target))
            _put(one, found)

    def _fall_back(self, one: etree._Element, address: str, reason: str) -> None:
        fallback = next((inner for inner in one if local(inner) == "fallback"), None)
        if fallback is None:
            note = missing(address, reason)[2:-2].split(" ", 1)
            _put(one, etree.ProcessingInstruction(*note))
        elif one.getparent() is not None:
            around = etree.Element("phrase")
            around.text = fallback.text
            around.extend(list(fallback))
            _put(one, around)


def _is_include(one: etree._Element) -> bool:
    return isinstance(one.tag, str) and one.tag in [f"{space}include" for space in _INCLUDES]


def _put(old: etree._Element, new: etree._Element) -> None:
    parent = old.getparent()
    if parent is not None:
        new.tail = old.tail
        parent.replace(old, new)


def _put_text(old: etree._Element, text: str) -> None:
    parent, before = old.getparent(), old.getprevious()
    text += old.tail or ""
    if parent is None:
        return
    if before is None:
        parent.text = (parent.text or "") + text
    else:
        before.tail = (before.tail or "") + text
    old.tail = None
    parent.remove(old)


def _pointed(root: etree._Element, pointer: str) -> etree._Element | None:
    if not pointer:
        return root
    named = re.search(r"[\w.:-]+(?=\W*\Z)", pointer)
    wanted = named[0] if named else pointer
    return next((one for one in root.iter() if local(one) and id_of(one) == wanted), None)


def _lead_pictures(root: etree._Element, old: str, new: str) -> None:
    """Make the addresses of pictures relative to the file that takes in this one."""
    if old == new:
        return
    for one in root.iter():
        for name in _PICTURES if local(one) else ():
            address = one.get(name) or ""
            if address and ":" not in address and address[0] != "/":
                one.set(name, posixpath.relpath(posixpath.join(new, address), old or "."))


def undefined_in(root: etree._Element) -> list[str]:
    """Return the names of the entities that nothing defines, one for each place."""
    found = root.iter(etree.ProcessingInstruction)
    return [str(one.text or "") for one in found if getattr(one, "target", "") == UNDEFINED]
