"""Write synopses of commands and functions as manuals print them."""

from lxml import etree

from services.ingest.parsers.docbook.tree import local
from services.ingest.parsers.docbook.writer import children_of, plain

_UNNAMED = {"void": "void", "varargs": "..."}
_CHOICES = {"opt": ("[", "]"), "req": ("{", "}"), "plain": ("", "")}


def command_line(source: etree._Element) -> str:
    """Return a command with its arguments: "cp [-r] {FILE...} TARGET"."""
    parts = list[str]()
    for one in source:
        if local(one) == "sbr":
            parts.append("\n")
        elif local(one):
            parts.append(_argument(one))
    return " ".join(filter(None, parts)).replace(" \n ", "\n")


def _argument(one: etree._Element) -> str:
    name = local(one)
    if name not in ("arg", "group"):
        return plain(one)
    before, after = _CHOICES.get(one.get("choice") or "opt", _CHOICES["opt"])
    if name == "group":
        inside = " | ".join(_inside(child) for child in children_of(one, "arg", "group", "option"))
        if not before and " | " in inside:
            before, after = "(", ")"
    else:
        inside = _inside(one)
    return f"{before}{inside}{after}{'...' if one.get('rep') == 'repeat' else ''}"


def _inside(one: etree._Element) -> str:
    """Return what an argument holds, with the arguments that stand in it, without its own brackets."""
    if local(one) == "group":
        return _argument(one)
    parts = [one.text or ""]
    for child in one:
        is_argument = local(child) in ("arg", "group")
        parts += [_argument(child) if is_argument else plain(child), child.tail or ""]
    inside = " ".join("".join(parts).split())
    within = one.getparent()
    is_repeated = one.get("rep") == "repeat" and within is not None and local(within) == "group"
    return f"{inside}..." if is_repeated else inside


def prototypes(source: etree._Element) -> str:
    """Return the declarations of functions: "int max(int a, int b);"."""
    lines = list[str]()
    for one in source:
        if local(one) == "funcprototype":
            definition = " ".join(plain(part) for part in children_of(one, "funcdef"))
            given = [
                _UNNAMED.get(local(part)) or plain(part)
                for part in children_of(one, "paramdef", *_UNNAMED)
            ]
            lines.append(f"{definition}({', '.join(given)});")
        elif local(one) == "funcsynopsisinfo":
            lines.append("".join(str(part) for part in one.itertext()).strip("\n"))
    return "\n".join(lines)
