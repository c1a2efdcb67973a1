"""Every setting, from the environment or a `.env` file, with its meaning beside it."""

from __future__ import annotations

import ipaddress
from pathlib import Path

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

_HERE = Path(__file__).resolve().parent
ROOT = _HERE if (_HERE / "templates").is_dir() else _HERE.parent
"""Where templates, static files and migrations lie: inside the wheel, or in the checkout."""


class Settings(BaseSettings):
    """The effective settings of one process."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", populate_by_name=True)

    data: Path = Field(
        Path("data"),
        alias="PUNKTUM_DATA",
        description="Folder of the database, its copies and keys.",
    )
    database_url: SecretStr | None = Field(
        None,
        alias="DATABASE_URL",
        description="A PostgreSQL address; without it SQLite in the data folder.",
    )
    secret: SecretStr | None = Field(
        None,
        alias="PUNKTUM_SECRET",
        description="Signs forms and cookies; several processes share it. Without it: a file.",
    )
    host: str = Field(
        "127.0.0.1",
        alias="PUNKTUM_HOST",
        description="Address to listen on; without a login loopback only.",
    )
    port: int = Field(
        8000, ge=0, le=65535, alias="PUNKTUM_PORT", description="Port of the pages and both APIs."
    )
    jobs_port: int | None = Field(
        None,
        ge=0,
        le=65535,
        alias="PUNKTUM_JOBS_PORT",
        description="Second port: the job API only, always with a token.",
    )
    allowed_hosts: str = Field(
        "",
        alias="PUNKTUM_ALLOWED_HOSTS",
        description="Further host names that requests may name, with commas between.",
    )
    published_on_loopback: bool = Field(
        False,
        alias="PUNKTUM_PUBLISHED_ON_LOOPBACK",
        description="The container's port is published on the host's loopback only.",
    )
    person: str = Field(
        "local",
        alias="PUNKTUM_PERSON",
        description="Name in the record for whoever sits at this machine.",
    )
    max_body_bytes: int = Field(
        1 << 20, ge=1024, alias="PUNKTUM_MAX_BODY_BYTES", description="Largest request body."
    )
    posts_per_s: int = Field(
        1000,
        ge=0,
        alias="PUNKTUM_POSTS_PER_S",
        description="Posts a second of one job token, ten seconds' worth at once; 0: no limit.",
    )
    log_level: str = Field(
        "info",
        pattern="(?i)^(debug|info|warning|error)$",
        alias="PUNKTUM_LOG_LEVEL",
        description="debug, info, warning or error.",
    )
    demo: bool = Field(
        False,
        alias="PUNKTUM_DEMO",
        description="Set by the demo: a throw-away database, said on every page.",
    )

    @field_validator("database_url")
    @classmethod
    def _names_postgres(cls, url: SecretStr | None) -> SecretStr | None:
        """Another kind of database is refused, not passed over in silence."""
        said = url.get_secret_value() if url is not None else ""
        if said and not said.startswith(("postgres://", "postgresql://")):
            raise ValueError("begins with postgresql://; without it SQLite is used")
        return url

    @property
    def is_postgres(self) -> bool:
        """Whether `DATABASE_URL` names PostgreSQL."""
        return self.database_url is not None and self.database_url.get_secret_value().startswith(
            "postgres"
        )

    @property
    def sqlite_file(self) -> Path:
        """The database file when SQLite is used."""
        return self.data / "punktum.sqlite"

    def binds_loopback(self) -> bool:
        """Whether the address to listen on is this machine only."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def load() -> Settings:
    """Read the settings anew; raises `pydantic.ValidationError` naming a bad one."""
    return Settings()
