"""A container engine by its command line: docker, podman, or buildah with podman."""

import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
TAG = "localhost/quoth-{}:tried"
UID = 54321
"""Nobody's: no image has an entry for it."""
BUILD_S = 3600.0
RUN_S = 600.0


@dataclass(frozen=True)
class Engine:
    """How containers are built and run here.

    `build` and `run` are commands with their options: "buildah build --isolation chroot", "podman
    --runtime runc".
    """

    build: str
    run: str

    def build_image(self, target: str, base: str) -> None:
        """Build one target of the Dockerfile. Raises CalledProcessError, having printed the end."""
        options = [f"--build-arg=BASE={base}", f"--target={target}", "--tag", TAG.format(target)]
        command = [*shlex.split(self.build), "--file=deploy/Dockerfile", *options, "."]
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=BUILD_S, check=False
        )
        if done.returncode != 0:
            print("\n".join((done.stdout + done.stderr).splitlines()[-20:]))
            done.check_returncode()

    def size(self, name: str) -> int:
        """The bytes of an image and all it is from."""
        return int(self.call("image", "inspect", "--format", "{{.Size}}", name).stdout)

    def call(self, *arguments: str, timeout: float = RUN_S) -> subprocess.CompletedProcess[str]:
        """Run the engine. Raises CalledProcessError with what it said."""
        done = self.try_call(*arguments, timeout=timeout)
        if done.returncode != 0:
            raise SystemExit(f"{arguments[0]}: {done.stdout}{done.stderr}")
        return done

    def try_call(self, *arguments: str, timeout: float = RUN_S) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*shlex.split(self.run), *arguments],
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )


def confined(
    environment: Mapping[str, str], memory: str, mounts: Sequence[str] = ()
) -> tuple[str, ...]:
    """The options that the chart's pods run with, as far as an engine alone has them."""
    told = (part for name, value in environment.items() for part in ("--env", f"{name}={value}"))
    places = (part for mount in mounts for part in ("--volume", mount))
    return (
        *("--network=host", f"--user={UID}:{UID}", "--read-only", "--read-only-tmpfs=false"),
        *("--cap-drop=ALL", "--security-opt=no-new-privileges", f"--memory={memory}"),
        *("--tmpfs=/tmp:mode=1777", "--tmpfs=/var/cache/quoth:mode=1777"),
        *told,
        *places,
    )
