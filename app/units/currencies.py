"""Current currency codes of ISO 4217 with the number of decimals of each, as data.

State of the standard: 2026 (Bulgaria pays in euro; ZWG, XCG and XAD are in).
Codes without a minor unit (metals, units of account, testing) cannot price anything.
"""

from __future__ import annotations

from app.units.refusal import Reason, UnitError

_CODES: dict[int, str] = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    2: """
        AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD
        CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP
        GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK
        LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO
        NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS
        SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST
        XAD XCD XCG YER ZAR ZMW ZWG
    """,
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
}
_WITHOUT_MINOR_UNIT = "XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX"

EXPONENTS: dict[str, int] = {
    code: exponent for exponent, codes in _CODES.items() for code in codes.split()
}

CURRENCIES: frozenset[str] = frozenset(EXPONENTS)
"""The codes in which a price may be stated."""

WITHOUT_MINOR_UNIT: frozenset[str] = frozenset(_WITHOUT_MINOR_UNIT.split())


def currency_exponent(currency: str) -> int:
    """Decimals of a currency: JPY 0, USD 2, KWD 3; raises UnitError for any other code."""
    exponent = EXPONENTS.get(currency)
    if exponent is not None:
        return exponent
    if currency in WITHOUT_MINOR_UNIT:
        raise UnitError(Reason.NO_MINOR_UNIT, currency)
    meant = currency.strip().upper()
    raise UnitError(
        Reason.UNKNOWN_CURRENCY, currency, suggestion=meant if meant in CURRENCIES else None
    )
