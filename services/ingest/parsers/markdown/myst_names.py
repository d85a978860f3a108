"""What becomes of the directives of Sphinx and MyST, by their names."""

import re

from services.ingest.parsers.sphinx_conditions import UNDONE, UNMET

CODE = frozenset(
    (
        *("code", "code-block", "sourcecode", "code-cell", "prompt", "doctest", "testcode"),
        *("testoutput", "mermaid", "graphviz", "r", "python", "julia", "bash", "sh", "sql", "ojs"),
        *("parsed-literal", "ipython"),
    )
)
HIDDEN = {
    **dict.fromkeys(("toctree", "tableofcontents", "contents"), "the headings stand in the text"),
    **dict.fromkeys(("include", "literalinclude"), "what it shows is in another file"),
    "bibliography": "what it shows is in another file",
    "raw": "it is meant for one form of output only",
    "only": UNMET,
    **dict.fromkeys(("todo", "todolist"), UNDONE),
    **dict.fromkeys(("iframe", "video", "audio", "youtube", "vimeo"), "what it shows is no text"),
    **dict.fromkeys(
        ("autosummary", "autofunction", "automodule", "autoclass", "automethod", "autodoc2-object"),
        "what it shows is made of a program's source",
    ),
    **dict.fromkeys(
        ("quiz", "quizdown", "mcq", "mchoice", "multiple-choice", "multiplechoice", "choice"),
        "its wrong choices stand beside the right one",
    ),
    **dict.fromkeys(("index", "comment", "sectionauthor", "codeauthor", "meta", "tags"), ""),
    **dict.fromkeys(("currentmodule", "module", "py:module", "py:currentmodule", "highlight"), ""),
    **dict.fromkeys(("default-domain", "default-role", "testsetup", "testcleanup"), ""),
}
"""Directives whose content is no text, `only` where its condition is not met, and why."""
PICTURES = frozenset(("image", "figure", "carousel", "mystnb:figure"))
PLAIN = frozenset(
    (
        *(
            "tab-item",
            "tab",
            "grid-item",
            "grid-item-card",
            "card",
            "table",
            "list-table",
            "rubric",
        ),
        *("csv-table", "epigraph", "centered", "margin"),
    )
)
"""Directives that only hold text; their argument is its title."""
UNTITLED = frozenset(
    (
        *("container", "only", "grid", "glossary", "hlist", "div", "figure-md", "solution"),
        *("class", "rst-class", "tabs", "code-tabs"),
        *("tab-set", "solution-start", "exercise-start", "table-of-contents", "card-carousel"),
    )
)
"""Directives that only hold text; no reader sees their argument."""
OBJECTS = re.compile(
    r"(?:\w+:)?(?:function|method|attribute|data|exception|classmethod|staticmethod|property|describe"
    r"|object|option|envvar|confval|cmdoption|macro|type|struct|enum|var|member)|\w+:class"
)
"""Directives that describe something of a program: their argument is its signature."""
DESCRIBED, SIGNATURE = "Described", "signature"
"""The tag that is written for such a directive, and its attribute."""
