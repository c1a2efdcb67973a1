"""The demo: a throw-away server with the sample in the middle of its window, and a campaign of
real training jobs that is walked from its file to its close while one looks on."""

from app.demo.showing import run_demo

__all__ = ["run_demo"]
