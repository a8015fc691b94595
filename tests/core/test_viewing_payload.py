"""The block that a page is given comes out as it went in."""

import numpy as np
import pytest
from tests.cases import each

from footfall_meshcat.drawing.payload import ALIGNMENT, pack_payload, unpack_payload


def test_header_and_arrays_come_back_unchanged():
    arrays = {
        "a": np.arange(7, dtype=np.uint16),
        "b": np.linspace(0.0, 1.0, 5),
        "c": np.array([-3, 4], np.int8),
        "d": np.array([[1.5, 2.5]], np.float32),
    }
    header, back = unpack_payload(pack_payload({"title": "é <script>", "n": [1, 2]}, arrays))
    assert header["title"] == "é <script>"
    assert header["n"] == [1, 2]
    for name, array in arrays.items():
        assert back[name].dtype == array.dtype
        assert np.array_equal(back[name], array.ravel())


@each("length", range(12))
def test_arrays_start_where_javascript_can_view_them(length):
    data = pack_payload({"title": "x" * length}, {"a": np.zeros(3, np.int8), "b": np.arange(2.0)})
    start = 4 + int.from_bytes(data[:4], "little")
    header, arrays = unpack_payload(data)
    assert (start + header["arrays"]["b"]["offset"]) % ALIGNMENT == 0
    assert np.array_equal(arrays["b"], [0.0, 1.0])


def test_numbers_that_javascript_cannot_read_are_refused():
    with pytest.raises(ValueError, match="not JSON compliant"):
        pack_payload({"weight": float("nan")}, {})
    with pytest.raises(ValueError, match="int64"):
        pack_payload({}, {"a": np.arange(3)})
