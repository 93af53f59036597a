"""Run a primary with standbys: servers of their own that stream its log."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psycopg
from psycopg import sql

from pgbraid import embedded
from pgbraid.embedded.programs import programs, server_account
from pgbraid.embedded.server import PORT
from support.calls import one
from support.servers import make_fast, temporary_folder
from support.waiting import until


@dataclass
class Replicated:
    primary: embedded.Server
    standbys: list[embedded.Server]

    @property
    def standby(self) -> embedded.Server:
        return self.standbys[0]

    def caught_up(self) -> None:
        """Wait until the standbys have replayed all that is committed on the primary."""
        with psycopg.connect(self.primary.dsn, autocommit=True) as db:
            # An extra commit sends other sessions' inserts that nobody has waited for.
            db.execute("select pg_logical_emit_message(true, 'pgbraid', '')")
            position = one(db, "select pg_current_wal_lsn()::text")
        for standby in self.standbys:
            with psycopg.connect(standby.dsn, autocommit=True) as db:
                until(partial(one, db, "select pg_last_wal_replay_lsn() >= %s::pg_lsn", position))

    def kill_primary(self) -> None:
        """Kill the primary with `kill -9`; return when its sockets no longer answer."""
        os.kill(self.primary.pid, signal.SIGKILL)
        until(lambda: not is_reachable(self.primary))


def is_reachable(server: embedded.Server) -> bool:
    try:
        psycopg.connect(server.dsn, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


def promote(standby: embedded.Server) -> None:
    with psycopg.connect(standby.dsn, autocommit=True) as db:
        # A waiting call keeps its snapshot, and may be cancelled before all is replayed.
        assert one(db, "select pg_promote(wait => false)")
        until(lambda: not one(db, "select pg_is_in_recovery()"))


def set_on(server: embedded.Server, **settings: str) -> None:
    """Change settings that need no restart."""

    def is_set() -> bool:
        try:
            with psycopg.connect(server.dsn, autocommit=True) as db:
                for name, value in settings.items():
                    db.execute(sql.SQL("alter system set {} = {}").format(sql.Identifier(name), sql.Literal(value)))
                db.execute("select pg_reload_conf()")
                return all(one(db, "select current_setting(%s)", name) == value for name, value in settings.items())
        except psycopg.OperationalError as error:
            # A standby that waits for no query cancels this one.
            assert "conflict with recovery" in str(error)
            return False

    until(is_set)


@contextmanager
def replicated(version: int, standbys: int = 1) -> Iterator[Replicated]:
    folders = [temporary_folder()]
    try:
        primary = embedded.ensure_running(folders[0], version)
        make_fast(primary)
        let_the_server_connect_to_itself(primary)
        followers = []
        for number in range(standbys):
            folders.append(temporary_folder())
            followers.append(_standby(primary, folders[-1], f"standby_{number}"))
        yield Replicated(primary, followers)
    finally:
        # Standbys stop first: a primary that stops waits until they have everything.
        for folder in reversed(folders):
            embedded.stop(folder)
            shutil.rmtree(folder)


def let_the_server_connect_to_itself(server: embedded.Server) -> None:
    """Let the server's OS user connect as any login, as subscribers and standbys do. Commands of tests run as
    another user."""
    with psycopg.connect(server.dsn, autocommit=True) as db:
        file = Path(one(db, "select current_setting('ident_file')"))
        with file.open("a", encoding="utf-8") as opened:
            opened.write(f"pgbraid {file.owner()} all\n")
        db.execute("select pg_reload_conf()")
        wrong = db.execute("select error from pg_ident_file_mappings where error is not null").fetchall()
        assert wrong == []


def _standby(primary: embedded.Server, folder: Path, name: str) -> embedded.Server:
    account = server_account()
    folder.chmod(0o711)
    cluster = folder / "postgres"
    cluster.mkdir(mode=0o700)
    if account.switch:
        os.chown(cluster, account.uid, account.gid)
    done = account.run(
        [
            programs(primary.version, account, primary.data_dir) / "pg_basebackup",
            "--write-recovery-conf",
            "--checkpoint=fast",
            "--no-sync",
            # Without a slot, a checkpoint may remove log that the standby still needs, and the standby stops for good.
            "--create-slot",
            f"--slot={name}",
            f"--pgdata={cluster}",
            f"--dbname=host={primary.socket_dir} port={PORT} user=postgres application_name={name}",
        ]
    )
    assert done.returncode == 0, done.stdout
    # By default, a standby without its primary looks for it every five seconds, and is promoted only afterwards.
    with (cluster / "postgresql.auto.conf").open("a", encoding="utf-8") as settings:
        settings.write("wal_retrieve_retry_interval = '100ms'\n")
    return embedded.ensure_running(folder, primary.version)
