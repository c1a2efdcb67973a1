"""Small texts for each rule of the paste box: labels, tables, amounts, times, JSON, markup."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.orders.rules.pasting import Pasted, mask, read_paste
from app.orders.rules.pasting.amounts import amounts_in
from app.orders.rules.pasting.cleaning import decoded
from app.orders.rules.pasting.dates import times_in
from app.orders.rules.pasting.masking import is_account
from app.units import instant_text

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def read(text: str, currency: str | None = "USD") -> Pasted:
    return read_paste(text, "Europe/Berlin", NOW, currency)


def value(text: str, field: str, currency: str | None = "USD") -> object:
    found = read(text, currency).found.get(field)
    if found is None:
        return None
    return instant_text(found.value) if isinstance(found.value, datetime) else found.value


def candidates(text: str, field: str) -> list[object]:
    return [one.value for one in read(text).asked[field].candidates]


# Amounts


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("47,14 €", ["47,14"]),
        ("€47.14", ["47.14"]),
        ("USD 47.14", ["47.14"]),
        ("US$47.14", ["47.14"]),
        ("47.14USD", ["47.14"]),
        ("47,- €", ["47"]),
        ("1.200.000đ", ["1.200.000"]),
        ("1\u00a0234,56 €", ["1 234,56"]),
        ("1'200.50 CHF", ["1'200.50"]),
        ("47.14 USD (43.50 EUR)", ["47.14", "43.50"]),
        ("47.14 USD 12.00 EUR", ["47.14", "12.00"]),
        ("RTX 4090 USD 47.14", ["47.14"]),
        ("47.14 USD 72 h", ["47.14"]),
        ("47.14", ["47.14"]),
        ("– 47.14 USD", ["47.14"]),
        ("-10.00 USD", []),
        ("USD -10.00", []),
        ("0.65 USD per hour", []),
        ("0,65 €/Std.", []),
        ("0.65 USD / GPU-h", []),
        ("10 USD each", []),
        ("3 x 47.14 USD", []),
        ("72 h × 0,65 €", []),
        ("47.14 USD x 3", []),
        ("50 %", []),
        ("72 h", []),
        ("RTX 4090", []),
    ],
)
def test_which_numbers_are_amounts(text: str, numbers: list[str]) -> None:
    assert [one.number for one in amounts_in(text)] == numbers


@pytest.mark.parametrize(
    ("line", "price"),
    [
        ("Total: 47,14 €", "47.14"),
        ("Total 47.14 EUR", "47.14"),
        ("Total ........ 47.14 EUR", "47.14"),
        ("Total\t47.14 EUR", "47.14"),
        ("| Total | **47.14 EUR** |", "47.14"),
        ("* Total: 47.14 EUR", "47.14"),
        ("Total\n\n47.14 EUR", "47.14"),
        ("Total | 47.14 | EUR", "47.14"),
        ("Total (EUR): 47.14", "47.14"),
        ("total=47.14 EUR", "47.14"),
        ("Total incl. 19 % VAT: 47.14 EUR", "47.14"),
        ("Gesamtbetrag inkl. MwSt.: 47,14 Euro", "47.14"),
        ("Tổng cộng (đã bao gồm thuế): 47,14 EUR", "47.14"),
        ("Total： ４７．１４ EUR", "47.14"),
        ("You paid €47.14 for three days.", "47.14"),
        ("Total: 0.00 EUR", "0.00"),
        ("Total: -47.14 EUR", None),
        ("Total refund: 47.14 EUR", None),
        ("Price per hour: 0.65 EUR", None),
        ("Price (per hour): 0.65 EUR", None),
        ("Price: 390.00 EUR / month", None),
        ("Preis pro GPU: 47,14 €", None),
        ("Đơn giá: 47,14 EUR", None),
        ("VAT: 7.53 EUR", None),
        ("New balance: 102.86 EUR", None),
        ("Total: 2", None),
        ("Total GPUs: 2", None),
    ],
)
def test_a_line_states_the_price_or_not(line: str, price: str | None) -> None:
    assert value(line, "price") == price


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("Total: 460.80 USD\nDeposit: 100.00 USD\nAmount due: 360.80 USD", ["460.80", "360.80"]),
        ("Total: 47.14 USD (43.50 EUR)", ["47.14", "43.50"]),
        ("We charged 47.14 USD.\nThen we charged 110.00 USD.", ["47.14", "110.00"]),
        ("The lot for 2 110.00 EUR", ["2110.00", "110.00"]),
    ],
)
def test_of_several_amounts_none_is_taken(text: str, amounts: list[str]) -> None:
    assert "price" not in read(text).found
    assert candidates(text, "price") == amounts


@pytest.mark.parametrize(
    ("text", "campaign", "currency"),
    [
        ("Total: $47.14", "USD", "USD"),
        ("Total: $47.14", "SGD", "SGD"),
        ("Total: $47.14 CAD", "USD", "CAD"),
        ("Total: $47.14\nAll prices in AUD.", "USD", "AUD"),
        ("Total: $47.14", "EUR", None),
        ("Total: 47.14\nCurrency: chf", "EUR", "CHF"),
        ("Total: 47.14 kr", "EUR", None),
        ("Tổng cộng: 1.200.000 VNĐ", "USD", "VND"),
    ],
)
def test_a_currency_is_certain_or_asked(text: str, campaign: str, currency: str | None) -> None:
    assert value(text, "currency", campaign) == currency
    assert ("currency" in read(text, campaign).asked) is (currency is None)


# Times


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-11-30T08:00:00+01:00", "2026-11-30T07:00:00Z"),
        ("2026-11-30 08:00 UTC", "2026-11-30T08:00:00Z"),
        ("Mon, 30 Nov 2026 08:00:00 +0100", "2026-11-30T07:00:00Z"),
        ("30.11.2026, 8 Uhr MEZ", "2026-11-30T07:00:00Z"),
        ("30. November 2026 um 8.30 Uhr (MEZ)", "2026-11-30T07:30:00Z"),
        ("30.11.26 08:00 MEZ", "2026-11-30T07:00:00Z"),
        ("November 30, 2026 at 12:00 AM EST", "2026-11-30T05:00:00Z"),
        ("Nov 30, 2026, 12:30 p.m. PT", "2026-11-30T20:30:00Z"),
        ("08:00 UTC on Monday, 30 November 2026", "2026-11-30T08:00:00Z"),
        ("30/11/2026 08:00 GMT+7", "2026-11-30T01:00:00Z"),
        ("11/30/2026 8:00 PM UTC", "2026-11-30T20:00:00Z"),
        ("08:00 ngày 30/11/2026 (GMT+7)", "2026-11-30T01:00:00Z"),
        ("8h00 ngày 30 tháng 11 năm 2026 giờ Việt Nam", "2026-11-30T01:00:00Z"),
        ("30-Nov-2026 08:00 CET", "2026-11-30T07:00:00Z"),
        ("2026-07-01 08:00 Europe/Berlin", "2026-07-01T06:00:00Z"),
    ],
)
def test_a_time_is_read(text: str, instant: str) -> None:
    assert value(f"Start: {text}", "starts_at") == instant


@pytest.mark.parametrize(
    "text",
    [
        "30.02.2026 08:00 UTC",
        "tomorrow 08:00",
        "26-11-30 08:00 UTC",
        "2026-11-30 25:00 UTC",
        "in 3 d",
    ],
)
def test_what_is_no_time_is_not_taken(text: str) -> None:
    assert value(f"Start: {text}", "starts_at") is None


@pytest.mark.parametrize(
    ("text", "instants"),
    [
        ("03/04/2026 08:00 UTC", ["2026-04-03T08:00:00Z", "2026-03-04T08:00:00Z"]),
        ("2026-12-01 09:00 CST", ["2026-12-01T15:00:00Z", "2026-12-01T01:00:00Z"]),
        ("2026-12-01 08:00", ["2026-12-01T07:00:00Z", "2026-12-01T08:00:00Z"]),
        # E7: this local time never happens in Berlin
        ("2027-03-28 02:30", ["2027-03-28T02:30:00Z"]),
        ("2027-03-28 02:30 Europe/Berlin", []),
        ("2026-12-01", []),
    ],
)
def test_a_time_with_several_readings_is_asked(text: str, instants: list[str]) -> None:
    found = read(f"Start: {text}")
    assert "starts_at" not in found.found
    if text != "2027-03-28 02:30 Europe/Berlin":
        shown = [instant_text(one) for one in candidates(f"Start: {text}", "starts_at")
                 if isinstance(one, datetime)]  # fmt: skip
        assert shown == instants


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("3 days from 2026-10-24 18:00 Europe/Berlin", "2026-10-27T16:00:00Z"),
        ("72 hours starting 2026-10-24 16:00 UTC", "2026-10-27T16:00:00Z"),
        ("Laufzeit: 72 Stunden\nBeginn: 24.10.2026 18:00 MESZ", "2026-10-27T16:00:00Z"),
        ("Thời hạn: 3 ngày\nBắt đầu: 2026-10-24T16:00Z", "2026-10-27T16:00:00Z"),
        ("Duration: 1 month\nStart: 2026-10-24T16:00Z", None),
        ("Duration: 3 days\nDuration: 7 days\nStart: 2026-10-24T16:00Z", None),
    ],
)
def test_a_length_makes_the_end(text: str, end: str | None) -> None:
    """E1 in a text: days are 24 h of elapsed time across a clock change."""
    assert value(text, "ends_at") == end


@pytest.mark.parametrize(
    "text",
    [
        "The machine is yours from 2026-12-01 08:00 UTC until 2026-12-04 08:00 UTC.",
        "Die Maschine steht vom 01.12.2026, 9 Uhr bis 04.12.2026, 9 Uhr (MEZ) bereit.",
        "Máy sẵn sàng từ 15:00 01/12/2026 đến 15:00 04/12/2026 (giờ Việt Nam).",
        "Window: 2026-12-01 08:00 – 2026-12-04 08:00 (UTC)",
        "Item | Start | End\nRTX 4090 | 2026-12-01 08:00 UTC | 2026-12-04 08:00 UTC",
        "Alle Zeiten in UTC\nVon: 01.12.2026 08:00\nBis: 04.12.2026 08:00",
    ],
)
def test_a_window_is_read_from_a_sentence_or_a_row(text: str) -> None:
    assert (value(text, "starts_at"), value(text, "ends_at")) == (
        "2026-12-01T08:00:00Z", "2026-12-04T08:00:00Z",
    )  # fmt: skip


def test_two_windows_are_asked() -> None:
    text = "\n".join(f"Window: 2026-12-0{n} 08:00 UTC - 2026-12-0{n + 1} 08:00 UTC" for n in (1, 5))
    assert len(candidates(text, "starts_at")) == len(candidates(text, "ends_at")) == 2


def test_a_window_years_away_is_pointed_out() -> None:
    (said,) = read("Start: 2031-12-01 08:00 UTC").remarks
    assert "is the year right?" in str(said)


def test_an_extension_is_pointed_out() -> None:
    (said,) = read("Your lot was extended until 2026-12-07 08:00 UTC.").remarks
    assert str(said) == "Line 1 speaks of an extension: log it at the order that it extends."


def test_dates_and_clocks_stand_in_the_order_of_the_text() -> None:
    first, second = times_in("2026-12-01 08:00 -04.12.2026 09:00")
    assert (first.clock is not None, second.days[0].day) == (True, 4)


# References and names


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("Order number: IG-20931", "IG-20931"),
        ("Order no. IG 20931", "IG 20931"),
        ("Your order IG-20931 is confirmed.", "IG-20931"),
        ("Subject: Order confirmation #A1-7781", "A1-7781"),
        ("Bestell-Nr.: 2026/118-B", "2026/118-B"),
        ("Mã đơn hàng: vn-Case-9x", "vn-Case-9x"),
        ("Order number: A-1\nInvoice number: R-2", "A-1"),
        ("Invoice number: R-2", "R-2"),
        ("Order: 2x RTX 4090", None),
        ("Order: 47.14 USD", None),
        ("Order: 01.12.2026", None),
        ("Order number: 4111111111111111", None),
        ("Order in 24 hours", None),
        ("Order number: pending", None),
    ],
)
def test_a_reference_keeps_its_spelling(text: str, reference: str | None) -> None:
    assert value(text, "reference") == reference


def test_two_references_are_asked() -> None:
    assert candidates("Order number: A-1\nOrder number: A-2", "reference") == ["A-1", "A-2"]


@pytest.mark.parametrize(
    ("text", "field", "expected"),
    [
        ("GPU: NVIDIA RTX 4090 (24 GB)", "gpu", "RTX 4090"),
        ("GPU: NVIDIA RTX 4090 (24 GB)", "memory_gib", 24),
        ("GPU: 2 × B200", "gpus", 2),
        ("GPUs: 8", "gpus", 8),
        ("VRAM: 80 GB", "memory_gib", 80),
        ("Auto-renewal: enabled", "auto_renew", True),
        ("Tự động gia hạn: tắt", "auto_renew", False),
        ("Account: lab-1", "account", "lab-1"),
        ("Account: DE89 3704 0044 0532 0130 00", "account", None),
        ("Order page: https://itera.example/o/1", "link", "https://itera.example/o/1"),
        ("Order page: https://itera.example/o/1?token=abc", "link", None),
        ("Access until: 2026-12-04 07:30 UTC", "usable_until", "2026-12-04T07:30:00Z"),
        ("Data will be deleted: 2026-12-05 08:00 UTC", "data_deleted_at", "2026-12-05T08:00:00Z"),
    ],
)
def test_further_fields(text: str, field: str, expected: object) -> None:
    assert value(text, field) == expected


# JSON and markup


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ('{"order_id": "a", "total": "47.14", "currency": "USD"}', "47.14"),
        ('{"order_id": "a", "total": 47.14}', "47.14"),
        ('{"order_id": "a", "total": 4.714e1}', "47.14"),
        ('{"order_id": "a", "amount": "47,14 €"}', "47.14"),
        ('{"order_id": "a", "total": 47}', "47.00"),
        ('{"order_id": "a", "total": NaN}', None),
        ('{"order_id": "a", "total": -1.5}', None),
        ('{"order_id": "a", "price_per_hour": 0.65, "dph_total": 0.7}', None),
        ('{"order_id": "a", "pricing": {"day": {"price": 3.1}}}', None),
        ('{"order_id": "a", "tax": {"amount": "7.53"}}', None),
        ('{"order_id": "a", "total": true}', None),
        ('$ hgpu show --json\n{"order_id": "a", "total": "47.14"}\nok', "47.14"),
    ],
)
def test_json_states_the_price_or_not(text: str, price: str | None) -> None:
    assert value(text, "price") == price


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ('{"order_id": "a", "amount_total": 4714}', ["4714.00", "47.14"]),
        ('{"order_id": "a", "total": 47.139999}', ["47.13", "47.14"]),
        ('{"order_id": "a", "total": "1.00", "items": [{"price": "2.00"}]}', ["1.00", "2.00"]),
    ],
)
def test_json_with_several_readings_is_asked(text: str, amounts: list[str]) -> None:
    assert candidates(text, "price") == amounts


def test_a_value_of_json_names_its_line() -> None:
    found = read('output:\n{\n "order_id": "a1",\n "total": {\n  "amount": "5.00"\n }\n}').found
    assert (found["reference"].line, found["price"].line) == (3, 5)
    assert found["price"].written == "total.amount: 5.00"


@pytest.mark.parametrize(
    "text",
    [
        '[{"order_id": "a", "total": "1"}, {"order_id": "b", "total": "2"}]',
        '{"data": [{"id": "a", "price": "1"}, {"id": "b", "price": "2"}]}',
        '{"order_id": "a", "total": "1"}\n{"order_id": "b", "total": "2"}',
    ],
)
def test_several_orders_are_not_mixed(text: str) -> None:
    found = read(text)
    assert found.found == {}
    assert str(found.asked["reference"].question).startswith("The text holds 2 orders.")


@pytest.mark.parametrize(
    "hidden",
    [
        '<div style="display: none">{}</div>',
        "<p hidden>{}</p>",
        '<div style="DISPLAY:NONE"><p>{}</p></div>',
        '<span style="font-size:0px">{}</span>',
        '<span style="max-height:0;overflow:hidden">{}</span>',
        "<style>{}</style>",
        "<script>{}</script>",
        "<template>{}</template>",
        "<!-- {} -->",
        "<head><title>x</title><meta name=a></head><noscript>{}</noscript>",
    ],
)
def test_what_html_hides_is_not_read(hidden: str) -> None:
    html = f"<html><body>{hidden.format('Total: 99.00 USD')}<p>Total: 47.14 USD</p></body></html>"
    assert value(html, "price") == "47.14"
    assert "99.00" not in read(html).kept


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><td>Total</td><td>&euro;&nbsp;47,14</td></tr></table>",
        "<table><tr><td>Total<td>47.14 EUR<tr><td>x</table>",
        "<dl><dt>Total</dt><dd>47.14 EUR</dd></dl>",
        "<p>Total:<br>47.14 EUR</p>",
        "<p>To<b>tal</b>: <i>47</i>.<span>14</span> EUR</p>",
        "<p>Total&colon; 47&period;14 &#8364;</p>",
        "<div>Total</div><div><div>47.14 EUR</div></div>",
    ],
)
def test_html_reads_as_it_looks(html: str) -> None:
    assert value(f"<html>{html}</html>", "price", "EUR") == "47.14"


def test_offers_validity_is_not_the_window() -> None:
    html = """<html><script type="application/ld+json">{"@type": "Order", "orderNumber": "A-1",
    "acceptedOffer": {"@type": "Offer", "price": "1.00", "priceCurrency": "USD",
    "validFrom": "2026-01-01T00:00:00Z", "validThrough": "2026-12-31T00:00:00Z"}}</script>
    <p>x</p></html>"""
    assert set(read(html).found) == {"reference", "price", "currency"}


# Cleaning and masks


def test_encodings_are_taken_off_only_where_they_show() -> None:
    assert decoded("a=3Db=\nc =E2=82=AC") == "a=bc €"
    assert decoded("https://a.example/?id=2F") == "https://a.example/?id=2F"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("4111 1111 1111 1111", "**** **** **** ****"),
        ("4111-1111-1111-1111", "****-****-****-****"),
        ("4111111111111111", "*" * 16),
        ("4111\u00a01111\u00a01111\u00a01111", "****\u00a0****\u00a0****\u00a0****"),
        ("4111.1111.1111.1111", "****.****.****.****"),
        ("3782 822463 10005", "**** ****** *****"),
        ("4111\n1111\n1111\n1111", "****\n****\n****\n****"),
        ("1234567890123", "*" * 13),
        ("DE89 3704 0044 0532 0130 00 BIC X", "DE** **** **** **** **** ** BIC X"),
        ("de89370400440532013000", "de" + "*" * 20),
        ("GB82 WEST 1234 5698 7654 32.", "GB** **** **** **** **** **."),
        ("IBAN:NO9386011117947", "IBAN:NO" + "*" * 13),
        ("123456789012", "123456789012"),
        ("2026-12-01 08:00", "2026-12-01 08:00"),
    ],
)
def test_a_mask_is_as_long_as_what_it_hides(text: str, masked: str) -> None:
    assert mask(text) == masked


def test_an_account_has_the_length_of_its_country() -> None:
    assert is_account("DE89370400440532013000")
    assert not is_account("DE8937040044053201300")
    assert not is_account("DE88370400440532013000")
