"""Run the jobs of docs/guide/supabase.md as an owner pastes them, with stand-ins for pg_cron, pg_net and the vault."""

from __future__ import annotations

import psycopg
import pytest

from docs.markdown import page

pytestmark = pytest.mark.any_version

STAND_INS = """
create schema cron; create schema net; create schema vault;
create table cron.job (jobname text primary key, schedule text, command text);
create function cron.schedule(job_name text, schedule text, command text) returns bigint language sql as
  'insert into cron.job values ($1, $2, $3); select 1::bigint';
create table net.request (url text, headers jsonb, body jsonb, timeout_milliseconds int);
create function net.http_post(
  url text, body jsonb default '{}', params jsonb default '{}', headers jsonb default '{}',
  timeout_milliseconds int default 5000
) returns bigint language sql as 'insert into net.request values ($1, $4, $2, $5); select 1::bigint';
create table vault.decrypted_secrets (name text primary key, decrypted_secret text);
create function vault.create_secret(new_secret text, new_name text) returns void language sql as
  'insert into vault.decrypted_secrets values ($2, $1)';
"""


def test_the_jobs_of_the_page(installed: str) -> None:
    (recipe,) = [block.code for block in page("docs/guide/supabase.md").blocks if "cron.schedule" in block.code]
    with psycopg.connect(installed, autocommit=True) as owner:
        owner.execute(STAND_INS.encode())
        owner.execute(
            "create table notes (id int primary key, org text, body text); alter table notes enable row level security"
        )
        owner.execute("select braid.create_tenant('acme')")
        owner.execute("select braid.sync_table('public.notes', content => '{body}', tenant_column => 'org')")
        owner.execute(recipe.encode(), prepare=False)
        jobs: dict[str, str] = dict(owner.execute("select jobname, command from cron.job").fetchall())
        assert set(jobs) == {"pgbraid_changes", "pgbraid_embed", "pgbraid_maintain"}
        # No job is pending, so nothing is sent.
        owner.execute(jobs["pgbraid_embed"])
        owner.execute("insert into notes values (1, 'acme', 'The price per seat.')")
        for name in ("pgbraid_changes", "pgbraid_maintain", "pgbraid_embed"):
            owner.execute(jobs[name])
        (sent,) = owner.execute("select url, headers, body, timeout_milliseconds from net.request").fetchall()
        url, headers, body, timeout = sent
        assert url.startswith("https://")
        assert (headers["apikey"].startswith("sb_secret_"), body) == (True, {"embed": {"all_tenants": True}})
        # The function may take 80 seconds, and 60 more for the last batch.
        assert timeout > 140_000
        backlog = owner.execute("select tenant, waiting_count from braid.embedding_backlog()").fetchall()
        assert backlog == [("acme", 1)]
