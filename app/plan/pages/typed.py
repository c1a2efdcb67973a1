"""What is said of a table of steps as it is typed: the fit, what was understood, what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.plan.pages.contexts import Fit, fit_of
from app.plan.pages.forms import field_names
from app.plan.queries import PlanView, placed_with
from app.plan.rules.model import Plan
from app.plan.rules.typed.echoing import Echo, echoes_placed, echoes_read
from app.plan.rules.typed.editing import Edited
from app.plan.rules.typed.judging import judged, listed
from app.plan.rules.typed.rows import NUMBER, Undo
from app.plan.rules.typed.steps import STEP_ROW
from app.texts import Text, ntext, text


@dataclass(frozen=True, slots=True)
class TypedPart:
    """The line over the table; echoes by the rows' numbers and refusals by the fields' names."""

    tone: str
    line: Text
    why: Text | None
    saved: bool
    echoes: Mapping[str, Echo]
    errors: Mapping[str, Text]


@dataclass(frozen=True, slots=True)
class UndoPart:
    """The line that says what a button did and offers to take it back."""

    said: Text
    undo: Undo


NOTHING = Echo()


def typed_part(view: PlanView, done: Edited, *, numbered: bool, saved: bool = False) -> TypedPart:
    """What is said of rows as typed, by the numbers that they have in their form, or by their
    places where a form is made anew."""
    keys = [row.get(NUMBER, str(at)) if numbered else str(at) for at, row in enumerate(done.rows)]
    names = field_names((f"steps.{at}" for at in range(len(keys))), STEP_ROW)
    plan = judged(done.document, names)
    errors = done.errors if isinstance(plan, Plan) else {**plan, **done.errors}
    if errors or not isinstance(plan, Plan):
        first = next(iter(listed(errors, names)), (None, text("Nothing can be read yet.")))[1]
        n = len(errors)
        line = ntext(
            "No answer yet: {n} value is refused", "No answer yet: {n} values are refused", n
        )
        found = echoes_read(done.document.get("steps", ()))
        told = {_renamed(name, keys): said for name, said in errors.items()}
        return TypedPart("open", line, first, saved, _by(keys, found), told)
    if not plan.steps:
        line = text("No step yet: type the first one, or start from the usual protocol")
        return TypedPart("open", line, None, saved, {}, {})
    lots, made = placed_with(plan, view.offers)
    typed = replace(
        view, plan=plan, windows=lots.windows, lot_problems=lots.problems, schedule=made
    )
    fit = fit_of(made, typed)
    return TypedPart(
        fit.tone, fit.line, _why(fit), saved, _by(keys, echoes_placed(plan, made, lots.windows)), {}
    )


def undo_part(undo: Undo | None) -> UndoPart | None:
    """The sentence that names what was done."""
    if undo is None:
        return None
    said = {
        "add": text("Added a row."),
        "below": text("Added a row below {title}.", title=undo.title),
        "copy": text("Duplicated {title}.", title=undo.title),
        "remove": text("Removed {title}.", title=undo.title),
        "up": text("Moved {title} up.", title=undo.title),
        "down": text("Moved {title} down.", title=undo.title),
    }[undo.done]
    return UndoPart(said, undo)


def _why(fit: Fit) -> Text | None:
    """One sentence more: what bounds the plan, or what else is in its way."""
    return fit.proof or fit.lower_bound or next(iter(fit.problems), None)


def _by(keys: Sequence[str], found: Sequence[Echo]) -> dict[str, Echo]:
    return dict(zip(keys, found, strict=True))


def _renamed(name: str, keys: Sequence[str]) -> str:
    """A field's name with its row's number in the form in the place of the row's place."""
    head, _, rest = name.partition(".")
    place, _, field = rest.partition(".")
    return f"{head}.{keys[int(place)]}.{field}" if place.isdecimal() else name
