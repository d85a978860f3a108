"""What the elements of DocBook are, by their names; versions 3 to 5 have nearly the same ones."""

SECTIONS = frozenset(
    (
        *("set", "book", "part", "reference", "chapter", "preface", "appendix", "article", "topic"),
        *("section", "sect1", "sect2", "sect3", "sect4", "sect5", "simplesect"),
        *("refsect1", "refsect2", "refsect3", "refsection", "refsynopsisdiv", "glossary"),
        *("glossdiv", "bibliography", "bibliodiv", "dedication", "acknowledgements", "ackno"),
        *("colophon", "qandadiv", "index", "partintro"),
    )
)
"""What has a heading over it, as deep as it stands in others."""
UNSEEN = frozenset(
    (
        *("indexterm", "remark", "comment", "beginpage", "toc", "lot", "setindex", "co", "area"),
        *("titleabbrev", "keywordset", "subjectset", "itermset", "refmeta", "refclass", "areaspec"),
        *("cover", "annotation", "alt", "colspec", "spanspec", "videoobject", "audioobject"),
        *("screeninfo", "screenco-info", "imageobjectco-info", "extendedlink", "multimediaparam"),
    )
)
CODE = frozenset(
    (
        *("command", "option", "filename", "literal", "code", "constant", "varname", "function"),
        *("parameter", "systemitem", "envar", "computeroutput", "userinput", "prompt", "classname"),
        *("methodname", "interfacename", "type", "structname", "structfield", "symbol", "token"),
        *("property", "returnvalue", "markup", "errorcode", "errorname", "exceptionname"),
        *("package", "keysym", "keycode", "initializer", "modifier", "enumname", "enumvalue"),
    )
)
EMPHASIS = frozenset(
    (
        "emphasis",
        "citetitle",
        "firstterm",
        "foreignphrase",
        "replaceable",
        "wordasword",
        "lineannotation",
    )
)
LINE = frozenset(
    (
        *(
            "application",
            "guimenu",
            "guimenuitem",
            "guisubmenu",
            "guilabel",
            "guibutton",
            "guiicon",
        ),
        *("interface", "productname", "productnumber", "acronym", "abbrev", "phrase", "hardware"),
        *(
            "date",
            "personname",
            "firstname",
            "surname",
            "othername",
            "orgname",
            "email",
            "database",
        ),
        *("medialabel", "mousebutton", "action", "accel", "honorific", "lineage", "year", "holder"),
        *("refentrytitle", "citation", "errortext", "errortype", "msgtext", "shortcut", "uri"),
        *("mathphrase", "nonterminal", "person", "org", "jobtitle", "street", "city", "country"),
        *("glossterm", "term", "author", "editor", "corpauthor", "collab", "pubdate", "edition"),
    )
)
PREFORMATTED = {
    **dict.fromkeys(("programlisting",), "programlisting"),
    **dict.fromkeys(("screen",), "screen"),
    **dict.fromkeys(("synopsis", "funcsynopsisinfo", "classsynopsisinfo"), "synopsis"),
}
BOXES = frozenset(("note", "tip", "warning", "caution", "important", "danger"))
TITLED = {
    **dict.fromkeys(("figure", "informalfigure"), "figure"),
    **dict.fromkeys(("example", "informalexample"), "example"),
    **dict.fromkeys(("equation", "informalequation"), "equation"),
}
LISTS = {
    **dict.fromkeys(("itemizedlist", "stepalternatives"), "ul"),
    **dict.fromkeys(("orderedlist", "procedure", "substeps", "calloutlist"), "ol"),
    **dict.fromkeys(("variablelist", "glosslist", "qandaset"), "dl"),
}
TAGS = {
    **dict.fromkeys(CODE, "code"),
    **dict.fromkeys(EMPHASIS, "em"),
    **dict.fromkeys(LINE, "span"),
    **dict.fromkeys(("para", "simpara", "bridgehead", "releaseinfo", "refpurpose"), "p"),
    **dict.fromkeys(("listitem", "step", "callout", "member"), "li"),
    **dict.fromkeys(("blockquote", "epigraph"), "blockquote"),
    **dict.fromkeys(("thead", "tbody", "tfoot", "tr", "td", "th", "colgroup"), ""),
    **dict.fromkeys(("attribution",), "p"),
    "keycap": "kbd",
    "superscript": "sup",
    "subscript": "sub",
    "anchor": "a",
    "caption": "figcaption",
}
"""The tag of HTML that each becomes; "" for one that has its name there too."""
ONLY_BLOCKS = (
    SECTIONS
    | BOXES
    | {*LISTS, *TITLED}
    | frozenset(
        (
            *("listitem", "step", "callout", "legalnotice", "abstract", "bookinfo", "articleinfo"),
            *("info", "blockquote", "varlistentry", "glossentry", "glossdef", "answer", "question"),
            *("qandaentry", "refnamediv", "refentry", "row", "tbody", "thead", "tgroup", "sidebar"),
        )
    )
)
