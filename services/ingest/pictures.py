"""Find the files of the pictures that a document shows, and put their images into its markup."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from urllib.parse import unquote

from libs.errors import InvalidInput
from services.ingest.model.book import (
    Document,
    DroppedContent,
    Markup,
    MarkupKind,
    ReadDocument,
    SourceFile,
)
from services.ingest.model.image import Image, UsedImage
from services.ingest.parsers.images import check_image, is_image
from services.ingest.ports.reading import DocumentReader, Files

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):|//")
_SITE = "@site/"
_ANY_ENDING = ".*"
_PREFERRED = (".svg", ".png", ".webp", ".avif", ".jpg", ".jpeg", ".gif")
_MOST_INSIDE = 64 << 20
"""Bytes of the pictures that lie in one document's own file."""
_SHOWN = 120
_INSIDE = ("data", "attachment", "cid")
"""Schemes of what lies in the document: in an address, in a cell of a notebook, in a mail."""
_ELSEWHERE = "it is on another site, of which nothing is fetched"
_WRITTEN_IN = "it is written into the document itself"
_NOT_HERE = "“{}” is not in the source"
_NO_PICTURE = "“{}” is no PNG, JPEG, GIF, WebP, AVIF or SVG"
_TOO_MUCH = "the pictures before it take all the room that one document has for them"

Found = Mapping[str, tuple[UsedImage, str]]
"""By the address that the source has: which image it is, and why readers get none."""
NOWHERE = UsedImage("", "", "")


class PictureFiles:
    """The pictures of a source by their paths, with the digests of their files."""

    def __init__(self, digests: Mapping[str, str]) -> None:
        self.digests = digests
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for path in digests:
            self._by_name[posixpath.basename(path)].append(path)

    def is_as_before(self, used: Iterable[UsedImage]) -> bool:
        """Say whether all that a document showed has the same files as then."""
        return all(
            self.digests.get(one.path) == one.digest
            if one.digest
            else not (one.path and (self._present(one.path) or self._below_some_folder(one.path)))
            for one in used
        )

    def find(self, address: str, document: str) -> tuple[str, str]:
        """Return the path that an address in a document leads to, and why its file is not there.

        One of the two is "", both where the address leads out of the source or nowhere.
        """
        if scheme := _SCHEME.match(address):
            return "", _WRITTEN_IN if scheme[1] in _INSIDE else _ELSEWHERE
        bare = unquote(re.split(r"[?#]", address, maxsplit=1)[0]).removeprefix(_SITE)
        path = posixpath.normpath(posixpath.join(posixpath.dirname(document), bare.lstrip("/")))
        if address.startswith((_SITE, "/")):
            path = posixpath.normpath(bare.lstrip("/"))
        found = self._present(path)
        if not found and address.startswith((_SITE, "/")):
            found = self._below_some_folder(path)
        if found:
            return found, ""
        is_known = is_image(path) or path.endswith(_ANY_ENDING)
        # What can't be written down leads nowhere: no file of a source is called so.
        missing = path if path.isprintable() else ""
        return missing, (_NOT_HERE if is_known else _NO_PICTURE).format(_readable(bare))

    def _present(self, path: str) -> str:
        if path in self.digests:
            return path
        if not path.endswith(_ANY_ENDING):
            return ""
        stem = path.removesuffix(_ANY_ENDING)
        return next((stem + end for end in _PREFERRED if stem + end in self.digests), "")

    def _below_some_folder(self, end: str) -> str:
        """Return the only file whose path ends so: what a site serves lies in folders of its own."""
        same = self._by_name.get(posixpath.basename(end), ())
        ending = [path for path in same if f"/{path}".endswith(f"/{end}")]
        return ending[0] if len(ending) == 1 else ""


def addresses_of(document: Document) -> list[str]:
    """Return the addresses of the pictures that a document shows, each once, in reading order."""
    images = (one.value for one in document.markup if one.kind is MarkupKind.IMAGE)
    return [address for address in dict.fromkeys(images) if address]


class PictureReader:
    """Reads the pictures of the documents of one job, each once."""

    def __init__(self, pictures: PictureFiles, files: Files, reader: DocumentReader) -> None:
        self._pictures = pictures
        self._files = files
        self._reader = reader
        self._known: dict[str, tuple[UsedImage, str]] = {}

    async def put_into(self, read: ReadDocument) -> ReadDocument:
        """Give a document the pictures that it shows, with those images that none had before it."""
        if all(one.kind is not MarkupKind.IMAGE for one in read.document.markup) or read.images:
            return read
        found: dict[str, tuple[UsedImage, str]] = {}
        images: list[Image] = []
        for address in addresses_of(read.document):
            path, reason = self._pictures.find(address, read.document.path)
            if reason:
                found[address] = UsedImage(path, "", ""), reason
                continue
            if path not in self._known:
                self._known[path], image = await self._read(path)
                images += [image] if image else []
            found[address] = self._known[path]
        return replace(settle(read, found), images=tuple(images))

    async def _read(self, path: str) -> tuple[tuple[UsedImage, str], Image | None]:
        [file] = await self._files.read([path])
        try:
            image = await self._reader.read_image(file.data)
        except InvalidInput as error:
            return (UsedImage(path, file.content_hash, ""), error.message), None
        return (UsedImage(path, file.content_hash, image.image_id), ""), image


def read_inner(read: ReadDocument, pictures: Sequence[SourceFile]) -> ReadDocument:
    """Give a document the pictures that lie in its own file, by the addresses of its markup."""
    found: dict[str, tuple[UsedImage, str]] = {}
    images: dict[str, Image] = {}
    room = _MOST_INSIDE
    for picture in pictures:
        room -= len(picture.data)
        if room < 0:
            found[picture.path] = NOWHERE, _TOO_MUCH
            continue
        try:
            image = check_image(picture.data)
        except InvalidInput as error:
            found[picture.path] = NOWHERE, error.message
        else:
            images[image.image_id] = image
            found[picture.path] = UsedImage("", "", image.image_id), ""
    for address in addresses_of(read.document):
        name = _readable(posixpath.basename(address))
        elsewhere = _SCHEME.match(address)
        reason = _ELSEWHERE if elsewhere else _NOT_HERE.format(name)
        found.setdefault(address, (NOWHERE, reason))
    return replace(settle(read, found), images=tuple(images.values()))


def settle(read: ReadDocument, found: Found) -> ReadDocument:
    """Put images in the place of addresses; without one the description stays, and is reported so."""
    document = read.document
    used = {one for one, _ in found.values() if one != NOWHERE}
    settled = replace(
        document,
        markup=[*_settled(document.markup, found)],
        dropped_content=_left(document.dropped_content, found),
        images=tuple(sorted(used)),
    )
    dropped = _left(read.report.dropped_content, found)
    return replace(read, document=settled, report=replace(read.report, dropped_content=dropped))


def _readable(name: str) -> str:
    shown = name[:_SHOWN]
    return shown if shown.isprintable() else ascii(shown)[1:-1]


def _settled(markup: Iterable[Markup], found: Found) -> Iterable[Markup]:
    for one in markup:
        if one.kind is not MarkupKind.IMAGE:
            yield one
            continue
        image, _ = found.get(one.value, (NOWHERE, ""))
        if image.image_id:
            yield one._replace(value=image.image_id)


def _left(dropped: Iterable[DroppedContent], found: Found) -> list[DroppedContent]:
    left = []
    for one in dropped:
        image, why = found.get(one.address, (NOWHERE, ""))
        if not image.image_id:
            reason = f"{one.reason}: {why}" if why else one.reason
            left.append(replace(one, reason=reason, address=""))
    return left
