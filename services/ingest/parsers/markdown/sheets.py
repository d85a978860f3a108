"""Find what the style sheets that stand in a Markdown file, or that it links to, hide of its HTML."""

import re
from collections.abc import Iterator, Mapping, Sequence

from markdown_it.token import Token

from services.ingest.parsers.lazy import load_html
from services.ingest.parsers.markdown.colours import hide_by_colour
from services.ingest.parsers.markdown.tags import Tag, scan_tag

_INSIDE = re.compile(r"<(?P<name>\w+)[^<>]{0,1000}>(?P<text>.*?)(?:</(?P=name)|\Z)", re.DOTALL)
_JSX = re.compile(r"\s*\{\s*`(?P<text>.*)`\s*\}\s*", re.DOTALL)


def hide_by_sheets(
    tokens: Sequence[Token], path: str, sheets: Mapping[str, str]
) -> Sequence[Token]:
    """Return the tokens; tags that a sheet hides from all readers have the attribute that hides.

    `sheets` are those of the source by their paths.
    """
    styles = [
        (inside, _attributes(token)) for token in tokens if (inside := _inside(token, "style"))
    ]
    tags = list(_opening_tags(tokens))
    links = [
        tag.attributes
        for tag in tags
        if tag.name.lower() == "link"
        and "stylesheet" in (rel := tag.attributes.get("rel", "").lower().split())
        and "alternate" not in rel
        and tag.attributes.get("href")
    ]
    if not (styles or links):
        hide_by_colour(tokens)
        return tokens
    # Loaded only by a file that has some: most have none.
    html = load_html()
    scripts = [inside for token in tokens if (inside := _inside(token, "script"))]
    named = [(tag.name, tag.attributes) for tag in tags]
    hidden = html.hides_tags(html.Around(styles, scripts, links), named, path, sheets.get)
    for tag, is_hidden in zip(tags, hidden, strict=True):
        if is_hidden:
            tag.attributes["hidden"] = ""
    return tokens


def _inside(token: Token, name: str) -> str:
    """Return what stands in an element of its own lines, such as a sheet; "" in any other."""
    if token.type != "raw" or token.meta["name"] != name:
        return ""
    found = _INSIDE.match(token.meta["text"])
    text = found["text"] if found else ""
    jsx = _JSX.fullmatch(text)
    return jsx["text"] if jsx else text


def _attributes(token: Token) -> Mapping[str, str]:
    tag = scan_tag(token.meta["text"], 0, mdx=True)
    return tag.attributes if tag else {}


def _opening_tags(tokens: Sequence[Token]) -> Iterator[Tag]:
    for token in tokens:
        tags = token.meta["tags"] if token.type == "tags" else ()
        children = token.children or () if token.type == "inline" else ()
        for tag in (*tags, *(child.meta["tag"] for child in children if child.type == "tag")):
            if not tag.closing:
                yield tag
