"""The words of FOCUS that we use: columns of each version, categories, units and services."""

from __future__ import annotations

from dataclasses import dataclass

VERSIONS: tuple[str, ...] = ("1.2", "1.4")

COLUMNS_12: tuple[str, ...] = (
    "BilledCost", "BillingAccountId", "BillingAccountName", "BillingCurrency",
    "BillingPeriodEnd", "BillingPeriodStart", "ChargeCategory", "ChargeClass",
    "ChargeDescription", "ChargeFrequency", "ChargePeriodEnd", "ChargePeriodStart",
    "ContractedCost", "EffectiveCost", "InvoiceId", "InvoiceIssuerName", "ListCost",
    "PricingQuantity", "PricingUnit", "ProviderName", "PublisherName", "ServiceCategory",
    "ServiceName", "ServiceSubcategory",
)  # fmt: skip
"""All mandatory columns of version 1.2 and three recommended ones, by the alphabet."""

OWN_COLUMNS: tuple[str, ...] = (
    "x_CampaignId", "x_LotId", "x_OrderReference", "x_JournalNumber", "x_TaxState",
)  # fmt: skip

RENAMED_14: dict[str, str] = {
    "ProviderName": "ServiceProviderName",
    "PublisherName": "HostProviderName",
}
"""Version 1.4 has no provider and publisher; it names who serves and who runs the machines."""

COLUMNS_14: tuple[str, ...] = tuple(sorted(RENAMED_14.get(name, name) for name in COLUMNS_12))

COLUMNS: dict[str, tuple[str, ...]] = {
    "1.2": (*COLUMNS_12, *OWN_COLUMNS),
    "1.4": (*COLUMNS_14, *OWN_COLUMNS),
}

PURCHASE, TAX_ROW, CREDIT = "Purchase", "Tax", "Credit"
CATEGORIES: tuple[str, ...] = ("Usage", PURCHASE, TAX_ROW, CREDIT, "Adjustment")
CORRECTION = "Correction"
ONE_TIME, RECURRING, USAGE_BASED = "One-Time", "Recurring", "Usage-Based"
FREQUENCIES: tuple[str, ...] = (ONE_TIME, RECURRING, USAGE_BASED)
LOTS, EXTENSIONS = "Lots", "Extensions"


@dataclass(frozen=True, slots=True)
class Service:
    """A service by its name with the one category and subcategory that it belongs to."""

    name: str
    category: str
    subcategory: str


SERVICES: dict[str, Service] = {
    "lot": Service("GPU lot", "Compute", "Other (Compute)"),
    "storage": Service("Storage", "Storage", "Other (Storage)"),
    "transfer": Service("Data transfer", "Networking", "Other (Networking)"),
    "support": Service("Support", "Management and Governance", "Support"),
    "tax": Service("Tax", "Other", "Other (Other)"),
    "other": Service("Other", "Other", "Other (Other)"),
}
"""A rented lot, and each kind of expense."""
