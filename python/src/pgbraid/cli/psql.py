"""pgbraid psql."""

from __future__ import annotations

import getopt
import os
import shutil
import sys

import click

from pgbraid.cli.options import dsn_option


@click.command(
    context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]},
    short_help="Open the database in psql.",
)
@dsn_option
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def psql(dsn: str | None, arguments: tuple[str, ...]) -> None:
    """Open the database in psql; what follows is passed on, as in: pgbraid psql -c "select braid.version()"."""
    from pgbraid._dsn import find_dsn

    program = _program()
    environment, others = _as_environment(find_dsn(dsn))
    if _is_another_login(arguments, environment):
        environment.pop("PGPASSWORD", None)
    sys.stdout.flush()
    os.execve(program, [program, *others, *arguments], {**os.environ, **environment})


def _as_environment(dsn: str) -> tuple[dict[str, str], list[str]]:
    """The variables that say where to connect, which psql's own options such as -U overrule (they do not overrule what
    a URL says), and an option for what has no variable."""
    from psycopg import pq
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    variables = {option.keyword.decode(): (option.envvar or b"").decode() for option in pq.Conninfo.get_defaults()}
    given = {key: str(value) for key, value in conninfo_to_dict(dsn).items() if value is not None}
    without = {key: value for key, value in given.items() if not variables[key]}
    environment = {variables[key]: value for key, value in given.items() if variables[key]}
    return environment, ["--dbname", make_conninfo("", **without)] if without else []


# What psql knows, as in its startup.c.
SHORT_OPTIONS = "aAbc:d:eEf:F:h:HlL:no:p:P:qR:sStT:U:v:VwWxXz?01"
LONG_OPTIONS = (
    *("command=", "dbname=", "field-separator=", "file=", "host=", "log-file=", "output=", "port=", "pset="),
    *("record-separator=", "set=", "table-attr=", "username=", "variable="),
    *("csv", "echo-all", "echo-errors", "echo-hidden", "echo-queries", "expanded", "field-separator-zero", "help"),
    *("html", "list", "no-align", "no-password", "no-psqlrc", "no-readline", "password", "quiet"),
    *("record-separator-zero", "single-line", "single-step", "single-transaction", "tuples-only", "version"),
)


def _is_another_login(arguments: tuple[str, ...], environment: dict[str, str]) -> bool:
    """Whether psql is told to be another user, or to go to another server, than the password is for."""
    try:
        options, names = getopt.gnu_getopt(list(arguments), SHORT_OPTIONS, LONG_OPTIONS)
    except getopt.GetoptError:
        return True
    given: dict[str, str] = {}
    for option, value in options:
        name = {"-h": "host", "-p": "port", "-U": "username", "-d": "dbname"}.get(option, option.strip("-"))
        given[name] = value
    # Psql takes names without an option for what no option gave.
    for name in ("dbname", "username"):
        if names and name not in given:
            given[name] = names.pop(0)
    database = given.get("dbname", "")
    return (
        "=" in database
        or database.startswith(("postgresql://", "postgres://"))
        or any(
            name in given and given[name] != environment.get(variable)
            for name, variable in (("host", "PGHOST"), ("port", "PGPORT"), ("username", "PGUSER"))
        )
    )


def _program() -> str:
    """The embedded server's psql, as new as any server it meets here, else that of the PATH."""
    from pgbraid import embedded
    from pgbraid.embedded.programs import installed_programs
    from pgbraid.errors import PgbraidError

    try:
        return str(installed_programs(embedded.DEFAULT_VERSION) / "psql")
    except PgbraidError:
        found = shutil.which("psql")
    if not found:
        raise PgbraidError(
            "there is no psql on this machine",
            hint="install PostgreSQL's client, or: pip install 'pgbraid[embedded]'",
        )
    return found
