"""MLflow's stock client, unchanged training code: its runs appear, as told by the tracker."""

from __future__ import annotations

import pytest

from tests.integrations.conftest import Dashboard, Trainers

SCRIPT = "with_mlflow.py"


@pytest.fixture
def client(box: Trainers, dashboard: Dashboard) -> Trainers:
    """The box, whose MLflow knows where to log; Punktum's own client is told nothing."""
    for name in ("PUNKTUM_URL", "PUNKTUM_TOKEN"):
        del box.environment[name]
    box.environment.update(
        MLFLOW_TRACKING_URI=f"{dashboard.url}/mlflow",
        MLFLOW_TRACKING_TOKEN=dashboard.token,
        MLFLOW_HTTP_REQUEST_MAX_RETRIES="1",
    )
    return box


@pytest.mark.parametrize("is_async", ["false", "true"])
def test_unchanged_code_appears(client: Trainers, dashboard: Dashboard, is_async: str) -> None:
    done = client.alone(SCRIPT, MLFLOW_ENABLE_ASYNC_LOGGING=is_async)
    assert done.code == 0, done.err
    assert "state FINISHED" in done.out
    run = dashboard.run()
    assert (run["id"], run["step"], run["status"]) == ("control-01", "control", "completed")
    assert dashboard.metrics() == {"loss": "0.2", "eval_f1": "0.8", "norm": "inf"}
    assert run["progress"] == 5
    assert (client.folder / "mlartifacts/control-01/said.txt").read_text() == "a file"


@pytest.mark.parametrize("trainer", ["transformers", "lightning"])
def test_loggers_of_trainers_appear(client: Trainers, dashboard: Dashboard, trainer: str) -> None:
    done = client.alone("with_loggers.py", trainer)
    assert done.code == 0, done.err
    run = dashboard.run()
    assert (run["step"], run["status"], run["progress"]) == ("control", "completed", 8)
    assert {"loss"} <= dashboard.metrics().keys()


def test_a_value_that_is_not_finite_arrives_and_is_judged(
    client: Trainers, dashboard: Dashboard
) -> None:
    done = client.alone(SCRIPT, "nan")
    assert done.code == 0, done.err
    run = dashboard.run()
    assert (run["status"], run["rule"]) == ("stopped", "loss-not-finite")
    assert dashboard.metrics()["loss"] == "nan"


@pytest.mark.parametrize(
    ("act", "ending"), [("raise", ("failed", "code_error")), ("killed", ("stopped", "operator"))]
)
def test_other_ends(
    client: Trainers, dashboard: Dashboard, act: str, ending: tuple[str, str]
) -> None:
    client.alone(SCRIPT, act)
    run = dashboard.run()
    assert (run["status"], run["reason_code"]) == ending


def test_logging_to_a_run_that_ended_breaks_nobody(client: Trainers, dashboard: Dashboard) -> None:
    done = client.alone(SCRIPT, "again")
    assert done.code == 0, done.err
    run = dashboard.run()
    assert (run["status"], len(run["attempts"])) == ("completed", 1)
    assert dashboard.metrics()["eval_f1"] == "0.8"


def test_models_are_refused_in_words(client: Trainers) -> None:
    done = client.alone(SCRIPT, "model")
    assert done.code == 1
    assert "Punktum takes runs, parameters, metrics and tags from MLflow" in done.err


def test_a_wrong_token_is_refused_in_words(client: Trainers) -> None:
    done = client.alone(SCRIPT, MLFLOW_TRACKING_TOKEN="pk_wrong")
    assert done.code == 1
    assert "UNAUTHENTICATED: This token is not known here." in done.err


def test_alone_the_tracker_believes_what_its_client_says_at_the_exit(
    client: Trainers, dashboard: Dashboard
) -> None:
    """That is why its word is marked, and why the wrapper's counts before it."""
    done = client.alone(SCRIPT, "exit")
    assert done.code == 3
    assert [run["status"] for run in dashboard.runs()] == ["completed", "completed"]


def test_under_the_wrapper_both_tell_of_one_run(client: Trainers, dashboard: Dashboard) -> None:
    client.environment.update(PUNKTUM_URL=dashboard.url, PUNKTUM_TOKEN=dashboard.token)
    done = client.wrapped(SCRIPT, "exit")
    assert done.code == 3
    run = dashboard.run()
    assert (run["id"], run["status"], run["exit_code"]) == ("control-01", "failed", 3)
    assert len(run["attempts"]) == 1
    assert dashboard.metrics()["eval_f1"] == "0.8"
