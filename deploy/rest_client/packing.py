"""Pack what an operator names into one file to send, or say why not."""

import codecs
import gzip
import io
import os
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

_TEXTS = (
    *(".md", ".mdx", ".markdown", ".qmd", ".rmd", ".ipynb"),
    *(".rst", ".adoc", ".asciidoc", ".txt", ".text"),
)
_XML = (".docbook", ".dbk", ".xml", ".page", ".ent")
"""What is in these tells if they are documents: those that are too large are left to ingest to name."""
DOCUMENTS = (
    *(".md", ".mdx", ".markdown", ".qmd", ".rmd", ".ipynb"),
    *(".html", ".htm", ".xhtml", ".rst", ".rst.txt"),
    *(".adoc", ".asciidoc", ".docbook", ".dbk", ".xml", ".page"),
    *(".txt", ".text", ".epub", ".pdf", ".docx"),
)
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg")
FOREIGN = (
    *(".mobi", ".azw", ".azw3", ".tex", ".odt", ".doc", ".rtf"),
    *(".org", ".djvu"),
)
"""Documents that are not read: only their names are sent, as of archives inside a folder."""
ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
SETTINGS = (
    *("quoth.toml", "_category_.json", "_category_.yml", "_category_.yaml"),
    *("sidebars.js", "sidebars.ts", "sidebars.json"),
    *("docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs"),
    *("mkdocs.yml", "mkdocs.yaml", "_toc.yml", "myst.yml", "_quarto.yml", "_bookdown.yml"),
    *("_config.yml", ".pages", ".nav.yml", "conf.py", "book.toml", "book.json"),
)
"""Files that ingest reads beside documents."""
SHEETS = (".css",)
"""By these it sees what a page hides from its readers."""
PARTS = (".ent",)
"""These declare entities of DocBook."""
_SENT = (*DOCUMENTS, *IMAGES, *SHEETS, *PARTS)
MAX_DOCUMENT_BYTES = 16 << 20
MAX_IMAGE_BYTES = 8 << 20
MAX_IMAGES_BYTES = 96 << 20
MAX_UPLOAD_BYTES = 256 << 20
"""The limits of the ingest service as it is shipped: what is over them need not travel first."""
_TRIES = 3
_SKIPPED = ("node_modules", "__MACOSX", "_static", "_sources", "_templates", "_build")


class PackingError(Exception):
    """A path that can't be sent; the message names the file and says what to do."""


class NoTextError(PackingError):
    """A document is no text, and ingest can do without it."""


@dataclass(frozen=True)
class Source:
    """What is sent: the bytes of `path`, under `file_name`."""

    path: Path
    file_name: str


@contextmanager
def open_source(path: Path, *, allow_partial: bool = False) -> Iterator[Source]:
    """Make one file of `path`; a folder becomes a .tar.gz, the same every time.

    With `allow_partial`, documents that are no text are sent too, and the names of those that are
    too large, for ingest to leave out and tell.

    Raises PackingError.
    """
    with ExitStack() as stack:
        try:
            source = _prepare(path, stack, allow_partial=allow_partial)
        except OSError as error:
            raise PackingError(
                f"{error.filename or path} can't be read: {error.strerror}."
            ) from error
        yield source


def _prepare(path: Path, stack: ExitStack, *, allow_partial: bool) -> Source:
    name = path.name.lower()
    if path.is_dir():
        packed = Path(stack.enter_context(tempfile.TemporaryDirectory()), "book.tar.gz")
        _pack(path, packed, allow_partial=allow_partial)
        source = Source(packed, f"{path.resolve().name}.tar.gz")
    elif name.endswith(DOCUMENTS):
        _check_document(path, path, allow_partial=allow_partial)
        source = Source(path, path.name)
    elif name.endswith((*ARCHIVES, *FOREIGN)) or not path.exists():
        path.open("rb").close()  # an unreadable file shows itself here
        source = Source(path, path.name)
    else:
        raise PackingError(
            f"{path} is neither a folder, an archive ({', '.join(ARCHIVES)}) "
            f"nor a document ({', '.join(DOCUMENTS)})."
        )
    _check_size(source.path.stat().st_size, MAX_UPLOAD_BYTES, source.file_name)
    return source


@dataclass(frozen=True)
class _Found:
    """The paths of a folder in their order: what is sent, and what is only named."""

    files: list[Path]
    foreign: list[Path]
    links: list[Path]
    """Those that lead out of the folder, and folders that are links."""


def list_files(folder: Path) -> list[Path]:
    """Return the files of `folder` that are sent, in order of their paths."""
    return _walk(folder).files


def _walk(folder: Path) -> _Found:
    """Find what a folder holds but for hidden files, node_modules and the like."""
    root = folder.resolve()
    found = _Found([], [], [])
    for parent, folders, inside in os.walk(root, onerror=_refuse):
        folders[:] = [name for name in folders if name not in _SKIPPED and name[0] != "."]
        found.links.extend(
            Path(parent, name) for name in folders if Path(parent, name).is_symlink()
        )
        for name in inside:
            path = Path(parent, name)
            is_file = name.lower().endswith(_SENT) or name in SETTINGS
            is_foreign = name.lower().endswith((*FOREIGN, *ARCHIVES))
            if (name[0] == "." and name not in SETTINGS) or not (is_file or is_foreign):
                continue
            if not _resolve(path).is_relative_to(root):
                found.links.append(path)
            else:
                (found.files if is_file else found.foreign).append(path)
    relative = (
        (path.relative_to(root) for path in sorted(paths)) for paths in vars(found).values()
    )
    return _Found(*map(list, relative))


def _resolve(path: Path) -> Path:
    try:
        return path.resolve()
    except RuntimeError as error:
        raise PackingError(f"{path} is a link to itself.") from error


def _pack(folder: Path, target: Path, *, allow_partial: bool) -> None:
    found = _walk(folder)
    if not any(_is_document(path) for path in found.files) and not found.foreign:
        raise PackingError(f"{folder} holds no document ({', '.join(DOCUMENTS)}).")
    # Neither times nor owners: the same book makes the same archive.
    with (
        target.open("wb") as file,
        gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0, compresslevel=6) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        room = MAX_IMAGES_BYTES
        for path in found.files:
            size = (folder / path).stat().st_size
            is_image = path.name.lower().endswith(IMAGES)
            room -= size if is_image and size <= MAX_IMAGE_BYTES else 0
            is_too_large = size > MAX_IMAGE_BYTES or room < 0
            if not is_image:
                may_miss = allow_partial or path.name.lower().endswith(_XML)
                is_too_large = may_miss and size > MAX_DOCUMENT_BYTES and path.name not in SETTINGS
            if is_too_large:
                archive.addfile(_hole(path, size))
                continue
            content = _check_inside(folder, path, allow_partial=allow_partial)
            _add(archive, content, path)
        # The names of the others, for ingest to say that it left them out.
        for path in found.foreign:
            archive.addfile(tarfile.TarInfo(path.as_posix()))
        for path in found.links:
            link = tarfile.TarInfo(path.as_posix())
            link.type = tarfile.SYMTYPE
            archive.addfile(link)


def _is_document(path: Path) -> bool:
    return path.name not in SETTINGS and not path.name.lower().endswith((*IMAGES, *SHEETS, *PARTS))


def _add(archive: tarfile.TarFile, content: bytes, name: Path) -> None:
    entry = tarfile.TarInfo(name.as_posix())
    entry.size = len(content)
    entry.mode = 0o644
    archive.addfile(entry, io.BytesIO(content))


def _hole(name: Path, size: int) -> tarfile.TarInfo:
    """Return an entry that says how large a file is and holds nothing of it: a sparse one."""
    entry = tarfile.TarInfo(name.as_posix())
    entry.pax_headers = {"GNU.sparse.size": str(size), "GNU.sparse.map": "0,0"}
    return entry


def _read(path: Path, name: Path) -> bytes:
    """Return the bytes of one state of a file: not the start of one and the end of another."""
    for _ in range(_TRIES):
        with path.open("rb") as file:
            before = os.fstat(file.fileno())
            _check_size(before.st_size, MAX_DOCUMENT_BYTES, str(name))
            content = file.read(before.st_size + 1)
            after = os.fstat(file.fileno())
        is_same = before.st_mtime_ns == after.st_mtime_ns and len(content) == after.st_size
        if is_same and before.st_size == after.st_size:
            return content
    raise PackingError(f"{name} is being changed. Try again when nothing writes to it.")


def _check_document(path: Path, name: Path, *, allow_partial: bool) -> bytes:
    """Return the bytes of a document that can be sent."""
    if path.exists() and not path.is_file():
        raise PackingError(f"{name} is not a regular file.")
    content = _read(path, name)
    if not allow_partial:
        _check_text(content, name)
    return content


def _check_inside(folder: Path, name: Path, *, allow_partial: bool) -> bytes:
    """Return the bytes of a file of a folder; one that is no text says what to do with the rest."""
    try:
        return _check_document(folder / name, name, allow_partial=allow_partial)
    except NoTextError as error:
        if name.name in SETTINGS:
            raise
        raise NoTextError(f"{error} With --allow-partial the rest is published.") from error


def _check_text(content: bytes, name: Path) -> None:
    declares_encoding = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if not name.name.lower().endswith(_TEXTS) or declares_encoding:
        return
    # In which code page it is, ingest finds out.
    if b"\0" in content:
        line = content.count(b"\n", 0, content.index(b"\0")) + 1
        raise NoTextError(f"{name} holds a NUL character (line {line}): it is not a text file.")


def _check_size(size: int, largest: int, name: str) -> None:
    if size > largest:
        raise PackingError(
            f"{name} is too large: {size / 1e6:.0f} MB, {largest / 1e6:.0f} MB allowed."
        )


def _refuse(error: OSError) -> None:
    raise error
