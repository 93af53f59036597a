"""Test docker/compose.yaml without Docker: lint the file, and run the commands of its services here, in order."""

from __future__ import annotations

import graphlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import psycopg
import pytest
import yaml

from pgbraid import embedded
from pgbraid.embedded.memory import server_memory
from pgbraid.embedded.programs import installed_programs
from pgbraid.embedded.settings import choose
from support import make_fast, npm, postgrest, temporary_folder
from support.dockerfile import Dockerfile
from support.waiting import PATIENCE, until

FOLDER = Path(__file__).parents[3] / "docker"
TEXT = (FOLDER / "compose.yaml").read_text()
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(TEXT)["services"]
SECRETS = {
    "POSTGRES_PASSWORD": "0a1b",
    "AUTHENTICATOR_PASSWORD": "2c3d",
    "WORKER_PASSWORD": "4e5f",
    "JWT_SECRET": postgrest.SECRET,
    "WORKBENCH_TOKEN": "6a7b8c9d6a7b8c9d6a7b8c9d6a7b8c9d",
}

pytestmark = pytest.mark.any_version


def test_they_are_compose_files() -> None:
    linter = npm.installed(npm.DCLINT) / "node_modules" / "dclint" / "bin" / "dclint.cjs"
    files = [FOLDER / "compose.yaml", FOLDER / "server" / "compose.yaml"]
    command = ["node", str(linter), "--max-warnings", "0", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["Dockerfile", "server/Dockerfile"])
def test_the_images_are_made_as_they_should_be(name: str) -> None:
    linter = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    if linter is None:
        pytest.skip("hadolint is not installed: it comes for Linux on x86-64")
    done = subprocess.run([linter, FOLDER / name], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout
    ignored = (FOLDER.parent / ".dockerignore").read_text().splitlines()
    for stage in Dockerfile(FOLDER / name).stages:
        for path, _ in stage.copied():
            assert (FOLDER.parent / path).exists() and f"!{path}" in ignored


def test_secrets_are_given_by_the_environment() -> None:
    assert set(re.findall(r"\$\{(\w+)", TEXT)) == SECRETS.keys()
    assert TEXT.count("${") == TEXT.count(":?}")
    for service in SERVICES.values():
        for name, value in service["environment"].items():
            assert not re.search("PASSWORD|SECRET", name) or value.startswith("${"), name


def test_what_runs_is_watched_and_waited_for() -> None:
    one_shot = {"install", "roles"}
    for name, service in SERVICES.items():
        assert ("restart" in service) == (name not in one_shot)
        for on, how in service.get("depends_on", {}).items():
            assert how["condition"] == ("service_completed_successfully" if on in one_shot else "service_healthy")
            assert on in one_shot or "healthcheck" in SERVICES[on]
    assert "sleep" not in TEXT


def test_its_server_has_the_embedded_servers_settings(tmp_path: Path) -> None:
    """The settings match for this machine's memory, which takes the place of the container's memory."""
    (tmp_path / "docker-entrypoint.sh").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    (tmp_path / "docker-entrypoint.sh").chmod(0o755)
    postgres = SERVICES["postgres"]
    assert postgres["entrypoint"] == ["sh", "/postgres.sh"]
    assert "./postgres.sh:/postgres.sh:ro" in postgres["volumes"]
    environment = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    command = ["sh", str(FOLDER / "postgres.sh"), "-c", "more=1"]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()
    assert said[0] == "postgres"
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PGBRAID_MEMORY", raising=False)
        memory = server_memory()
    # The script does not know the disk's size and takes the smallest max_wal_size.
    chosen = list(choose(memory, 0, shutil.disk_usage("/dev/shm").total))
    assert "dynamic_shared_memory_type" not in {
        setting.name for setting in choose(memory, 0, int(postgres["shm_size"].removesuffix("gb")) << 30)
    }
    given = dict(argument.split("=") for argument in said[2::2])
    assert given.pop("more") == "1"
    assert {**given, "max_connections": "60"} == {setting.name: setting.value.strip("'") for setting in chosen}


@pytest.fixture
def server() -> Iterator[embedded.Server]:
    """Yield a cluster of its own in place of the service postgres; nobody else shares its roles."""
    folder = temporary_folder()
    try:
        running = embedded.ensure_running(folder)
        make_fast(running)
        with psycopg.connect(running.dsn_for("postgres"), autocommit=True) as connection:
            connection.execute(f"create database {SERVICES['postgres']['environment']['POSTGRES_DB']}".encode())
        yield running
    finally:
        embedded.stop(folder)
        shutil.rmtree(folder)


class Runner:
    """Run a service's command as Compose would, with this server in place of the service postgres."""

    def __init__(self, server: embedded.Server) -> None:
        self.server = server
        programs = [Path(sys.executable).parent, installed_programs(embedded.DEFAULT_VERSION), os.environ["PATH"]]
        self.environment = {
            "PATH": os.pathsep.join(map(str, programs)),
            "HOME": os.environ.get("HOME", "/"),
            "LC_ALL": "C.UTF-8",
        }

    def environment_of(self, name: str) -> dict[str, str]:
        given = {}
        for key, value in SERVICES[name]["environment"].items():
            for secret, text in SECRETS.items():
                value = value.replace(f"${{{secret}:?}}", text)
            if match := re.fullmatch(r"postgresql://(\w+):\w+@postgres/(\w+)", value):
                value = self.server.dsn_for(match[2], match[1])
            given[key] = str(self.server.socket_dir) if value == "postgres" and key == "PGHOST" else value
        return {**self.environment, **given}

    def command_of(self, name: str) -> list[str]:
        service = SERVICES[name]
        if "build" in service:
            entrypoint = re.search(r"^ENTRYPOINT (.+)$", (FOLDER / "Dockerfile").read_text(), re.MULTILINE)
            assert entrypoint
            return [*json.loads(entrypoint[1]), *service["command"]]
        mounted = {target: str(FOLDER / source) for source, target, _ in (v.split(":") for v in service["volumes"])}
        arguments = [str(argument) for argument in service["entrypoint"]]
        for target, source in mounted.items():
            arguments = [argument.replace(f"={target}", f"={source}") for argument in arguments]
        return arguments

    def run(self, name: str) -> None:
        done = subprocess.run(
            self.command_of(name), env=self.environment_of(name), capture_output=True, text=True, timeout=PATIENCE
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stderr

    @contextmanager
    def started(self, name: str) -> Iterator[subprocess.Popen[str]]:
        process = subprocess.Popen(
            # Port 0 asks for a free port of this machine.
            [argument.replace("0.0.0.0:8760", "127.0.0.1:0") for argument in self.command_of(name)],
            env=self.environment_of(name),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()


def test_its_services_work_together(server: embedded.Server) -> None:
    order = list(
        graphlib.TopologicalSorter(
            {name: service.get("depends_on", {}).keys() for name, service in SERVICES.items()}
        ).static_order()
    )
    runner = Runner(server)
    check = SERVICES["postgres"]["healthcheck"]["test"]
    assert check[0] == "CMD"
    local = [part.replace("--host=127.0.0.1", f"--host={server.socket_dir}") for part in check[1:]]
    assert subprocess.run(local, env=runner.environment, capture_output=True, timeout=PATIENCE).returncode == 0

    assert order[:2] == ["postgres", "install"]
    for name in ("install", "roles"):
        for _ in range(2):  # as at a second start
            runner.run(name)

    environment = runner.environment_of("postgrest")
    settings = {name: value for name, value in environment.items() if name.startswith("PGRST_")}
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        settings["PGRST_ADMIN_SERVER_PORT"] = str(probe.getsockname()[1])
    dsn = settings.pop("PGRST_DB_URI")
    assert "authenticator" in dsn
    owner = server.dsn_for(SERVICES["postgres"]["environment"]["POSTGRES_DB"])
    with (
        postgrest.running(npm.postgrest(), owner, anonymous=settings["PGRST_DB_ANON_ROLE"], **settings) as api,
        runner.started("worker") as worker,
        runner.started("workbench") as workbench,
    ):
        service = postgrest.sign({"role": "service_role"})
        assert api.post("create_tenant", {"tenant": "acme"}, service).status == 200
        user = postgrest.token_for("acme")
        document = {"external_id": "call-1", "content": "They object to the price per seat."}
        assert api.post("upsert_document", document, user).status == 200
        assert api.post("status", {}).status == 401
        until(
            lambda: (
                worker.poll() is not None
                or not api.post("status", {}, user).data["collections"][0]["pending_embeddings"]
            )
        )
        found = api.post("search_json", {"query_text": "price objections"}, user).data
        assert [row["external_id"] for row in found["results"]] == ["call-1"]
        assert workbench.stdout is not None
        address = workbench.stdout.readline().partition(" ")[0]
        headers = {"Authorization": f"Bearer {SECRETS['WORKBENCH_TOKEN']}", "Content-Type": "application/json"}
        request = Request(f"{address}api/session", b"{}", headers)
        with urlopen(request, timeout=PATIENCE) as answer:
            assert json.load(answer)["tenant"] == "default"
        worker.send_signal(signal.SIGTERM)
        said, _ = worker.communicate(timeout=PATIENCE)
        assert worker.returncode == 0, said
        assert "acme, default: 1 chunks embedded" in said
