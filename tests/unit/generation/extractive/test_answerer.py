"""What is shown of the passages: few pieces, that answer, in the book's words and order."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.question.analyse import analyse_question
from services.generation.extractive.answerer import (
    ExtractiveAnswerer,
    choose_places,
    rank_spans,
    shipped_ranking,
)
from services.generation.extractive.boilerplate import is_boilerplate
from services.generation.extractive.candidates import (
    CandidateSpan,
    distinct_terms,
    list_candidates,
    without_number,
)
from services.generation.extractive.definitions import asked_thing, definition_fit
from services.generation.extractive.features import FEATURES, read_asked
from services.generation.extractive.support import shipped_support
from services.generation.model import (
    BlockKind,
    DraftSentence,
    Locator,
    Passage,
    PassageScores,
    Selection,
    SentenceRole,
    Span,
)
from services.generation.sections import LeadIn
from services.generation.transcript import Transcript
from tests.support.generation_fakes import prompt

K = BlockKind
ALL_HELPS = replace(shipped_support(), threshold=0.0)
"""What is shown beside a lead is here for its place; `test_support.py` asks whether it helps."""


def book(
    *lines: tuple[BlockKind, float, str],
    document: str = "a.mdx",
    start: int = 100,
    fused: float = 0.5,
) -> Passage:
    """A passage of spans (kind, score, text), one a line."""
    text, spans = "", []
    for kind, score, body in lines:
        text += "\n" if text else ""
        spans.append(Span(start + len(text), start + len(text) + len(body), kind, score))
        text += body
    place = Locator(document, start, start + len(text), ("Chapter", "Section"))
    scores = PassageScores(fused=fused)
    return Passage(f"{document}-{start}", place, text, tuple(spans), scores)


def show(
    *passages: Passage, text: str = "How strong is it?", max_sentences: int = 3, **fields: Any
) -> list[str]:
    asked = prompt(passages, text, **fields)
    settings = replace(asked.settings, max_sentences=max_sentences)
    places = choose_places(replace(asked, settings=settings), support=ALL_HELPS)
    return [passages[place.source - 1].text_of(place.span) for place in places]


def likeliest(question: str, items: list[CandidateSpan]) -> str:
    asked = read_asked(prompt((), question), items)
    return rank_spans(asked, items, shipped_ranking())[0].item.text


async def drafted(
    *passages: Passage, text: str = "How strong is it?", **fields: Any
) -> list[DraftSentence]:
    written = ExtractiveAnswerer().write(prompt(passages, text, **fields), Transcript(), 1.0)
    return [sentence async for sentence in written]


@pytest.mark.parametrize("asked", ["谁磨了石头？", "من صقل الحجر؟", "Who ground the stone?"])
def test_a_question_of_the_book_is_no_answer_to_itself_in_any_script(asked: str) -> None:
    printed = book(
        (K.PARAGRAPH, 0.99, asked), (K.HEADING, 0.1, "Next"), (K.PARAGRAPH, 0.5, "老王磨了石头。")
    )
    assert asked not in show(printed, text=asked)


def entries(*terms: tuple[str, float, str]) -> Passage:
    """A list of definitions: term, score and what is said of it in sentences."""
    lines = [(K.PARAGRAPH, score, one) for term, score, said in terms for one in (term, said)]
    whole = book(*lines)
    spans = whole.spans
    leads = tuple(
        LeadIn(spans[at].start, spans[at].end, spans[at + 1].end, is_term=True)
        for at in range(0, len(spans), 2)
    )
    return replace(whole, lead_ins=leads)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What does the gap option do?", "A long space which follows the trailing pulse."),
        ("What is repeat_gap?", "A space that precedes a repetition of the same code."),
        ("What does --gap do?", "Treat spaces longer than time as such."),
    ],
)
def test_the_entry_for_the_very_thing_leads_however_it_is_said(question: str, said: str) -> None:
    listed = entries(
        ("gap <length>", 0.1, "A long space which follows the trailing pulse."),
        ("repeat_gap <length>", 0.1, "A space that precedes a repetition of the same code."),
        ("-g --gap=time", 0.1, "Treat spaces longer than time as such."),
    )
    others = [(K.PARAGRAPH, 0.9, f"The gap option number {at} is one more.") for at in range(12)]
    lead, *_ = show(book(*others, document="b.mdx"), listed, text=question)
    assert lead.endswith(said)


def test_the_section_named_as_the_very_thing_leads_by_its_first_sentence() -> None:
    told = "When it is set, the first menu is skipped."
    section = book(
        (K.HEADING, 0.1, "3.27. auto_edit"),
        (K.PARAGRAPH, 0.2, "Type: boolean"),
        (K.PARAGRAPH, 0.1, told),
        (K.PARAGRAPH, 0.1, "That menu may still be opened."),
        document="b.mdx",
    )
    others = book(
        (K.HEADING, 0.1, "3.28. auto_edit_mail"),
        (K.PARAGRAPH, 0.9, "This has no effect unless auto_edit is an option that is on."),
    )
    lead, *_ = show(others, section, text="What does the auto_edit option do?")
    assert lead == f"Type: boolean\n{told}"
    lead, *_ = show(others, section, text="What does the edit option do?")
    assert told not in lead


def test_a_line_of_values_is_no_sentence_that_a_section_begins_with() -> None:
    told = "When it is set, the first menu is skipped."
    section = book(
        (K.HEADING, 0.1, "3.27. auto_edit"),
        (K.PARAGRAPH, 0.9, "Type: boolean, default: true."),
        (K.PARAGRAPH, 0.1, told),
    )
    lead, *_ = show(section, text="What does the auto_edit option do?")
    assert lead.endswith(told)


def test_code_tells_how_that_the_line_over_it_says_to_run() -> None:
    for line, instructs in (("To start one more, run:", True), ("This is shown:", False)):
        passage = book((K.PARAGRAPH, 0.5, line), (K.CODE, 0.9, "editor --session=two"))
        (item,) = list_candidates([passage], "en")
        assert item.instructs is instructs


def test_a_description_below_the_name_of_the_very_thing_leads_by_its_first_sentence() -> None:
    told = "This command shows an archive as a folder."

    def described(name: str, text: str, document: str) -> Passage:
        whole = book(
            (K.HEADING, 0.1, "Description"),
            (K.PARAGRAPH, 0.1, text),
            (K.PARAGRAPH, 0.9, "The folder of keep mount is read as the mount of any disk is."),
            document=document,
        )
        place = replace(whole.locator, section_path=("Commands", name, "Description"))
        return replace(whole, locator=place)

    wrapper = described("keep mountfs", "This command is started by others.", "b.mdx")
    mount = described("keep mount", told, "c.mdx")
    lead, *_ = show(wrapper, mount, text="What does keep mount do?")
    assert lead == told
    assert show(wrapper, mount, text="What does keep umount do?") == []


def test_how_the_section_of_the_thing_begins_leads_before_that_it_is_there() -> None:
    told = "Enblend overlays several pictures, so that nobody sees where one ends."
    overview = book(
        (K.HEADING, 0.1, "Overview"),
        (K.PARAGRAPH, 0.6, told),
        (K.PARAGRAPH, 0.3, "It takes most kinds of files."),
        document="b.mdx",
    )
    place = replace(overview.locator, section_path=("Enblend", "Overview"))
    other = book(
        (K.HEADING, 0.1, "Getting Enblend"),
        (K.PARAGRAPH, 0.9, "Enblend is in constant development."),
        (K.PARAGRAPH, 0.9, "Enblend is part of the major systems."),
        document="c.mdx",
    )
    for question in ("What does Enblend do?", "What is Enblend?"):
        lead, *_ = show(other, replace(overview, locator=place), text=question)
        assert lead == told


@pytest.mark.parametrize(
    "place", ["in ~/.cache/keep/", "in %APPDATA%\\keep", "below /var/keep", "with all in a folder"]
)
def test_saying_where_a_thing_is_comes_before_what_else_the_book_says_of_it(place: str) -> None:
    passage = book(
        (K.PARAGRAPH, 0.9, "The program keeps its cache small, whatever it has read before."),
        (K.PARAGRAPH, 0.8, f"That cache of the program is stored {place} of each user."),
    )
    first, *_ = show(passage, text="Where does the program keep its cache?")
    assert "of each user" in first
    first, *_ = show(passage, text="Does the program keep its cache small?")
    assert "keeps its cache small" in first


def test_saying_what_a_thing_is_comes_before_what_is_done_with_it() -> None:
    passage = book(
        (K.PARAGRAPH, 0.9, "Hooks are expanded when they are read, so a hook is found early."),
        (K.PARAGRAPH, 0.3, "A hook is a name under which commands are kept."),
    )
    [lead, *_] = show(passage, text="What is a hook?")
    assert lead == "A hook is a name under which commands are kept."


def test_saying_what_a_thing_is_comes_before_whose_its_name_is() -> None:
    passage = book(
        (K.PARAGRAPH, 0.6, "Emul is a registered trademark of Ada Byron."),
        (K.PARAGRAPH, 0.5, "Emul is a framework for old machines."),
    )
    assert show(passage, text="What is Emul?")[0] == "Emul is a framework for old machines."


@pytest.mark.parametrize(
    "said",
    [
        "Hook is Ada’s name of what commands are kept under.",
        "A hook defines under which name commands are kept.",
        "Ada's hook is a name under which commands are kept.",
    ],
)
def test_a_thing_may_be_defined_by_whose_it_is(said: str) -> None:
    passage = book(
        (K.PARAGRAPH, 0.9, "Hooks are expanded when they are read, so a hook is found early."),
        (K.PARAGRAPH, 0.3, said),
    )
    assert show(passage, text="What is a hook?")[0] == said


def test_the_problem_of_an_entry_is_shown_with_what_is_said_of_it_and_never_alone() -> None:
    """As in a list of troubles: the problem repeats the question and gives no reason."""
    passage = entries(
        ("The stamp tool of the program is greyed out!", 0.9, "No stamp images were found."),
        ("I simply can't print!", 0.4, "The option for printing is off."),
    )
    lead, *_ = show(passage, text="Why is the stamp tool of the program greyed out?")
    assert lead.split() == " ".join(map(passage.text_of, passage.spans[:2])).split()


def test_all_that_is_said_of_a_term_is_introduced_by_it() -> None:
    passage = book(
        (K.PARAGRAPH, 0.5, "idle_timeout <minutes>"),
        (K.PARAGRAPH, 0.5, "A session ends after this time."),
        (K.PARAGRAPH, 0.5, "The default is 15."),
        (K.PARAGRAPH, 0.5, "Sessions are kept in memory."),
    )
    term, _, default, _ = passage.spans
    lead = LeadIn(term.start, term.end, default.end, is_term=True)
    items = list_candidates([replace(passage, lead_ins=(lead,))])
    assert [item.intro_text for item in items[-3:]] == [passage.text_of(term)] * 2 + [""]
    assert [definition_fit(item, frozenset(["idl", "timeout"])) for item in items[-3:]] == [
        1.0,
        0.0,
        0.0,
    ]


def test_the_likeliest_leads_and_what_supports_it_comes_after() -> None:
    first = book(
        (K.PARAGRAPH, 0.85, "Alpha was 30 kg strong."),
        (K.HEADING, 0.1, "Another"),
        (K.PARAGRAPH, 0.9, "Beta is 40 kg strong."),
    )
    asked = prompt((first,), "How strong is it?")
    places = choose_places(asked, support=ALL_HELPS)
    assert [first.text_of(place.span) for place in places] == [
        "Beta is 40 kg strong.",
        "Alpha was 30 kg strong.",
    ]
    assert [place.role for place in places] == [SentenceRole.LEAD, SentenceRole.SUPPORT]


def test_spans_far_weaker_than_the_best_are_left_out() -> None:
    weak = book((K.PARAGRAPH, 0.9, "It is strong: 40 kg."), (K.LIST_ITEM, 0.0, "Paint"))
    assert show(weak, text="How strong is it?") == ["It is strong: 40 kg."]


def test_headings_and_repetitions_are_not_shown() -> None:
    twice = (
        book((K.HEADING, 0.9, "Strength of it"), (K.PARAGRAPH, 0.8, "It lifts 40 kg.")),
        book((K.PARAGRAPH, 0.8, "It lifts 40 kg."), document="b.mdx"),
        book((K.PARAGRAPH, 0.8, "It lifts 40 kg.")),
    )
    assert show(*twice) == ["It lifts 40 kg."]


LIMITS = (
    (K.PARAGRAPH, 0.2, "It has three limits:"),
    (K.LIST_ITEM, 0.9, "Drift over time"),
    (K.LIST_ITEM, 0.0, "Noise"),
    (K.LIST_ITEM, 0.0, "Cost"),
    (K.PARAGRAPH, 0.0, "Nothing to do with that."),
)


def test_a_bare_item_is_one_piece_with_what_introduces_it() -> None:
    assert show(book(*LIMITS))[0] == "It has three limits:\nDrift over time"
    far = [*LIMITS[:1], *((K.LIST_ITEM, 0.0, f"part {at} " * 25) for at in range(4)), *LIMITS[1:2]]
    assert show(book(*far))[:2] == ["It has three limits:", "Drift over time"]


def test_a_question_for_a_list_gets_the_whole_list() -> None:
    limits = "It has three limits:\nDrift over time\nNoise\nCost"
    assert show(book(*LIMITS), text="Which limits does it have?")[0] == limits


def test_a_long_list_comes_item_by_item() -> None:
    items = [f"{word} " * 30 for word in ("Drift", "Noise", "Cost", "Heat", "Dust")]
    long = book(*LIMITS[:1], *((K.LIST_ITEM, 0.5, item) for item in items))
    shown = show(long, text="Which limits does it have?", max_sentences=1)
    assert shown == ["It has three limits:", *items]


def test_the_list_whose_lead_is_asked_for_is_shown_when_there_are_two() -> None:
    parts = (
        (K.PARAGRAPH, 0.2, "It has these parts:"),
        (K.LIST_ITEM, 0.4, "A motor of iron"),
        (K.LIST_ITEM, 0.4, "A gear of brass"),
    )
    shown = show(book(*parts, *LIMITS[:4]), text="List the limits.", max_sentences=1)
    assert shown == ["It has three limits:\nDrift over time\nNoise\nCost"]


def test_a_table_of_options_is_no_list_of_steps() -> None:
    told = "To create an archive, run borg create with the name of the archive."
    rows = ("--stats | prints statistics of the archive", "--list | lists what the archive gets")
    passage = book(
        (K.PARAGRAPH, 0.9, told),
        (K.TABLE, 0.2, "Option | What it does when you create an archive"),
        *((K.TABLE, 0.5, f"{row} that you create") for row in rows),
        *(
            (K.TABLE, 0.5, f"--{word} | makes the archive that you create {word}")
            for word in _WORDS
        ),
    )
    assert show(passage, text="How do I create an archive?")[0] == told
    listed = show(passage, text="Which options are there to create an archive?")
    assert any(row.startswith("--stats") for row in listed)


def test_a_list_with_one_likely_item_is_no_list_of_steps() -> None:
    told = "Use -A to import music without tags, in which case none of the files are changed."
    others = [(K.LIST_ITEM, 0.3, f"Use -l to log music with a {word}.") for word in _WORDS]
    options = book((K.PARAGRAPH, 0.2, "Flags:"), *others, (K.LIST_ITEM, 0.9, told))
    assert show(options, text="How do I import music without tags?")[0] == told


def test_steps_are_whole_where_what_introduces_them_is_what_is_asked() -> None:
    steps = [
        "Press the alarm.",
        "Tell the bridge where the fire is.",
        "Close the doors.",
        "Leave.",
    ]
    scores = (0.4, 0.9, 0.3, 0.2)
    items = [(K.LIST_ITEM, score, step) for score, step in zip(scores, steps, strict=True)]
    drill = book((K.PARAGRAPH, 0.2, "When you discover a fire, act in this order:"), *items)
    for question in ("What do I do when I discover a fire?", "How do I act on discovering a fire?"):
        lead, *_ = show(drill, text=question)
        assert all(step in lead for step in steps)


def test_steps_lead_under_their_title_before_a_likelier_sentence() -> None:
    steps = ["Light the smoker.", "Lift the lid.", "Take out the frame at the edge."]
    scores = (0.3, 0.5, 0.4)
    items = [(K.LIST_ITEM, score, step) for score, step in zip(scores, steps, strict=True)]
    hive = book(
        (K.HEADING, 0.2, "Opening a hive"),
        (K.PARAGRAPH, 0.95, "Nobody opens a hive when it is colder than fourteen degrees."),
        (K.PARAGRAPH, 0.2, "Go on in this order:"),
        *items,
    )
    lead, *_ = show(hive, text="How do I open a hive?")
    assert all(step in lead for step in steps)


@pytest.mark.parametrize(
    ("text", "instructs", "tells_how"),
    [
        ("Use the -d flag.", True, True),
        ("To delete the files, use the -d flag.", True, True),
        ("2. Then run the command move.", True, True),
        ("You can mark packets.", False, True),
        ("Files are deleted by rm.", False, True),
        ("The set of files is large.", False, False),
    ],
)
def test_a_sentence_that_tells_how_is_told_from_others(
    text: str, instructs: bool, tells_how: bool
) -> None:
    [item] = list_candidates([book((K.PARAGRAPH, 0.5, text))])
    assert (item.instructs, item.tells_how) == (instructs, tells_how)


def test_a_row_of_a_table_tells_nobody_how() -> None:
    passage = book((K.TABLE, 0.5, "Key | Action"), (K.TABLE, 0.5, "d | Use it to delete."))
    assert [item.tells_how for item in list_candidates([passage])] == [False]


def test_a_likely_sentence_that_tells_how_leads_where_that_is_asked() -> None:
    plain = "Deleting files from the disk with care is a thing of the past."
    how = "To delete files from the disk, use the -d flag."
    far = "Open the door, to go out."
    passage = book((K.PARAGRAPH, 0.7, plain), (K.PARAGRAPH, 0.65, how), (K.PARAGRAPH, 0.1, far))
    assert show(passage, text="How do I delete files from the disk?")[0] == how
    alone = book((K.PARAGRAPH, 0.9, plain), (K.PARAGRAPH, 0.0, far))
    assert show(alone, text="How do I delete files from the disk?")[0] == plain


def test_a_list_too_long_to_show_gives_its_best_items() -> None:
    items = [
        (K.LIST_ITEM, 0.9 if index == 20 else 0.1, f"item {index} " * 8) for index in range(40)
    ]
    shown = show(book(*items), text="List every item.")
    assert any("item 20" in item for item in shown)
    assert sum(map(len, shown)) <= 1200


def test_each_thing_compared_has_its_turn() -> None:
    sides = (
        (K.HEADING, 0.3, "Services"),
        (K.PARAGRAPH, 0.9, "They answer at once."),
        (K.PARAGRAPH, 0.9, "They block the caller meanwhile."),
        (K.PARAGRAPH, 0.9, "They have a request and a response."),
        (K.HEADING, 0.3, "Actions"),
        (K.PARAGRAPH, 0.2, "Long tasks report progress this way."),
    )
    shown = show(book(*sides), text="How do services differ from actions?", max_sentences=2)
    assert "Long tasks report progress this way." in shown


def test_a_term_is_shown_over_its_definition() -> None:
    glossary = book(
        (K.PARAGRAPH, 0.4, "ZMP (zero moment point)"),
        (K.PARAGRAPH, 0.4, "Where the weight is carried without tipping."),
    )
    assert show(glossary, text="What is the zero moment point?") == [
        "ZMP (zero moment point)\nWhere the weight is carried without tipping."
    ]


def test_a_question_of_the_book_is_no_answer() -> None:
    asked = book(
        (K.PARAGRAPH, 0.9, "How strong is it, then?"), (K.PARAGRAPH, 0.5, "It lifts 40 kg.")
    )
    assert show(asked) == ["It lifts 40 kg."]


def test_both_spellings_of_a_word_are_one() -> None:
    assert distinct_terms("decentralised, analysed") == distinct_terms("decentralized, analyzed")
    assert distinct_terms("a wise rise") == {"wise", "rise"}


async def test_the_header_of_a_table_is_no_sentence() -> None:
    table = book(
        (K.TABLE, 0.3, "Part | Price"),
        (K.TABLE, 0.9, "Eyes | $349"),
        (K.PARAGRAPH, 0.1, "Parts arrive in a box."),
    )
    texts = [sentence.text for sentence in await drafted(table, text="What do the eyes cost?")]
    assert texts[0] == "Eyes | $349"
    assert "Part | Price" not in texts


@pytest.mark.parametrize(
    ("question", "wanted", "other"),
    [
        ("How heavy is it?", "It weighs 40 kg.", "It weighs a lot."),
        ("Why does it tilt?", "It tilts because springs yield.", "It tilts when springs yield."),
    ],
)
def test_a_sentence_that_says_what_is_asked_for_is_preferred(
    question: str, wanted: str, other: str
) -> None:
    passage = book((K.PARAGRAPH, 0.7, other), (K.PARAGRAPH, 0.7, wanted))
    items = list_candidates([passage])
    assert likeliest(question, items) == wanted


def test_an_answer_stays_short() -> None:
    long = [
        book((K.PARAGRAPH, 0.9, f"word{index} " * 40), start=index * 1000) for index in range(9)
    ]
    assert len(show(*long, max_sentences=9)) == 2


def line(*sentences: tuple[float, str]) -> Passage:
    """A passage of one paragraph."""
    text, spans = "", list[Span]()
    for score, sentence in sentences:
        text += " " if text else ""
        spans.append(Span(len(text), len(text) + len(sentence), K.PARAGRAPH, score))
        text += sentence
    place = Locator("a.mdx", 0, len(text), ("Chapter", "Section"))
    return Passage("a", place, text, tuple(spans), PassageScores(fused=0.5))


def test_a_lead_goes_on_with_its_likelier_neighbour_in_the_paragraph() -> None:
    before, lead = "The mill stood still.", "The mill is strong: 30 kg."
    after, far = "The wheel of the mill is strong: 20 kg.", "Nobody lives here."
    said = show(line((0.1, before), (0.9, lead), (0.85, after), (0.1, far)))
    assert said[0] == f"{lead} {after}"
    assert show(line((0.1, before), (0.9, lead), (0.01, far)))[0] == lead
    assert show(book((K.PARAGRAPH, 0.9, lead), (K.PARAGRAPH, 0.85, after)))[0] == lead


def test_context_counts_as_read() -> None:
    """A sentence that nobody would understand without the two before it costs three."""
    lead = book((K.PARAGRAPH, 0.9, "It is strong: 40 kg."))
    long = "The elbow, " + ", ".join(f"a {word} of old" for word in 2 * _WORDS) + ", is big"
    leaning = line((0.1, f"{long}."), (0.1, f"Those {long}."), (0.7, "They are strong: 8 kg."))
    assert len(show(lead, leaning)) == 1
    alone = line((0.7, "They are strong: 8 kg."))
    assert len(show(lead, alone)) == 2


def apart(*scores: float) -> list[Passage]:
    """Passages of one sentence each, so that each is a piece of its own."""
    words = ("amber", "basalt", "copper", "dolomite", "emerald", "flint", "garnet", "halite")
    return [
        book((K.PARAGRAPH, score, f"Sample {word} stayed {word}-coloured."), start=1000 * number)
        for number, (word, score) in enumerate(zip(words, scores, strict=False), 1)
    ]


def test_three_pieces_support_a_lead_and_fewer_where_the_profile_says_so() -> None:
    assert len(show(*apart(*[0.5] * 8), max_sentences=6)) == 4
    assert len(show(*apart(*[0.5] * 8), max_sentences=2)) == 2
    assert len(show(*apart(*[0.5] * 8), max_sentences=1)) == 1


def test_the_shorter_of_about_equally_likely_sentences_supports() -> None:
    lead = book((K.PARAGRAPH, 0.9, "It is strong: 40 kg."))
    long = "The elbow is strong: 9 kg, which " + ", ".join(f"a {word} showed" for word in _WORDS)
    others = [
        book((K.PARAGRAPH, score, text), document=f"{number}.mdx")
        for number, (score, text) in enumerate(
            [
                (0.56, f"{long}."),
                (0.6, "The wrist is strong: 9 kg."),
                (0.6, "The neck is strong: 8 kg."),
            ]
        )
    ]
    assert show(lead, *others)[1:] == ["The wrist is strong: 9 kg.", "The neck is strong: 8 kg."]


def test_a_piece_takes_the_turn_of_what_it_brings_as_context() -> None:
    """By their odds the chin would stand between the neck and the sentence that needs the neck."""
    lead = book((K.PARAGRAPH, 0.9, "It is strong: 40 kg."))
    neck = "The neck of the arm is strong, as was measured in autumn on the bench of ours: 8 kg."
    wrist = "It is strong there too, as was measured on the table of the workshop: 9 kg."
    arm = replace(line((0.7, neck), (0.6, wrist)), locator=Locator("b.mdx", 0, 400, ("Arm",)))
    chin = book((K.PARAGRAPH, 0.65, "The chin is strong: 7 kg."), document="c.mdx")
    assert show(lead, arm, chin, max_sentences=4)[1:] == [wrist, chin.text]


def test_context_of_the_lead_supports_it_no_more() -> None:
    neck = "The neck of the arm is strong: 8 kg, as was measured on the bench of the institute."
    those = "Those are strong there too, as was measured on the table of the workshop: 9 kg."
    arm = replace(line((0.9, neck), (0.4, those)), locator=Locator("b.mdx", 0, 400, ("Arm",)))
    chin = book((K.PARAGRAPH, 0.8, "The chin is strong: 7 kg."), document="c.mdx")
    assert show(arm, chin, max_sentences=4) == [neck, chin.text]


def test_a_long_listing_leaves_room_for_what_explains_it() -> None:
    passage = book(
        (K.CODE, 0.9, "sudo apt-get install strong-thing\n" * 40),
        (K.PARAGRAPH, 0.8, "It is strong after the installation."),
    )
    assert len(show(passage, text="Which command makes it strong?")) == 2


def test_selected_text_is_explained_by_what_stands_beside_it() -> None:
    passage = book(
        (K.PARAGRAPH, 0.9, "A selected sentence."),
        (K.PARAGRAPH, 0.6, "A sentence that stands beside it, and that tells more."),
    )
    selected = Selection("a.mdx", 100, 120)
    assert show(passage, explain=selected) == [
        "A sentence that stands beside it, and that tells more."
    ]
    whole = Selection("a.mdx", 0, 1000)
    assert show(passage, explain=whole) == [
        "A selected sentence.",
        "A sentence that stands beside it, and that tells more.",
    ]


def test_questions_are_read_for_what_they_ask() -> None:
    assert analyse_question("List every joint type.").types.list_of_things
    assert analyse_question("How does A differ from B?").types.comparison
    assert analyse_question("How many axes has it?").types.amount
    assert analyse_question("What does `colcon build` do?").types.code
    assert analyse_question("What is a node?").types.definition
    assert analyse_question("Why is the sky blue?").types.reason
    assert analyse_question("Is it blue?").types.yes_no
    assert analyse_question("It is off. Can I start it?").types.yes_no
    assert not any(vars(analyse_question("Where does the sky end?").types).values())


spans = st.tuples(
    st.sampled_from(list(K)),
    st.floats(0, 1),
    st.text(alphabet="ab :|?1\U0001f600", min_size=1, max_size=30),
)


@given(
    passages=st.lists(st.lists(spans, min_size=1, max_size=8), max_size=4),
    text=st.text(max_size=40),
)
async def test_every_draft_sentence_is_the_book_word_for_word(
    passages: list[list[tuple[BlockKind, float, str]]], text: str
) -> None:
    cut = [book(*lines, start=1000 * number) for number, lines in enumerate(passages)]
    for sentence in await drafted(*cut, text=text):
        (claim,) = sentence.claims
        passage = cut[claim.source - 1]
        assert sentence.text == claim.quote
        assert passage.text[claim.start : claim.start + len(claim.quote)] == claim.quote


def test_both_sides_of_a_comparison_are_shown_though_one_has_all_the_best_spans() -> None:
    many = book(
        *((K.PARAGRAPH, 0.9, f"Springs are soft in case {at}, " + "very " * 25) for at in range(9)),
        document="a.mdx",
    )
    dampers = "Dampers are stiff in one case, " + "very " * 25
    other = book((K.PARAGRAPH, 0.85, dampers), document="b.mdx")
    asked = "When should I prefer springs over dampers?"
    assert dampers in show(many, other, text=asked, max_sentences=6)


def test_a_span_under_a_title_that_asks_the_same_comes_first() -> None:
    near = book((K.PARAGRAPH, 0.6, "Pumps in a cellar have many uses."), document="b.mdx")
    title = (K.HEADING, 0.2, "How many pumps has the cellar?")
    under = book(title, (K.PARAGRAPH, 0.55, "Three pumps, and a spare one by the door."))
    shown = show(near, under, text="How many pumps has the cellar?")
    assert shown[0] == "Three pumps, and a spare one by the door."


def test_a_term_is_shown_with_what_it_means_and_not_alone() -> None:
    passage = book(
        (K.PARAGRAPH, 0.9, "ZMP (Zero Moment Point)"),
        (K.PARAGRAPH, 0.5, "Concept of keeping balance by where the weight is."),
    )
    assert show(passage, text="What is the zero moment point?") == [passage.text]
    assert [item.index for item in list_candidates([passage])] == [1]


def test_a_short_fact_without_a_full_stop_is_no_title() -> None:
    passage = book(
        (K.PARAGRAPH, 0.9, "Weight: 15% of the grade"), (K.PARAGRAPH, 0.5, "Hand it in on Friday.")
    )
    assert [item.index for item in list_candidates([passage])] == [0, 1]


def test_a_definition_comes_before_other_mentions() -> None:
    told = book(
        (K.PARAGRAPH, 0.7, "Let us review the concepts of damping."),
        (K.PARAGRAPH, 0.6, "Damping is the loss of energy of a swing."),
        (K.PARAGRAPH, 0.7, "The damping kit is on the shelf."),
    )
    asked = "What is damping?"
    assert likeliest(asked, list_candidates([told])) == "Damping is the loss of energy of a swing."
    asked = "What is damping used for in the second arm of the robot?"
    assert likeliest(asked, list_candidates([told])) != "Damping is the loss of energy of a swing."


@pytest.mark.parametrize(
    ("lead", "text", "share"),
    [
        (None, "ZMP (zero moment point) is where the robot does not tip.", 1.0),
        (None, "Zero Moment Point (ZMP) is where the robot does not tip.", 1.0),
        (None, "Zero Moment Point is where the robot does not tip.", 1.0),
        (None, "Zero moment point is where the robot does not tip.", 0.0),
        (None, "In short: ZMP is where the robot does not tip.", 1.0),
        (None, "ZMP: where the robot does not tip", 1.0),
        ("ZMP (Zero Moment Point)", "Where the robot does not tip.", 1.0),
        (None, "The ZMP controller is slow.", 0.5),
        (None, "ZMP controller - recommended", 0.0),
        (None, "A robot that knows its ZMP is stable.", 0.0),
        (None, "The ZMP controller of the second lab robot is slow.", 0.0),
    ],
)
def test_a_definition_has_the_thing_for_its_subject(
    lead: str | None, text: str, share: float
) -> None:
    before = [(K.PARAGRAPH, 0.5, lead)] if lead else []
    item = list_candidates([book(*before, (K.PARAGRAPH, 0.5, text + " It never does."))])[-1]
    assert definition_fit(item, asked_thing(analyse_question("What is the ZMP?"))) == share


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("ZMP is where the robot does not tip.", 1.0),
        ("ZMP files are where the robot does not tip.", 1.0),
        ("Balance is where the robot does not tip.", 0.0),
        ("A file is where the robot does not tip.", 0.0),
    ],
)
def test_an_abbreviation_is_defined_without_the_noun_of_its_kind(text: str, share: float) -> None:
    item = list_candidates([book((K.PARAGRAPH, 0.5, text))])[0]
    assert definition_fit(item, asked_thing(analyse_question("What is a ZMP file?"))) == share
    of_words = asked_thing(analyse_question("What is a balance file?"))
    assert definition_fit(item, of_words) == 0.0


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("Each file has a data structure called an inode which describes it.", 1.0),
        ("A record of that kind is also known as the inode.", 1.0),
        ("Somebody has to support you (an inode).", 1.0),
        ("Lost files are called by their inode number.", 0.0),
        ("A list called inode table names them.", 0.0),
        ("What holds it is called the inode structure.", 0.0),
        ("What holds it is called the inode type.", 1.0),
        ("A list called free list of one inode names them.", 0.0),
        ("It depends (see the inode).", 0.0),
    ],
)
def test_a_thing_is_defined_where_what_is_told_of_is_called_so(text: str, share: float) -> None:
    item = list_candidates([book((K.PARAGRAPH, 0.5, text))])[0]
    assert definition_fit(item, asked_thing(analyse_question("What is an inode?"))) == share


def test_a_follow_up_need_not_lead_with_what_its_subject_is_called() -> None:
    """What it goes on with is in the question as searched, and the reader's own words are not."""
    told = book(
        (K.PARAGRAPH, 0.9, "The hybrid one costs 30 dollars in all."),
        (K.PARAGRAPH, 0.8, "The CapEx of all of them costs 90 dollars."),
    )
    asked = "What does the hybrid one cost as CapEx?"
    assert show(told, text=asked)[0].startswith("The CapEx")
    assert show(told, text=asked, follow_up="and the hybrid one?")[0].startswith("The hybrid")


def test_an_option_is_answered_by_its_entry() -> None:
    manual = book(
        (K.PARAGRAPH, 0.6, "If a function sets -e where -e is ignored, -e has no effect."),
        (K.PARAGRAPH, 0.4, "-d delim"),
        (K.PARAGRAPH, 0.4, "Ends lines at delim."),
        (K.PARAGRAPH, 0.4, "-e"),
        (K.PARAGRAPH, 0.4, "--errexit"),
        (K.PARAGRAPH, 0.4, "Exits at once when a command fails."),
        (K.PARAGRAPH, 0.4, "-E"),
        (K.PARAGRAPH, 0.4, "Hands traps on to functions."),
    )
    for name, end in (
        ("-e", "command fails."),
        ("--errexit", "command fails."),
        ("-E", "functions."),
    ):
        first, *_ = show(manual, text=f"What does function {name} do?")
        assert first.endswith(end), name
    assert show(manual, text="What does -e do?")[0].startswith("-e\n--errexit\n")
    shown = [item.text for item in list_candidates([manual])]
    assert "-e" not in shown


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("What is the zero moment point?", "zero moment point"),
        ("what's ownership", "ownership"),
        ("What does ZMP stand for?", "ZMP"),
        ("What does the ZMP controller do?", "ZMP controller"),
        ("What does it do to the arm?", ""),
        ("What is the ratio in torque and weight between both of the motors of an arm?", ""),
        ("Why do robots fall?", ""),
        ("", ""),
    ],
)
def test_the_thing_that_a_question_asks_about_is_read_from_it(question: str, thing: str) -> None:
    assert asked_thing(analyse_question(question)) == distinct_terms(thing)


def test_the_number_of_a_title_is_read_in_no_time_however_long() -> None:
    numbers = "1" * 5000
    assert [without_number(title) for title in ("3.27. See also", "2 Arms", f"{numbers}x")] == [
        "See also",
        "Arms",
        f"{numbers}x",
    ]


@pytest.mark.parametrize("title", ["Additional Resources", "40.6. Additional Resources"])
def test_a_list_of_links_gives_way_to_what_says_something(title: str) -> None:
    links = book(
        (K.HEADING, 0.0, title),
        (K.LIST_ITEM, 0.8, "Gripper force manual"),
        (K.LIST_ITEM, 0.8, "Gripper force videos"),
    )
    told = book((K.PARAGRAPH, 0.4, "The gripper holds by force."), start=900)
    asked = "How does the gripper hold by force?"
    assert show(links, told, text=asked) == ["The gripper holds by force."]
    asked = "Which resources are there on gripper force?"
    assert "Gripper force manual\nGripper force videos" in show(links, told, text=asked)


@pytest.mark.parametrize(
    "leading",
    [
        "In this chapter, we’ll talk about the grip of the gripper by force.",
        "Next, let's review how the gripper holds by force.",
        "This section describes how the gripper holds by force.",
    ],
)
def test_signposts_give_way_to_statements(leading: str) -> None:
    passage = book((K.PARAGRAPH, 0.8, leading), (K.PARAGRAPH, 0.4, "The gripper holds by force."))
    asked = "How does the gripper hold by force?"
    items = list_candidates([passage])
    assert show(passage, text=asked) == ["The gripper holds by force."]
    assert not is_boilerplate(items[0], "What does the chapter say of the gripper?")


def test_a_plain_comparison_shows_a_handful_of_each_side() -> None:
    def about(name: str, start: int) -> Passage:
        lines = [(K.CODE, 0.5, f"{name} {word} --open") for word in _WORDS]
        return book(
            *lines,
            (K.PARAGRAPH, 0.5, f"{name} is a simulator with {name[0]} physics."),
            start=start,
            document=f"{name}.md",
        )

    passages = (about("Gazebo", 0), about("Webots", 5000))
    shown = show(*passages, text="What is the difference between Gazebo and Webots?")
    assert "Gazebo is a simulator with G physics." in shown
    assert "Webots is a simulator with W physics." in shown
    assert len(shown) <= 6


def lidar_and_cameras() -> tuple[Passage, Passage]:
    """A section of each, and one of the other's list names the first."""
    lidar = book(
        (K.HEADING, 0.1, "LIDAR (Light Detection and Ranging)"),
        (K.PARAGRAPH, 0.5, "Limitations:"),
        (K.LIST_ITEM, 0.3, "Glass and mirrors are hardly seen"),
    )
    camera = book(
        (K.HEADING, 0.1, "Depth Cameras"),
        (K.PARAGRAPH, 0.5, "Advantages:"),
        (K.LIST_ITEM, 0.9, "Cheap compared to LIDAR"),
        (K.PARAGRAPH, 0.5, "Limitations:"),
        (K.LIST_ITEM, 0.9, "Limited range compared to LIDAR"),
        *((K.CODE, 0.8, f"camera {word} --lidar --depth") for word in _WORDS),
        start=900,
    )
    return camera, lidar


def test_text_under_another_sub_questions_title_does_not_answer_this_one() -> None:
    shown = show(*lidar_and_cameras(), text="Compare LiDAR and depth cameras.", max_sentences=6)
    assert shown[0] == "Limitations:\nGlass and mirrors are hardly seen"
    assert {
        "Advantages:\nCheap compared to LIDAR",
        "Limitations:\nLimited range compared to LIDAR",
    } <= set(shown)


def test_a_table_with_a_column_for_each_sub_question_is_shown_whole() -> None:
    rows = [(K.TABLE, 0.3, f"{word} of it | some {word} | other {word}") for word in _WORDS]
    head = (K.TABLE, 0.3, "Question | Spring | Damper")
    more = book(*((K.PARAGRAPH, 0.9, f"Springs are {word}s.") for word in _WORDS), start=5000)
    shown = show(
        book(head, *rows), more, text="What is the difference between springs and dampers?"
    )
    assert [line[2] for line in rows] == shown[: len(rows)]


def test_a_sentence_on_both_sides_of_a_comparison_comes_before_those_on_one() -> None:
    both = "Springs keep the energy of a landing for later, and dampers lose it, which is why" * 2
    springs = book(*((K.PARAGRAPH, 0.9, f"Springs are {word}s.") for word in _WORDS))
    dampers = book(
        *((K.PARAGRAPH, 0.9, f"Dampers are {word}s.") for word in _WORDS),
        (K.PARAGRAPH, 0.1, both),
        start=5000,
    )
    assert both in show(springs, dampers, text="Compare springs and dampers.")


_WORDS = ("menu", "sky", "lamp", "wind", "door", "clock")


def test_a_span_that_adds_little_for_its_length_is_left_out() -> None:
    best = book((K.PARAGRAPH, 0.9, "The elbow joint lifts twenty kilograms at once."))
    weak = book((K.PARAGRAPH, 0.1, "Paint dries in the sun, " * 6 + "slowly."), start=5000)
    assert show(best, weak, text="How much does the elbow joint lift?") == [
        "The elbow joint lifts twenty kilograms at once."
    ]


def test_a_row_has_the_header_and_the_title_of_its_own_table_alone() -> None:
    passage = book(
        (K.HEADING, 0.1, "Guide"),
        *((K.TABLE, 0.3, text) for text in ("Bolt | Torque", "M8 | 25\n")),
        *((K.TABLE, 0.3, text) for text in ("Year | Sales", "2023 | 14\n")),
        (K.PARAGRAPH, 0.1, "Table 2: Sales\n"),
        *((K.TABLE, 0.3, text) for text in ("Kind | Price", "Eyes | 9")),
    )
    # An empty line between two tables is of neither.
    spans = [
        replace(one, end=one.start + len(passage.text_of(one).rstrip())) for one in passage.spans
    ]
    rows = list_candidates([replace(passage, spans=tuple(spans))])
    assert [
        (one.text, one.intro_text, one.caption) for one in rows if one.span.kind is K.TABLE
    ] == [
        ("M8 | 25", "Bolt | Torque", "Guide"),
        ("2023 | 14", "Year | Sales", ""),
        ("Eyes | 9", "Kind | Price", ""),
    ]


def test_the_table_whose_caption_the_question_names_is_the_list() -> None:
    def table(caption: str, name: str, score: float, start: int) -> Passage:
        rows = [
            (K.TABLE, score, f"{name} {row} | " + "long " * 60) for row in ("one", "two", "three")
        ]
        return book((K.PARAGRAPH, 0.1, caption), (K.TABLE, 0.1, "Name | Use"), *rows, start=start)

    literals = table("Table 2: Motor literals", "alpha", 0.52, 100)
    types = table("Table 1: Motor types", "beta", 0.5, 5000)
    shown = show(literals, types, text="What are the motor types?")
    assert [row.split(" |")[0] for row in shown[:3]] == ["beta one", "beta two", "beta three"]


@pytest.mark.parametrize(
    ("question", "wants"),
    [
        ("List the joints.", True),
        ("Please list the joints", True),
        ("Which joints are there?", True),
        ("Which physics engine is used?", False),
        ("Which DDS vendor is used?", False),
        ("How is my package included in the list of packages?", False),
    ],
)
def test_a_list_is_given_when_it_is_asked_for(question: str, wants: bool) -> None:
    assert analyse_question(question).types.list_of_things is wants


@pytest.mark.parametrize(
    ("question", "compares"),
    [
        ("How do joints differ?", True),
        ("Joint vs link", True),
        ("What was sold at the end of each year?", False),
        ("Can another version be installed so that a different file is used?", False),
    ],
)
def test_a_comparison_is_told_from_words_that_only_look_like_one(
    question: str, compares: bool
) -> None:
    assert analyse_question(question).types.comparison is compares


@pytest.mark.parametrize(
    "pointing",
    [
        "For more information on how the gripper holds by force, see its manual.",
        "See also how the gripper holds by force.",
        "Refer to the part on grippers that hold by force.",
        # Its list is in no passage.
        "The gripper holds by force in these ways:",
    ],
)
def test_pointers_to_other_places_give_way_to_statements(pointing: str) -> None:
    weak = (K.PARAGRAPH, 0.4, "The gripper holds by force.")
    items = list_candidates([book(weak, (K.PARAGRAPH, 0.8, pointing))])
    asked = "How does the gripper hold by force?"
    assert len(items) == 2
    assert show(items[0].passage, text=asked) == [weak[2]]


def test_a_list_below_the_task_that_is_asked_for_is_shown_from_its_first_step() -> None:
    steps = ("Switch the lamp off.", "Wait ten minutes.", "Wipe the lens.", "Record the work.")
    items = [(K.LIST_ITEM, 0.9 if "lens" in step else 0.1, step) for step in steps]
    asked = "How do I clean the lens?"
    shown = show(book((K.HEADING, 0.1, "Cleaning the lens"), *items), text=asked)
    assert shown[0].split("\n") == list(steps)
    shown = show(book((K.HEADING, 0.1, "Rules of the house"), *items), text=asked)
    assert shown[0] == "Wipe the lens."


def test_an_author_below_a_title_introduces_nothing() -> None:
    told = "The reader is extensible by scripts which a key calls."
    for over, shown in (
        ("The Owl\n<owl@example.org>", told),
        ("The scripts", f"The scripts\n{told}"),
    ):
        passage = book(
            (K.HEADING, 0.1, "Extensions"), (K.PARAGRAPH, 0.2, over), (K.PARAGRAPH, 0.8, told)
        )
        assert show(passage, text="Is the reader extensible?")[0] == shown


def test_a_question_that_wants_a_place_gets_what_points_there() -> None:
    pointing = "For more information on grippers, see their manual."
    (item,) = list_candidates([book((K.PARAGRAPH, 0.4, pointing))])
    assert not is_boilerplate(item, "Where can I read more on grippers?")
    assert is_boilerplate(item, "How strong are grippers?")


def test_aims_of_a_chapter_are_no_answer() -> None:
    item, plain = (
        list_candidates([book((K.PARAGRAPH, 0.3, intro), (K.LIST_ITEM, 0.6, "Grip by force"))])[-1]
        for intro in ("At the end you will be able to:", "Hands do one thing:")
    )
    asked = "How strong is it?"
    assert (is_boilerplate(item, asked), is_boilerplate(plain, asked)) == (True, False)


@pytest.mark.parametrize(("text", "judges"), [("It cannot lift.", 1.0), ("It lifts.", 0.0)])
def test_a_sentence_that_judges_may_answer_yes_or_no(text: str, judges: float) -> None:
    passage = book((K.PARAGRAPH, 0.5, text))
    items = list_candidates([passage])
    asked = read_asked(prompt((passage,), "Can it lift?"), items)
    assert FEATURES["judges_yes_no"](asked, items[0]) == judges


@pytest.mark.parametrize(
    ("question", "features"),
    [("What does prune do?", (0.0, 1.0)), ("Which command prunes?", (1.0, 0.0))],
)
def test_code_is_told_from_code_that_is_asked_for(
    question: str, features: tuple[float, float]
) -> None:
    passage = book((K.CODE, 0.5, "borg prune --list"), (K.PARAGRAPH, 0.5, "It prunes."))
    code, prose = list_candidates([passage])
    asked = read_asked(prompt((passage,), question), [code, prose])
    rated = [
        tuple(FEATURES[name](asked, item) for name in ("code_for_code", "code_unasked"))
        for item in (code, prose)
    ]
    assert rated == [features, (0.0, 0.0)]


def test_a_sentence_leads_before_code_of_the_same_words() -> None:
    prose = "Borg prune deletes archives that no rule keeps."
    passage = book((K.CODE, 0.52, "$ borg prune --keep-daily=7 /repo"), (K.PARAGRAPH, 0.5, prose))
    assert show(passage, text="What does borg prune do?")[0] == prose


def test_a_caption_is_no_answer_but_stands_with_its_listing() -> None:
    asked = "How does the gripper hold by force?"
    passage = book(
        (K.CAPTION, 0.7, "Listing 3: The gripper holds by force"),
        (K.PARAGRAPH, 0.4, "The gripper holds by force."),
    )
    items = list_candidates([passage])
    assert show(passage, text=asked) == ["The gripper holds by force."]
    assert not is_boilerplate(items[0], "What does listing 3 show of the gripper?")
    listing = book(
        (K.PARAGRAPH, 0.5, "Filename: src/grip.py"),
        (K.CODE, 0.9, "hold(force=3)"),
        (K.CAPTION, 0.5, "Listing 4: How to hold by force"),
    )
    shown = show(listing, text="Which code makes the gripper hold?", max_sentences=1)
    assert set(shown) == {"hold(force=3)", "Listing 4: How to hold by force"}


@pytest.mark.parametrize(
    "lead", ["In this chapter, we’ll discuss:", "In this module you've learned how to do this:"]
)
def test_announcements_of_a_chapter_give_way_to_its_statements(lead: str) -> None:
    asked = "How does the gripper hold by force?"
    passage = book(
        (K.PARAGRAPH, 0.5, lead),
        (K.LIST_ITEM, 0.8, "Holding by force with the gripper"),
        (K.PARAGRAPH, 0.4, "The gripper holds by force."),
    )
    assert show(passage, text=asked) == ["The gripper holds by force."]


@pytest.mark.parametrize(
    ("text", "leans"),
    [
        ("It holds by force.", True),
        ("This force is small.", True),
        ("However, the force is small.", True),
        ("They’re held by force.", True),
        ("The force is small.", False),
        ("Thistles hold by hooks.", False),
        ("Item three is held.", False),
    ],
)
def test_a_sentence_that_leans_on_the_one_before_brings_it_along(text: str, leans: bool) -> None:
    first = "Of all grippers in this book the soft one is the oldest, and " + "very " * 9 + "soft."
    passage = book((K.PARAGRAPH, 0.0, first), (K.PARAGRAPH, 0.9, text))
    one_paragraph = replace(passage, text=passage.text.replace("\n", " "))
    assert [item.before for item in list_candidates([one_paragraph])] == [
        None,
        0 if leans else None,
    ]
    shown = show(one_paragraph, text="How does it hold by force?", max_sentences=1)
    assert shown == ([f"{first} {text}"] if leans else [text])


def test_a_name_told_as_a_word_is_no_definition() -> None:
    passage = book(
        (K.PARAGRAPH, 0.9, "‘borg’ is both a Swedish and an English word."),
        (K.PARAGRAPH, 0.5, "The borg program is a tool for backups."),
    )
    assert show(passage, text="What is borg?")[0] == "The borg program is a tool for backups."


def test_a_plain_definition_comes_first_though_other_spans_are_likelier() -> None:
    entry = book(
        (K.PARAGRAPH, 0.3, "SLAM (localization and mapping)"),
        (K.PARAGRAPH, 0.2, "A robot builds a map while it follows its own place in it."),
    )
    others = [
        book((K.PARAGRAPH, 0.9, f"The {word} paper is about SLAM."), document=word)
        for word in _WORDS[:5]
    ]
    shown = show(*others, entry, text="What is SLAM?", max_sentences=6)
    assert shown[0] == entry.text


def test_a_short_list_supports_as_one_piece_and_a_long_one_by_its_item() -> None:
    lead = book((K.PARAGRAPH, 0.95, "It is strong: 40 kg."))
    short = [(K.LIST_ITEM, 0.7, f"The {word} is strong: 9 kg") for word in ("elbow", "wrist")]
    shown = show(lead, book(*short, document="b.mdx"))
    assert shown == ["It is strong: 40 kg.", "The elbow is strong: 9 kg\nThe wrist is strong: 9 kg"]
    rows = [*short[:1], *((K.LIST_ITEM, 0.1, f"{word} " * 50) for word in _WORDS)]
    shown = show(lead, book(*rows, document="b.mdx"))
    assert shown[1] == "The elbow is strong: 9 kg"


def test_selected_text_is_shown_though_other_spans_are_likelier() -> None:
    lines = [(K.PARAGRAPH, 0.9, f"The {word} lifts 2 kg at once.") for word in _WORDS]
    selected = (K.PARAGRAPH, 0.1, "In the yard a lamp may lift 1 kg.")
    passage = book(
        *(line for one in (*lines, selected) for line in (one, (K.HEADING, 0.0, "Next")))
    )
    place = passage.spans[-2]
    selection = Selection("a.mdx", place.start, place.end)
    asked = "How much does the lamp lift?"
    assert show(passage, text=asked, selection=selection)[0] == selected[2]
    assert selected[2] not in show(passage, text=asked)


@pytest.mark.parametrize("asked", ["Explain this", "What does this mean?", "Summarise this"])
def test_marked_text_answers_a_question_about_it_from_its_beginning(asked: str) -> None:
    marked = "Each of them has a yard. It is wide."
    passage = book(
        (K.PARAGRAPH, 0.9, "This means that the lamp lifts 2 kg at once."),
        (K.HEADING, 0.0, "Yards"),
        (K.PARAGRAPH, 0.2, marked[:24]),
        (K.PARAGRAPH, 0.4, "It is wide."),
        (K.HEADING, 0.0, "Lamps"),
        (K.PARAGRAPH, 0.8, "This explains how the lamp lifts it."),
    )
    first, last = passage.spans[2:4]
    # The whole, and a few words of it.
    for start, end in ((first.start, last.end), (first.start + 5, first.start + 12)):
        lead, *_ = show(passage, text=asked, selection=Selection("a.mdx", start, end))
        assert lead.startswith("Each of them has a yard.")


def test_a_page_is_asked_for_of_the_section_that_is_about_the_thing_from_its_beginning() -> None:
    mention = book((K.PARAGRAPH, 0.9, "The urgency field is the value of urgency in the file."))
    section = book(
        (K.PARAGRAPH, 0.2, "This says how important an upload is."),
        (K.PARAGRAPH, 0.8, "The urgency field is extracted from the changelog."),
        start=900,
    )
    place = replace(section.locator, section_path=("Fields", "5.6.17 Urgency"))
    section = replace(section, locator=place)
    first, *_ = show(mention, section, text="What page discusses the urgency field?")
    assert first == "This says how important an upload is."
    first, *_ = show(mention, section, text="What does the urgency field say?")
    assert first != "This says how important an upload is."
    first, *_ = show(mention, text="What page discusses the urgency field?")
    assert first == "The urgency field is the value of urgency in the file."


def test_a_list_leads_in_the_section_that_what_is_likeliest_speaks_of_it_in() -> None:
    items = [(K.LIST_ITEM, 0.4, f"The {word} strategy bends it.") for word in _WORDS[:3]]
    passage = book(
        (K.HEADING, 0.1, "Three strategies"),
        (K.PARAGRAPH, 0.9, "Few robots have all three strategies."),
        (K.PARAGRAPH, 0.2, "In their order:"),
        *items,
    )
    shown = show(passage, text="What are the three strategies?")
    assert all(text in shown[0] for _, _, text in items)
    asked = "How many robots have all three strategies?"
    assert show(passage, text=asked)[0] == "Few robots have all three strategies."
