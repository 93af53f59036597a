"""Bad input of every kind, for every argument of every API function, raises an error with a listed SQLSTATE and a
hint."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from core.isolation.attack.calls import Function, calls, functions, learn_keys
from core.isolation.world import Connection, World

pytestmark = [pytest.mark.any_version, pytest.mark.long]

DOCUMENTED = {"22023", "22P02", "42704", "42501", "0A000", "54000"}
# This works like harness.ATTACK, but returns the parts of an error.
ERRORS = """
create or replace function pg_temp.errors(calls text[])
returns table (number int, state text, message text, hint text)
language plpgsql as $$
begin
  for v_number in 1..cardinality(calls) loop
    number := v_number;
    begin
      execute calls[v_number];
      raise exception using errcode = 'ZZ999';
    exception
      when sqlstate 'ZZ999' then null;
      when others then
        get stacked diagnostics state = returned_sqlstate, message = message_text, hint = pg_exception_hint;
        return next;
    end;
  end loop;
end
$$
"""


@pytest.fixture(scope="module")
def session(world: World) -> Iterator[Connection]:
    connection = world.connect("postgres", braid__tenant="alpha", statement_timeout="3min")
    connection.execute(ERRORS)
    yield connection


@pytest.fixture(scope="module")
def api(world: World, session: Connection) -> list[Function]:
    found = functions(world.admin)
    own = world.chunk_ids("alpha")[0]
    for function in found:
        learn_keys(session, function, own)
    return found


def test_every_error_has_a_hint(world: World, session: Connection, api: list[Function]) -> None:
    ids = world.chunk_ids("alpha")
    wrong: dict[tuple[str, ...], tuple[str, ...]] = {}
    for function in api:
        if function.name in ("calibrate", "maintain"):
            continue
        made = [
            f"select * from {call.replace(':own', str(ids[0]))}"
            for call in calls(function, ids, Random(function.name), 0)
        ]
        for number, state, message, hint in session.execute("select * from pg_temp.errors(%s)", (made,)).fetchall():
            if state not in DOCUMENTED or not hint:
                key = (function.name, state, message[:20])
                wrong.setdefault(key, (made[number - 1][:300], message[:300], hint))
    assert wrong == {}
