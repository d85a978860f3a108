"""What a file of Markdown holds, and what of it is not in the text of a book, and why."""

from dataclasses import dataclass, field, replace

from markdown_it.token import Token

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.dropped import visible
from services.ingest.parsers.outline import Item

EXPRESSION = DroppedContent("expression", "", "the book's own site computes what it shows")
DIRECTIVE = DroppedContent("include", "", "what it stands for is not in the file")
CITATION = DroppedContent("citation", "", "it stands for what the book's own site writes")
DRAWING = DroppedContent("drawing", "", "only its title is text", dropped=False)
COMPONENT = DroppedContent("component", "", "the book's own site decides what <{}> shows")
EMBEDDED = DroppedContent("", "", "what it shows is no text")


@dataclass
class Items:
    """Everything a file holds: pieces, footnotes by their label, and what was left out."""

    body: list[Item] = field(default_factory=list)
    footnotes: dict[str, list[Item]] = field(default_factory=dict)
    dropped_content: list[DroppedContent] = field(default_factory=list)

    def lose(self, lost: DroppedContent, token: Token, text: str = "") -> None:
        """Note what was left out of the lines of a token."""
        place = place_of(token)
        self.dropped_content.append(replace(lost, place=place, characters=visible(text)))


def place_of(token: Token) -> str:
    return f"line {(token.map or [0])[0] + 1}"
