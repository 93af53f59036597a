"""Run the command line. Each command lives in its own module, imported when used, so that a search starts fast. Other
packages add commands as plug-ins."""

from __future__ import annotations

import io
import logging
import os
import re
import sys
from importlib import import_module

import click

from pgbraid._version import __version__

__all__ = ["cli", "main"]

COMMANDS = {
    "init": "pgbraid.cli.init:init",
    "upgrade": "pgbraid.cli.init:upgrade",
    "search": "pgbraid.cli.search:search",
    "status": "pgbraid.cli.status:status",
    "vector": "pgbraid.cli.vector:vector",
    "work": "pgbraid.cli.work:work",
    "psql": "pgbraid.cli.psql:psql",
    "pg_dump": "pgbraid.cli.psql:pg_dump",
    "dsn": "pgbraid.cli.dsn:dsn",
    "stop": "pgbraid.cli.stop:stop",
    "uninstall": "pgbraid.cli.uninstall:uninstall",
}
# Old names of commands, refused unless a plug-in defines them.
RENAMED = {
    "export": "export-tenant",
    "import-table": "import",
    "measure-recall": "measure-index-recall",
    "models": "ranking-models",
}
RENAMED_OPTIONS = {
    "--rerank": "--reranker",
    "pgbraid jobs --model": "--embedding-model",
    "pgbraid learn --model": "--kind",
}
# Commands that work on a database; hints get --dsn added after them.
ON_DATABASES = re.compile(r"\bpgbraid (?:init|upgrade|uninstall|status|doctor|maintain|work|jobs|distribute)\b")
SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
APPLICATION_NAME = "PGAPPNAME"
ENCODING = "PGCLIENTENCODING"
DEBUG = "PGBRAID_DEBUG"
ERROR = 2
INTERRUPTED = 130
BROKEN_PIPE = 1  # click's own exit code


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        from pgbraid.cli import plugins

        return [*COMMANDS, *plugins.loadable(frozenset(COMMANDS))]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from pgbraid.cli import plugins

        missing = plugins.missing(frozenset(COMMANDS))
        if missing:
            formatter.write_paragraph()
            formatter.write_text(f"Not installed: {', '.join(missing)}. They come by: pip install 'pgbraid[tools]'")

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        # libpq uses these unless the DSN says otherwise; psql and pg_dump set their own.
        if cmd_name not in ("psql", "pg_dump") and ctx.info_name == "pgbraid":
            os.environ[ENCODING] = "UTF8"
            os.environ.setdefault(APPLICATION_NAME, f"pgbraid {cmd_name}")
        if cmd_name not in COMMANDS:
            from pgbraid.cli import plugins

            return plugins.load(cmd_name, frozenset(COMMANDS))
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = RENAMED.get(args[0])
        if name and not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            from pgbraid.errors import NotFoundError

            raise NotFoundError(f"there is no command pgbraid {args[0]}", hint=f"its name is now: pgbraid {name}")
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings=SETTINGS, invoke_without_command=True)
@click.version_option(__version__, message="pgbraid %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Search documents in PostgreSQL: hybrid search by full text and by meaning.

    Commands work on the database of --dsn or of the environment variable PGBRAID_DSN; without either, on an embedded
    PostgreSQL that `pgbraid init` creates in your data directory.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main() -> None:
    """Run the command line. Print each error in one line, with a hint where there is one."""
    if not os.environ.get(DEBUG):
        # psycopg logs failed rollbacks on a connection that an error or Ctrl-C left busy.
        logging.getLogger("psycopg").setLevel(logging.ERROR)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Files and pipes get UTF-8 on Windows too; elsewhere a character that a locale lacks is escaped.
            is_file = sys.platform == "win32" and not stream.isatty()
            stream.reconfigure(encoding="utf-8" if is_file else None, errors="backslashreplace")
    sys.exit(_run(sys.argv[1:]))


def _run(arguments: list[str]) -> int:
    before = {name: os.environ.get(name) for name in (APPLICATION_NAME, ENCODING)}
    try:
        code = cli.main(arguments, prog_name="pgbraid", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.UsageError as error:
        # Click does not name the command of an option without its value.
        named = [] if error.ctx else [name for name in arguments[:1] if name in cli.list_commands(click.Context(cli))]
        path = error.ctx.command_path if error.ctx else " ".join(["pgbraid", *named])
        # Click calls a bounded number a range.
        message = re.sub("valid (integer|float) range", r"valid \1", error.format_message())
        hint = f"run: {path} --help"
        if isinstance(error, click.NoSuchOption) and error.ctx:
            texts = [part for part in error.ctx.command.params if isinstance(part, click.Argument)]
            if texts:
                hint += f"; or write -- before {texts[0].make_metavar(error.ctx)} if that begins with a minus"
            of_command = f"{' '.join(path.split()[:2])} {error.option_name}"
            if name := RENAMED_OPTIONS.get(of_command, RENAMED_OPTIONS.get(error.option_name)):
                hint = f"its name is now: {name}"
        return _fail(message, hint)
    except click.ClickException as error:
        return _fail(error.format_message())
    except (click.Abort, KeyboardInterrupt) as error:
        # Click raises the same exception for Ctrl-C and for a question left without an answer.
        interrupted = isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt)
        print("pgbraid: interrupted" if interrupted else "pgbraid: nothing was done", file=sys.stderr)
        return INTERRUPTED if interrupted else ERROR
    except BrokenPipeError:
        # The reader has closed the pipe; the interpreter would complain when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except Exception as error:
        if os.environ.get(DEBUG):
            raise
        return _explain(error, arguments)
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _explain(error: Exception, arguments: list[str]) -> int:
    import psycopg

    from pgbraid.errors import PgbraidError, from_psycopg

    if isinstance(error, psycopg.Error):
        error = from_psycopg(error)
    if isinstance(error, PgbraidError):
        is_elsewhere = any(given == "--dsn" or given.startswith("--dsn=") for given in arguments)
        # If the command was given --dsn, the hint's command needs it too: without it, it would act on the embedded
        # server. The hint shows the word URL, because the real address may hold a password.
        return _fail(
            error.message, ON_DATABASES.sub(r"\g<0> --dsn URL", error.hint or "") if is_elsewhere else error.hint
        )
    if isinstance(error, ModuleNotFoundError):
        return _fail(f"the module {error.name} is missing", "pip install 'pgbraid[embedded,local]'")
    if isinstance(error, UnicodeDecodeError):
        return _fail(f"a file is not UTF-8: {error.reason} at byte {error.start}", "convert it to UTF-8")
    if isinstance(error, OSError):
        return _fail(str(error))
    return _fail(f"{type(error).__name__}: {error}", "PGBRAID_DEBUG=1 shows where; please report it")


def _fail(message: str, hint: str | None = None) -> int:
    from pgbraid.display import clean_lines

    print(f"pgbraid: {clean_lines(message)}", file=sys.stderr)
    if hint:
        print(f"hint: {clean_lines(hint)}", file=sys.stderr)
    return ERROR
