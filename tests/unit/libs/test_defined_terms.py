"""A term of a definition list is found by how a question names it."""

import pytest

from libs.defined_terms import keys_of, list_forms, name_key, other_names, spell_out
from libs.text import content_terms


@pytest.mark.parametrize(
    ("term", "forms"),
    [
        ("gap <gap length>", ["gap"]),
        ("-g --gap=time", ["-g", "--gap"]),
        ("-r, --raw", ["-r", "--raw"]),
        ("-A, --options key:value[|key:value…]", ["-A", "--options"]),
        ("work_mem (integer)", ["work_mem"]),
        ("log file [NAME [LEVEL]]", ["log file"]),
        ("neighbor A.B.C.D", ["neighbor"]),
        ("Physical AI", ["Physical AI"]),
        ("URDF", ["URDF"]),
        ("TIMEOUT seconds", ["TIMEOUT", "TIMEOUT seconds"]),
        ("LOGIN disable | timeout | always", ["LOGIN", "LOGIN disable"]),
        ("ROS node", ["ROS node"]),
        ("servo or servo motor", ["servo", "servo motor"]),
        ("inertial measurement unit (IMU)", ["inertial measurement unit", "IMU"]),
        ("C (Language)", ["C"]),
        ("edit=<command>", ["edit"]),
        ("Banner:", ["Banner"]),
        ("<>", ["<>"]),
        ("", []),
    ],
)
def test_a_term_has_its_forms_without_what_stands_for_a_value(term: str, forms: list[str]) -> None:
    assert list_forms(term) == forms


def test_forms_are_few_however_long_a_term_is() -> None:
    assert len(list_forms(", ".join(f"name{number}" for number in range(99)))) == 8


def test_a_key_is_the_same_for_the_same_terms_and_no_term_of_a_text() -> None:
    assert keys_of("Motors, servo") == {name_key(["motor"]), name_key(["servo"])}
    assert name_key(content_terms("the motors of servo")) == name_key(["servo", "motor"])
    assert name_key([]) == ""
    assert keys_of("the") == frozenset()
    assert not keys_of("servo") & set(content_terms("servo servo: (servo)"))


@pytest.mark.parametrize(
    ("subject", "titles", "others"),
    [
        ("Network UPS Tools", [], ["NUT"]),
        ("The Department of Works", [], ["DW"]),
        ("GNU nano", ["The GNU nano editor"], ["nano"]),
        ("GNU nano", ["Editors"], []),
        ("PID control", ["Control loops"], []),
        ("small pumps", ["The small pumps"], []),
        ("Pump", ["Pump"], []),
        ("One Two Three Four Five Six Seven", [], []),
        ("", [], []),
    ],
)
def test_a_name_has_its_initials_and_below_a_title_its_last_word(
    subject: str, titles: list[str], others: list[str]
) -> None:
    assert other_names(subject, titles) == others


@pytest.mark.parametrize(
    ("short", "title", "words"),
    [
        ("NUT", "Network UPS Tools User Manual", "Network UPS Tools"),
        ("UPS", "Network UPS Tools User Manual", ""),
        ("UM", "Network UPS Tools User Manual", "User Manual"),
        ("Nut", "Network UPS Tools", ""),
        ("N", "Network", ""),
        ("", "", ""),
    ],
)
def test_initials_are_spelled_out_by_a_title(short: str, title: str, words: str) -> None:
    assert spell_out(short, title) == words
