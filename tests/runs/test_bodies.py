"""Bodies of any content become a value or a refusal, never anything else."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import AppError, Malformed
from app.runs.api.bodies import events_in, read_body
from app.runs.rules.events import JOB_KINDS
from app.runs.rules.reading import read_event
from app.runs.rules.values import Unreadable


def read(body: bytes, kind: str = "application/x-www-form-urlencoded") -> Any:
    """What a request with this body says."""
    return read_body({"headers": [(b"content-type", kind.encode())]}, body)


GROUPS = ("metrics", "links", "not_config")
names = st.one_of(
    st.sampled_from(GROUPS),
    st.builds("{}.{}".format, st.sampled_from(GROUPS), st.text(max_size=3)),
    st.sampled_from(["progress", "write_s", "gpus", "takeover", "config", "fired", "at"]),
    st.text(max_size=5),
)
values = st.one_of(
    st.sampled_from(["", "1", "-1", "nan", "1e999", "{}", "[]", "[1", '{"a":1}', ".", "²", "true"]),
    st.text(max_size=8),
)


@settings(deadline=None)
@given(st.lists(st.tuples(names, values), max_size=6), st.sampled_from(list(JOB_KINDS)))
def test_any_form_is_read_or_refused(pairs: list[tuple[str, str]], kind: str) -> None:
    with suppress(AppError, Unreadable):
        event = read_event(read(urlencode(pairs).encode()), run="a-01", kind=kind)
        assert (event.run, event.kind) == ("a-01", kind)


@settings(deadline=None)
@given(st.binary(max_size=40), st.sampled_from(["application/json", "text/plain", ""]))
def test_any_bytes_are_read_or_refused(body: bytes, kind: str) -> None:
    with suppress(AppError):
        assert events_in(read(body, kind), 1000)


@pytest.mark.parametrize("body", ['{"progress": %s}', '{"a": [%s]}', '{"metrics": {"loss": -%s}}'])
def test_a_number_of_thousands_of_digits_is_called_too_long(body: str) -> None:
    for kind in ("application/json", "application/x-www-form-urlencoded"):
        with pytest.raises(Malformed) as caught:
            read((body % ("4" * 5000)).encode(), kind)
        assert (caught.value.field, "too long" in str(caught.value.detail)) == ("body", True)
    with pytest.raises(Malformed) as caught:
        read(b'{"progress": 4')
    assert "not JSON" in str(caught.value.detail)


def test_members_of_a_group_come_together_and_an_empty_group_is_none() -> None:
    assert read(b"metrics=&metrics.loss=1&metrics.a=2") == {"metrics": {"loss": "1", "a": "2"}}
    assert read(b'metrics={"loss":1}&metrics.a=2') == {"metrics": {"loss": 1, "a": "2"}}
    assert read(b"metrics=") == {"metrics": None}
