"""Each example of the page on integrations, as it stands there."""

from __future__ import annotations

import re

import pytest

from tests.integrations.conftest import ROOT, Dashboard, Trainers

PAGE = (ROOT / "docs" / "integrations.md").read_text("utf-8")
EXAMPLES = {
    heading.strip(): code
    for section in PAGE.split("\n## ")
    for heading, _, rest in [section.partition("\n")]
    for code in re.findall(r"^```python\n(.*?)^```$", rest, re.S | re.M)
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_recorded(box: Trainers, dashboard: Dashboard, name: str) -> None:
    box.environment.update(
        PUNKTUM_STEP="control",
        MLFLOW_TRACKING_URI=f"{dashboard.url}/mlflow",
        MLFLOW_TRACKING_TOKEN=dashboard.token,
    )
    done = box.python_code(EXAMPLES[name])
    assert done.code == 0, done.err
    run = dashboard.run()
    assert (run["step"], run["status"]) == ("control", "completed")
    assert run["progress"] > 1
    assert "loss" in dashboard.metrics()


def test_every_section_with_code_is_tried() -> None:
    assert list(EXAMPLES) == [
        "Hugging Face Trainer",
        "Lightning",
        "Keras",
        "Several processes",
        "MLflow",
    ]
