"""The refusal itself: every reason has a sentence, and nothing typed is echoed at length."""

from string import Formatter

import pytest

from app.units import SENTENCES, Reason, UnitError, parse_amount, parse_duration


def test_every_reason_has_a_sentence_with_known_placeholders() -> None:
    assert set(SENTENCES) == set(Reason)
    for sentence in SENTENCES.values():
        fields = {field for _, field, _, _ in Formatter().parse(sentence) if field is not None}
        assert fields <= {"given"}


def test_a_refusal_is_a_value_error_with_a_translatable_sentence() -> None:
    with pytest.raises(ValueError, match="without a unit") as caught:
        parse_duration("48")
    refused = caught.value
    assert isinstance(refused, UnitError)
    assert refused.msgid == SENTENCES[Reason.NO_UNIT]
    assert refused.params == {"given": "48"}


def test_candidates_are_listed_as_a_question() -> None:
    with pytest.raises(UnitError) as caught:
        parse_amount("1.234", "USD", strict=False)
    assert str(caught.value).endswith("Which one: 1234.00 · 1.23 · 1.24?")


def test_what_was_typed_is_echoed_short_and_visible() -> None:
    with pytest.raises(UnitError) as caught:
        parse_duration("\x1b[31m\n" + "x" * 1_000)
    assert len(caught.value.given) == 80
    assert caught.value.given.startswith("�[31m x")
    assert caught.value.given.endswith("…")


def test_braces_in_what_was_typed_stay_as_they_are() -> None:
    with pytest.raises(UnitError) as caught:
        parse_duration("{given} {0}")
    assert str(caught.value) == "“{given} {0}” is not understood."
