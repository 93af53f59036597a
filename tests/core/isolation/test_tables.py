"""Without the API, tables and internal functions show own rows only, and plans and statistics show no trace of other
tenants."""

from __future__ import annotations

import re
from typing import Any

import psycopg
import pytest
from core.isolation.world import PRIVATE, Connection, World

from support.roles import definer_role

# Everybody may read these definitions; nobody may read the tables of sparse encoders and static embedders.
OPEN = {
    f"braid_store.{name}"
    for name in (
        "collections",
        "indexed_attributes",
        "installation",
        "model_changes",
        "parts",
        "posting_tables",
        "sparse_encoder_terms",
        "sparse_encoders",
        "static_embedder_letters",
        "static_embedder_tokens",
        "static_embedders",
        "synonyms",
        "vector_settings",
        "vector_spaces",
    )
}

# This is a search request in the form that internal functions receive.
REQUEST = """jsonb_populate_record(null::braid_store.search_request, jsonb_build_object(
  'tenant_id', %s, 'collection', braid_store.find_collection('small'), 'legs', 'hybrid',
  'query_text', 'zebrafish discount',
  'query', ('{zebrafish,discount}', '{1,1}', '{1,2}', '{1,2}', 1, '{}', '{}', '{}', 10, 10,
            '{1,1}', '{1,1}', '{first,second}', '{}', '{}', '{}', true, '{}')::braid_store.text_query,
  'query_embedding', '[1,0,0]', 'filter', braid_store.no_filter(), 'match_count', 10,
  'options', braid_store.read_search_options(null), 'boosts', jsonb_build_array(), 'candidate_count', 10))"""


@pytest.fixture(scope="module")
def analyst(world: World) -> Connection:
    login = world.role("analyst", "braid_writer")
    world.member("alpha", login)
    return world.connect(login)


@pytest.fixture(scope="module")
def insider(world: World) -> Connection:
    """Return a session with the rights of the functions that search and write; the policies still bind it."""
    login = world.role("insider", "braid_writer", definer_role(world.admin))
    world.member("alpha", login)
    return world.connect(login)


@pytest.fixture(scope="module")
def tenant_tables(world: World) -> list[str]:
    """Return the tables that the functions that search and write may read."""
    rows = world.admin.execute(
        "select c.oid::regclass::text from pg_class c where c.relnamespace = 'braid_store'::regnamespace"
        " and c.relkind in ('r', 'p') and has_table_privilege(%s, c.oid, 'SELECT')",
        (definer_role(world.admin),),
    )
    return [name for (name,) in rows if name not in OPEN]


def test_only_own_rows_are_seen(world: World, insider: Connection, tenant_tables: list[str]) -> None:
    assert len(tenant_tables) > 8
    for table in tenant_tables:
        seen = insider.execute(
            f"select count(*), count(*) filter (where tenant_id = %s) from {table}", (world.tenant_ids["alpha"],)
        )
        ((total, own),) = seen.fetchall()
        assert total == own, table
        assert insider.execute(
            f"select count(*) from {table} where tenant_id = %s", (world.tenant_ids["beta"],)
        ).fetchone() == (0,)
        assert not any(word in str(insider.execute(f"select * from {table}").fetchall()) for word in PRIVATE)


def test_readers_and_writers_can_name_no_table(analyst: Connection, tenant_tables: list[str]) -> None:
    for table in [*tenant_tables, *OPEN, "braid_store.tenants", "braid_store.tenant_members"]:
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="schema braid_store"):
            analyst.execute(f"select from {table}")


def test_a_leaky_function_sees_own_rows_only(world: World, insider: Connection) -> None:
    """A leaky function sees own rows only: a condition that the planner thinks cheap runs after the policy."""
    insider.execute(
        "create function pg_temp.peek(text) returns boolean language plpgsql cost 0.0000001 as"
        " $$ begin raise notice '%', $1; return true; end $$"
    )
    said: list[str] = []
    insider.add_notice_handler(lambda diagnostic: said.append(str(diagnostic.message_primary)))
    for statement in (
        "select count(*) from braid_store.chunks where pg_temp.peek(content)",
        "select count(*) from braid_store.documents d join braid_store.chunks c using (tenant_id) where"
        " pg_temp.peek(d::text || c::text)",
        "select count(*) from braid_store.postings where pg_temp.peek(lexeme)",
    ):
        insider.execute(statement)
    assert len(said) > 10
    assert [text for text in said if any(word in text for word in PRIVATE)] == []
    # A row of the other tenant would cause a division by zero.
    insider.execute("select 1 / (tenant_id - %s) from braid_store.chunks", (world.tenant_ids["beta"],))


def test_internals_called_for_another_tenant_give_nothing(world: World, insider: Connection) -> None:
    """Internal functions called for another tenant give nothing. Policies bind the functions that run with the
    caller's rights, and privileges bind the functions that write."""
    functions = world.admin.execute(
        """
        select p.proname,
          array(select case
                  when n.name = 'tenant_id' then %(beta)s::text
                  when n.name = 'collection_id' then (select id::text from braid_store.collections where name = 'small')
                  when t.type = 'braid_store.collections' then '(braid_store.find_collection(''small''))'
                  when t.type = 'braid_store.vector_spaces' then
                  '(select s from braid_store.vector_spaces s where s.dimensions = 3)'
                  when n.name = 'collection' then '''small'''
                  when t.type = 'braid_store.query_condition[]' then
                  'array[(1, false, false, ''{zebrafish}'', ''{0}'')::braid_store.query_condition]'
                  when t.type = 'braid_store.query_token[]' then
                  'braid_store.query_tokens(''zebrafish discount'', ''english'', true)'
                  when t.type = 'braid_store.text_query' then
                  '(''{zebrafish,discount}'', ''{1,1}'', ''{1,2}'', ''{1,2}'', 1, ''{}'', ''{}'', ''{}'', 10, 10,'
                  ' ''{1,1}'', ''{1,1}'', ''{zebrafish,discount}'', ''{}'', ''{}'', ''{}'', true, ''{}'')'
                  '::braid_store.text_query'
                  when n.name = 'query_set' then '''asked'''
                  when n.name = 'lexeme' and p.proname = 'written_word' then '''zebrafish'''
                  when n.name = 'lexeme' then '''zebrafsh'''
                  when n.name = 'table_name' then '''postings_a'''
                  when n.name = 'predicate' then '''true'''
                  when t.type = 'braid_store.filter' then
                  '(''true'', ''select c.id from braid_store.chunks c where c.tenant_id = $1'', true, null, null, null)'
                  '::braid_store.filter'
                  when t.type = 'braid_store.search_request' then %(request)s
                  when t.type = 'braid_store.serving_shard' then
                  '(1, ''vector'', 1, 1, 1, true, 0, 1, true, ''halfvec'', .5, 1)::braid_store.serving_shard'
                  when n.name = 'prefix' then '''zebr'''
                  when n.name = 'absent_terms' then '''{}'''
                  when n.name = 'query_text' or t.type = 'text' and n.name in ('text_query') then
                  '''zebrafish discount'''
                  when n.name = 'text_config' then '''english'''
                  when n.name = 'match' then '''any'''
                  when n.name in ('lexemes') then 'array[''zebrafish'', ''discount'']'
                  when t.type = 'braid_store.fused_candidate[]' then 'array[]::braid_store.fused_candidate[]'
                  when t.type = 'braid_store.search_result[]' then 'array[]::braid_store.search_result[]'
                  when t.type = 'braid_store.found_candidates'
                  then '(''{}'', ''{}'', null, null, null, null, null, null, null, null)'
                  when t.type = 'braid_store.ranked_candidates' then '(''{}'', ''{}'', null, null, null, null)'
                  when t.type = 'braid_store.boost[]' then
                  'array[(''a'', ''c.importance'', true, 1), (''b'', ''c.importance'', false, 1)]::braid_store.boost[]'
                  when n.name = 'weights' and t.type = 'jsonb' then '''{"importance": 1}'''
                  when n.name in ('weights') then 'array[1, 1]::float8[]'
                  when n.name in ('word_numbers') then 'array[1, 2]'
                  when n.name in ('match_count', 'candidate_count', 'required_words', 'chunk_count',
                  'max_posting_count', 'depth',
                                  'conditions') then '1'
                  when n.name = 'average_length' then '10'
                  when n.name = 'chunk_ids' then %(chunks)s
                  when n.name = 'segment_ids' then %(segments)s
                  when n.name = 'storage' then '''vector'''
                  when n.name = 'distance' then '''cosine'''
                  when n.name = 'stats' then '''{"mode": "hybrid", "terms": [], "dropped_terms": []}'''
                  when t.type like '%%.vector' or t.type = 'vector' then '''[1,0,0]'''
                  else 'null' end
                from unnest(p.proargnames) with ordinality n (name, place),
                     lateral (select format_type(p.proargtypes[(n.place - 1)::int], null) as type) t
                where n.place <= p.pronargs order by n.place) as arguments
        from pg_proc p
        where p.pronamespace = 'braid_store'::regnamespace and not p.prosecdef
          and p.proargnames && '{tenant_id,request}'
        """,
        {
            "beta": world.tenant_ids["beta"],
            "chunks": "array[" + ",".join(map(str, world.chunk_ids("beta"))) + "]::bigint[]",
            "request": REQUEST % world.tenant_ids["beta"],
            "segments": "array(select generate_series(1, 100)::bigint)",
        },
    ).fetchall()
    assert len(functions) > 12
    before = world.fingerprint("beta")
    worked = set()
    empty = {"full_text_candidates", "demanded_by_index", "filtered_chunk_ids", "found_chunk_ids"}
    for name, arguments in functions:
        try:
            rows = insider.execute(f"select * from braid_store.{name}({', '.join(arguments)})").fetchall()
        except (psycopg.errors.InsufficientPrivilege, psycopg.errors.InvalidParameterValue):
            continue
        except psycopg.errors.UndefinedObject:
            # Both tenants have a query set of this name.
            assert name in ("find_query_set", "lock_query_set"), name
            continue
        except psycopg.errors.UndefinedTable:
            # Alpha has no shard.
            assert name in (
                "nearest_indexed",
                "indexed_candidates",
                "nearest_exact",
                "nearest_among",
                "nearest_plain",
                "spread_candidates",
                "stored_embeddings",
                "vectors_of",
                "remove_from_shard",
                "shard_order",
            ), name
            continue
        worked.add(name)
        if name == "query_terms":
            # The query's own words occur nowhere.
            assert {row[-2:] for row in rows} == {(0, 0)}
        elif name == "compile_query":
            assert rows[0][:4] == ([], [], [], [])
        elif name == "written_word":
            assert rows == [(None,)]
        elif name == "hide_lexemes":
            assert rows[0][0] == ["zebrafish", "discount"]  # the row is the query
        elif name in ("match_typos", "match_alternatives"):
            assert rows[0][1] == []  # the rest repeats the query
        elif name == "compile_request":
            assert "({},{},{},{}," in str(rows[0])
        elif name == "find_candidates":
            assert rows[0][:3] == ("{}", "{}", "exact")
        elif name == "explain_terms":
            assert rows[0][0]["segments"] == 0  # the rest repeats the query
        elif name == "plan_page":
            assert len(rows) == 1  # the row is the request
        elif name.startswith(("extend_request", "choose_strategy", "hide_lexemes")):
            # The row is the request, or the query, with its word.
            assert [word for word in PRIVATE if word in str(rows)] == ["zebrafish"], f"{name} gave {rows}"
        elif name == "explain_rows":
            assert rows == [([],)]
        elif name == "standing_query_terms":
            assert rows == [([], [], None, ["discount", "zebrafish"], [], True)]  # the words of the query
        elif name == "choose_driver":
            assert rows[0][:2] == (["zebrafish", "discount"], [1, 1])
        elif name == "scope_statistics":
            assert rows[0][1] == 0  # the rest repeats the query
        elif name == "export_page":
            assert [row[0].keys() for row in rows] == [{"collection"}]  # a definition is shared by all
        elif name == "segment_scales":
            assert rows == [(None, None, 2048, None)]
        else:
            assert [word for word in PRIVATE if word in str(rows)] == [], f"{name} gave {rows}"
        if name == "index_statistics":
            assert rows == [(0, 0, 0)]
        if name == "lock_for_writing":
            assert rows[0][1] == "small"  # a definition is shared by all
        if name == "semantic_candidates":
            # Alpha has no shard, and no vectors that wait for one.
            assert rows == [("{}", "exact", "(,,,,,f,,,f,,,)")]
        if name in empty:
            # The number of postings read comes from the given query.
            assert rows in ([([],)], [("{}",)], [("{}", False, 10, 0)])
    whole = {"compile_request", "find_candidates"}
    assert worked >= {"index_statistics", "written_word", "semantic_candidates", "query_terms", *whole, *empty}
    assert world.fingerprint("beta") == before


def test_no_statistics_are_shown(world: World, analyst: Connection) -> None:
    world.admin.execute("analyze")
    assert (
        analyst.execute(
            "select tablename, attname from pg_stats where schemaname = 'braid_store' and tablename not in"
            " ('collections', 'indexed_attributes', 'installation', 'model_changes', 'synonyms', 'vector_settings',"
            " 'vector_spaces')"
        ).fetchall()
        == []
    )
    assert (
        world.admin.execute(
            "select a.starelid::regclass from pg_statistic a join pg_attribute t on t.attrelid ="
            " a.starelid and t.attname = 'tenant_id'"
            " join pg_class c on c.oid = a.starelid where c.relnamespace = 'braid_store'::regnamespace"
        ).fetchall()
        == []
    )


def masked(text: str) -> str:
    """Replace a plan's constants, which include the ends of a range made from a prefix."""
    return re.sub(r"'[^']*'", "''", text)


def plan(connection: Connection, statement: str, options: str = "") -> str:
    rows = connection.execute(f"explain ({options}) {statement}" if options else f"explain {statement}").fetchall()
    return masked("\n".join(line for (line,) in rows))


@pytest.fixture
def many(world: World) -> Any:
    """Give beta a word, a speaker and document ids that it has very often."""
    documents = [
        {"external_id": f"mass{number}", "content": "hippogriff " * 3 + str(number), "speaker": "Zoltan"}
        for number in range(2000)
    ]
    world.ingest("beta", documents)
    world.admin.execute("vacuum analyze")
    yield
    with world.admin.transaction():
        world.admin.execute("set local braid.tenant = 'beta'")
        world.admin.execute(
            "select braid.delete_documents(array(select external_id from braid_store.documents"
            " where external_id ^@ 'mass'), 'small')"
        )


def test_estimates_do_not_tell_how_often_others_use_a_word(world: World, insider: Connection, many: None) -> None:
    for column, common, absent in (
        ("lexeme", "hippogriff", "qqqqqqqq"),
        ("lexeme", "hippogriff", "discount"),
    ):
        statement = f"select * from braid_store.postings where {column} = "
        assert plan(insider, f"{statement}'{common}'") == plan(insider, f"{statement}'{absent}'")
    for table, column, common, absent in (
        ("chunks", "speaker", "Zoltan", "Nobody"),
        ("documents", "external_id", "mass1000", "none"),
    ):
        for operator in ("=", "<", ">=", "^@", "like"):
            statement = f"select * from braid_store.{table} where {column} {operator} "
            assert plan(insider, f"{statement}'{common}'") == plan(insider, f"{statement}'{absent}'")


PROBES = [
    "select 1 from braid_store.postings where lexeme = 'zebrafish'",
    "select key from braid_store.tenants where key >= 'beta' and key < 'beta~' order by key",
]


@pytest.mark.parametrize("probe", PROBES)
def test_executed_plans_cannot_be_asked_what_others_have(analyst: Connection, probe: str) -> None:
    """An analyst can neither run nor explain a query on the tables. EXPLAIN ANALYZE would count the rows that a policy
    removes, and show whether the policy was needed. Either would tell whether any tenant has a word or key."""
    for statement in (probe, f"explain {probe}", f"explain analyze {probe}"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            analyst.execute(statement)
