"""A rented box that is reached by ssh: a real server of its own, on this machine's loopback."""

from __future__ import annotations

import asyncio
import shlex
import shutil
import sys
import threading
from pathlib import Path

import asyncssh

from tests.house.source import ROOT
from tests.runs.boxes import Box

USER = "box"


class _Files(asyncssh.SFTPServer):
    """Says that it went well when it ends, as a system's server does and scp wants to hear."""

    def exit(self) -> None:
        self.channel.exit(0)


class RentedBox(Box):
    """A box with an ssh server, which lets one key in and forwards ports to it."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        key = asyncssh.generate_private_key("ssh-ed25519")
        self.key = home.parent / "key"
        self.key.write_bytes(key.export_private_key())
        self.key.chmod(0o600)
        self.port = 0
        self._public = key.export_public_key()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(30)
        self.port = self._server.get_port()

    @property
    def address(self) -> str:
        """What a provider gives to be copied."""
        return f"ssh {USER}@127.0.0.1 -p {self.port} -i {self.key}"

    async def _listen(self) -> asyncssh.SSHAcceptor:
        public = self._public

        class Door(asyncssh.SSHServer):
            def begin_auth(self, username: str) -> bool:
                return True

            def public_key_auth_supported(self) -> bool:
                return True

            def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
                return username == USER and key.export_public_key() == public

            def server_requested(self, listen_host: str, listen_port: int) -> bool:
                return True

        return await asyncssh.create_server(
            Door, "127.0.0.1", 0,
            server_host_keys=[asyncssh.generate_private_key("ssh-ed25519")],
            process_factory=self._command,
            sftp_factory=lambda channel: _Files(channel, chroot=bytes(self.home)),
            allow_scp=True,
            encoding=None,
        )  # fmt: skip

    async def _command(self, process: asyncssh.SSHServerProcess[bytes]) -> None:
        child = await asyncio.create_subprocess_exec(
            "bash", "-c", process.command or "true", cwd=self.home, env=self.environment(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, err = await child.communicate()
        process.stdout.write(out)
        process.stderr.write(err)
        process.exit(child.returncode or 0)

    def close(self) -> None:
        """End the server and its thread."""
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(30)
        self._loop.close()

    async def _end(self) -> None:
        self._server.close()
        await self._server.wait_closed()


def with_ssh(laptop: Box, kind: str) -> Box:
    """Give a machine `ssh` and `scp`: those of the system, or our own."""
    for name in ("ssh", "scp"):
        if kind == "system":
            program = shutil.which(name)
            assert program is not None
            options = (
                "-F none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"
                " -o LogLevel=ERROR -o IdentitiesOnly=yes"
            )
            laptop.program(name, f'exec {program} {options} "$@"')
        else:
            ours = f"PYTHONPATH={shlex.quote(str(ROOT))} exec {sys.executable} -m tests.runs.ssh"
            laptop.program(name, f'{ours} {name} "$@"')
    return laptop
