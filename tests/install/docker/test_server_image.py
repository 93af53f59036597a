"""Run the steps of docker/server/Dockerfile without Docker, in a clean folder and on a real server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import click
import psycopg
import pytest
import yaml

from pgbraid import embedded
from pgbraid.cli import cli
from pgbraid.embedded.programs import installed_programs
from pgbraid_tools.bundles.bundle import bundle
from support import make_fast
from support.dockerfile import Dockerfile, copy_context
from support.waiting import PATIENCE

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "docker" / "server"
IMAGE = Dockerfile(FOLDER / "Dockerfile")
INITDB = "/docker-entrypoint-initdb.d/"

pytestmark = pytest.mark.any_version

# pg_cron's functions record a job: https://github.com/citusdata/pg_cron
PG_CRON = """
create schema cron;
create table cron.job (jobid bigserial primary key, schedule text, command text, jobname text unique);
create table cron.job_run_details (status text, end_time timestamptz default now());
create function cron.schedule(job_name text, schedule text, command text) returns bigint language sql as $$
  insert into cron.job (schedule, command, jobname) values ($2, $3, $1)
  on conflict (jobname) do update set schedule = excluded.schedule, command = excluded.command returning jobid $$;
"""


# The commands of the container run here, on the server that takes its place.
DOCKER = """#!/bin/sh
case $1 in
  run) echo container ;;
  inspect) echo healthy ;;
  exec) shift 2; exec "$@" ;;
esac
"""


def test_what_it_is_made_of() -> None:
    assert [stage.image for stage in IMAGE.stages] == ["python:3.13-slim", "postgres:18"]
    (packages,) = [run for run in IMAGE.stages[1].runs if "apt-get install" in run]
    assert set(re.findall(r"postgresql-\S+", packages)) == {"postgresql-18-cron", "postgresql-18-pgvector"}


def test_its_first_stage_writes_the_installer(tmp_path: Path) -> None:
    """The commands run offline: packages of this environment take the place of an index."""
    context, root = tmp_path / "context", tmp_path / "root"
    copy_context(ROOT, context)
    stage = IMAGE.stages[0]
    stage.copy(context, root)
    venv.create(tmp_path / "venv")
    programs = tmp_path / "venv" / "bin"
    pip = f'#!/bin/sh\nexec {sys.executable} -m pip --python {programs / "python"} "$@"\n'
    (programs / "pip").write_text(pip)
    (programs / "pip").chmod(0o755)
    (site,) = (tmp_path / "venv" / "lib").glob("*/site-packages")
    (others,) = (Path(path) for path in sys.path if (Path(path) / "hatchling").is_dir())
    (site / "others.pth").write_text(f"{others}\n")
    environment = {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    for run in stage.runs:
        command = run.replace("/src/", f"{root}/src/")
        done = subprocess.run(["sh", "-ec", command], cwd=root, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    shown = [f"{Path(sys.executable).parent}/pgbraid", "bundle"]
    written = subprocess.run(shown, capture_output=True, text=True, check=True).stdout
    is_the_same = (root / "src" / "pgbraid.sql").read_text() == written
    assert is_the_same
    assert (site / "pgbraid").is_dir()


def started(*arguments: str, folder: Path, **environment: str) -> list[str]:
    """Return the command that the image's start script gives to the official image's script."""
    (folder / "docker-entrypoint.sh").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    (folder / "docker-entrypoint.sh").chmod(0o755)
    for source, target in IMAGE.stages[1].copied():
        if target.startswith("/usr/local/share/pgbraid/"):
            shutil.copy(ROOT / source, folder)
    entrypoint = [part.replace("/usr/local/share/pgbraid", str(folder)) for part in IMAGE.stages[1].entrypoint]
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [*entrypoint, *arguments], env={"PATH": path, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def settings(command: list[str]) -> dict[str, str]:
    """Return the settings of a command; PostgreSQL takes the last value of each."""
    assert command[0] == "postgres" and set(command[1::2]) == {"-c"}
    return dict(setting.split("=", 1) for setting in command[2::2])


def test_it_starts_with_pg_cron_for_its_database(tmp_path: Path) -> None:
    chosen = settings(started(folder=tmp_path))
    assert chosen["shared_preload_libraries"] == "plpgsql,vector,pg_cron"
    assert chosen["cron.database_name"] == "postgres"
    assert chosen["shared_buffers"].endswith("MB")
    assert settings(started(folder=tmp_path, POSTGRES_USER="ana"))["cron.database_name"] == "ana"
    assert settings(started(folder=tmp_path, POSTGRES_USER="ana", POSTGRES_DB="app"))["cron.database_name"] == "app"
    (tmp_path / "name").write_text("secret\n")
    named = settings(started(folder=tmp_path, POSTGRES_DB_FILE=str(tmp_path / "name")))
    assert named["cron.database_name"] == "secret"


def test_arguments_are_settings_or_another_program(tmp_path: Path) -> None:
    assert settings(started("-c", "shared_buffers=1GB", folder=tmp_path))["shared_buffers"] == "1GB"
    assert settings(started("postgres", "-c", "work_mem=1MB", folder=tmp_path))["work_mem"] == "1MB"
    assert started("echo", "hello", folder=tmp_path) == ["hello"]


@pytest.fixture
def new_server(home: Path) -> embedded.Server:
    """Start a server of the image's version that has a stand-in for pg_cron among its extensions."""
    server = embedded.ensure_running(home, 18)
    make_fast(server)
    folder = home / "stand-in" / "extension"
    folder.mkdir(parents=True)
    (folder / "pg_cron.control").write_text("default_version = '1.6'\nrelocatable = false\nschema = pg_catalog\n")
    (folder / "pg_cron--1.6.sql").write_text(PG_CRON)
    for path in (folder, *folder.iterdir(), folder.parent):
        path.chmod(0o755)
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        connection.execute(f"alter system set extension_control_path = '$system:{folder.parent}'".encode())
        connection.execute("select pg_reload_conf()")
        connection.execute("create database braid")
    return server


def run_as_the_image_does(dsn: str, file: Path) -> None:
    """Run a file as docker-entrypoint.sh of the official image runs files for a new database."""
    psql = [f"{installed_programs(18)}/psql", "-v", "ON_ERROR_STOP=1", "--no-psqlrc", "--dbname", dsn, "-f", str(file)]
    done = subprocess.run(psql, capture_output=True, text=True, timeout=PATIENCE * 10)
    assert done.returncode == 0 and "ERROR" not in done.stderr, done.stderr


def test_a_new_database_searches_and_maintains_itself(new_server: embedded.Server, tmp_path: Path) -> None:
    dsn = new_server.dsn_for("braid")
    (tmp_path / "10-pgbraid.sql").write_text(bundle())
    shutil.copy(FOLDER / "jobs.sql", tmp_path / "20-pgbraid-jobs.sql")
    placed = sorted(target.removeprefix(INITDB) for _, target in IMAGE.copied_to(INITDB))
    assert placed == ["10-pgbraid.sql", "20-pgbraid-jobs.sql"]
    for _ in range(2):  # the second time is an upgrade
        for name in placed:
            run_as_the_image_does(dsn, tmp_path / name)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("create table notes (id int primary key, body text)")
        connection.execute("select braid.sync_table('public.notes', content => '{body}', tenant => 'default')")
        connection.execute("insert into notes values (1, 'They object to the price per seat.')")
        jobs = connection.execute("select jobname, command from cron.job order by jobname").fetchall()
        assert [name for name, _ in jobs] == ["pgbraid_changes", "pgbraid_maintain", "pgbraid_runs"]
        for _, command in jobs:
            # pg_cron sends each command alone, as a simple query.
            connection.execute(command.encode(), prepare=False)
            connection.execute("insert into cron.job_run_details values ('succeeded')")
        found = connection.execute("select external_id from braid.full_text_search('price')").fetchall()
        assert [external_id for (external_id,) in found] == ["1"]
        problems = connection.execute("select code from braid.health()").fetchall()
        assert "maintenance_overdue" not in {code for (code,) in problems}
    (tmp_path / "docker").write_text(DOCKER)
    (tmp_path / "docker").chmod(0o755)
    path = [tmp_path, installed_programs(18), os.environ["PATH"]]
    done = subprocess.run(
        ["sh", FOLDER / "check.sh", "pgbraid-server"],
        env={"PATH": os.pathsep.join(map(str, path)), "PGHOST": str(new_server.socket_dir)},
        capture_output=True,
        text=True,
        timeout=PATIENCE * 10,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "the server searches, and its jobs run"


def test_its_health_is_asked_over_tcp() -> None:
    """During the first start only the socket answers, so the image is not healthy before its database is filled."""
    check = IMAGE.stages[1].healthcheck
    assert check[0] == "pg_isready" and "--host=127.0.0.1" in check


def test_its_compose_file_starts_it_with_a_worker() -> None:
    file = yaml.safe_load((FOLDER / "compose.yaml").read_text())
    server, worker = file["services"]["db"], file["services"]["worker"]
    for service in (server, worker):
        context = (FOLDER / service["build"]["context"]).resolve()
        assert context == ROOT and (context / service["build"]["dockerfile"]).is_file()
        assert service["restart"] == "unless-stopped"
    assert context / server["build"]["dockerfile"] == FOLDER / "Dockerfile"
    page = (ROOT / "docs" / "guide" / "docker.md").read_text()
    (volume,) = server["volumes"]
    assert f"--volume {volume}" in page and volume.partition(":")[0] in file["volumes"]
    assert server["environment"] == {"POSTGRES_DB": "braid", "POSTGRES_PASSWORD": "${POSTGRES_PASSWORD:?}"}
    # The health is the image's own.
    assert "healthcheck" not in server and worker["depends_on"] == {"db": {"condition": "service_healthy"}}
    assert worker["environment"]["PGBRAID_DSN"] == "postgresql://postgres:${POSTGRES_PASSWORD:?}@db/braid"
    (command,) = worker["command"]
    assert cli.get_command(click.Context(cli), command) is not None
