"""A sentence in a model's own words keeps the facts of its quotes and the passages around them."""

import pytest

from services.generation.checks.facts import check_books_words, check_own_words
from services.generation.model import CheckKind, Statement

PASSAGE = (
    "A hydraulic actuator turns the pressure of a fluid into force. It holds 21 MPa without a "
    "gearbox. Lines do not tolerate dirt."
)


def fault_of(
    text: str,
    *quotes: str,
    passage: str = "",
    titles: tuple[str] = ("Actuators",),
    question: str = "",
) -> CheckKind | None:
    """The kind of the check that stops `text`; None when nothing does."""
    quotes = quotes or ("It holds 21 MPa without a gearbox.",)
    statement = Statement(text, quotes, (passage or "\n".join(quotes),), titles, question)
    last = check_own_words(statement)[-1]
    return None if last.passed else last.kind


def test_the_passage_is_evidence_too() -> None:
    text = "A hydraulic actuator holds 21 MPa without a gearbox."
    assert fault_of(text, passage=PASSAGE) is None


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("It holds twenty-one megapascals.", "It holds 21 megapascals."),
        (
            "It costs $89,000, of which $60,000 are wages.",
            "cost 89,000 dollars | wages 60,000 dollars",
        ),
        ("It takes 80 % of the time.", "It takes four fifths of the time."),
        ("It turns by 0.088 degrees.", "It turns by 0.088°."),
        ("A delay of 50 to 200 ms hurts.", "A delay (50-200ms) hurts."),
        ("It lies 40 km further.", "One is 60 km away, the other 100 km."),
        ("The three steps are: wash, cut, cook.", "wash\ncut\ncook"),
        ("It has a Wi-Fi chip.", "It has a wifi chip."),
        ("Finally the pump stops.", "The pump stops."),
        ("Actuators make force.", "It makes force."),
        ("It blurs by a Gaussian blur.", "cv.GaussianBlur(gray)"),
        ("The pump is smaller than the tank.", "The tank is larger than the pump."),
        ("Jars are never dry.", "No jar is ever dry."),
        ("It is the least of all tools.", "It is the least of all tools here."),
        ("It moves because of the wind.", "It moves due to the wind."),
        ("If the tank is full, water stops.", "water stops: the tank is full"),
        ("It may rust in rain.", "It might rust in rain."),
        ("Nothing is missing but oil, so it lacks oil.", "It does not have oil."),
        ("Try a rag when rust keeps the lid from opening.", "Try a rag: the lid does not open."),
        ("Opening the lid is forbidden.", "The lid must not be opened."),
        ("The lid is at the top, not at the bottom.", "The lid is at the top."),
        ("Inner threads are invalid.", "Inner threads are not valid."),
        ("At its top and bottom it has lids.", "It has lids at the top."),
        ("The lid is left out of the list.", "The lid is not in the list."),
        ("The lid offers no sealing.", "The lid | sealing: N/A"),
        ("The 95th-percentile delay is 67 ms.", "P95 delay: 67 ms"),
        (
            "Four steps are named: wash, peel, cut, cook.",
            "Steps named:\nwash\npeel\ncut\ncook",
        ),
        ("As long as the tank is full, water flows.", "Water flows while the tank is full."),
        ("If you want to leave the dialogue, press Esc.", "To close it, press Esc."),
        ("All pumps except the red one run.", "All pumps but the red one run."),
        ("It was formerly made of tin.", "It was once made of tin."),
        ("It runs even when it rains.", "It runs regardless of whether it rains."),
        ("The pump drips and is loud.", "The pump not only drips, it is loud."),
    ],
)
def test_the_same_said_otherwise_passes(text: str, quote: str) -> None:
    assert fault_of(text, quote) is None


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        (
            "Without a fence the robot arm may be touched while it is in operation.",
            "The robot arm must not be touched without a fence while it is in operation.",
        ),
        (
            "When the current of the motor fails, the robot arm keeps its position.",
            "The robot arm does not keep its position when the current of the motor fails.",
        ),
    ],
)
def test_a_word_like_without_on_both_sides_excuses_no_lost_negation(text: str, quote: str) -> None:
    assert fault_of(text, quote) is CheckKind.NEGATION


@pytest.mark.parametrize(
    ("text", "quote", "kind"),
    [
        ("It holds 35 MPa.", "It holds 21 MPa.", CheckKind.NUMBERS),
        ("It holds thirty megapascals.", "It holds 21 megapascals.", CheckKind.NUMBERS),
        ("The four steps are: wash, cut, cook.", "wash\ncut\ncook", CheckKind.NUMBERS),
        ("It holds 21 kg.", "It holds 21 MPa.", CheckKind.UNITS),
        ("It costs 20 euros.", "It costs $20.", CheckKind.UNITS),
        ("A Bosch actuator holds 21 MPa.", "It holds 21 MPa.", CheckKind.NAMES),
        ("Bosch makes what holds 21 MPa.", "It holds 21 MPa.", CheckKind.NAMES),
        ("Bosch's drive holds 21 MPa.", "It holds 21 MPa.", CheckKind.NAMES),
        ("It holds, see www.example.org/a", "It holds.", CheckKind.MARKUP),
        ("It tolerates dirt.", "It does not tolerate dirt.", CheckKind.NEGATION),
        ("It does not hold pressure.", "It can hold pressure.", CheckKind.NEGATION),
        ("Motor A is heavier than B.", "Motor A is lighter than B.", CheckKind.DIRECTION),
        ("Tanks are larger than pumps.", "Pumps are larger than tanks.", CheckKind.DIRECTION),
        ("The lid is at the bottom.", "The lid is at the top.", CheckKind.DIRECTION),
        ("It is false by default.", "The default is true.", CheckKind.DIRECTION),
        ("It rusts in rain.", "It may rust in rain.", CheckKind.STRENGTH),
        ("All tanks rust.", "Some tanks rust.", CheckKind.SCOPE),
        ("It only rusts in rain.", "It rusts in rain.", CheckKind.SCOPE),
        ("It rusts unless it is painted.", "It rusts. It is painted.", CheckKind.CONDITION),
        ("It rusts when salt water stays.", "It rusts.", CheckKind.CONDITION),
        ("It rusts even when it is dry.", "It rusts when it is dry.", CheckKind.CONDITION),
        ("It rusts because salt water stays.", "It rusts.", CheckKind.CAUSE),
    ],
)
def test_a_sentence_that_the_evidence_does_not_say_is_stopped(
    text: str, quote: str, kind: CheckKind
) -> None:
    assert fault_of(text, quote) is kind


def test_a_name_may_be_the_readers() -> None:
    text = "The Bosch actuator holds 21 MPa without a gearbox."
    assert fault_of(text, question="What does the Bosch actuator hold?") is None


def test_another_of_the_same_make_is_another_even_where_the_passage_has_it() -> None:
    text, passage = "The drive of it is a T-40.", "The drive of it is a T-40i. A T-40 is older."
    assert fault_of(text, "The drive of it is a T-40i.", passage=passage) is CheckKind.NAMES


def test_a_number_of_the_passage_is_not_the_quotes() -> None:
    text, passage = "It costs 30 dollars.", "It costs 20 dollars. It was 30 dollars before."
    assert fault_of(text, "It costs 20 dollars", passage=passage) is CheckKind.NUMBERS


def test_without_a_quote_nothing_passes() -> None:
    last = check_own_words(Statement("It holds 21 MPa.", (), (PASSAGE,)))[-1]
    assert not last.passed


@pytest.mark.parametrize("digits", ["1.2,3", "1.2.3", "1,2,3", "2015.4,2", "1,2"])
def test_numbers_in_the_digits_of_any_script_match(digits: str) -> None:
    assert fault_of(f"It is version {digits}.", f"It has the version {digits} now.") is None


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("A rod takes 21 mPa of load.", "The rod bears 21 MPa."),
        ("A rod takes 21 Mpa of load.", "The rod bears 21 MPa."),
        ("A spring of 40 N/m is used.", "The spring has 40 N·m."),
        ("A sensor of 12 Mg is used.", "The sensor weighs 12 mg."),
        ("A drop of 2 M is seen.", "It drops by 2 m."),
        ("At rest 4.0 + 0.2 V is read.", "It reads 4.0 ± 0.2 V at rest."),
        ("A loss of 7 W is usual.", "The loss is < 7 W."),
        ("A height of 20 m is reached.", "It reaches -20 m."),
    ],
)
def test_units_and_signs_are_compared_character_by_character(text: str, quote: str) -> None:
    assert fault_of(text, quote) is CheckKind.UNITS


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("A rate of 5 kHz is used.", "The rate is 5 KHZ."),
        ("A loss below 7 W is usual.", "The loss is < 7 W."),
        ("A turn of 90 degrees is made.", "It turns by 90°."),
        ("A torque of 40 Nm is needed.", "It needs 40 N·m."),
    ],
)
def test_the_same_unit_or_sign_may_be_written_otherwise(text: str, quote: str) -> None:
    assert fault_of(text, quote) is None


def test_without_rules_for_a_language_only_whole_sentences_of_it_are_shown() -> None:
    span = "Il robot cade; poi si alza ancora."
    assert check_books_words(span, [span], "it")[0][-1].passed
    assert not check_books_words("Poi si alza ancora.", [span], "it")[0][-1].passed


@pytest.mark.parametrize(
    ("text", "quote", "kind"),
    [
        ("For a list type `ls -L` here.", "Type `ls -l` for a list.", CheckKind.MARKUP),
        ("A list is what `ls -L` shows.", "Type ls -l for a list.", CheckKind.MARKUP),
        ("For hours write to a@b.example now.", "Write to c@b.example.", CheckKind.MARKUP),
        ("On Sundays ☀ it is closed.", "It is closed on Sundays ☂.", CheckKind.MARKUP),
        ("It draws more than 5 mW at rest.", "At rest, 5 mW is its draw.", CheckKind.UNITS),
    ],
)
def test_code_signs_and_bounds_are_the_books(text: str, quote: str, kind: CheckKind) -> None:
    assert fault_of(text, quote) is kind


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("For a list type `ls -l` here.", "Type ls -l for a list."),
        ("It draws at most 5 mW at rest.", "At rest, it needs up to 5 mW."),
        ("The draw is less than 5 mW.", "Its draw is < 5 mW."),
    ],
)
def test_code_and_bounds_that_the_book_has_pass(text: str, quote: str) -> None:
    assert fault_of(text, quote) is None


@pytest.mark.parametrize(
    ("kind", "text", "quote"),
    [
        (CheckKind.STRENGTH, "The filter must be washed.", "It is good to wash the filter."),
        (CheckKind.STRENGTH, "You must not oil the hinge.", "You do not need to oil the hinge."),
        (CheckKind.STRENGTH, "The pump lasts a year.", "The pump usually lasts a year."),
        (CheckKind.SCOPE, "Guests have keys to the pump.", "Guests have limited keys to the pump."),
        (
            CheckKind.CONDITION,
            "The valve closes by itself.",
            "When the float rises above the mark, the valve closes by itself.",
        ),
        (
            CheckKind.CONDITION,
            "The oil is changed monthly.",
            "For boats with a diesel engine, the oil is changed monthly.",
        ),
        (CheckKind.NEGATION, "Rinse it without warm water.", "Rinse it with warm water."),
        (CheckKind.DIRECTION, "Hold at most two ropes.", "Hold at least two ropes."),
    ],
)
def test_advice_limits_and_cases_of_the_book_stay_as_they_are(
    kind: CheckKind, text: str, quote: str
) -> None:
    assert fault_of(text, quote) is kind


@pytest.mark.parametrize(
    ("text", "quote", "question"),
    [
        ("The filter must be washed.", "The filter has to be washed.", ""),
        ("You need not oil the hinge.", "You do not need to oil the hinge.", ""),
        (
            "The valve closes by itself.",
            "When the float rises above the mark, the valve closes by itself.",
            "What happens when the float rises above the mark?",
        ),
        ("It rinses without oil.", "It rinses without oil or soap.", ""),
    ],
)
def test_a_case_that_the_quote_or_the_question_names_is_kept(
    text: str, quote: str, question: str
) -> None:
    assert fault_of(text, quote, question=question) is None


@pytest.mark.parametrize(
    ("kind", "text", "quote"),
    [
        (
            CheckKind.DIRECTION,
            "The valve slowly opens when oil rises, but quickly shuts when water rises.",
            "The valve slowly opens when water rises, but quickly shuts when oil rises.",
        ),
        (
            CheckKind.DIRECTION,
            "The loss grows by a factor of four as the load grows by a factor of two.",
            "The loss grows by a factor of two as the load grows by a factor of four.",
        ),
        (
            CheckKind.DIRECTION,
            "Cold pumps (types A and B) hum at night, while warm pumps whistle.",
            "Warm pumps (types K and L) hum at night, while cold pumps whistle.",
        ),
        (
            CheckKind.DIRECTION,
            "Tanks are emptied from warmest to coldest.",
            "Tanks are emptied from coldest to warmest.",
        ),
        (
            CheckKind.DIRECTION,
            "Of its two dials the second dial shows the pressure, the first names the tank.",
            "Of its two dials the first dial shows the pressure, the second names the tank.",
        ),
        (
            CheckKind.DIRECTION,
            "It never drains what is in the pump, but not in the tank.",
            "It never drains what is in the tank, but not in the pump.",
        ),
        (
            CheckKind.DIRECTION,
            "A leak adds its loss to the level.",
            "A leak subtracts its loss from the level.",
        ),
        (CheckKind.SCOPE, "Cold tanks were emptied at night.", "Cold tanks are emptied at night."),
        (
            CheckKind.CAUSE,
            "Dirt could block the valve because the pump has a filter.",
            "Dirt could block the valve, therefore the pump has a filter.",
        ),
        (CheckKind.NUMBERS, "The pump has it since 4.2.7.", "The pump has it since 4.2.1."),
        (CheckKind.NUMBERS, "It is so since version 1.0.", "It is so since version 1.1."),
        (
            CheckKind.CAUSE,
            "The valve opened because the engine had stopped.",
            "The engine had stopped because the valve opened.",
        ),
        (CheckKind.SCOPE, "Most valves hum at night.", "All valves hum at night."),
        (CheckKind.SCOPE, "The pump often hums.", "The pump always hums."),
        (CheckKind.SCOPE, "The valve opens also at night.", "The valve opens only at night."),
        (
            CheckKind.SCOPE,
            "It is filled, except for the last tank.",
            "It is filled to the last tank.",
        ),
        (
            CheckKind.SCOPE,
            "The club will buy a pump.",
            "The club has been given money to buy a pump.",
        ),
        (CheckKind.SCOPE, "The pump could hum until recently.", "The pump can hum."),
        (
            CheckKind.STRENGTH,
            "The old hinges must not be oiled.",
            "The old hinges should not be oiled.",
        ),
        (
            CheckKind.CONDITION,
            "The simple method is correct in theory.",
            "The simple method is correct in theory, but real pumps leak at every joint.",
        ),
    ],
)
def test_a_sentence_keeps_the_places_degrees_times_and_turns_of_its_quotation(
    kind: CheckKind, text: str, quote: str
) -> None:
    assert fault_of(text, quote) is kind


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        (
            "The valve opens for a minute before the pump starts if no water comes.",
            "If no water comes, the valve opens for a minute before the pump starts.",
        ),
        ("Pumps and valves hum at night.", "Valves and pumps hum at night."),
        ("Every valve hums at night.", "All valves hum at night."),
        ("The pump hums as the valve opens.", "The valve opens, and the pump hums because of it."),
        (
            "The method is correct, though real pumps leak at a joint.",
            "The method is correct, but real pumps leak at every joint.",
        ),
        ("Valves or pumps hum at night.", "Pumps or valves hum at night."),
        (
            "As dirt could block the valve, the pump has a filter since version 1.0.9.",
            "Dirt could block the valve, therefore the pump has a filter since version 1.0.9.",
        ),
        ("It was so in 4.2, and is so now.", "It is so now as it was in 4.2.1."),
        ("The factory makes 1,234,567 pumps.", "The factory makes 1234567 pumps."),
        ("A dialog will open when you press the key.", "Pressing the key opens a dialog."),
    ],
)
def test_a_sentence_in_another_order_passes(text: str, quote: str) -> None:
    assert fault_of(text, quote) is None
