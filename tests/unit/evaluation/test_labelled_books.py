"""Labelled sets of several formats become books with questions."""

import json
from dataclasses import replace
from pathlib import Path

from deploy.evaluation.datasets import Gold, GoldenRow, SelectedText
from deploy.evaluation.training.labelled_books import (
    BESIDE,
    ELSEWHERE,
    OF_SELECTIONS,
    LabelledBook,
    foreign_rows,
    foreign_selections,
    list_books,
)


def _book(name: str, count: int = 3) -> LabelledBook:
    rows = tuple(
        GoldenRow(f"{name}-{at}", "fact", f"What is {at}?", True, (Gold("a.md", "x"),))
        for at in range(count)
    )
    return LabelledBook(name, rows, lambda folder: folder)


def test_grades_of_what_was_shown_come_with_the_questions() -> None:
    [sample] = list_books(None, 1000, 0)
    assert sample.judged is not None
    assert sample.judged in sample.read
    assert sample.judged not in sample.files
    assert any(row.grades for row in sample.rows)


def test_the_sample_book_is_always_there() -> None:
    [sample] = list_books(None, 1000, 0)
    assert sample.name == "sample"
    assert {row.answerable for row in sample.rows} == {True, False}
    assert sample.exact
    assert sample.files[0].is_file()


def test_a_number_of_questions_is_drawn_by_the_seed() -> None:
    [first], [again] = list_books(None, 10, 1), list_books(None, 10, 1)
    assert len(first.rows) == 10
    assert first.rows == again.rows
    assert first.rows != list_books(None, 10, 2)[0].rows


def test_paragraphs_with_questions_become_a_book_of_those_that_they_answer(tmp_path: Path) -> None:
    rows = [
        {
            "id": "1",
            "question": "Who?",
            "context": "Ann did.",
            "answerable": True,
            "answers": ["Ann"],
        },
        {"id": "2", "question": "When?", "context": "Ann did.", "answerable": False, "answers": []},
        {
            "id": "3",
            "question": "How?",
            "context": "Slowly.",
            "answerable": True,
            "answers": ["Slow"],
        },
    ]
    (tmp_path / "data/refusal").mkdir(parents=True)
    file = tmp_path / "data/refusal/set.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "books").mkdir()
    _, book = list_books(tmp_path, 10, 0)
    (tmp_path / "out").mkdir()
    source = book.source(tmp_path / "out")
    assert [(row.row_id, row.gold) for row in book.rows] == [
        ("1", (Gold("0.md", "Ann"),)),
        ("3", (Gold("1.md", "Slow"),)),
    ]
    assert "Ann did" in (source / "0.md").read_text()
    assert [(row.row_id, row.answerable, row.selection) for row in book.of_selections] == [
        ("selected_paragraph/1", True, SelectedText("0.md", "Ann did.")),
        ("selected_paragraph/3", True, SelectedText("1.md", "Slowly.")),
        ("selected_paragraph/2", False, SelectedText("0.md", "Ann did.")),
    ]


def test_a_question_is_asked_of_another_paragraph_that_does_not_say_its_answer(
    tmp_path: Path,
) -> None:
    contexts = ["Ann did.", "Slowly.", "Bea did.", "Ann too."]
    answers = ["Ann", "Slow", "Bea", "Ann"]
    rows = [
        {
            "id": str(at),
            "question": "Who?",
            "context": context,
            "answerable": True,
            "answers": [said],
        }
        for at, (context, said) in enumerate(zip(contexts, answers, strict=True))
    ]
    (tmp_path / "data/refusal").mkdir(parents=True)
    (tmp_path / "data/refusal/set.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "books").mkdir()
    _, book = list_books(tmp_path, 10, 0)
    beside = [(row.row_id, row.selection) for row in book.of_selections if row.kind == BESIDE]
    assert ("beside/0", SelectedText("2.md", "Bea did.")) in beside
    assert ("beside/1", SelectedText("3.md", "Ann too.")) in beside


def test_a_question_of_another_book_is_asked_of_selected_paragraphs() -> None:
    row = GoldenRow("m", "selection", "Who?", False, selection=SelectedText("a.md", "Ann did."))
    one, other = replace(_book("one"), of_selections=(row,)), _book("two")
    rows = foreign_selections(one, [one, other], 10, 0)
    assert {row.selection for row in rows} == {row.selection}
    assert not any(row.answerable for row in rows)
    assert foreign_selections(other, [one, other], 10, 0) == []


def test_a_question_about_a_selection_of_a_golden_set_is_none_of_those_about_paragraphs() -> None:
    [sample] = list_books(None, 1000, 0)
    assert any(row.selection for row in sample.rows)
    assert not any(row.kind in OF_SELECTIONS for row in sample.rows)


def test_an_excerpt_of_a_corpus_is_gold_by_its_text(tmp_path: Path) -> None:
    folder = tmp_path / "data/retrieval/chunks"
    (folder / "corpora").mkdir(parents=True)
    (folder / "corpora/one.md").write_text("The sea is wide.")
    references = json.dumps([{"start_index": 4, "end_index": 7}]).replace('"', '""')
    table = f'question,references,corpus_id\nWhat is wide?,"{references}",one\n'
    (folder / "questions_df.csv").write_text(table)
    (tmp_path / "books").mkdir()
    _, book = list_books(tmp_path, 10, 0)
    assert (book.name, book.rows[0].gold) == ("one", (Gold("", "sea"),))


def test_a_book_of_the_samples_subject_is_told_by_its_questions_file(tmp_path: Path) -> None:
    (tmp_path / "books/physical_ai").mkdir(parents=True)
    row = {"id": "a", "kind": "fact", "question": "What turns?", "answerable": False, "gold": []}
    (tmp_path / "books/physical_ai_golden.jsonl").write_text(json.dumps(row))
    sample, course = list_books(tmp_path, 10, 0)
    assert sample.subject == course.subject == "physical"
    assert foreign_rows(course, [sample, course], 100, 0) == []


def test_questions_of_other_subjects_are_asked_of_a_book_and_have_no_answer_there() -> None:
    books = [_book("physics-a"), _book("physics-b"), _book("cooking")]
    found = foreign_rows(books[0], books, 100, 0)
    assert {row.row_id.split("/")[1] for row in found} == {"cooking"}
    assert all(not row.answerable and not row.gold and row.kind == ELSEWHERE for row in found)
    assert len(foreign_rows(books[2], books, 4, 0)) == 4
