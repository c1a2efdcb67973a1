"""The fields of a deliverable and of its announced checks."""

from __future__ import annotations

from app.plan.rules.typed.fields import Control, Field
from app.plan.rules.typed.labels import CHECK_KINDS, DELIVERABLE_KINDS, options
from app.texts import text

DELIVERABLE: tuple[Field, ...] = (
    Field("title", Control.LINE, text("Title")),
    Field("kind", Control.CHOICE, text("Kind"), options=options(DELIVERABLE_KINDS), size="medium"),
    Field(
        "id",
        Control.LINE,
        text("Id"),
        text("Left empty, it is made from the title."),
        size="medium",
    ),
    Field("essential", Control.TICK, text("Essential to conclude"), on=True),
    Field("unit", Control.TICK, text("Counts as a useful unit for the unit cost")),
)

CHECK: tuple[Field, ...] = (
    Field("kind", Control.CHOICE, text("Check"), options=options(CHECK_KINDS)),
    Field("corpus", Control.LINE, text("Corpus"), size="medium"),
    Field("file", Control.LINE, text("File"), size="medium"),
    Field("column", Control.LINE, text("Column"), size="medium"),
    Field(
        "ids",
        Control.LINES,
        text("Ids"),
        text("Instead of a corpus; one on each line."),
        size="short",
    ),
    Field(
        "match",
        Control.CHOICE,
        text("Ids beside these"),
        options=(("", text("None: exactly these")), ("superset", text("May be there too"))),
        size="medium",
    ),
    Field(
        "keys",
        Control.LINES,
        text("Parameters"),
        text("One on each line; a dot leads into a table, for example optimizer.lr."),
        size="short",
    ),
    Field("columns", Control.LINES, text("Columns"), text("One on each line."), size="short"),
    Field("rows", Control.WHOLE, text("Exact number of rows"), size="short"),
    Field("min_rows", Control.WHOLE, text("Or at least so many rows"), size="short"),
    Field(
        "except",
        Control.LINES,
        text("Except"),
        text("One pattern on each line, for example logs/*."),
        size="short",
    ),
    Field("command", Control.LINE, text("Command"), text("It must end with exit code 0.")),
    Field(
        "value",
        Control.FIGURE,
        text("Value to reproduce"),
        text("The last number that the command prints."),
        size="short",
    ),
    Field("tolerance", Control.FIGURE, text("Tolerance"), text("Empty: none."), size="short"),
    Field(
        "keep_env", Control.NAMES, text("Environment it keeps"), text("For example PATH, HF_HOME.")
    ),
)

CHECK_FIELDS: dict[str, tuple[str, ...]] = {
    "non_empty": ("file",),
    "expected_ids": ("corpus", "file", "column", "ids", "match"),
    "no_temporary_paths": ("except",),
    "base_revision": (),
    "parameters": ("file", "keys"),
    "schema": ("file", "columns", "rows", "min_rows"),
    "reload": ("command", "keep_env"),
    "reproduce": ("command", "value", "tolerance", "keep_env"),
}
"""The fields that say anything on a check of each kind."""
