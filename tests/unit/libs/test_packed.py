"""Vectors in four bits a number come back as good as they went."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from libs.vectors.packed import pack_rows, unpack_rows

NUMBERS = st.floats(-1, 1, width=32)


@given(
    st.tuples(st.integers(0, 5), st.integers(1, 9)).flatmap(
        lambda shape: arrays(np.float32, shape, elements=NUMBERS)
    )
)
def test_no_number_is_off_by_more_than_half_a_step(rows: np.ndarray) -> None:
    found = unpack_rows(pack_rows(rows), *rows.shape)
    assert found.shape == rows.shape
    step = np.abs(rows).max(axis=1, keepdims=True, initial=0.0) / 7
    # The scale is a half, exact to one part in 2,000, and no finer than 6e-8.
    assert (np.abs(found - rows) <= step * 0.505 + 1e-6).all()


def test_packed_vectors_keep_their_directions() -> None:
    rows = np.random.default_rng(5).normal(size=(50, 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    found = unpack_rows(pack_rows(rows), 50, 384)
    assert np.abs(np.sum(found * rows, axis=1) - 1).max() < 0.02
    assert len(pack_rows(rows)) == 50 * 194


def test_a_row_of_zeros_stays_a_row_of_zeros() -> None:
    assert not unpack_rows(pack_rows(np.zeros((1, 3), np.float32)), 1, 3).any()


@pytest.mark.parametrize("size", [0, 1, 5, 7])
def test_packed_vectors_of_another_length_are_refused(size: int) -> None:
    with pytest.raises(ValueError):
        unpack_rows(bytes(size), 2, 2)
