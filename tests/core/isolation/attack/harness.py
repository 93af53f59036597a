"""Make many calls in one round trip: each call runs, its result or error is recorded, and its effects are rolled
back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.isolation.world import Connection

# The function is in the session's own pg_temp. Each call's changes are rolled back with its block.
ATTACK = """
create or replace function pg_temp.attack(calls text[])
returns table (number int, state text, said text, milliseconds float8)
language plpgsql as $$
declare
  v_message text;
  v_detail text;
  v_hint text;
  v_context text;
  v_line text;
  v_started timestamptz;
begin
  for v_number in 1..cardinality(calls) loop
    number := v_number;
    v_started := clock_timestamp();
    state := '00000';
    said := '';
    begin
      for v_line in execute calls[v_number] loop
        said := said || coalesce(v_line, '') || chr(10);
      end loop;
      raise exception using errcode = 'ZZ999';
    exception
      when sqlstate 'ZZ999' then null;
      when others then
        get stacked diagnostics state = returned_sqlstate, v_message = message_text, v_detail = pg_exception_detail,
          v_hint = pg_exception_hint, v_context = pg_exception_context;
        said := concat_ws(chr(10), v_message, v_detail, v_hint, v_context);
    end;
    milliseconds := extract(epoch from clock_timestamp() - v_started) * 1000;
    return next;
  end loop;
end
$$
"""
BATCH = 200


@dataclass(frozen=True)
class Outcome:
    statement: str
    state: str
    said: str
    milliseconds: float


def prepare(connection: Connection) -> list[str]:
    """Prepare a session, and return the list that collects its notices."""
    notices: list[str] = []
    connection.execute(ATTACK)
    connection.execute("set statement_timeout = '3min'")
    connection.add_notice_handler(
        lambda said: notices.append(f"{said.message_primary} {said.message_detail} {said.message_hint} {said.context}")
    )
    return notices


def attack(connection: Connection, statements: Sequence[str]) -> Iterator[Outcome]:
    for start in range(0, len(statements), BATCH):
        batch = list(statements[start : start + BATCH])
        for number, state, said, milliseconds in connection.execute(
            "select * from pg_temp.attack(%s)", (batch,)
        ).fetchall():
            yield Outcome(batch[number - 1], state, said, milliseconds)


def called(call: str) -> str:
    return f"select r::text from {call} r"


def explained(call: str) -> str:
    return f"explain (format json, verbose) select * from {call}"
