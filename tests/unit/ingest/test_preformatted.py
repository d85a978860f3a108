"""What pages show preformatted: prose is read as plain text is, everything else stays code."""

import pytest

from services.ingest.model.book import ParsedText
from services.ingest.parsers.html import parse_html
from services.ingest.parsers.plain import parse_plain

MANUAL = """
PUMP(8)                                                                PUMP(8)

<b>NAME</b>
       pump - keep the cellar dry

<b>SYNOPSIS</b>
       <b>pump</b> [<b>-q</b>] <i>cellar</i>

<b>DESCRIPTION</b>
       The  pump  lifts water out of the cellar while a float says that there is
       any. It asks the float once in a minute, and writes every answer as a mes-
       sage to the log.

       A message is written once. The pump never stops by itself when the float is
       broken, so that somebody has to look after it.

<b>OPTIONS</b>
       <b>-q</b>     Quiet. Write no message to the log unless the water rises  above  the
              mark that is painted on the wall.

       <b>-e</b> cellar

       <b>-f</b> cellar
              Expect a flood in that cellar. Both options ask for the second float.

       <b>DRAIN</b> <i>optional text...</i>
              Let the water out by the drain. Use it only where the drain lies  lower
              than the floor.

              Note: the drain must not be used in winter.

       <b>FLOOD</b> <i>optional text...</i>
              Let the water in. This is meant for tests of the float.
"""

LETTER = """
From: Ada
Subject: the reports

I have read all of your reports, and I believe that we should print them in
one volume. The first two are short, and nobody would buy them alone.

Please send me the pictures before the end of the month, because the printer
wants to know how many plates there are. He does not take any later than that,
and I would not ask him.

Yours,
Ada
"""


def parse(text: str, around: str = "<pre>{}</pre>") -> ParsedText:
    return parse_html(f"<title>Pump</title><body>{around.format(text)}", "Fallback")


def pieces(parsed: ParsedText) -> list[tuple[str, str]]:
    return [(one.kind.name, parsed.text[one.start : one.end]) for one in parsed.blocks]


def test_a_manual_page_is_read_by_its_sections_terms_and_paragraphs() -> None:
    parsed = parse(MANUAL)

    found = pieces(parsed)
    assert ("HEADING", "OPTIONS") in found
    assert ("PARAGRAPH", "Note: the drain must not be used in winter.") in found
    assert not any(kind == "CODE" for kind, _ in found)
    assert parsed.title == "Pump"
    terms = {
        parsed.text[start:end]: parsed.text[end:until].strip()
        for start, end, until, is_term in parsed.lead_ins
        if is_term
    }
    drain = terms["DRAIN optional text..."]
    assert drain.startswith("Let the water out")
    assert drain.endswith("not be used in winter.")


def test_options_above_one_definition_share_it_alone() -> None:
    parsed = parse(MANUAL)

    led = {
        parsed.text[start:end]: parsed.text[end:until] for start, end, until, _ in parsed.lead_ins
    }
    assert led["-e cellar"].strip().endswith("ask for the second float.")
    assert "Let the water" not in led["-e cellar"]


def test_a_word_that_two_lines_of_a_manual_share_is_one_word() -> None:
    assert "writes every answer as a message to the log." in parse(MANUAL).text


def test_a_compound_word_keeps_its_hyphen_at_a_line_end() -> None:
    text = "The well-\nknown pump is a well-known pump, and wellknown is no word of anybody here."
    assert "The well-known pump" in parse_plain(text, "F").text
    text = "A pump that is self-\nacting needs nobody, and the pump acts by its very own self here."
    assert "self-acting" in parse_plain(text, "F").text


def test_a_letter_is_read_by_its_paragraphs() -> None:
    found = pieces(parse(LETTER))

    assert [kind for kind, _ in found].count("PARAGRAPH") == len(found)
    assert any(
        text.startswith(
            "I have read all of your reports, and I believe that we should print them in"
        )
        and "in one volume" in text
        for _, text in found
    )


def test_no_character_of_preformatted_prose_is_lost_or_moved() -> None:
    for text in (MANUAL, LETTER):
        shown = text.replace("<b>", "").replace("</b>", "").replace("<i>", "").replace("</i>", "")
        letters = "".join(shown.replace("mes-\n", "mes\n").split())
        assert "".join(parse(text).text.split()) == letters


def test_titles_of_preformatted_prose_are_below_those_of_the_page() -> None:
    parsed = parse(MANUAL, "<h1>Tools</h1><h2>Pumps</h2><pre>{}</pre>")

    assert ("Tools", "Pumps", "OPTIONS") in [section.path for section in parsed.sections]


PYTHON = '''
def drain(cellar):
    """Let the water out by the drain, which lies lower than the floor of the
    cellar in every house that we have seen so far. It takes an hour.

    Nothing is done in winter, because the drain is frozen then and the water
    would stay where it is. Returns how much water has gone, in litres.
    """
    return cellar.drain()
'''
C = """
/*
 * The pump lifts water out of the cellar while a float says that there is any.
 * It asks the float once in a minute, and writes every answer to the log.
 *
 * A message is written once. The pump never stops by itself when the float is
 * broken, so that somebody has to look after it.
 */
int pump(struct cellar *cellar)
{
    return cellar-&gt;water &gt; 0;
}
"""
SHELL = """
$ pump --status
The pump has been running for three hours, and the float says that the water
is still rising. Nobody has looked after it since it was started.
$ pump --stop
The pump has been stopped because somebody asked for it, and the water will
rise again. Start it again within the next two hours at the latest.
$ _
"""
CONFIGURATION = """
# The pump lifts water out of the cellar while a float says that there is any.
# It asks the float once in a minute, and writes every answer to the log.
interval = 60

# A message is written once. The pump never stops by itself when the float is
# broken, so that somebody has to look after it.
[float]
path = /dev/float
"""
SQL = """
SELECT cellar.name, max(reading.water) AS highest, min(reading.water) AS lowest
FROM cellar JOIN reading ON reading.cellar = cellar.id
WHERE reading.taken_at BETWEEN '2020-01-01' AND '2020-12-31'
GROUP BY cellar.name HAVING max(reading.water) BETWEEN 10 AND 20
ORDER BY highest DESC, lowest;
"""
LATEX = r"""
\\section{Pumps}
The pump lifts water out of the cellar while a float says that there is any.
It asks the float \\emph{once} in a minute, and writes every answer to the log.

\\begin{quote}
A message is written once. The pump never stops by itself when the float is
broken, so that somebody has to look after it.
\\end{quote}
"""
HTML = """
&lt;h1&gt;Pumps&lt;/h1&gt;
&lt;p&gt;The pump lifts water out of the cellar while a float says that there is
any. It asks the float once in a minute.&lt;/p&gt;
&lt;p&gt;A message is written once. The pump never stops by itself when the float
is broken, so that somebody has to look after it.&lt;/p&gt;
"""
TABLE = """
Pump      Water it lifts in an hour     Where it has been built so far
--------- ----------------------------- -------------------------------
large     a thousand litres of water    in most of the larger cellars
small     a hundred litres of water.    in most of the smaller cellars.
"""
DIAGRAM = """
   +------------+          +-------------+          +-----------------+
   |   cellar   |  -----&gt;  |    pump     |  -----&gt;  |   the garden.   |
   +------------+          +-------------+          +-----------------+
         |                        |
         +------ the float -------+
"""
POEM = """
The water in the cellar rises slowly in the night,
And nobody is there to see it by the candle light.
The pump is old and weary, and its handle made of wood,
It would have lifted water, if somebody only could.

The float is sleeping soundly on the surface of the deep,
And all the people of the house are very fast asleep.
The drain is frozen solid, and the winter has begun,
And nobody will pump again before tomorrow's sun.
"""
ADDRESS = """
The Society for the Drying of Cellars and the Keeping of Pumps
The House by the River with the Very Deep Cellar, Second Floor
12 Water Lane
Lower Flooding
"""
HELP = """
Usage: pump [OPTION]... CELLAR

  -q, --quiet            write no message to the log unless the water rises
  -d, --drain            let the water out by the drain, where it lies lower
      --help             show this text and do nothing else.
"""
LOG = """
Jan  3 10:15:04 house pump[314]: the water has risen above the mark on the wall.
Jan  3 10:16:04 house pump[314]: the water has risen above the mark on the wall.
Jan  3 10:17:04 house pump[314]: the float does not answer, and nobody is there.
Jan  3 10:18:04 house pump[314]: the float does not answer, and nobody is there.
"""


@pytest.mark.parametrize(
    "text",
    [PYTHON, C, SHELL, CONFIGURATION, SQL, LATEX, HTML, TABLE, DIAGRAM, POEM, ADDRESS, HELP, LOG],
)
def test_a_listing_or_a_poem_stays_code_as_it_is_laid_out(text: str) -> None:
    assert [kind for kind, _ in pieces(parse(text))] == ["CODE"]


@pytest.mark.parametrize("name", ["programlisting", "screen", "language-c", "example", "highlight"])
def test_a_listing_by_name_is_code_whatever_it_says(name: str) -> None:
    for text in (MANUAL, LETTER):
        assert [kind for kind, _ in pieces(parse(text, f"<pre class={name}>{{}}</pre>"))] == [
            "CODE"
        ]


def test_speakers_of_a_play_are_no_titles_of_a_manual() -> None:
    play = "\n\n".join(
        f"{who}\n    I have not seen the pump, and nobody has told me where it is."
        for who in ("ADA", "BEN", "ADA", "CARL")
    )

    parsed = parse_plain(play, "Play")
    assert not any(block.kind.name == "HEADING" for block in parsed.blocks)
