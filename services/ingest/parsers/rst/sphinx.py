"""Roles and directives that docutils does not know, read so that their visible text is kept."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive, directives, roles
from docutils.parsers.rst.directives import body, images, misc

from services.ingest.model.book import DroppedContent, MarkupKind
from services.ingest.parsers.dropped import CONTENTS, visible
from services.ingest.parsers.scripts import STRUCK_NAMES
from services.ingest.parsers.sphinx_conditions import UNDONE, UNMET, is_met
from services.ingest.parsers.sphinx_labels import (
    NOT_KNOWN,
    NUMBERED,
    VERSIONS,
    document_title,
    is_numbered,
    menu_label,
    numbered,
    version_label,
    words_of_label,
)

_HIDDEN = frozenset(
    (
        *("toctree", "index", "tabularcolumns", "highlight", "currentmodule", "module", "meta"),
        *("py:module", "py:currentmodule", "default-domain", "sectionauthor"),
        *("codeauthor", "literalinclude", "automodule", "autoclass", "autofunction", "contents"),
        *("moduleauthor", "program", "todo", "todolist"),
        *("testsetup", "testcleanup"),
        *("sectnum", "include", "raw", "default-role", "role", "highlightlang", "acks", "toc"),
    )
)
_LOST = {
    **dict.fromkeys(("toctree", "toc", "contents"), CONTENTS.reason),
    **dict.fromkeys(("include", "literalinclude"), "what it shows is in another file"),
    "auto": "what it shows is made of a program's source",
    "raw": "it is meant for one form of output only",
    "acks": "it is a list of names in columns",
    "only": UNMET,
    **dict.fromkeys(("todo", "todolist"), UNDONE),
}
"""Of hidden directives, those that put something before a reader's eyes, and why they are hidden."""
_CODE = frozenset(
    (
        "code-block",
        "sourcecode",
        "code",
        "prompt",
        "mermaid",
        "graphviz",
        "doctest",
        *("testcode", "testoutput"),
    )
)
_BOX = "seealso"
_OBJECTS = {
    **dict.fromkeys(("class", "exception"), "{} "),
    **dict.fromkeys(("classmethod", "staticmethod", "abstractmethod", "property"), "{} "),
    **dict.fromkeys(("coroutinefunction", "coroutinemethod"), "coroutine "),
    **dict.fromkeys(("awaitablefunction", "awaitablemethod"), "awaitable "),
    **dict.fromkeys(("decorator", "decoratormethod"), "@"),
    **dict.fromkeys(
        ("function", "method", "attribute", "data", "describe", "object", "opcode"), ""
    ),
    **dict.fromkeys(("cmdoption", "option", "envvar", "confval", "macro", "type", "struct"), ""),
    **dict.fromkeys(("union", "enum", "enumerator", "var", "member", "alias", "concept"), ""),
    **dict.fromkeys(("directive", "role"), ""),
}
"""Directives that describe something of a program by its signatures, and what stands before these."""
_OF_PROGRAMS = re.compile(
    r"^[ \t]*\.\. (?:\w+:)?(?:function|method|attribute|data|exception|classmethod)::", re.MULTILINE
)
_CLASS, _SIGNATURE = "class", re.compile(r"[A-Z(\[.]")
_CONTENT_ONLY = frozenset(("only", "glossary", "hlist", "container", "tab-set", "grid"))
_CENTRED = "centered"
"""A directive that shows its argument and adds nothing to it."""
_TYPED = frozenset(("attribute", "data", "property"))
"""Descriptions with options for the type and the value, which Sphinx shows behind the name."""
_OWN_ROLES = frozenset(
    (
        *("emphasis", "strong", "literal", "math", "subscript", "sub", "superscript", "sup"),
        *("title-reference", "title", "t", "raw", "code"),
        *("pep", "pep-reference", "rfc", "rfc-reference"),
    )
)
STRUCK = "struck-out"
"""The class of what the book strikes out."""
_CODE_ROLES = frozenset(
    (
        *(
            "func",
            "meth",
            "class",
            "mod",
            "attr",
            "exc",
            "data",
            "const",
            "obj",
            "function",
            "macro",
        ),
        *("member", "type", "struct", "enum", "file", "samp", "envvar", "option", "kbd", "keyword"),
        *("token", "regexp", "opcode", "var", "expr", "confval", "directive", "role"),
    )
)
_OF_FORMULAS = frozenset(("eq", "math:numref"))
_LABELS = frozenset(("ref", "numref", *_OF_FORMULAS))
"""Roles of which the text is a label, or ends with one."""
_STRONG_ROLES = frozenset(("command", "program", "makevar"))
_EMPHASIS_ROLES = frozenset(("dfn", "mimetype", "newsgroup", "term"))
_PLAIN_ROLES = frozenset(
    (
        *("abbr", "any", "c", "cpp", "js", "py", "rst", "std", "doc", "download", "eq", "guilabel"),
        *("index", "manpage", "menuselection", "numref", "pep", "ref", "rfc", "productionlist"),
    )
)
_SHOWN_AS_TEXT = "what “:{}:” makes of it is not known: its words are plain text"
LABEL = "quoth_label"
"""What formulas are referred to by: an attribute of their node."""
LINK, ROLE_KIND, UNKNOWN = "quoth_link", "quoth_kind", "quoth_unknown"
"""Attributes of an inline node: where it leads, what it is beside its words, what is lost of it."""
_ROLE = re.compile(r":([A-Za-z][\w:+.-]{0,60}):`")
_DIRECTIVE = re.compile(r"^[ \t]*\.\. ([A-Za-z][\w:+.-]{0,60})::", re.MULTILINE)
_CONTINUED = re.compile(r"\\\s*\n\s*")
_OBJECT_ROLES = frozenset(
    ("attr", "class", "const", "data", "exc", "func", "meth", "mod", "obj", "type", "any")
)
"""The roles of names in programs."""

_MADE_ROLE = re.compile(
    r"^[ \t]*\.\. role::[ \t]+([\w:+.-]{1,60})[ \t]*(?:\([ \t]*([\w:+.-]{1,60})[ \t]*\))?[ \t]*$"
    r"((?:\n[ \t]+:\w[^\n]{0,300})*)",
    re.MULTILINE,
)
_CLASS_OPTION = re.compile(r":class:([^\n]*)")
_SCRIPT_ROLES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("sup", "superscript"), roles.GenericRole("superscript", nodes.superscript)),
    **dict.fromkeys(("sub", "subscript"), roles.GenericRole("subscript", nodes.subscript)),
}
_Shown = tuple[list[nodes.Node], list[nodes.Node]]

_TITLED = re.compile(r"(.+?)\s*<([^<>]+)>", re.DOTALL)


def register(source: str) -> None:
    """Make docutils take the roles and directives that `source` uses."""
    made = _made_roles(source)
    for name in {one.lower() for one in _ROLE.findall(source)} - _OWN_ROLES:
        roles.register_local_role(name, made.get(name, _show_role))
    for name in {match.lower() for match in _DIRECTIVE.findall(source)} - {_CLASS}:
        if name in _HIDDEN | _CODE | {_BOX} | _CONTENT_ONLY or not _is_known(name):
            directives.register_directive(name, _Visible)
    for name in VERSIONS:
        directives.register_directive(name, _Version)
    # What the name means to docutils, another look for what follows, it means in no book on programs.
    directives.register_directive("rst-class", _Class)
    directives.register_directive(_CLASS, _Visible if _OF_PROGRAMS.search(source) else _Class)
    directives.register_directive("figure", _Figure)
    directives.register_directive("image", _Image)
    directives.register_directive("math", _Math)


def _made_roles(source: str) -> dict[str, Callable[..., Any]]:
    """Return the roles that a document makes itself so that they raise, lower or strike out."""
    made: dict[str, Callable[..., Any]] = {}
    for name, base, options in _MADE_ROLE.findall(source):
        classes = " ".join(_CLASS_OPTION.findall(options))
        own = _SCRIPT_ROLES.get(base.lower()) or made.get(base.lower())
        if not STRUCK_NAMES.isdisjoint((base.lower(), *classes.lower().split())):
            own = _strike_role
        if own:
            made[name.lower()] = own
    return made


def _strike_role(_name: str, rawtext: str, text: str, *_: Any, **__: Any) -> _Shown:
    return [nodes.inline(rawtext, text.replace("\0", "\\"), classes=[STRUCK])], []


def _is_known(name: str) -> bool:
    return name in directives._directive_registry or name in directives._directives  # noqa: SLF001


def _show_role(  # noqa: PLR0917 - docutils calls it so
    name: str,
    rawtext: str,
    text: str,
    lineno: int,  # noqa: ARG001 - the signature is docutils'
    inliner: Any,
    options: Mapping[str, Any] | None = None,  # noqa: ARG001
    content: Sequence[str] = (),  # noqa: ARG001
) -> _Shown:
    plain = text.replace("\0", "\\")
    names: Mapping[str, str] = getattr(inliner.document.settings, "quoth_names", {})
    if name.lower() in STRUCK_NAMES:
        return [nodes.inline(rawtext, plain, classes=[STRUCK])], []
    attributes: dict[str, object] = {LINK: _address(name.lower(), plain, names)}
    if name.lower() in _LABELS and not _is_titled(name.lower(), plain, names):
        attributes[UNKNOWN] = NOT_KNOWN
    kind = _kind_of(name.lower().rsplit(":", 1)[-1])
    if kind:
        attributes[ROLE_KIND] = kind
    elif name.lower().rsplit(":", 1)[-1] not in _PLAIN_ROLES:
        attributes[UNKNOWN] = _SHOWN_AS_TEXT.format(name)
    return [nodes.inline(rawtext, _shown(name.lower(), plain, names), **attributes)], []


def _is_titled(name: str, text: str, names: Mapping[str, str]) -> bool:
    """Whether a reference has words of its own, or those of what it leads to are known."""
    titled = _TITLED.fullmatch(text)
    target = titled[2] if titled else text
    is_said = titled is not None and not is_numbered(titled[1])
    return is_said or bool(_title_of(name, target, names))


def _title_of(name: str, target: str, names: Mapping[str, str]) -> str:
    """Return what a role shows of a label: a title, or of a formula its number; "" if not known."""
    label = " ".join(target.lower().split())
    number = names.get(f"eq:{label}", "") if name in _OF_FORMULAS else ""
    return number or names.get(f"ref:{label}", "")


def _kind_of(name: str) -> MarkupKind | None:
    if name in _CODE_ROLES:
        return MarkupKind.CODE
    if name in _STRONG_ROLES:
        return MarkupKind.STRONG
    return MarkupKind.EMPHASIS if name in _EMPHASIS_ROLES else None


def _address(name: str, text: str, names: Mapping[str, str]) -> str:
    """Return where a reference to a document or to a label of the book leads; "" for any other."""
    titled = _TITLED.fullmatch(text)
    target = titled[2] if titled else text
    if name == "doc":
        return target
    key = " ".join(target.lower().split())
    if name not in ("ref", "numref") and not (name in _OF_FORMULAS and f"eq:{key}" in names):
        return ""
    path = names.get(f"at:{key}", "")
    place = nodes.make_id(f"equation-{key}" if name in _OF_FORMULAS else key)
    return f"{f'/{path}' if path else ''}#{place}"


def _shown(name: str, text: str, names: Mapping[str, str]) -> str:
    if name in ("guilabel", "menuselection"):
        return menu_label(text, is_path=name == "menuselection")
    titled = _TITLED.fullmatch(text)
    if titled and not is_numbered(titled[1]):
        return titled[1]
    if name == "doc":
        return document_title(text, names) or text
    if titled or name in _LABELS:
        target = titled[2] if titled else text
        title = _title_of(name, target, names)
        if name in _OF_FORMULAS or (not title and name in NUMBERED):
            return numbered(titled[1] if titled else "%s", title or f"[{target}]", quotes="")
        title = title or words_of_label(target)
        return numbered(titled[1], title) if titled else title
    return _bare_name(name, text)


def _bare_name(name: str, text: str) -> str:
    """Return what a role of a program's names shows."""
    if name in ("file", "samp"):
        return text.replace("{", "").replace("}", "")
    if text.startswith("~"):
        return text.rsplit(".", 1)[-1].lstrip("~")
    # A point before the name of an object says where to look for it.
    return text.lstrip("!.") if name.rpartition(":")[2] in _OBJECT_ROLES else text.lstrip("!")


class _AnyOption(dict[str, Callable[[str | None], Any]]):
    def __missing__(self, key: str) -> Callable[[str | None], Any]:
        return lambda value: value


class _Visible(Directive):  # type: ignore[misc]
    """A directive of an extension: its title and its content are what readers see."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = _AnyOption(name=lambda value: value)

    def run(self) -> list[nodes.Node]:
        name = self.name.lower()
        if name in _HIDDEN:
            return self._drop(name)
        argument = self.arguments[0] if self.arguments else ""
        if name == "only" and not is_met(argument):
            return self._drop(name)
        if name in _CODE:
            return self._code(argument)
        kind = name.rpartition(":")[2]
        if kind in _OBJECTS:
            return self._describe(_OBJECTS[kind].format(kind), argument)
        classes = f"{self.options.get('class') or ''} {argument if name == 'container' else ''}"
        holder: nodes.Element = nodes.container(classes=classes.split())
        if name == _BOX:
            holder = nodes.admonition(classes=[name, *classes.split()])
        if not (name in {_BOX} | _CONTENT_ONLY or name == _CENTRED or ":" in name):
            reason = f"what “{name}” makes of it is not known: its words are plain text"
            characters = visible("\n".join((argument, *self.content)))
            lost = DroppedContent(
                "directive", f"line {self.lineno}", reason, characters, dropped=False
            )
            holder += nodes.comment("", "", dropped=lost)
        if argument and name not in _CONTENT_ONLY:
            inline, _ = self.state.inline_text(argument, self.lineno)
            holder += nodes.paragraph(argument, "", *inline)
        self.state.nested_parse(self.content, self.content_offset, holder)
        return [holder]

    def _drop(self, name: str) -> list[nodes.Node]:
        """Return a comment that tells the reader of the tree what readers of the book would see."""
        reason = _LOST.get(name, _LOST["auto"] if name.startswith("auto") else "")
        text = "\n".join((*self.arguments, *self.content))
        if not reason:
            return []
        place = f"line {self.lineno}"
        return [nodes.comment("", "", dropped=DroppedContent(name, place, reason, visible(text)))]

    def _describe(self, before: str, signatures: str) -> list[nodes.Node]:
        """Return the signatures as terms, one a line or several that go on, and what defines them."""
        entry = nodes.definition_list_item()
        after = self._type_and_value()
        for line in _CONTINUED.sub(" ", signatures).splitlines():
            text = before + line.strip() + after
            if line.strip():
                entry += nodes.term(text, "", nodes.literal(text, text))
        said = nodes.definition()
        self.state.nested_parse(self.content, self.content_offset, said)
        entry += said
        return [nodes.definition_list("", entry)]

    def _type_and_value(self) -> str:
        if self.name.lower().rpartition(":")[2] not in _TYPED:
            return ""
        kind, value = (self.options.get(one) or "" for one in ("type", "value"))
        return f"{kind and f': {kind}'}{value and f' = {value}'}"

    def _code(self, language: str) -> list[nodes.Node]:
        text = "\n".join(self.content)
        block = nodes.literal_block(text, text, classes=["code", *language.split()[:1]])
        caption = self.options.get("caption")
        return [nodes.caption(caption, caption), block] if caption else [block]


class _Version(_Visible):
    """Since when something is so, with the words that Sphinx begins it with."""

    def run(self) -> list[nodes.Node]:
        name = self.name.lower()
        classes = (self.options.get("class") or "").split()
        holder = nodes.admonition(classes=[name, *classes])
        label, said = version_label(name, " ".join(" ".join(self.arguments).split()))
        if said:
            inline, _ = self.state.inline_text(said, self.lineno)
            holder += nodes.paragraph(said, "", *inline)
        self.state.nested_parse(self.content, self.content_offset, holder)
        if holder.children and isinstance(holder[0], nodes.paragraph):
            holder[0].insert(0, nodes.Text(f"{label}: "))
        else:
            shown = f"{label}{':' if holder.children else '.'}"
            holder.insert(0, nodes.paragraph(shown, shown))
        return [holder]


class _Class(misc.Class):  # type: ignore[misc]
    """Docutils' own, but for what can only be a class of a program."""

    def run(self) -> list[nodes.Node]:
        if not _SIGNATURE.search(self.arguments[0]):
            found: list[nodes.Node] = super().run()
            return found
        given = (self.arguments, self.options, self.content, self.lineno, self.content_offset)
        described = _Visible(self.name, *given, self.block_text, self.state, self.state_machine)
        return described.run()


class _Math(body.MathBlock):  # type: ignore[misc]
    """Docutils' own, with the options that Sphinx has beside: none of them changes the formula."""

    option_spec = _AnyOption(
        {"class": lambda value: (value or "").split(), "name": lambda value: value or ""}
    )

    def run(self) -> list[nodes.Node]:
        label = self.options.get("label") or self.options.get("name")
        for name in set(self.options) - {"class", "name"}:
            del self.options[name]
        found: list[nodes.Node] = super().run()
        for block in found if label else ():
            if isinstance(block, nodes.math_block):
                block[LABEL], label = label, ""  # the first of several is the place
        return found


class _Image(images.Image):  # type: ignore[misc]
    option_spec = _AnyOption(alt=lambda value: value)

    def run(self) -> list[nodes.Node]:
        return [
            nodes.image(alt=self.options.get("alt") or "", uri="".join(self.arguments[0].split()))
        ]


class _Figure(images.Figure):  # type: ignore[misc]
    option_spec = _AnyOption(alt=lambda value: value)

    def run(self) -> list[nodes.Node]:
        figure = nodes.container()
        figure += nodes.image(
            alt=self.options.get("alt") or "", uri="".join(self.arguments[0].split())
        )
        held = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, held)
        for number, child in enumerate(held.children):
            if number == 0 and isinstance(child, nodes.paragraph):
                figure += nodes.caption(child.rawsource, "", *child.children)
            else:
                figure += child
        return [figure]
