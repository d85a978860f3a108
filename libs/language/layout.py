"""What documents without markup print to show their parts, in one language."""

import re
from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct

from libs.language.entries import NO_WORDS, Words, decode_entry


class Layout(Struct, frozen=True, forbid_unknown_fields=True):
    """Words that tell the parts of plain text and of a PDF, without regard to capitals."""

    part: Words = NO_WORDS
    """What a number stands behind in the title of several chapters."""

    chapter: Words = NO_WORDS
    numbers: Words = NO_WORDS
    """The numbers of chapters, where they are written as words."""

    ordinals: Words = NO_WORDS
    """The same as words beside the word for a chapter: "Chapter the First"."""

    counter: Words = NO_WORDS
    """What a number stands behind that the word for a chapter follows without a space."""

    unnumbered: Words = NO_WORDS
    """Titles of chapters that have no number."""

    front_pages: Words = NO_WORDS
    """What the page is called that a book opens with, as the name of its file or as its title."""

    contents: Words = NO_WORDS
    """Titles of the table of contents."""

    index: Words = NO_WORDS
    """How the title of the index ends."""

    undescribed: Words = NO_WORDS
    """What tools write where a picture has no description, without brackets."""

    steps: Words = NO_WORDS
    """How the title of a link to the page before or after begins: "previous chapter"."""

    no_author: Words = NO_WORDS
    """What tools write where nobody is named as the author."""

    by: Words = NO_WORDS
    """What stands before the name of who wrote a text, in the line under its title."""

    no_title: Words = NO_WORDS
    """What tools write where a file has no title, without the number behind it."""

    captions: Words = NO_WORDS
    """What a number stands behind in the caption of a figure, a table or a listing."""

    continues: Words = NO_WORDS
    """The line under the half of a table that goes on overleaf."""

    continued: Words = NO_WORDS
    """The line over its other half."""

    suspended: Words = NO_WORDS
    """What follows a hyphen that is none of a broken word: "pre- and post-war"."""


_TABLE = re.compile(rb"^\[layout\]\n(.*?)(?=^\[|\Z)", re.MULTILINE | re.DOTALL)
"""The one table of a resource that is read here: a hundredth of it, and parsing takes 10 ms a file."""


@cache
def load_layout() -> Layout:
    """Return the layout words of all languages: a document is parsed before its language is known.

    The patterns of their lexicons are left alone: to compile them all takes a second or two, which
    each process that reads documents would pay at its start.
    """
    files = resources.files("libs.language").iterdir()
    sources = [file.read_bytes() for file in files if file.name.endswith(".toml")]
    layouts = [_decode(table[1]) for source in sources if (table := _TABLE.search(source))]
    fields = Layout.__struct_fields__
    return Layout(
        *(Words(word for layout in layouts for word in getattr(layout, field)) for field in fields)
    )


def _decode(table: bytes) -> Layout:
    return msgspec.toml.decode(table, type=Layout, dec_hook=decode_entry)
