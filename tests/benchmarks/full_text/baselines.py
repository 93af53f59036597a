"""Define the baselines: ts_rank_cd over GIN, and the plain posting arrays of pgbraid 0.1."""

from __future__ import annotations

from benchmarks.full_text.database import COLLECTION, READER, TENANT, Bench
from benchmarks.full_text.report import say

PART = "tenant_id = (select id from braid_store.tenants where key = %(tenant)s) and collection_id = (select id from "
PART += "braid_store.collections where name = %(collection)s)"
NAMES = {"tenant": TENANT, "collection": COLLECTION}

# A single tenant with only live chunks is the best case for a login without policies.
TS_RANK = """
select id from bench.texts, to_tsquery('{config}', %(any)s) query
where words @@ query order by ts_rank_cd(words, query) desc limit 50
"""
TS_PHRASE = """
select id from bench.texts, phraseto_tsquery('{config}', %(text)s) query
where words @@ query order by ts_rank_cd(words, query) desc limit 50
"""

# The statement is release 0.1's statement for a body without title, with its statistics and weights. It leaves out
# tokenization, and returns ids of chunks.
PLAIN_ARRAYS = """
with totals as materialized (
  select s.chunk_count - t.chunk_count as chunk_count,
         (s.body_length - t.body_length)::float8 / (s.chunk_count - t.chunk_count) as average_length
  from (
    select sum(chunk_count)::bigint as chunk_count, sum(body_length)::bigint as body_length from bench.segments
    where tenant_id = %(tenant)s and collection_id = %(collection)s
  ) s, (
    select count(*) as chunk_count, coalesce(sum(body_length), 0)::bigint as body_length from bench.tombstones
    where tenant_id = %(tenant)s and collection_id = %(collection)s
  ) t
), frequencies as (
  select q.lexeme,
         (select coalesce(sum(p.chunk_count), 0) from bench.postings p
          where p.tenant_id = %(tenant)s and p.collection_id = %(collection)s and p.lexeme = q.lexeme)::float8
         - (select count(*) from bench.tombstone_terms t
            where t.tenant_id = %(tenant)s and t.collection_id = %(collection)s and t.lexeme = q.lexeme) as df
  from unnest(%(lexemes)s::text[]) q (lexeme)
), terms as materialized (
  select f.lexeme, ln(1 + (t.chunk_count - f.df + 0.5) / (f.df + 0.5)) as weight
  from frequencies f, totals t
  where f.df > 0
), hits as (
  select p.segment_id, q.weight, unnest(p.chunk_numbers) as chunk_number,
         unnest(p.body_frequencies) as frequency, unnest(p.body_lengths) as length
  from terms q,
       lateral (
         select * from bench.postings p
         where p.tenant_id = %(tenant)s and p.collection_id = %(collection)s and p.lexeme = q.lexeme
         offset 0
       ) p
), weighted as (
  select h.segment_id, h.chunk_number, h.weight, h.frequency,
         h.length / (select t.average_length from totals t) as relative_length
  from hits h
), scores as (
  select w.segment_id, w.chunk_number,
         sum(w.weight * w.frequency
             / (w.frequency + 1.2::float8 * (1 - 0.75::float8 + 0.75::float8 * w.relative_length))) as score
  from weighted w
  where w.frequency > 0
  group by w.segment_id, w.chunk_number
), live as materialized (
  select s.segment_id, s.chunk_number, s.score
  from scores s
  where (s.segment_id, s.chunk_number) not in (
    select sc.segment_id, sc.chunk_number
    from bench.tombstones t,
         lateral (
           select sc.segment_id, sc.chunk_number from bench.segment_chunks sc
           where sc.tenant_id = %(tenant)s and sc.chunk_id = t.chunk_id
           offset 0
         ) sc
    where t.tenant_id = %(tenant)s and t.collection_id = %(collection)s)
), best as (
  select l.segment_id, l.chunk_number, l.score
  from live l
  where l.score >= (select min(k.score) from (select score from live order by score desc limit 50) k)
)
select sc.chunk_id, b.score
from best b,
     lateral (
       select sc.chunk_id from bench.segment_chunks sc
       where sc.tenant_id = %(tenant)s and sc.collection_id = %(collection)s and sc.segment_id = b.segment_id
         and sc.chunk_number = b.chunk_number
       offset 0
     ) sc
order by b.score desc
limit 50
"""
# The settings are the settings of release 0.1's function.
PLAIN_ARRAYS_SETTINGS = {
    "jit": "off",
    "enable_hashagg": "on",
    "enable_sort": "off",
    "plan_cache_mode": "force_generic_plan",
}

# The expressions read lexemes of forward rows, and each lexeme's frequency.
LEXEMES = """string_to_table(f.lexemes, ' ') collate "C" """
PRECEDING_ENDS = "array_prepend(0::smallint, f.position_ends[:cardinality(f.position_ends) - 1])"
FREQUENCIES = f"unnest(f.position_ends) - unnest({PRECEDING_ENDS})"

PLAIN_ARRAYS_TABLES = f"""
create table bench.segment_chunks as
select tenant_id, collection_id, segment_id, chunk_number, chunk_id from braid_store.segment_chunks where {PART};
alter table bench.segment_chunks add primary key (tenant_id, collection_id, segment_id, chunk_number),
  add unique (tenant_id, chunk_id);

create table bench.tombstones as
select t.tenant_id, t.collection_id, t.chunk_id, f.body_length
from braid_store.tombstones t join braid_store.forward_rows f using (tenant_id, collection_id, chunk_id) where {PART};
alter table bench.tombstones add primary key (tenant_id, collection_id, chunk_id);

create table bench.tombstone_terms as
select tenant_id, collection_id, {LEXEMES} as lexeme, chunk_id
from braid_store.forward_rows f join bench.tombstones using (tenant_id, collection_id, chunk_id);
alter table bench.tombstone_terms add primary key (tenant_id, collection_id, lexeme, chunk_id);

create table bench.segments as
select tenant_id, collection_id, segment_id as id, count(*)::int as chunk_count, sum(f.body_length) as body_length
from bench.segment_chunks join braid_store.forward_rows f using (tenant_id, collection_id, chunk_id) group by 1, 2, 3;
alter table bench.segments add primary key (tenant_id, collection_id, id);

create table bench.postings (
  tenant_id int, collection_id int, lexeme text collate "C", segment_id bigint, chunk_count int not null,
  chunk_numbers int[] not null, body_frequencies int[] not null, body_lengths int[] not null
);
"""
PLAIN_ARRAYS_POSTINGS = f"""
insert into bench.postings
select t.tenant_id, t.collection_id, t.lexeme, t.segment_id, count(*), array_agg(t.chunk_number),
       array_agg(t.frequency), array_agg(t.body_length)
from (
  select sc.tenant_id, sc.collection_id, sc.segment_id, sc.chunk_number, f.body_length,
         {LEXEMES} as lexeme, ({FREQUENCIES})::int as frequency
  from (select * from bench.segment_chunks where segment_id = %s order by chunk_number offset 0) sc,
       lateral (
         select * from braid_store.forward_rows f where f.tenant_id = sc.tenant_id and f.chunk_id = sc.chunk_id offset 0
       ) f
) t
where t.frequency > 0
group by t.tenant_id, t.collection_id, t.lexeme, t.segment_id
"""


def build_baselines(bench: Bench) -> None:
    """Build the baselines in the schema `bench`, once for each database."""
    if bench.noted("baselines") is not None:
        return
    # A body given as a string depends on no function, so pgbraid can be upgraded.
    bench.admin.execute(
        "create or replace function bench.tenant_id() returns int language sql stable parallel safe "
        "as 'select braid.current_tenant_id()'"
    )
    bench.admin.execute(f"grant usage on schema bench to {READER}")
    build_ts_rank(bench)
    build_plain_arrays(bench)
    bench.note("baselines", {})


def bind(bench: Bench, table: str) -> None:
    """Protect a table by the policy of pgbraid's own tables."""
    bench.admin.execute(f"create policy tenant on {table} using (tenant_id = (select bench.tenant_id()))")
    bench.admin.execute(f"alter table {table} enable row level security")
    bench.admin.execute(f"grant select on {table} to {READER}")


def build_ts_rank(bench: Bench) -> None:
    db = bench.admin
    say("building tsvector and GIN")
    db.execute("drop table if exists bench.texts")
    db.execute("create table bench.texts (tenant_id int, id bigint, words tsvector)")
    db.execute(
        f"insert into bench.texts select tenant_id, id, to_tsvector('{bench.corpus.text_config}', content) "
        f"from braid_store.chunks where {PART}",
        NAMES,
    )
    db.execute("create index on bench.texts using gin (words)")
    db.execute("vacuum analyze bench.texts")
    row = db.execute("select pg_total_relation_size('bench.texts'), pg_indexes_size('bench.texts')").fetchone()
    assert row is not None
    bench.note("ts_rank", {"bytes": row[0], "gin_bytes": row[1]})
    bind(bench, "bench.texts")


def build_plain_arrays(bench: Bench) -> None:
    db = bench.admin
    say("building plain arrays")
    tables = ("segment_chunks", "tombstones", "tombstone_terms", "segments", "postings")
    for table in tables:
        db.execute(f"drop table if exists bench.{table}")
    for statement in PLAIN_ARRAYS_TABLES.split(";"):
        if statement.strip():
            db.execute(statement, NAMES if "%(" in statement else None)
    with db.transaction():
        # A hash aggregate keeps the order of the chunks.
        db.execute("set local work_mem = '1GB'")
        db.execute("set local enable_sort = off")
        for (segment_id,) in db.execute("select id from bench.segments order by id").fetchall():
            db.execute(PLAIN_ARRAYS_POSTINGS, (segment_id,))
    db.execute("alter table bench.postings add primary key (tenant_id, collection_id, lexeme, segment_id)")
    # pgbraid's own tables have no statistics either.
    for table in tables:
        columns = db.execute(
            "select attname from pg_attribute where attrelid = %s::regclass and attnum > 0", (f"bench.{table}",)
        ).fetchall()
        changes = ", ".join(f"alter {column} set statistics 0" for (column,) in columns)
        db.execute(f"alter table bench.{table} {changes}")
        db.execute(f"delete from pg_statistic where starelid = 'bench.{table}'::regclass")
        bind(bench, f"bench.{table}")
        db.execute(f"vacuum bench.{table}")
