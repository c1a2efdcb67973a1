"""The campaign file: TOML text to a plan and back, with the line of everything that is wrong."""

from app.exchange.rules.reading import LARGEST_FILE, FileProblem, read_campaign_file
from app.exchange.rules.writing import write_campaign_file

__all__ = ["LARGEST_FILE", "FileProblem", "read_campaign_file", "write_campaign_file"]
