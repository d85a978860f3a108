"""A book is asked by the form of an abbreviation that its answer lacks."""

from pathlib import Path

from tests.quality.abbreviations import ask, read_book, recall

_MORE = " The joints are greased once a week, and nobody stands near while they are." * 40

BOOK = f"""# Arms

## Sensing

An inertial measurement unit (IMU) senses every turn of the arm and its drift.{_MORE}

## Drift

After an hour of turning the IMU shows a drift of one degree in the arm.{_MORE}

## Repair

An arm with drift in turning goes back to the makers of the arm.{_MORE}

## Turning

The turning of an arm makes it drift by a hair.{_MORE}
"""


def test_questions_by_either_form_have_the_sentence_with_the_other_as_their_gold(
    tmp_path: Path,
) -> None:
    (tmp_path / "arms.md").write_text(BOOK)
    rows = {str(row["kind"]): row for row in ask(list(read_book(tmp_path)))}
    assert rows.keys() == {"by_short", "by_long", "short_by_long"}
    assert rows["by_short"]["question"] == "What is IMU?"
    assert "(IMU)" in str(rows["by_long"]["answer"])
    asked = rows["short_by_long"]
    assert "inertial measurement unit" in str(asked["question"])
    assert "IMU" not in str(asked["question"])
    assert "the IMU shows a drift" in str(asked["answer"])


def test_other_forms_never_hide_what_is_asked_by_them(tmp_path: Path) -> None:
    (tmp_path / "arms.md").write_text(BOOK)
    found = recall(list(read_book(tmp_path)))
    assert {kind: count for kind, (count, _, _) in found.items()}["short_by_long"] == 1
    assert all(without <= with_forms == 1.0 for _, without, with_forms in found.values())
