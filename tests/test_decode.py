"""Content-Encoding undone within bounds."""

from __future__ import annotations

import gzip
import sys
import time
import tracemalloc
import zlib

import brotli
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rawserver import ENCODERS, raw_deflate, zeros, zstd

from aiohttp_failfast._decode import decode

KIB = 1024
LIMIT = 64 * KIB
BODY = b'{"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}'
TEXTS = st.text(min_size=1, max_size=300).map(str.encode)
seeded = settings(derandomize=True, deadline=None, max_examples=150)


@pytest.mark.parametrize("name", [*ENCODERS, "x-gzip"])
def test_each_encoding_is_undone(name: str) -> None:
    """A body that aiohttp left encoded is decoded, whatever the case of the name."""
    encoded = ENCODERS[name.removeprefix("x-")](BODY)

    assert decode(encoded, name, LIMIT) == BODY
    assert decode(encoded, f" {name.upper()} ", LIMIT) == BODY


def test_deflate_without_the_header_of_zlib_is_undone() -> None:
    """Old servers send raw deflate under the name of deflate."""
    assert decode(raw_deflate(BODY), "deflate", LIMIT) == BODY


@pytest.mark.parametrize("outer", ENCODERS)
@pytest.mark.parametrize("inner", ENCODERS)
def test_encodings_on_top_of_each_other_are_undone(inner: str, outer: str) -> None:
    """The last one named was applied last, so it is undone first."""
    encoded = ENCODERS[outer](ENCODERS[inner](BODY))

    assert decode(encoded, f"{inner}, {outer}", LIMIT) == BODY


@pytest.mark.parametrize("encoding", ["identity", "", "compress", "gzip;q=1", "nonsense", ", ,"])
def test_an_encoding_that_is_not_known_is_left_alone(encoding: str) -> None:
    """Bytes that nobody can decode are handed on as they are."""
    encoded = gzip.compress(BODY)

    assert decode(encoded, encoding, LIMIT) == encoded


@pytest.mark.parametrize("name", ENCODERS)
@seeded
@given(body=TEXTS)
def test_a_decoded_body_whose_header_stayed_is_left_alone(name: str, body: bytes) -> None:
    """What aiohttp decoded keeps its header, so text must not be decoded a second time."""
    if not any(byte < 0x20 and byte not in b"\t\n\f\r" for byte in body):
        assert decode(body, name, LIMIT) == body


@pytest.mark.parametrize("name", ENCODERS)
@seeded
@given(body=TEXTS)
def test_whatever_was_encoded_comes_back(name: str, body: bytes) -> None:
    """No text is mistaken for one that was decoded already."""
    assert decode(ENCODERS[name](body), name, LIMIT) == body


@pytest.mark.parametrize("quality", range(12))
@pytest.mark.parametrize("window", [10, 16, 17, 22, 24])
def test_brotli_of_every_quality_and_window_comes_back(quality: int, window: int) -> None:
    """Brotli has no magic number: its first bytes change with the settings of the sender."""
    for body in (BODY, BODY * 3, b"{}", b'{"error":"invalid api key"}'):
        encoded = brotli.compress(body, quality=quality, lgwin=window)

        assert decode(encoded, "br", LIMIT) == body


@pytest.mark.parametrize("name", ENCODERS)
@seeded
@given(garbage=st.binary(max_size=400))
def test_garbage_never_raises(name: str, garbage: bytes) -> None:
    """Broken data comes back as bytes within the limit, or as it was."""
    result = decode(garbage, name, LIMIT)

    assert isinstance(result, bytes)
    assert result == garbage or len(result) <= LIMIT


@pytest.mark.parametrize("name", ENCODERS)
def test_a_body_that_is_cut_off_is_decoded_as_far_as_it_goes(name: str) -> None:
    """The look stops in the middle of a long body; its start must still be judged."""
    text = b"".join(
        b'{"line": %d, "hash": "%d"}\n' % (i, hash(i * 7919) % 10**9) for i in range(8_000)
    )
    encoded = ENCODERS[name](BODY + text)

    result = decode(encoded[: len(encoded) // 2], name, LIMIT)

    assert result.startswith(BODY)
    assert len(result) <= LIMIT


@pytest.mark.parametrize("limit", [1, 100, LIMIT])
@pytest.mark.parametrize("name", ENCODERS)
def test_a_bomb_gives_no_more_than_the_limit(name: str, limit: int) -> None:
    """A small body that unfolds to 64 MiB costs neither memory nor time."""
    bomb = zeros(name, 64 * KIB * KIB)
    assert len(bomb) < LIMIT * 2
    tracemalloc.start()
    try:
        started = time.monotonic()
        result = decode(bomb, name, limit)
        seconds = time.monotonic() - started
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert len(result) <= limit
    assert set(result) <= {0}
    assert peak < 2 * KIB * KIB
    assert seconds < 2


@pytest.mark.parametrize("layers", [2, 50])
def test_bombs_inside_of_bombs_stay_within_the_limit(layers: int) -> None:
    """Every layer is bounded, so layers do not multiply."""
    bomb = b"\0" * (8 * KIB * KIB)
    for _ in range(layers):
        bomb = zlib.compress(bomb)
    started = time.monotonic()

    assert len(decode(bomb, ", ".join(["deflate"] * layers), LIMIT)) <= LIMIT
    assert time.monotonic() - started < 2


def test_a_zstd_frame_that_asks_for_a_huge_window_is_cheap() -> None:
    """The memory is bounded by us, not by what the header of the frame asks for."""
    module = zstd()
    options = {module.CompressionParameter.window_log: 27}
    bomb = module.compress(b"\0" * (128 * KIB * KIB), options=options)
    tracemalloc.start()
    try:
        assert len(decode(bomb, "zstd", LIMIT)) <= LIMIT
        assert tracemalloc.get_traced_memory()[1] < 2 * KIB * KIB
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "modules"),
    [("br", ["brotli", "brotlicffi"]), ("zstd", ["compression.zstd", "backports.zstd"])],
)
def test_without_the_library_the_body_is_left_alone(
    name: str, modules: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Brotli and zstd are optional: without them nothing fails."""
    encoded = ENCODERS[name](BODY)
    for module in modules:
        monkeypatch.setitem(sys.modules, module, None)

    assert decode(encoded, name, LIMIT) == encoded


def test_an_empty_body_stays_empty() -> None:
    """No content, nothing to decode."""
    assert all(decode(b"", name, LIMIT) == b"" for name in ENCODERS)
