"""What of the book is shown with a sentence, so that it says what it says there."""

import pytest

from libs.text import sentence_ranges
from services.generation.checks.cite import Citations
from services.generation.checks.context import list_context
from services.generation.model import (
    BlockKind,
    Claim,
    DraftSentence,
    Grounding,
    Locator,
    Neighbour,
    Passage,
    Span,
)
from services.generation.proof import examine_sentence
from services.generation.sections import LeadIn

KINDS = {"- ": BlockKind.LIST_ITEM, "> ": BlockKind.QUOTE, "# ": BlockKind.HEADING,
         "| ": BlockKind.TABLE, "^ ": BlockKind.FOOTNOTE, "$ ": BlockKind.CODE}  # fmt: skip


def passage_of(page: str) -> Passage:
    """A passage of paragraphs parted by blank lines; a line may begin as `KINDS` says."""
    text, spans, before = "", list[Span](), ""
    for block in page.split("\n"):
        if not block:
            before = "\n\n"
            continue
        kind = KINDS.get(block[:2], BlockKind.PARAGRAPH)
        body = block if kind is BlockKind.PARAGRAPH else block[2:]
        text += (before or "\n") if text else ""
        whole = kind in (BlockKind.TABLE, BlockKind.CODE, BlockKind.HEADING)
        ranges = [(0, len(body))] if whole else sentence_ranges(body)
        spans += [Span(len(text) + start, len(text) + end, kind) for start, end in ranges]
        text, before = text + body, ""
    return Passage("c", Locator("d", 0, len(text)), text, tuple(spans))


def context_of(page: str, wanted: str, language: str = "") -> list[str]:
    passage = passage_of(page)
    [span] = [span for span in passage.spans if wanted in passage.text_of(span)]
    return [passage.text_of(one) for one in list_context(passage, span, language)]


@pytest.mark.parametrize(
    ("page", "wanted", "with_it"),
    [
        ("May it be hot? Never. It is cold all day.", "May", ["May it be hot?", "Never."]),
        ("May it be hot? Never. It is cold all day.", "Never", ["May it be hot?", "Never."]),
        ("May it be hot?\n\nNever.", "May", ["May it be hot?", "Never."]),
        ("- Is it hot?\n- Is it cold?", "hot", ["Is it hot?"]),
        ('"Milk cures. Water kills." So said a quack.', "Milk", None),
        ('"Milk cures. Water kills." So said a quack.', "Water", None),
        ("He sold it: “Milk cures all of us. Water kills all of us.”", "Water", None),
        ('The word "valve" is old. All pumps turn well.', "valve", ['The word "valve" is old.']),
        ("Errors we made:\n\n- Salt it.\n- Turn it.", "Turn", ["Errors we made:", "Turn it."]),
        ("- It is called so:\n- http://a.bc/d\n- Ann left.", "Ann", ["Ann left."]),
        ("These are banned.\n\n| A | b\n| C | d", "C", ["These are banned.", "C | d"]),
        (
            "| Kiln | Heat | Fee\n| Pip | 9 °C | £3\n\nNever open a kiln above 120 °C. It cracks.",
            "Pip",
            ["Pip | 9 °C | £3"],
        ),
        (
            "| Kiln | Fee\n| Pip | £3\n\nThe fee is not asked of members.",
            "Pip",
            ["Pip | £3", "The fee is not asked of members."],
        ),
        ("Torques\n\n| Bolt | N\n| M8 | 25\n\n| Year | Sales\n| 2023 | 14", "2023", ["2023 | 14"]),
        ("Torques\n\n| Bolt | N\n| M8 | 25\n\n| Year | Sales\n| 2023 | 14", "M8",
         ["Torques", "M8 | 25"]),
        ("These are untrue:\n\n| A | b\n| C | d\n\n| E | f\n| G | h", "G",
         ["These are untrue:", "G | h"]),
        ("# G\n\n| Year | N\n| 2023 | 14\n\nTable 1: Sales\n\n| Bolt | N\n| M8 | 25", "M8",
         ["M8 | 25"]),
        ("Table 1: Sales\n\n| Year | N\n| 2023 | 14\n\nTable 2: Bolts\n\n| Bolt | N\n| M8 | 25",
         "M8", ["Table 2: Bolts", "M8 | 25"]),
        ("Pumps turn. Motors stand.\n\n- Salt it.", "Salt", ["Salt it."]),
        ("A leaflet of 1911 says:\n\n> Milk cures.", "Milk", None),
        ("Enter this:\n\n$ rm x", "rm", None),
        ("Ann: The pump is hot.\n\nBo: Wrong.\n\nAnn: Then it is cold.", "hot",
         ["Ann: The pump is hot.", "Bo: Wrong."]),
        ("Name: Pump\n\nWeight: heavy things", "Pump", ["Name: Pump"]),
        ("Aspirin is safe for cats. This was claimed by quacks.", "Aspirin", None),
        ("Aspirin is safe for cats. Far from it.", "Aspirin", None),
        ("Wax is hot. (So they say.)", "Wax", None),
        ("Petrol stands below deck. It is not on any boat that floats.", "Petrol", None),
        ("Petrol stands here. It is cheap here without taxes.", "Petrol", ["Petrol stands here."]),
        ("Goats swim. Cows dive. This was never true.", "Goats", None),
        ("Goats swim. Cows can dive well. This is a sport.", "Goats", ["Goats swim."]),
        ("Goats swim.\n\nNone of these is true.", "Goats", None),
        ("- Goats swim.\n- Cows dive.\n\nNot so.", "Goats", ["Goats swim.", "Not so."]),
        ("Goats give milk every day. Unfortunately, the milk is bad.", "Goats", None),
        ("Goats give milk every day. In practice, hardly a drop comes.", "Goats", None),
        ("Goats give milk.\n\nNote 2: only the old ones do not.", "Goats", None),
        ("Goats give milk. It is white. No other is so white. It does not keep.", "keep", None),
        ("It is not good for:\n\n- Cats of all kinds.\n- Dogs.", "good", None),
        ("It is white. It is not good for:\n\n- Cats.\n- Dogs.", "white", None),
        ("It is not good for:\n\n- Cats of all kinds.\n- Dogs.", "Dogs",
         ["It is not good for:", "Dogs."]),
        ("Ann built it for all. Bo lent her the money. He drowned in 1910.", "drowned", None),
        ("Pumps are very cheap. Motors are very cheap.", "Motors", ["Motors are very cheap."]),
        ("The door is open.[1] It creaks at night.\n\n^ Withdrawn since.", "door",
         ["The door is open.[1]", "Withdrawn since."]),
        ("Doors open.[1] The walls stand.[2]\n\n^ One note.\n\n^ Two notes.", "walls",
         ["The walls stand.[2]", "Two notes."]),
    ],
)  # fmt: skip
def test_a_span_is_shown_with_what_it_says_something_else_without(
    page: str, wanted: str, with_it: list[str] | None
) -> None:
    """None stands for all spans of the page."""
    passage = passage_of(page)
    assert context_of(page, wanted) == (with_it or [passage.text_of(one) for one in passage.spans])


@pytest.mark.parametrize(
    ("language", "page"),
    [
        ("de", "Aspirin heilt Katzen schnell. Das ist ein Irrtum."),
        ("de", "Aspirin heilt Katzen schnell. Doch das behaupten nur Quacksalber."),
        ("fr", "L'aspirine guérit vite les chats. C'est une erreur de charlatan."),
        ("es", "La aspirina cura a los gatos. Esto es un error muy viejo."),
        ("pt", "A aspirina cura os gatos. Isto é um erro muito velho."),
        ("ru", "Аспирин быстро лечит кошек. Это старая ошибка знахарей."),
        ("zh", "阿司匹林可以治好所有的猫。这是一个流传很久的错误说法。"),
        ("ja", "アスピリンはすべての猫を治します。これは昔からの間違いです。"),
        ("ar", "الأسبرين يشفي القطط بسرعة. هذا خطأ قديم جدا عند الناس."),
        ("de", "Ziegen geben jeden Tag Milch. Leider schmeckt die Milch nach Seife."),
        ("fr", "Les chèvres donnent du lait. Malheureusement, le lait tourne vite."),
        ("es", "Las cabras dan leche cada día. Por desgracia, la leche huele mal."),
        ("pt", "As cabras dão leite todo dia. Infelizmente, o leite cheira mal."),
        ("ru", "Козы дают молоко каждый день. К сожалению, молоко быстро киснет."),
        ("zh", "山羊每天都会产很多奶。遗憾的是，山羊奶很快就会变酸。"),
        ("ja", "ヤギは毎日たくさん乳を出します。残念ながら、乳はすぐに酸っぱくなります。"),
        ("ar", "الماعز تعطي الحليب كل يوم. للأسف الحليب يفسد بسرعة كبيرة."),
        ("hi", "बकरियाँ हर दिन दूध देती हैं. दुर्भाग्य से दूध जल्दी खट्टा होता है."),
        ("hi", "एस्पिरिन बिल्लियों को जल्दी ठीक करती है. यह लोगों की बहुत पुरानी भूल है."),
    ],
)
def test_a_sentence_is_shown_with_the_one_that_speaks_of_it(language: str, page: str) -> None:
    assert has_context(language, page)


@pytest.mark.parametrize(
    ("language", "page"),
    [
        ("en", "Feed in spring. One only does that with colonies that have no honey of their own."),
        ("en", "Some members treat with rhubarb leaves. Dr Pell examined 40 such hives; 31 were dead."),
        ("en", "The acid may be trickled twice. In the same winter the second time kills the brood."),
        ("en", "Sand cleans the pan. Three cooks of the inn did that once and ruined all their pans."),
        ("en", "Oil the belt weekly. In my shop every belt that was treated so failed by the summer."),
        ("en", "The rope can be spliced. After the second time it must never carry any man's weight."),
        ("en", "You may store the oil in a tin. All such tins in our cellar had rusted by Easter."),
        ("en", "Goats may graze here. Keepers with such animals have to ask the water board first."),
        ("ru", "Поливать можно. Садовник, который поступал так летом, потерял все свои розы."),
        ("de", "Im Frühling kann man füttern. Ein Imker tut das nur bei Völkern ohne eigenen Honig."),
        ("de", "Manche nehmen Rhabarber. Dr. Pell untersuchte vierzig solche Völker und fand 31 tot."),
        ("fr", "On peut nourrir au printemps. Le vieil homme du village ne fait jamais cela en mai."),
        ("fr", "Certains traitent à la rhubarbe. Le docteur vit quarante telles ruches toutes mortes."),
        ("es", "Se puede alimentar en marzo. El ácido aplicado la segunda vez mata toda la cría."),
        ("es", "Se puede alimentar en marzo. El apicultor con años solo hace eso con las débiles."),
        ("pt", "Pode-se alimentar em março. O ácido aplicado a segunda vez mata toda a cria nova."),
        ("pt", "Pode-se alimentar em março. O apicultor com anos só faz isso com as mais fracas."),
        ("ru", "Весной можно кормить. Опытный пчеловод станет делать это только с голодными семьями."),
        ("ru", "Кислоту капают дважды. В ту же зиму во второй раз она убивает весь молодой расплод."),
        ("ar", "يمكن إطعام النحل في الربيع. النحال الخبير يفعل ذلك فقط مع الخلايا التي نفد عسلها كله."),
        ("hi", "वसंत में चाशनी दी जा सकती है. उसी सर्दी में दूसरी बार देने से सारे बच्चे मर जाते हैं."),
        ("ja", "春にも糖液を与えられます。経験のある養蜂家は蜜のない群れにだけそうします。"),
        ("ja", "酸は二度かけられます。同じ冬の二度目の処置は育っている子をすべて殺します。"),
        ("zh", "春天也可以喂糖浆。有经验的养蜂人只有在蜂群没有蜂蜜的时候才会这样做。"),
        ("zh", "酸可以滴两次。在同一个冬天里第二次滴会把所有的幼虫都杀死。"),
    ],
)  # fmt: skip
def test_a_sentence_is_shown_with_the_one_that_takes_it_up_and_judges(
    language: str, page: str
) -> None:
    assert has_context(language, page)


@pytest.mark.parametrize(
    ("language", "page"),
    [
        ("en", "The sizes of all screws are known. At the end of the book there is such a table."),
        ("en", "Stir the glue with a stick. Ann does that with a long spoon on most days of the week."),
        ("en", "Feed the bees in spring. In the same week the second time is as good as the first."),
        ("en", "The pump has two valves. In many such pumps both of them are made of brass or steel."),
        ("en", "The quaternion has four numbers. A matrix of nine has no such need of a fourth axis."),
        ("en", "Robots need many sensors. Cheap ones, such as bump switches, do not see far ahead."),
        ("en", "Grease the axle in spring. The first time you turn it, the wheel will not run freely."),
        ("en", "The wheel was first tried at Ulm. For the first time no horse was needed on the road."),
        ("en", "Cut the boards to length. The carpenters of the valley do so with a saw of two hands."),
        ("en", "The mill stands on the hill. Dead leaves and lost tools lie around the old building."),
        ("en", "Paint the door twice. The second time, use a finer brush and let the paint dry well."),
        ("en", "The lathe has a bed of iron. It is oiled because the iron would otherwise rust away."),
        ("de", "Die Schrauben sind genormt. Am Ende dieses Buches steht eine solche Aufstellung."),
        ("fr", "Les vis sont normalisées. À la fin du livre il y a une telle table avec les tailles."),
        ("es", "Los tornillos tienen norma. Al final del libro hay una lista tal con las medidas."),
        ("ru", "Винты имеют размеры. В конце книги для читателя есть такая таблица с размерами."),
    ],
)  # fmt: skip
def test_a_sentence_is_shown_alone_where_the_next_only_goes_on(language: str, page: str) -> None:
    assert not has_context(language, page)


def has_context(language: str, page: str) -> bool:
    """Whether the first of two sentences is shown with the second."""
    ranges = sentence_ranges(page, language)
    assert len(ranges) == 2
    spans = tuple(Span(start, end, BlockKind.PARAGRAPH) for start, end in ranges)
    passage = Passage("c", Locator("d", 0, len(page)), page, spans)
    return list_context(passage, spans[0], language) == list(spans)


def test_an_item_and_its_lead_in_are_one_sentence_with_citations_of_both() -> None:
    passage = passage_of("Never do any of these:\n\n- Heat it.\n- Open the valve.\n- Run away.")
    citations = Citations((passage,))
    quote = "Open the valve."
    examined = examine_sentence(
        DraftSentence(quote, (Claim(1, quote),)), citations, Grounding.VERBATIM
    )
    assert examined.passed
    assert examined.draft.text == f"Never do any of these:\n{quote}"
    assert [proof.quote for proof in examined.proofs] == ["Never do any of these:", quote]


def test_a_part_of_a_span_is_shown_with_what_the_whole_is_shown_with() -> None:
    text = (
        "521 text\n\n       Disconnect at once. This frees resources for\n       other clients.\n\n"
        "       Note: only for robots."
    )
    page = "Never do this:\n\n" + text
    spans = (Span(0, 14, BlockKind.PARAGRAPH), Span(16, len(page), BlockKind.CODE))
    passage = Passage("c", Locator("d", 0, len(page)), page, spans)
    quote = "This frees resources for other clients."
    examined = examine_sentence(
        DraftSentence(quote, (Claim(1, quote),)), Citations((passage,)), Grounding.VERBATIM
    )
    assert examined.passed
    assert examined.draft.text.startswith("Never do this:")
    assert "521 text" in examined.draft.text
    assert "only for robots" in examined.draft.text


def test_a_long_quotation_is_shown_with_its_beginning_and_its_end() -> None:
    said = " ".join(f"Milk number {number} cures a fever." for number in range(9))
    shown = context_of(f'A pedlar sang: "{said}" He was jailed.', "number 4")
    assert shown[0].startswith("A pedlar sang")
    assert "number 8" in shown[-1]
    assert len(shown) == 3


def test_a_span_is_shown_with_what_stands_beside_its_passage() -> None:
    lead_in = Neighbour(Span(0, 23, BlockKind.PARAGRAPH), "Never do any of these:\n")
    other = Neighbour(Span(25, 33, BlockKind.LIST_ITEM), "Heat it.")
    after = Neighbour(Span(71, 82, BlockKind.PARAGRAPH), "Not at all.", same_block=True)
    text = "Open the valve.\n\nPumps are harmless."
    spans = (Span(34, 49, BlockKind.LIST_ITEM), Span(51, 70, BlockKind.PARAGRAPH))
    beside = (lead_in, other, after)
    passage = Passage("c", Locator("d", 34, 70), text, spans, neighbours=beside)
    assert list_context(passage, spans[0]) == [lead_in.span, spans[0]]
    assert list_context(passage, spans[1]) == [spans[1], after.span]
    citations = Citations((passage,))
    quote = "Open the valve."
    examined = examine_sentence(
        DraftSentence(quote, (Claim(1, quote),)), citations, Grounding.VERBATIM
    )
    assert examined.draft.text.split() == [*lead_in.text.split(), *quote.split()]
    places = [(proof.locator.start, proof.locator.end) for proof in examined.proofs]
    assert places == [(0, 23), (34, 49)]


@pytest.mark.parametrize(
    ("language", "page"),
    [
        ("de", "- perl - Eine Sprache.\n- quilt - Dieses Paket verwaltet Patches."),
        ("fr", "- perl — Un langage courant.\n- quilt — ce paquet aide à gérer des correctifs."),
        ("es", "- perl - Un lenguaje común.\n- quilt - este paquete aplica modificaciones."),
    ],
)
def test_an_entry_of_a_list_speaks_of_its_own_term(language: str, page: str) -> None:
    [shown] = context_of(page, "quilt", language)
    assert shown.startswith("quilt")


@pytest.mark.parametrize(
    ("note", "is_shown"),
    [
        # It is of another row, of this one too, or of all.
        ("The Finch is portable and needs no flue at all.", False),
        ("The Finch and the Robin need no flue at all.", True),
        ("No stove needs a flue at all.", True),
    ],
)
def test_a_note_on_another_row_limits_none_but_that(note: str, is_shown: bool) -> None:
    page = f"| Stove | Flue\n| Robin | 10 cm\n| Finch | \n\n{note}"
    assert (note in context_of(page, "Robin | 10")) == is_shown


@pytest.mark.parametrize(
    ("before", "is_shown"),
    [
        ("Single-letter options that take nothing can be combined.", False),
        ("The options are:", True),
        ("None of these options work in version 2.", True),
        ("In version 2 of it none of these work.", True),
        ("The following is only for robots.", True),
    ],
)
def test_text_before_a_list_of_terms_is_shown_where_it_speaks_of_them(
    before: str, is_shown: bool
) -> None:
    page = f"{before}\n\n--dry-run\n\nPrint the results."
    starts = [0, len(before) + 2, len(before) + 13]
    ends = [len(before), len(before) + 11, len(page)]
    spans = tuple(
        Span(start, end, BlockKind.PARAGRAPH) for start, end in zip(starts, ends, strict=True)
    )
    leads = (
        LeadIn(spans[0].start, spans[0].end, len(page), is_term=False),
        LeadIn(spans[1].start, spans[1].end, len(page), is_term=True),
    )
    passage = Passage("c", Locator("d", 0, len(page)), page, spans, lead_ins=leads)
    shown = list_context(passage, spans[2], "en")
    assert (spans[0] in shown, spans[1] in shown) == (is_shown, True)
