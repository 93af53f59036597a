"""Run docker/citus.yaml without Docker: the commands of its services, on a cluster that has only servers so far."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import yaml
from install.citus.conftest import databases
from psycopg.conninfo import conninfo_to_dict

import pgbraid
from pgbraid import embedded
from pgbraid.embedded.programs import installed_programs

SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((Path(__file__).parents[3] / "docker" / "citus.yaml").read_text())[
    "services"
]
WORKERS = [name for name in SERVICES if name.startswith("worker-")]


def test_its_services_make_a_cluster(coordinator: str) -> None:
    with databases(coordinator) as (dsn, workers, _):
        with psycopg.connect(dsn, autocommit=True) as db:
            for name in workers:
                host, _, port = name.rpartition(":")
                db.execute("select citus_remove_node(%s, %s)", (host, int(port)))
            _check_settings(db)
        known = {key: str(value) for key, value in conninfo_to_dict(dsn).items()}
        # The servers' names and ports here replace the containers' names and ports.
        places = dict(zip(WORKERS, (name.rpartition(":") for name in workers), strict=True))

        def here(argument: str) -> str:
            for worker, (host, _, port) in places.items():
                argument = argument.replace(f"'{worker}', 5432", f"'{host}', {port}")
            argument = argument.replace("('coordinator')", f"('{known['host']}', {known['port']})")
            argument = argument.replace("=coordinator", f"={known['host']}").replace("=braid", f"={known['dbname']}")
            return argument.replace("=postgres", f"={known['user']}")

        environment = {
            **{name: value for name, value in os.environ.items() if name != "PGBRAID_DATA_DIR"},
            "PATH": os.pathsep.join(
                map(str, (Path(sys.executable).parent, installed_programs(embedded.DEFAULT_VERSION)))
            )
            + os.pathsep
            + os.environ["PATH"],
            "PGPORT": known["port"],
        }
        if "password" in known:
            environment["PGPASSWORD"] = known["password"]
        # The second run stands for a second start.
        for _ in range(2):
            run([here(argument) for argument in SERVICES["nodes"]["command"]], environment)
            entrypoint = SERVICES["distribute"]["entrypoint"]
            assert re.fullmatch(
                r"postgresql://postgres:\S+@coordinator/braid", SERVICES["distribute"]["environment"]["PGBRAID_DSN"]
            )
            run(entrypoint, {**environment, "PGBRAID_DSN": dsn})
        check = [here(part) for part in SERVICES["coordinator"]["healthcheck"]["test"]]
        run([part.replace("--host=127.0.0.1", f"--host={known['host']}") for part in check[1:]], environment)
        with pgbraid.connect(next(iter(workers.values()))) as client:
            client.create_tenant("bakery")
            client.tenant = "bakery"
            client.add_documents([{"external_id": "1", "content": "bread"}])
            assert [row.external_id for row in client.search("bread", mode="full_text")] == ["1"]


def run(command: list[str], environment: dict[str, str]) -> None:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (command, done.stdout, done.stderr)


def _check_settings(db: psycopg.Connection[Any]) -> None:
    """Check that all nodes start with the same settings, and that this server knows them."""
    commands = [SERVICES[name]["command"] for name in ("coordinator", *WORKERS)]
    assert all(command == commands[0] for command in commands)
    program, *arguments = commands[0]
    assert program == "postgres" and arguments[::2] == ["-c"] * (len(arguments) // 2)
    for name, _, value in (argument.partition("=") for argument in arguments[1::2]):
        row = db.execute("select vartype, context from pg_settings where name = %s", (name,)).fetchone()
        assert row is not None, name
        assert value.isdigit() or row[0] == "string", (name, value)


def test_clients_outside_find_the_nodes() -> None:
    """Clients find the nodes as the head of the file says."""
    text = (Path(__file__).parents[3] / "docker" / "citus.yaml").read_text()
    (told,) = re.findall(r"PGBRAID_NODES=(\S+)", text)
    published = {name: SERVICES[name]["ports"][0].rpartition(":")[0] for name in ("coordinator", *WORKERS)}
    assert told.split(",") == [f"{name}:5432={published[name].replace('127.0.0.1', 'localhost')}" for name in WORKERS]
    (dsn,) = re.findall(r"postgresql://postgres@localhost:(\d+)/braid", text)
    assert published["coordinator"] == f"127.0.0.1:{dsn}"
