"""Pages: rendering, forms, and what every request must pass before it reaches a room."""

from app.web.forms import Form, read_form
from app.web.page import Frame, Tab, flash, page, reader_of, redirect

__all__ = ["Form", "Frame", "Tab", "flash", "page", "read_form", "reader_of", "redirect"]
