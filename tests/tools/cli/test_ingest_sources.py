"""Test pgbraid ingest: the documents of a source, vanished files, and files that are awkward to read."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from psycopg.conninfo import make_conninfo

import pgbraid
from pgbraid.errors import ConnectionLostError
from support.waiting import PATIENCE, until

pytestmark = pytest.mark.any_version

Run = Callable[..., Any]


def write(folder: Path, **files: str | bytes) -> Path:
    """Write files, named by keywords with _ in place of the dot; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name.replace("_", ".")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def ids(client: pgbraid.Client) -> list[str]:
    return [document.external_id for document in client.list_documents()]


def test_folders_with_files_of_one_name(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    one, two = write(tmp_path / "one", README_md="# One"), write(tmp_path / "two", README_md="# Two")
    assert run("ingest", one, two, "--no-embed").code == 0
    assert ids(client) == [f"{one}/README.md", f"{two}/README.md"]
    assert run("ingest", one, "--source", "handbook", "--no-embed").code == 0
    assert ids(client)[-1] == "handbook/README.md"
    # The second README.md must not replace the first.
    refused = run("ingest", two, "--source", "handbook", "--no-embed")
    assert refused.code == 1
    assert f"its external_id belongs to {(one / 'README.md').as_uri()}" in refused.err
    refused = run("ingest", one, two, "--source", "both", "--no-embed")
    assert refused.code == 1
    assert "--source" in refused.err


def test_a_file_seen_by_two_paths_is_one_document(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    folder = write(tmp_path / "notes", a_md="zebra")
    write(folder / "deep", b_md="giraffe")
    (folder / "link.md").symlink_to(folder / "a.md")
    (folder / "again").symlink_to(folder / "deep")
    (folder / "deep" / "loop").symlink_to(folder)
    (folder / "nowhere.md").symlink_to(tmp_path / "missing")
    os.link(folder / "a.md", folder / "same.md")
    write(tmp_path / "outside", c_md="lion")
    (folder / "other").symlink_to(tmp_path / "outside")
    (tmp_path / "outside" / "back").symlink_to(folder)
    done = run("ingest", folder, folder / "deep", "--no-embed")
    assert done.code == 0
    assert ids(client) == [f"{folder}/a.md", f"{folder}/deep/b.md", f"{folder}/other/c.md"]
    assert "read already" in done.err
    # A later run by another path finds the documents unchanged.
    assert "1 unchanged" in run("ingest", folder / "deep", "--no-embed").out
    assert "1 unchanged" in run("ingest", folder / "a.md", "--no-embed").out


def test_prune_deletes_what_vanished_from_this_source_alone(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    one = write(tmp_path / "one", a_md="zebra", b_md="giraffe")
    two = write(tmp_path / "two", c_md="lion")
    client.add_documents([{"external_id": "mine", "content": "tiger"}])
    assert run("ingest", one, two, "--no-embed").code == 0
    for path in (one / "a.md", two / "c.md"):
        path.unlink()
    assert run("ingest", one, "--no-embed").code == 0
    assert len(ids(client)) == 4
    done = run("ingest", one, "--prune", "--dry-run")
    assert f"would delete: {one}/a.md" in done.err
    assert "1 document to delete" in done.out
    assert len(ids(client)) == 4
    done = run("ingest", one, "--prune", "--no-embed")
    assert "1 document deleted" in done.out
    assert ids(client) == [f"{one}/b.md", f"{two}/c.md", "mine"]
    # Pruning deletes files that are now excluded, and keeps files that the run did not look at.
    write(one, d_md="lynx")
    run("ingest", one, "--no-embed")
    os.utime(one / "b.md")
    time.sleep(2.1)
    assert "1 document deleted" in run("ingest", one, "--prune", "--exclude", "b.*", "--no-embed").out
    assert "deleted" not in run("ingest", one / "d.md", "--prune", "--no-embed").out


def test_an_empty_folder_is_no_reason_to_delete_all(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    folder = write(tmp_path / "disk", a_md="zebra")
    run("ingest", folder, "--no-embed")
    (folder / "a.md").unlink()
    refused = run("ingest", folder, "--prune", "--no-embed")
    assert refused.code == 2
    assert "1 documents of this source are kept" in refused.err
    assert "hint: " in refused.err
    assert len(ids(client)) == 1


def test_rows_that_vanished(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    path = tmp_path / "animals.csv"
    path.write_text("id,text\n1,zebra\n2,giraffe\n")
    assert run("ingest", tmp_path, "--no-embed").code == 0
    path.write_text("id,text\n2,giraffe\n3,lion\n")
    assert run("ingest", tmp_path, "--no-embed").code == 0
    assert ids(client) == [f"{path}#1", f"{path}#2", f"{path}#3"]
    # While part of the file cannot be read, nobody knows which rows vanished.
    path.write_text("id,text\n3,lion\n4,lynx,tiger\n")
    assert run("ingest", tmp_path, "--prune", "--no-embed").code == 1
    assert ids(client) == [f"{path}#1", f"{path}#2", f"{path}#3"]
    path.write_text("id,text\n3,lion\n")
    assert "2 documents deleted" in run("ingest", tmp_path, "--prune", "--no-embed").out
    assert ids(client) == [f"{path}#3"]


def test_prune_with_files_rows_and_standard_input(
    run: Run, client: pgbraid.Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    client.connection.execute("create table animals as select '1' as id, 'zebra' as body")
    folder = write(tmp_path / "notes", a_md="lion", b_md="lynx")
    given = write(tmp_path, given_txt="tiger") / "given.txt"
    query = ("--sql", "select * from animals", "--text-column", "body")

    def ingest(*arguments: object) -> Any:
        with given.open() as file:
            monkeypatch.setattr(sys, "stdin", file)
            return run("ingest", folder, "-", "--source", "S", "--prune", "--no-embed", *arguments)

    assert ingest(*query).code == 0
    assert ids(client) == ["1", "S", "S/a.md", "S/b.md"]
    assert "deleted" not in ingest(*query).out
    (folder / "b.md").unlink()
    # A failed read is no reason to delete.
    assert ingest("--sql", "select 1 from missing").code == 1
    assert ingest(*query, "--from", "postgresql://127.0.0.1:1/none").code != 0
    assert "1" in ids(client) and "S" in ids(client)
    assert ingest(*query).code == 0
    assert ids(client) == ["1", "S", "S/a.md"]
    client.connection.execute("delete from animals")
    assert "are kept" in ingest(*query).err
    assert ids(client) == ["1", "S", "S/a.md"]


def test_dry_run_accounts_for_every_file(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    folder = write(tmp_path, a_md="zebra", b_md=b"\xff\xfe\xfa", c_bin="x", d_md="lion")
    run("ingest", folder / "d.md", "--no-embed")
    done = run("ingest", folder, "--dry-run")
    assert done.code == 1
    assert f"would index: {folder}/a.md" in done.err
    assert f"failed: {folder}/b.md: " in done.err
    assert f"skipped: {folder}/c.bin: unknown kind .bin" in done.err
    assert f"unchanged: {folder}/d.md" in done.err
    assert done.out == "4 files: 1 to index, 1 unchanged, 1 skipped, 1 failed\n"
    assert ids(client) == [f"{folder}/d.md"]


def test_gitignore_and_exclude(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    repository = write(tmp_path / "repository", a_md="a", b_log="b", c_log="c")
    (repository / ".git").mkdir()
    (repository / ".gitignore").write_text("*.log\n!c.log\nbuild/\n/top.md\n")
    write(repository / "build", x_md="x")
    write(repository / "docs", top_md="top", y_md="y", z_md="z")
    (repository / "docs" / ".gitignore").write_text("z.md\n")
    run("ingest", repository, "--source", "r", "--exclude", "y.md", "--no-embed")
    assert ids(client) == ["r/a.md", "r/c.log", "r/docs/top.md"]
    run("ingest", repository / "docs", "--source", "d", "--no-embed")
    assert ids(client)[:2] == ["d/top.md", "d/y.md"]
    run("ingest", repository, "--source", "s", "--no-gitignore", "--no-embed")
    assert [name for name in ids(client) if name.startswith("s/")] == [
        "s/a.md",
        "s/b.log",
        "s/build/x.md",
        "s/c.log",
        "s/docs/top.md",
        "s/docs/y.md",
        "s/docs/z.md",
    ]


TEXT = "Größe: 5 m, naïve café. " * 20
ENCODINGS = {
    "utf-8": TEXT.encode(),
    "utf-8 with a mark": TEXT.encode("utf-8-sig"),
    "utf-16 with a mark": TEXT.encode("utf-16"),
    "utf-16 without a mark": TEXT.encode("utf-16-le"),
    "utf-16, big end first": TEXT.encode("utf-16-be"),
    "latin-1": TEXT.encode("latin-1"),
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_encodings(run: Run, client: pgbraid.Client, tmp_path: Path, name: str) -> None:
    write(tmp_path, a_txt=ENCODINGS[name])
    assert run("ingest", tmp_path, "--no-embed").code == 0
    assert client.search("café", mode="full_text")[0].content.startswith("Größe: 5 m")


def test_an_encoding_that_nobody_can_guess(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    text = "吾輩は猫である。名前はまだ無い。" * 5
    write(tmp_path, a_txt=f"one\n{text}".encode("shift-jis"))
    refused = run("ingest", tmp_path, "--no-embed")
    assert refused.code == 1
    assert "a.txt:2: not UTF-8" in refused.err
    assert "--encoding" in refused.err
    assert run("ingest", tmp_path, "--encoding", "shift-jis", "--no-embed").code == 0
    assert run("ingest", tmp_path, "--encoding", "klingon", "--no-embed").code == 1
    assert text[:8] in client.search("猫", mode="full_text")[0].content


def test_what_is_no_file(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    folder = write(tmp_path / "f", a_md="zebra")
    os.mkfifo(folder / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "s.md"))
        done = run("ingest", folder, "--no-embed")
    assert done.code == 0
    assert "no regular file" in done.err
    assert ids(client) == [f"{folder}/a.md"]


def test_a_name_that_is_no_text(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    folder = write(tmp_path / "f", a_md="zebra")
    with open(os.fsencode(folder) + b"/\xff.md", "wb") as file:
        file.write(b"giraffe")
    done = run("ingest", folder, "--no-embed")
    assert done.code == 1
    assert "its name is not UTF-8" in done.err
    assert ids(client) == [f"{folder}/a.md"]


def test_links_in_circles(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    folder = write(tmp_path / "f", a_md="zebra")
    (folder / "below").mkdir()
    (folder / "below" / "up").symlink_to(folder)
    (folder / "self.md").symlink_to("self.md")
    (folder / "away").symlink_to(tmp_path)
    done = run("ingest", folder, "--no-embed")
    assert done.code == 0, done.err
    assert ids(client) == [f"{folder}/a.md"]


def test_a_file_that_cannot_be_opened(
    run: Run, client: pgbraid.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "f", a_md="zebra", b_md="giraffe")
    real = Path.open

    def refuse(path: Path, *arguments: Any, **named: Any) -> Any:
        if path.name == "b.md":
            raise PermissionError(13, "Permission denied")
        return real(path, *arguments, **named)

    monkeypatch.setattr(Path, "open", refuse)
    done = run("ingest", folder, "--no-embed")
    assert done.code == 1
    assert f"failed: {folder}/b.md: cannot be read: Permission denied" in done.err
    assert ids(client) == [f"{folder}/a.md"]


def test_standard_input(run: Run, client: pgbraid.Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("# Animals\n\nzebra")
    with (tmp_path / "in").open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert run("ingest", "-", "--source", "animals", "--format", "markdown", "--no-embed").code == 0
    row = client.search("zebra", mode="full_text")[0]
    assert (row.external_id, row.title) == ("animals", "Animals")
    with (tmp_path / "in").open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert "1 unchanged" in run("ingest", "-", "--source", "animals", "--format", "markdown", "--no-embed").out


def test_a_query(run: Run, client: pgbraid.Client, dsn: str) -> None:
    client.connection.execute("create table animals (id int, title text, body text, legs int)")
    client.connection.execute("insert into animals values (1, 'Z', 'zebra', 4), (2, 'B', 'bird', 2), (3, 'N', null, 0)")
    asked = ("ingest", "--sql", "select * from animals", "--from", dsn, "--text-column", "body", "--source", "animals")
    done = run(*asked, "--no-embed")
    assert done.code == 0
    assert "1 record without text left out" in done.out
    row = client.search("bird", filters={"legs": 2})[0]
    assert (row.external_id, row.title) == ("2", "B")
    client.connection.execute("delete from animals where id = 1")
    assert "1 document deleted" in run(*asked, "--prune", "--no-embed").out
    assert ids(client) == ["2"]
    refused = run("ingest", "--sql", "select * from animals", "--text-column", "text", "--strict")
    assert refused.code == 2
    assert "'body'" in refused.err
    assert run("ingest", "--sql", "select 1 from missing").code == 1


START = """
from pgbraid.cli import main
from pgbraid_tools.files import batches
batches.BATCH_DOCUMENTS = 100
main()
"""


def start(dsn: str, *arguments: object) -> subprocess.Popen[str]:
    environment = {**os.environ, "PGBRAID_DSN": dsn}
    command = [sys.executable, "-c", START, "ingest", *map(str, arguments), "--no-embed"]
    return subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def sessions(client: pgbraid.Client) -> int:
    statement = (
        "select count(*) from pg_stat_activity where datname = current_database() and backend_type like 'client%'"
    )
    row = client.connection.execute(statement).fetchone()
    assert row is not None
    return int(row[0])


def whole_files(client: pgbraid.Client) -> set[str]:
    """Return the paths of the files that are stored completely, as their last documents tell."""
    documents = client.list_documents(match_count=10_000)
    return {document.metadata["ingest"]["path"] for document in documents if "hash" in document.metadata["ingest"]}


def many(folder: Path, count: int) -> Path:
    folder.mkdir()
    for number in range(count):
        (folder / f"{number}.txt").write_text(f"animal{number} lives in the forest.")
    (folder / "long.txt").write_text(
        "".join(f"{' ' * 9_900}line {number} of a long text.\n\n" for number in range(150))
    )
    return folder


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_what_was_interrupted_goes_on(client: pgbraid.Client, dsn: str, tmp_path: Path, sent: signal.Signals) -> None:
    # Ten batches are written; the last one waits until the signal has been sent.
    folder = many(tmp_path / "many", 900)
    client.connection.execute(
        """
        create function public.hold() returns trigger language plpgsql security definer as $$
        begin
          if new.external_id ~ '/99.?.txt$' then
            perform pg_advisory_xact_lock_shared(1);
          end if;
          return null;
        end $$;
        create trigger hold after insert on braid_store.documents for each row execute function public.hold();
        select pg_advisory_lock(1)
        """
    )
    held = "select count(*) from pg_locks where locktype = 'advisory' and not granted"
    sessions_before = sessions(client)
    first = start(dsn, folder)

    def is_under_way() -> bool:
        assert first.poll() is None, first.communicate()
        return bool(client.count() and client.connection.execute(held).fetchone() != (0,))

    until(is_under_way)
    first.send_signal(sent)
    out, err = first.communicate(timeout=PATIENCE)
    assert first.returncode == (-sent if sent == signal.SIGKILL else 130), err
    # The statement of a killed client would go on to its end, and might write all remaining rows.
    client.connection.execute(f"select pg_terminate_backend(pid) {held.partition(')')[2]}")
    until(lambda: client.connection.execute(held).fetchone() == (0,))
    client.connection.execute("select pg_advisory_unlock(1)")
    client.connection.execute("drop trigger hold on braid_store.documents")
    until(lambda: sessions(client) == sessions_before)
    there = len(whole_files(client))
    assert 0 < there < 901
    second = start(dsn, folder)
    out, err = second.communicate(timeout=PATIENCE)
    assert second.returncode == 0, err
    assert "failed: " not in err
    # The 902 documents come from 900 files, of one document each, and a long file of two parts.
    assert client.count() == 902
    assert f"{there} unchanged" in out.splitlines()[0]
    assert "901 unchanged" in start(dsn, folder).communicate(timeout=PATIENCE)[0]


def refuse(client: pgbraid.Client, condition: str, sqlstate: str) -> None:
    """Make the database refuse documents that meet the condition, as if its disk were full, or with another error."""
    client.connection.execute(
        f"""
        create function public.refuse() returns trigger language plpgsql as $$
        begin
          raise exception 'could not extend file' using errcode = '{sqlstate}', hint = 'Check free disk space.';
        end $$;
        create trigger refuse before insert or update on braid_store.documents for each row when ({condition})
        execute function public.refuse()
        """
    )


def test_a_full_disk(run: Run, client: pgbraid.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pgbraid_tools.files.batches.BATCH_DOCUMENTS", 20)
    folder = many(tmp_path / "many", 100)
    refuse(client, "new.external_id like '%/95.txt'", "53100")
    stopped = run("ingest", folder, "--no-embed")
    assert (stopped.code, stopped.out) == (2, "")
    assert stopped.err.splitlines()[-2:] == ["pgbraid: could not extend file", "hint: Check free disk space."]
    assert "run it again to go on" in stopped.err
    there = len(whole_files(client))
    assert 0 < there < 101
    client.connection.execute("drop function public.refuse cascade")
    done = run("ingest", folder, "--no-embed")
    assert done.code == 0, done.err
    assert f"{there} unchanged" in done.out.splitlines()[0]
    assert client.count() == 102


def test_several_connections_write(
    run: Run, client: pgbraid.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One, two and four connections write the same, also where the database refuses a document."""
    monkeypatch.setattr("pgbraid_tools.files.batches.BATCH_DOCUMENTS", 50)
    folder = many(tmp_path / "many", 250)
    (folder / "rows.jsonl").write_text(
        "".join(json.dumps({"id": f"row{number}", "text": f"animal {number}"}) + "\n" for number in range(300))
    )
    refuse(
        client,
        "new.external_id like '%#row77' or new.external_id like '%#row299' or new.external_id like '%/111.txt'",
        "22023",
    )
    listed = []
    for jobs in (1, 2, 4):
        done = run("ingest", folder, "--no-embed", "--jobs", jobs)
        assert done.code == 1
        assert done.err.count("failed: ") == 3
        assert f"failed: {folder}/rows.jsonl:78: could not extend file" in done.err
        assert "250 indexed" in done.out
        assert "2 failed" in done.out
        listed.append([(d.external_id, d.metadata, d.source_uri) for d in client.list_documents(match_count=10_000)])
        client.clear_collection()
    assert listed[0] == listed[1] == listed[2]
    assert len(listed[0]) == 249 + 298 + 2


@pytest.mark.parametrize("allowed", [0, 1])
def test_a_server_without_more_connections(
    run: Run, client: pgbraid.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: int
) -> None:
    folder = many(tmp_path / "many", 60)
    monkeypatch.setattr("pgbraid_tools.files.batches.BATCH_DOCUMENTS", 10)
    real, opened = pgbraid.connect, []

    def connect(*arguments: Any, **named: Any) -> pgbraid.Client:
        opened.append(1)
        if len(opened) > 1 + allowed:
            raise ConnectionLostError("sorry, too many clients already", sqlstate="53300")
        return real(*arguments, **named)

    monkeypatch.setattr(pgbraid, "connect", connect)
    done = run("ingest", folder, "--no-embed", "--jobs", 3)
    assert (done.code, len(opened)) == (0, 2 + allowed), done.err
    assert client.count() == 62


def test_a_file_is_whole_when_all_of_it_was_written(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    """The last document of a file, which marks the file as whole, is written after the others by any number of
    connections."""
    client.connection.execute(
        """
        create table public.seen (count bigint);
        grant insert on public.seen to public;
        create function public.look() returns trigger language plpgsql as $$
        begin
          if new.metadata #> '{ingest,hash}' is null then
            perform pg_sleep(0.2);
          else
            insert into public.seen select count(*) from braid_store.documents;
          end if;
          return null;
        end $$;
        create trigger look after insert on braid_store.documents for each row execute function public.look()
        """
    )
    paragraphs = [f"{' ' * 9_980}line {number}\n\n" for number in range(580)]
    (tmp_path / "long.txt").write_text("".join(paragraphs))
    assert run("ingest", tmp_path / "long.txt", "--no-embed", "--jobs", 4).code == 0
    assert client.count() == 6
    assert client.connection.execute("select count from public.seen").fetchall() == [(6,)]


def test_two_at_once(client: pgbraid.Client, dsn: str, tmp_path: Path) -> None:
    folder = many(tmp_path / "many", 300)
    running = [start(dsn, folder, "--prune") for _ in range(2)]
    for program in running:
        _, err = program.communicate(timeout=PATIENCE)
        assert program.returncode == 0, err
    assert client.count() == 302
    assert "301 unchanged" in start(dsn, folder, "--prune").communicate(timeout=PATIENCE)[0]


def test_the_server_knows_which_command_is_connected(run: Run, client: pgbraid.Client, dsn: str) -> None:
    def name(given: str) -> str:
        query = "select 'a' as id, current_setting('application_name') as body"
        assert run("ingest", "--sql", query, "--text-column", "body", "--from", given, "--no-embed").code == 0
        found = client.get_document("a")
        assert found is not None
        return found.chunks[0].content

    assert name(dsn) == "pgbraid ingest"
    assert "PGAPPNAME" not in os.environ
    assert name(make_conninfo(dsn, application_name="mine")) == "mine"
