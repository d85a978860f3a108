"""Tell what Sphinx shows on a page of the web, with no tags set, of text that it shows sometimes."""

import ast

UNMET = "it is for another form of output, or for a tag that is not set"
UNDONE = "it says what the writers still have to do, which Sphinx shows only where it is asked to"
"""Why what stands in `todo`, and the list of all of those, `todolist`, is not shown."""
_SET = frozenset(
    (*("html", "format_html", "builder_html"), *("dirhtml", "builder_dirhtml", "singlehtml"))
)
"""Tags that Sphinx sets by itself for one of the forms of pages on the web."""
_LONGEST = 500


def is_met(condition: str) -> bool:
    """Return whether a condition holds; one that Sphinx cannot read hides nothing, as there."""
    try:
        if len(condition) > _LONGEST:
            return True
        return _holds(ast.parse(" ".join(condition.split()), mode="eval").body)
    except (SyntaxError, ValueError):
        return True


def _holds(asked: ast.expr) -> bool:
    """Return what an expression of tags says. Raises ValueError where it is of anything else."""
    if isinstance(asked, ast.Name):
        return asked.id in _SET
    if isinstance(asked, ast.UnaryOp) and isinstance(asked.op, ast.Not):
        return not _holds(asked.operand)
    if isinstance(asked, ast.BoolOp):
        choose = any if isinstance(asked.op, ast.Or) else all
        return choose([_holds(one) for one in asked.values])
    raise ValueError("no expression of tags")
