"""The whole way of a real campaign, `examples/digits`, from its file to its close.

Everything goes the way it would for a person with a rented box: the desk speaks HTTP, the jobs
are processes under `punktum run`, and nothing is told to the server that did not happen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import tomllib

from app import clock
from app.demo.desk import Desk
from app.demo.jobs import EXAMPLE, Jobs
from app.demo.processes import Processes
from app.units import instant_text

Say = Callable[[str], None]
HIDDEN = ("--hidden", "64")
TOO_HIGH = "20"
"""A learning rate at which the loss of the hidden layer soon stops being a number."""


@dataclass(frozen=True, slots=True)
class Closed:
    """How the campaign ended: its id, outcome and conclusion, and the journal's last head."""

    campaign: str
    outcome: str
    conclusion: str
    head_number: int
    head_sha256: str


def walk(address: str, folder: Path, processes: Processes, say: Say) -> Closed:
    """Walk the campaign against a server; `folder` takes the jobs' files.

    Raises `Refused`, `JobFailed`, `httpx.HTTPError` or `Ending` where the way is blocked.
    """
    file = campaign_file()
    campaign = str(tomllib.loads(file)["campaign"]["id"])
    with Desk(address, campaign) as desk:
        return _Walk(desk, Jobs(processes, folder, address), say).from_file_to_close(file)


def campaign_file() -> str:
    """The example's campaign file with its ids in it, as one text for the API."""
    text = (EXAMPLE / "campaign.toml").read_text("utf-8")
    ids = (EXAMPLE / "ids.txt").read_text("utf-8").split()
    named = 'ids_file = "ids.txt"\n'
    listed = ", ".join(f'"{name}"' for name in ids)
    return text.replace(named, f"{named}ids = [{listed}]\n", 1)


class _Walk:
    """One walk; each method is a stretch of the way."""

    def __init__(self, desk: Desk, jobs: Jobs, say: Say) -> None:
        self._desk = desk
        self._jobs = jobs
        self._say = say

    def from_file_to_close(self, file: str) -> Closed:
        """All of it, in its order."""
        self._plan(file)
        self._order()
        self._look_at_the_data()
        self._pilot()
        self._train()
        self._deliver()
        self._explain()
        return self._close()

    def _plan(self, file: str) -> None:
        self._desk.import_file(file)
        sealed = self._desk.post("seal", {})
        schedule = self._desk.get("plan")["schedule"]
        fits = f"{schedule['uncommitted_hours']} h uncommitted" if schedule["fits"] else "too long"
        self._say(f"plan sealed as version {sealed['version']}, {fits}")

    def _order(self) -> None:
        """The hour on this machine begins with the order; there is nothing to pay for it."""
        starts_at = clock.now().replace(microsecond=0)
        order = {
            "provider": "This machine",
            "reference": f"here-{starts_at:%Y%m%d-%H%M%S}",
            "price": "0.00",
            "currency": "USD",
            "starts_at": instant_text(starts_at),
            "ends_at": instant_text(starts_at + timedelta(hours=1)),
            "lot": "lot-1",
        }
        self._desk.post("orders", order)
        self._jobs.keep_token(self._desk.post("tokens", {"name": "digits"})["token"])
        self._say(f"order {order['reference']} logged; a job token is made")

    def _look_at_the_data(self) -> None:
        """A person's time: it goes on while they look, and is ended when they have seen it."""
        began = {"started_at": instant_text(clock.now())}
        self._desk.post("steps/data-check/time", began)
        self._jobs.plain("python", "check_data.py")
        ended = {**began, "ended_at": instant_text(clock.now()), "note": "1347 and 450 images"}
        self._desk.post("steps/data-check/time", ended)
        self._say("data checked, the person's time is logged")

    def _pilot(self) -> None:
        self._train_once("pilot", *HIDDEN, "--epochs", "10")
        self._jobs.check_restore("restore-check", "restore_check.py")
        self._tell("restore-check")
        took_s = self._desk.runs()[self._desk.completed("pilot")]["machine_s"]
        decision = {
            "choice": "continue",
            "step": "pilot-decision",
            "reason": f"The pilot took {took_s} s where 60 s were reserved, a new process went on"
            " from its checkpoint to the same numbers, and no rule fired.",
        }
        self._desk.post("decisions", decision)
        self._say("decided after the pilot: continue")

    def _train(self) -> None:
        """The control, a first attempt at A that runs away, A with its rate mended, and B."""
        self._train_once("control")
        self._train_once("variant-a", *HIDDEN, "--lr", TOO_HIGH, expected=1)
        self._train_once("variant-a", *HIDDEN)
        self._train_once("variant-b", "--lr", "0.02")

    def _train_once(self, step: str, *arguments: str, expected: int = 0) -> None:
        self._jobs.run(step, "python", "train.py", step, *arguments, expected=expected)
        self._tell(step)

    def _tell(self, step: str) -> None:
        """Say how the newest run of a step ended, as the server has it."""
        run = [run for run in self._desk.runs().values() if run["step"] == step][-1]
        figures = {metric["name"]: metric["final"] or metric["last"] for metric in run["metrics"]}
        about = f", accuracy {float(figures['accuracy']):.4f}" if "accuracy" in figures else ""
        if run["rule"] is not None:
            about = f" by the rule {run['rule']}: {run['reason_text']}"
        self._say(f"{run['id']} {run['status']}{about}")

    def _deliver(self) -> None:
        """Predictions, analysis, evidence for the three deliverables, and the copy at its place."""
        self._jobs.run("evaluation", "python", "evaluate.py")
        self._tell("evaluation")
        self._jobs.run("error-analysis", "python", "analyse.py")
        self._tell("error-analysis")
        trained = [self._desk.completed(step) for step in ("control", "variant-a", "variant-b")]
        evaluated = self._desk.completed("evaluation")
        for deliverable, runs in (
            ("predictions", [*trained, evaluated]),
            ("error-analysis", [self._desk.completed("error-analysis")]),
            ("model", [*trained, evaluated]),
        ):
            self._jobs.verify(deliverable, runs)
            found = {one["id"]: one for one in self._desk.get("deliverables")["items"]}
            self._say(f"{deliverable} {found[deliverable]['state']}")
        folders = [f"out/{name}" for name in ("predictions", "error-analysis", "model")]
        (self._jobs.work / "home").mkdir()
        self._jobs.run("retrieval", "cp", "-R", *folders, "home")
        self._tell("retrieval")

    def _explain(self) -> None:
        """A word on each step that owes one."""
        stops = {line["step"]: line for line in self._desk.get("report")["stops"]}
        for step in self._desk.get("report")["steps"]:
            if step["owed"] and step["sentence"] is None:
                self._desk.post("explanations", _explanation(step, stops.get(step["step"])))
                self._say(f"explained: {step['step']}")

    def _close(self) -> Closed:
        judged = self._desk.get("decisions")["evaluation"]
        outcome, conclusion = judged["proposed"], _conclusion(judged)
        body = {"outcome": outcome, "conclusion": conclusion, "close_with_open_points": True}
        head = self._desk.post("close", body)
        self._say(f"closed, {outcome}: {conclusion}")
        return Closed(self._desk.campaign, outcome, conclusion, head["number"], head["sha256"])


def _explanation(step: dict[str, Any], stop: dict[str, Any] | None) -> dict[str, str]:
    """What is known of a step that took longer or shorter than reserved."""
    took = f"{step['observed_s']} s instead of {step['planned_s']} s"
    if stop is not None:
        said = f"{stop['run']} ran away ({stop['text']}); with the next run it was {took} in all."
        return {"step": step["step"], "category": "stopped_run", "sentence": said}
    said = f"{took}: the estimate leaves room for slower machines."
    return {"step": step["step"], "category": "estimate", "sentence": said}


def _conclusion(judged: dict[str, Any]) -> str:
    """One sentence from the decision table."""
    control = float(judged["control"]["mean"])
    lines = [
        f"{line['step']} {float(line['mean']):.4f} {line['verdict'].replace('_', ' ')}"
        for line in judged["variants"]
        if line["mean"] is not None
    ]
    return f"Against the control's {control:.4f}: {', '.join(lines)}."
