"""Join the page's modules into one script, and its style sheets into one: a view takes few requests.
The widget is one script, style sheets and all. What is imported on demand stays a file of its own.

The files stay in `web/` as they are written, where tests and types read them. Each module becomes a
function of its own that returns what it exports, so that names inside of them can't meet. Comments and
indentation are for those who read the files: they are not sent.
"""

import hashlib
import json
import posixpath
import re
from dataclasses import dataclass, field
from pathlib import Path

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.\.?/[\w/]+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function\*?|class|const) (\w+)", re.MULTILINE)
_ON_DEMAND = re.compile(r'import\("(\.\.?/[\w/]+)\.js"\)')
_OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
# A comment with lines of its own, an empty line, and indentation: a template of several lines loses
# it as well, so that none may mean it.
_UNSENT = re.compile(r"^[ \t]*(?:(?://[^\n]*|/\*.*?\*/[ \t]*)?\n|(?=\S))", re.MULTILINE | re.DOTALL)
_CAST = re.compile(r"/\*\* @type \{[^*]*\} \*/ ?")
_INDENTATION = re.compile(r"^[ \t]+", re.MULTILINE)
_SHEET = re.compile(r'^ *<link rel="stylesheet" href="/static/(.+)">\n', re.MULTILINE)
_SCRIPT = re.compile(r'src="/static/([\w/]+)\.js"')
_ICON = re.compile(r'rel="icon" href="/static/(\w+\.svg)"')


_WIDGET = "widget/widget"
_WIDGET_SHEETS = ("theme", "layout", "code", "front", "conversation", "answer", "proofs", "widget")
# In a shadow there is no root: its host has the variables and the theme.
_ROOT_THEME = re.compile(r":root\[data-theme=")
# Sites make their root small, as 62.5 %: the widget's unit is never below the usual size.
_REM = re.compile(r"(?<![\w.])(\d*\.?\d+)rem\b(?![^(){}]*\)\s*\{)")
_UNIT = "var(--quoth-rem, max(1rem, 16px))"


class BundleError(Exception):
    """A file of the page is not written as the bundle needs it; the message names it."""


@dataclass(frozen=True)
class Page:
    """The page as it is sent, and the files that it names, by their names."""

    index: str
    files: dict[str, str]


def bundle_page(web: Path, prefix: str, document: str = "index.html") -> Page:
    """Return a page of `web` with one script, one style sheet and its icon, served at `prefix`.

    Their names change with what is in them.
    """
    index = (web / document).read_text("utf-8")
    sheets = _SHEET.findall(index)
    entry = _SCRIPT.search(index)
    if not sheets or entry is None:
        raise BundleError(f"{document} names no script or no style sheet")
    styles = _UNSENT.sub("", "".join((web / sheet).read_text("utf-8") for sheet in sheets))
    joined = _join(web, entry[1])
    script = joined.script
    style_name, script_name = _name(styles, "css"), _name(script, "js")
    links = iter([f'    <link rel="stylesheet" href="{prefix}/{style_name}">\n'])
    index = _SHEET.sub(lambda _: next(links, ""), index)
    index = _SCRIPT.sub(f'src="{prefix}/{script_name}"', index)
    files = {style_name: styles, script_name: script, **joined.on_demand}
    # Browsers ask for the icon again at each new address of the page, unless it never changes.
    if found := _ICON.search(index):
        icon = (web / found[1]).read_text("utf-8")
        files[_name(icon, "svg")] = icon
        index = _ICON.sub(f'rel="icon" href="{prefix}/{_name(icon, "svg")}"', index)
    return Page(_INDENTATION.sub("", index), files)


def bundle_widget(web: Path, prefix: str) -> Page:
    """Return the widget of `web`: a script that names the one with all of it, served at `prefix`."""
    sheets = "".join((web / f"style/{name}.css").read_text("utf-8") for name in _WIDGET_SHEETS)
    styles = json.dumps(_in_shadow(_UNSENT.sub("", sheets)))
    joined = _join(web, _WIDGET)
    script = joined.script + f"{_variable(_WIDGET)}.defineChat({styles});\n"
    name = _name(script, "js")
    return Page(f'import ".{prefix}/{name}";\n', {name: script, **joined.on_demand})


def _in_shadow(styles: str) -> str:
    styles = _ROOT_THEME.sub(":host([theme=", styles).replace('"light"] {', '"light"]) {')
    styles = styles.replace('"dark"] {', '"dark"]) {').replace(":root", ":host")
    return _REM.sub(rf"calc({_UNIT} * \1)", styles)


def bundle_script(folder: Path, entry: str) -> str:
    """Return one script that does what module `entry` does with all that it imports.

    Raises BundleError for an import or export of another kind than by name, and for a circle.
    """
    return _join(folder, entry).script


@dataclass
class _Joined:
    """Modules as they are sent, by their paths; those that are sent alone, by their files."""

    modules: dict[str, str] = field(default_factory=dict)
    on_demand: dict[str, str] = field(default_factory=dict)

    @property
    def script(self) -> str:
        return "".join(self.modules.values())


def _join(folder: Path, entry: str) -> _Joined:
    joined = _Joined()
    _add(folder, entry, joined, ())
    return joined


def _add(folder: Path, name: str, joined: _Joined, above: tuple[str, ...]) -> None:
    if name in above:
        raise BundleError(" imports ".join(f"{module}.js" for module in (*above, name)))
    if name in joined.modules:
        return
    source = (folder / f"{name}.js").read_text("utf-8")
    for found in _IMPORT.finditer(source):
        _add(folder, _beside(name, found[2]), joined, (*above, name))

    def name_file(found: re.Match[str]) -> str:
        alone = _read_alone(folder, _beside(name, found[1]))
        joined.on_demand[_name(alone, "js")] = alone
        return f'import("./{_name(alone, "js")}")'

    joined.modules[name] = _wrap(name, _ON_DEMAND.sub(name_file, source))


def _read_alone(folder: Path, name: str) -> str:
    """Return a module that lies beside the joined script: what it imported would not."""
    source = (folder / f"{name}.js").read_text("utf-8")
    if found := _IMPORT.search(source):
        raise BundleError(f"{name}.js: is sent alone, and imports: {found[0]}")
    return _UNSENT.sub("", source)


def _wrap(name: str, source: str) -> str:
    def unpack(found: re.Match[str]) -> str:
        names = found[1].replace(" as ", ": ")
        return f"const {{{names}}} = {_variable(_beside(name, found[2]))};"

    exported = ", ".join(found[2] for found in _EXPORT.finditer(source))
    body = _EXPORT.sub(r"\1 \2", _IMPORT.sub(unpack, _CAST.sub("", _UNSENT.sub("", source))))
    if other := _OTHER.search(body):
        raise BundleError(f"{name}.js: can't be joined with the others: {other[0]}")
    return f"const {_variable(name)} = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();\n"


def _beside(importer: str, path: str) -> str:
    """Return the module, by its path below the folder, that `importer` calls `path`."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), path))


def _variable(module: str) -> str:
    return f"module_{module.replace('/', '_')}"


def _name(text: str, ending: str) -> str:
    return f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.{ending}"
