"""Run PostgreSQL's clients: pgbraid psql, pgbraid pg_dump."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import click

from pgbraid.cli.options import dsn_option


@click.command(
    context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]},
    short_help="Open the database in psql.",
)
@dsn_option
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def psql(dsn: str | None, arguments: tuple[str, ...]) -> None:
    """Open the database in psql; further arguments are passed on, as in: pgbraid psql -c "select braid.version()"."""
    _run("psql", dsn, arguments)


@click.command(
    "pg_dump",
    context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]},
    short_help="Dump the database by pg_dump.",
)
@dsn_option
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def pg_dump(dsn: str | None, arguments: tuple[str, ...]) -> None:
    """Dump the database by pg_dump; further arguments are passed on, as in: pgbraid pg_dump -Fc -f notes.dump."""
    _run("pg_dump", dsn, arguments)


def _run(name: str, dsn: str | None, arguments: tuple[str, ...]) -> None:
    from pgbraid._dsn import find_dsn

    environment, others = _as_environment(find_dsn(dsn))
    program = _program(name)
    inherited = dict(os.environ)
    passwords = b""
    if password := environment.pop("PGPASSWORD", None):
        # The variable would send the password to any server that an argument or \connect names.
        inherited.pop("PGPASSWORD", None)
        passwords = _passwords(password, environment)
    sys.stdout.flush()
    command = [program, *others, *arguments]
    if sys.platform == "win32":
        # There a program cannot take the place of another one, and a file cannot lose its name while it is open.
        with tempfile.TemporaryDirectory() as folder:
            if passwords:
                environment["PGPASSFILE"] = str(Path(folder, "pgpass.conf"))
                Path(environment["PGPASSFILE"]).write_bytes(passwords)
            # Ctrl-C is meant for the program, which goes on.
            before = signal.signal(signal.SIGINT, signal.SIG_IGN)
            try:
                raise SystemExit(subprocess.call(command, env={**inherited, **environment}))
            finally:
                signal.signal(signal.SIGINT, before)
    if passwords:
        # The file has no name and lasts as long as psql.
        with tempfile.TemporaryFile() as file:
            file.write(passwords)
            file.seek(0)
            descriptor = os.dup(file.fileno())
        os.set_inheritable(descriptor, True)
        environment["PGPASSFILE"] = f"/dev/fd/{descriptor}"
    os.execve(program, command, {**inherited, **environment})


def _as_environment(dsn: str) -> tuple[dict[str, str], list[str]]:
    """Return the address as environment variables, and as the argument --dbname for settings without a variable.
    Options of psql, such as -U, override variables, but would not override a URL."""
    from psycopg import pq
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    variables = {option.keyword.decode(): (option.envvar or b"").decode() for option in pq.Conninfo.get_defaults()}
    given = {key: str(value) for key, value in conninfo_to_dict(dsn).items() if value is not None}
    without = {key: value for key, value in given.items() if not variables[key]}
    environment = {variables[key]: value for key, value in given.items() if variables[key]}
    return environment, ["--dbname", make_conninfo("", **without)] if without else []


def _passwords(password: str, environment: dict[str, str]) -> bytes:
    """Return a file from which libpq takes the password for this server and login alone. It ends with the user's own:
    https://www.postgresql.org/docs/current/libpq-pgpass.html."""
    from psycopg import pq

    is_windows = sys.platform == "win32"
    defaults = {option.keyword.decode(): (option.val or b"").decode() for option in pq.Conninfo.get_defaults()}
    hosts = (environment.get("PGHOST") or environment.get("PGHOSTADDR") or defaults["host"]).split(",")
    ports = (environment.get("PGPORT") or defaults["port"]).split(",")
    user = environment.get("PGUSER") or defaults["user"]
    home = Path(os.environ.get("APPDATA", ""), "postgresql", "pgpass.conf") if is_windows else Path.home() / ".pgpass"
    own = Path(environment.get("PGPASSFILE") or os.environ.get("PGPASSFILE") or home)
    login = f"*:{_escaped(user)}:{_escaped(password)}\n"
    lines = [
        f"{_escaped(host or 'localhost')}:{_escaped(port or '5432')}:{login}".encode()
        for host, port in zip(hosts, ports if len(ports) > 1 else ports * len(hosts), strict=False)
    ]
    # libpq ignores a password file that others may read, except on Windows, and so do we.
    if own.is_file() and (is_windows or not own.stat().st_mode & 0o077):
        lines.append(own.read_bytes())
    return b"".join(lines)


def _escaped(text: str) -> str:
    return re.sub(r"[\\:]", r"\\\g<0>", text)


def _program(name: str) -> str:
    """Return the embedded server's program, which works with all supported servers, else the PATH's. Raise
    PgbraidError."""
    from pgbraid.errors import PgbraidError

    hint = "install PostgreSQL's client"
    if sys.platform != "win32":
        from pgbraid import embedded
        from pgbraid.embedded.programs import installed_programs

        hint += ", or: pip install 'pgbraid[embedded]'"
        with suppress(PgbraidError):
            return str(installed_programs(embedded.DEFAULT_VERSION) / name)
    if found := shutil.which(name):
        return found
    raise PgbraidError(f"there is no {name} on this machine", hint=hint)
