"""The yardstick: FastAPI at its barest, on the same server settings, storing nothing."""

from __future__ import annotations

import socket
from typing import Any

import uvicorn
from fastapi import FastAPI

app = FastAPI()


@app.get("/healthz")
async def health() -> dict[str, str]:
    """Ready."""
    return {"status": "ok"}


@app.post("/echo/{run_id}")
async def echo(run_id: str, body: dict[str, Any]) -> dict[str, Any]:
    """What was posted, as FastAPI reads and writes it."""
    return {"run": run_id, **body}


if __name__ == "__main__":
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", 0))
    print(f"echo serves at http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    config = uvicorn.Config(
        app, access_log=False, log_config=None, proxy_headers=False, server_header=False
    )
    uvicorn.Server(config).run(sockets=[listener])
