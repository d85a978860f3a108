"""Both forms of an abbreviation find what has one of them, where their document defines it."""

from dataclasses import replace

import pytest

from libs.profiles import Chunking
from libs.vectors.sparse import sparse_encoder
from services.ingest.embedding_text import dense_text, known_terms, sparse_text
from services.ingest.splitters.abbreviations import find_abbreviations
from tests.unit.ingest.test_split import split

IMU = {"IMU": "inertial measurement unit"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("An inertial measurement unit (IMU) is small.", IMU),
        ("Two inertial measurement units (IMUs) are better.", IMU),
        ("The IMU (Inertial Measurement Unit) is small.", IMU),
        ("- IMU: inertial measurement unit", IMU),
        ("| IMU | Inertial Measurement Unit, of six axes |", IMU),
        ("IMU – inertial measurement unit", IMU),
        ("Light detection and ranging (LiDAR)", {"LiDAR": "light detection and ranging"}),
        ("It has six degrees of freedom (DoF).", {"DoF": "degrees of freedom"}),
        ("The quality of service (QoS) is low.", {"QoS": "quality of service"}),
        ("Write-ahead logging (WAL)", {"WAL": "write ahead logging"}),
        ("A pump (IMU) hums.", {}),
        ("It was built there (USA), of steel.", {}),
        ("NOTE: never open the valve.", {}),
        ("Do as I can, not as I say: grounding words in what a robot affords (SayCan)", {}),
        ("The unit (Imu) and (see below) and (2019) and (i.e. a pump)", {}),
        ("It is measured by inertia. (IMU)", {}),
    ],
)
def test_an_abbreviation_is_found_where_it_is_defined(text: str, found: dict[str, str]) -> None:
    assert find_abbreviations(text).long_forms == found


def test_the_first_definition_holds() -> None:
    text = "Rapid motion planning (RMP). Later a remote mail protocol (RMP)."
    assert find_abbreviations(text).long_forms == {"RMP": "rapid motion planning"}


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("The IMUs drift.", ("inertial measurement unit",)),
        ("Inertial measurement units drift.", ("IMU",)),
        ("Inertial-measurement\nunits drift.", ("IMU",)),
        ("An inertial measurement unit (IMU) drifts.", ()),
        ("The imu drifts, as units of measurement do.", ()),
    ],
)
def test_a_text_with_one_form_is_found_by_the_other(text: str, forms: tuple[str, ...]) -> None:
    assert find_abbreviations("inertial measurement unit (IMU)").other_forms(text) == forms


def test_a_list_of_abbreviations_is_not_spelled_out_whole() -> None:
    names = [f"{letter}{letter}Z" for letter in "ABCDEFGHIJKL"]
    defined = find_abbreviations("\n".join(f"{a}: {a[0]}x {a[1]}x zinc" for a in names))
    assert len(defined.long_forms) == 12
    assert len(defined.other_forms(" ".join(names))) == 8


def test_a_chunk_has_the_terms_of_both_forms_but_neither_more_text_nor_another_vector() -> None:
    source = (
        "# Arms\n\n## Sensing\n\nAn inertial measurement unit (IMU) senses turns.\n\n"
        "## Drift\n\nAfter an hour the IMU is wrong by a degree.\n"
    )
    _, [first, second] = split(source, Chunking("heading", 5, 20, 0))
    assert (first.other_forms, second.other_forms) == ((), ("inertial measurement unit",))
    assert second.body.endswith("After an hour the IMU is wrong by a degree.")
    assert "inertial" not in dense_text(second)
    encoder = sparse_encoder("en")
    asked = set(encoder.encode_question("inertial measurement unit").indices)
    vector = encoder.encode_document(dense_text(second), sparse_text(second))
    assert asked <= set(vector.indices)
    assert {"inerti", "imu"} <= known_terms(second)
    assert "inerti" not in known_terms(replace(second, other_forms=()))
