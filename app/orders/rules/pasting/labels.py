"""The labels by which mails and invoices name what an order says, in three languages.

A lower rank is the better label: the number of an order goes before that of an invoice. Labels
of a price are told apart (`TOTAL`, `PART`), because more than one amount is never chosen between.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from app.orders.rules.pasting.amounts import is_of_units

TOTAL, PART = 0, 1
"""The whole price; an amount that may be the price too: a net sum, a price of one line."""
MOST_LABEL = 60


@dataclass(frozen=True, slots=True)
class Label:
    """What a label names; `language` is the one that it is written in."""

    field: str
    rank: int
    language: str


PERIOD, LENGTH = "period", "length"
"""Fields of a text that are no fields of an order: a window in one line, and its length."""

_TABLE: dict[tuple[str, int], tuple[str, str, str]] = {
    ("reference", 0): (
        "order number|order no|order nr|order id|order reference|order ref|order|order #|"
        "your order|your order number|order code|purchase order",
        "bestellnummer|bestell nr|bestellreferenz|auftragsnummer|auftrags nr|auftrag|bestellung|"
        "ihre bestellnummer|ihre bestellung|bestellkennung",
        "mã đơn hàng|số đơn hàng|mã đơn|đơn hàng|mã đặt hàng|đơn hàng số|số đơn",
    ),
    ("reference", 1): (
        "booking number|booking reference|booking id|booking|reservation|reservation id|"
        "reservation number|confirmation number|confirmation code|contract number|contract id|"
        "reference|reference number|ref|rental id|rental number|lease id",
        "buchungsnummer|buchung|buchungsreferenz|reservierungsnummer|reservierung|vertragsnummer|"
        "referenz|referenznummer|vorgangsnummer|mietnummer|bestätigungsnummer",
        "mã đặt chỗ|mã tham chiếu|số tham chiếu|mã hợp đồng|số hợp đồng|mã xác nhận|mã thuê",
    ),
    ("reference", 2): (
        "invoice number|invoice no|invoice id|invoice|invoice #|receipt number|receipt no|receipt",
        "rechnungsnummer|rechnungs nr|rechnung|rechnung nr|belegnummer|quittungsnummer|beleg nr|"
        "quittung",
        "số hóa đơn|mã hóa đơn|hóa đơn số|hóa đơn|số hoá đơn|mã biên lai",
    ),
    ("provider", 0): (
        "provider|seller|sold by|merchant|vendor|supplier|rented from|company|issued by",
        "anbieter|verkäufer|händler|vermieter|lieferant|firma|aussteller",
        "nhà cung cấp|bên bán|người bán|đơn vị cung cấp|đơn vị bán",
    ),
    ("account", 0): (
        "account|account id|account name|account number|customer number|customer id|customer no|"
        "client id|team|workspace|organization|organisation",
        "konto|kundenkonto|kundennummer|kunden nr|benutzerkonto|kontoname",
        "tài khoản|mã khách hàng|số tài khoản khách hàng|mã tài khoản",
    ),
    ("price", TOTAL): (
        "total|grand total|order total|total price|total amount|total cost|total due|total paid|"
        "total charged|total charge|amount paid|amount due|amount charged|amount|you paid|paid|"
        "invoice total|total to pay|sum|payment|payment amount|charged|to pay|balance due|"
        "total incl tax|total with tax",
        "gesamt|gesamtbetrag|gesamtsumme|gesamtpreis|summe|endbetrag|rechnungsbetrag|"
        "zahlbetrag|zu zahlen|zu zahlender betrag|bezahlt|betrag|endsumme|total|gesamtkosten|"
        "bruttobetrag|brutto|abgebucht|rechnungssumme|summe brutto",
        "tổng cộng|tổng tiền|tổng số tiền|tổng thanh toán|thành tiền|số tiền|số tiền thanh toán|"
        "đã thanh toán|tổng|tổng giá trị|tổng chi phí|cần thanh toán|tổng tiền thanh toán",
    ),
    ("price", PART): (
        "subtotal|sub total|net|net amount|net total|price|lot price|package price|total excl tax|"
        "fixed price|cost",
        "zwischensumme|netto|nettobetrag|preis|festpreis|paketpreis|kosten|nettosumme|summe netto",
        "tạm tính|giá|giá gói|giá trọn gói|chi phí|tiền trước thuế|giá trước thuế",
    ),
    ("currency", 0): ("currency", "währung", "tiền tệ|loại tiền|đơn vị tiền tệ"),
    ("ordered_at", 0): (
        "order date|ordered on|ordered at|ordered|order placed|placed on|placed at|purchase date|"
        "purchased on|booked on|booking date|date of order|order time",
        "bestelldatum|bestellt am|bestellt|auftragsdatum|gebucht am|buchungsdatum|kaufdatum|"
        "bestellzeitpunkt",
        "ngày đặt hàng|ngày đặt|thời gian đặt hàng|thời gian đặt|đặt lúc|ngày mua",
    ),
    ("starts_at", 0): (
        "start|starts|starts at|starts on|start time|start date|start at|begin|begins|begins at|"
        "beginning|rental start|rental begins|window starts|window start|valid from|active from|"
        "available from|access from|from|period start|rental starts|lease start|usable from",
        "beginn|start|startzeit|startdatum|mietbeginn|von|ab|gültig ab|verfügbar ab|nutzbar ab|"
        "vertragsbeginn|fensterbeginn|beginnt|beginnt am|startet|beginn der miete|zugang ab",
        "bắt đầu|thời gian bắt đầu|ngày bắt đầu|thời điểm bắt đầu|từ|từ ngày|hiệu lực từ|"
        "bắt đầu thuê|bắt đầu lúc|sử dụng từ|bắt đầu từ",
    ),
    ("ends_at", 0): (
        "end|ends|ends at|ends on|end time|end date|rental end|rental ends|window ends|"
        "window end|valid until|valid to|expires|expires at|expires on|expiry|expiry date|"
        "expiration|expiration date|until|to|period end|lease end|paid until|active until",
        "ende|endet|endet am|endzeit|enddatum|mietende|bis|gültig bis|läuft ab|läuft ab am|"
        "ablauf|ablaufdatum|vertragsende|fensterende|ende der miete|bezahlt bis|läuft bis",
        "kết thúc|thời gian kết thúc|ngày kết thúc|thời điểm kết thúc|đến|đến ngày|hết hạn|"
        "ngày hết hạn|hiệu lực đến|kết thúc thuê|kết thúc lúc|hết hạn lúc|thời gian hết hạn",
    ),
    ("usable_until", 0): (
        "usable until|access until|shutdown at|shut down at|machine stops|machine shutdown|"
        "machines stop at|shutdown",
        "nutzbar bis|zugriff bis|zugang bis|abschaltung|abschaltung um|maschine stoppt",
        "sử dụng đến|dùng được đến|truy cập đến|tắt máy lúc|máy tắt lúc",
    ),
    ("data_deleted_at", 0): (
        "data deleted at|data deleted|data deleted on|data deletion|data is deleted|"
        "data will be deleted|storage deleted at",
        "daten gelöscht am|datenlöschung|daten werden gelöscht|löschung der daten|"
        "daten werden gelöscht am|daten gelöscht",
        "xóa dữ liệu|dữ liệu bị xóa|xóa dữ liệu lúc|dữ liệu bị xóa lúc|ngày xóa dữ liệu",
    ),
    (PERIOD, 0): (
        "period|rental period|service period|window|rental window|rental|term|billing period|"
        "reserved|reserved for|lease|time window|usage period|booked window",
        "zeitraum|mietzeitraum|leistungszeitraum|mietfenster|fenster|zeitfenster|nutzungszeitraum|"
        "miete|abrechnungszeitraum|gebuchter zeitraum",
        "thời gian thuê|kỳ thuê|khoảng thời gian|cửa sổ thuê|thời gian|thời gian sử dụng|"
        "kỳ sử dụng",
    ),
    (LENGTH, 0): (
        "duration|length|rental duration|rented for|hours|days|rental length|package|plan",
        "dauer|mietdauer|laufzeit|länge|stunden|tage|paket|tarif",
        "thời hạn|thời lượng|số giờ|số ngày|thời hạn thuê|gói|gói thuê",
    ),
    ("gpu", 0): (
        "gpu|gpu type|gpu model|gpu name|graphics card|accelerator|gpus|machine|hardware|"
        "instance type|product|item|description",
        "gpu|gpu typ|gpu modell|grafikkarte|beschleuniger|gpus|maschine|hardware|produkt|artikel|"
        "beschreibung|position",
        "gpu|loại gpu|card đồ họa|card|máy|phần cứng|sản phẩm|mô tả|cấu hình",
    ),
    ("gpus", 0): (
        "gpu count|number of gpus|gpus|no of gpus|gpus in the lot|gpus per lot",
        "anzahl gpus|anzahl der gpus|gpu anzahl|gpus|zahl der gpus",
        "số gpu|số lượng gpu|gpus",
    ),
    ("memory_gib", 0): (
        "gpu memory|vram|memory per gpu|video memory|memory",
        "gpu speicher|grafikspeicher|vram|speicher je gpu",
        "bộ nhớ gpu|vram|bộ nhớ đồ họa",
    ),
    ("auto_renew", 0): (
        "auto renew|auto renewal|automatic renewal|renews automatically|auto extend|autorenew",
        "automatische verlängerung|auto verlängerung|verlängert sich automatisch|"
        "verlängert sich von selbst",
        "tự động gia hạn|gia hạn tự động|tự gia hạn",
    ),
    ("link", 0): (
        "order link|order url|view your order|view order|manage your order|manage order|link|url|"
        "your order online|order page",
        "bestellung ansehen|zur bestellung|link|bestellung verwalten|auftrag ansehen|bestellseite",
        "xem đơn hàng|liên kết|đường dẫn|quản lý đơn hàng",
    ),
}


def _labels() -> dict[str, tuple[Label, ...]]:
    found: dict[str, tuple[Label, ...]] = {}
    for (field, rank), by_language in _TABLE.items():
        for language, phrases in zip(("en", "de", "vi"), by_language, strict=True):
            for phrase in phrases.split("|"):
                known = found.get(phrase, ())
                if all(one.field != field for one in known):
                    found[phrase] = (*known, Label(field, rank, language))
    return found


LABELS: dict[str, tuple[Label, ...]] = _labels()
LONGEST = max(len(phrase.split()) for phrase in LABELS)

_BRACKETS = re.compile(r"\([^)]*\)|\[[^\]]*\]")
_NOT_WORDS = re.compile(r"[^\w#]+|_+")
_WITH_TAX = re.compile(
    r"\b(?:incl(?:uding|usive)?|inkl(?:usive)?|including|with|mit|gồm|bao gồm|có)\b\W{0,3}"
    r"(?:\w+\W{1,3}){0,3}"
    r"(?:tax|taxes|vat|mwst|ust|umsatzsteuer|mehrwertsteuer|steuer|steuern|thuế|gst)\b.*$"
)
_WITHOUT_TAX = re.compile(
    r"\b(?:excl(?:uding|usive)?|exkl(?:usive)?|zzgl|without|ohne|chưa|before|vor|plus|trước)\b\W{0,3}"
    r"(?:\w+\W{1,3}){0,3}(?:tax|taxes|vat|mwst|ust|umsatzsteuer|mehrwertsteuer|steuer|thuế|gst)\b"
)


def plain_label(written: str) -> str:
    """A label without brackets, marks and numbering: "• Order no. (yours):" is "order no"."""
    said = _BRACKETS.sub(" ", written.casefold()).replace("#", " # ")
    return " ".join(_NOT_WORDS.sub(" ", said).split())


def labels_of(written: str) -> tuple[Label, ...]:
    """What a label names, in several languages perhaps; nothing where it is none of ours."""
    if len(written) > MOST_LABEL or is_of_units(written):
        return ()
    folded = written.casefold()
    unfolded = folded.replace("(", " ").replace(")", " ")
    if _WITHOUT_TAX.search(unfolded):
        found = _known(_WITHOUT_TAX.sub(" ", unfolded))
        return tuple(replace(one, rank=PART) if one.field == "price" else one for one in found)
    return _known(folded) or _known(_WITH_TAX.sub(" ", folded))


def _known(folded: str) -> tuple[Label, ...]:
    plain = plain_label(folded)
    return LABELS.get(plain) or LABELS.get(plain.removesuffix(" #")) or ()
