"""The settings of a training, which nothing keeps from starting."""

from __future__ import annotations

from punktum import talk
from punktum.settings import Settings, SettingsError, open_to_others, read_settings


def settings_for_a_job(url: str | None, token_file: str | None) -> Settings:
    """As ``read_settings``; what cannot be used is said and counts as no server."""
    try:
        settings = read_settings(url, token_file)
    except SettingsError as error:
        talk.say(f"NOT RECORDING: {error}")
        return Settings(is_wrong=True)
    note = open_to_others(settings.token_file)
    if note is not None:
        talk.say(note)
    return settings
