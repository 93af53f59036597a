"""Every table and view has an owner, a policy and a key, and its statistics leak nothing."""

from __future__ import annotations

from typing import Any

from support.api import OBJECTS
from support.api import TABLES as FACTS
from support.api import tables as by_policy
from support.parts import is_installed
from support.roles import definer_role, owner_role

DEFINITIONS = by_policy("definition")
CLOSED = by_policy("owner")
# All tenants share these definitions and the list of tenants.
REFERENCE = DEFINITIONS | CLOSED | {"tenants"}
# Definitions have small ids; everything that tenants store has a bigint id.
# The part permissions has these policies: the condition, and the roles that it binds.
_LISTS = "((access_list_id IS NULL) OR ((width_bucket(access_list_id, ( SELECT braid_calls.readable_bounds() AS"
_LISTS += " readable_bounds)) % 2) = 1))"
_ALL = "( SELECT braid_calls.sees_all() AS sees_all)"
RESTRICTED = {
    "documents": (_LISTS, "{-}"),
    "chunks": (_LISTS, "{-}"),
    "search_log": (_ALL, "{braid_reader}"),
    "search_feedback": (_ALL, "{braid_reader}"),
}
SMALL_IDS = {
    f"{table}.id"
    for table in (
        "tenants",
        "collections",
        "due_collections",
        "vector_spaces",
        "indexed_attributes",
        "sparse_encoders",
        "static_embedders",
        "vector_shards",
        "synced_tables",
    )
    if table in FACTS
}

TABLES = """
select c.oid, c.relname as name, c.relkind as kind, c.relispartition as is_partition,
c.relowner::regrole::text as owner,
  c.relrowsecurity as has_security, c.relforcerowsecurity as is_forced,
  coalesce(obj_description(c.oid, 'pg_class'), '') as comment,
  (select count(*) from pg_policy p where p.polrelid = c.oid) as policies,
  array(select a.attname::text from pg_index i cross join unnest(i.indkey) with ordinality k (attnum, place)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
        where i.indrelid = c.oid and i.indisprimary order by k.place) as primary_key
from pg_class c
where c.relnamespace = 'braid_store'::regnamespace and c.relkind in ('r', 'p')
order by c.relname
"""


def tables(catalog: Any) -> list[Any]:
    return [table for table in catalog.execute(TABLES) if "yoyo" not in table.name]


def test_tables_are_in_the_internal_schema(catalog: Any) -> None:
    kinds = catalog.execute(
        "select relname from pg_class where relnamespace = 'braid'::regnamespace and relkind in ('r', 'p', 'm')"
    )
    assert kinds.fetchall() == []
    assert len(tables(catalog)) > 15


def test_manifests_name_every_table(catalog: Any) -> None:
    found = {t.name for t in tables(catalog) if not t.is_partition and not t.name.startswith("vectors_")}
    assert found == FACTS.keys(), "see Change a table in docs/internals/contributing.md"
    words = {"policy", "definer", "reader", "writer", "cluster", "emptied", "is_exported"}
    assert {name: unknown for name, facts in FACTS.items() if (unknown := facts.keys() - words)} == {}


def test_every_table_belongs_to_the_owner_role(catalog: Any) -> None:
    owner = owner_role(catalog)
    assert {t.name: t.owner for t in catalog.execute(TABLES) if t.owner != owner} == {}


def test_row_security_is_enabled_and_not_forced(catalog: Any) -> None:
    assert [t.name for t in catalog.execute(TABLES) if not t.has_security or t.is_forced] == []


def test_every_table_has_one_policy_for_each_role(catalog: Any) -> None:
    expected = {True: 2, False: 1}
    limited = RESTRICTED if is_installed("braid.set_permissions") else {}
    wrong = {
        t.name: t.policies
        for t in catalog.execute(TABLES)
        if t.policies != expected[t.name in DEFINITIONS] + (t.name in limited)
    }
    assert wrong == {}


def test_policies_compare_the_tenant(catalog: Any) -> None:
    rows = catalog.execute(
        "select c.relname as name, p.polname as policy, p.polcmd as command, p.polpermissive as permissive,"
        " p.polroles::regrole[]::text as roles,"
        " pg_get_expr(p.polqual, p.polrelid) as condition, pg_get_expr(p.polwithcheck, p.polrelid) as write_condition"
        " from pg_policy p join pg_class c on c.oid = p.polrelid where c.relnamespace = 'braid_store'::regnamespace"
    ).fetchall()
    definer, wrong = definer_role(catalog), {}
    for policy in rows:
        roles = "{-}"
        if policy.name in RESTRICTED and policy.policy == "access":
            # It narrows what the policy of the tenant shows.
            columns, roles = RESTRICTED[policy.name]
            is_right = policy.command == "r" and policy.condition == columns
            if not (is_right and not policy.permissive and policy.roles == roles and policy.write_condition is None):
                wrong[policy.name, policy.policy] = policy
            continue
        if policy.name in DEFINITIONS and policy.policy == "definitions":
            roles = f"{{{definer}}}"
            is_right = policy.command == "r" and policy.condition == "true"
        elif policy.name in DEFINITIONS:
            roles = "{braid_reader}"
            is_right = policy.command == "r" and "( SELECT braid_calls.login_is_known()" in policy.condition
        elif policy.name in CLOSED or "yoyo" in policy.name:
            is_right = policy.command == "r" and policy.condition == "false"
        else:
            column = "id" if policy.name == "tenants" else "tenant_id"
            is_right = (
                policy.command == "*"
                and policy.condition.startswith(f"({column} = ")
                and "braid_calls.session_tenant_id()" in policy.condition
                and " or " not in policy.condition.lower()
            )
        if not (is_right and policy.permissive and policy.roles == roles and policy.write_condition is None):
            wrong[policy.name, policy.policy] = policy
    assert wrong == {}


def test_every_table_and_type_has_a_comment(catalog: Any) -> None:
    assert [t.name for t in tables(catalog) if not t.comment.strip()] == []
    types = catalog.execute(
        "select t.typname from pg_type t join pg_class c on c.oid = t.typrelid where c.relkind in ('c', 'v')"
        " and c.relnamespace::regnamespace::text in ('braid', 'braid_store')"
        " and coalesce(obj_description(t.oid, 'pg_type'), obj_description(c.oid, 'pg_class'), '') = ''"
    )
    assert types.fetchall() == []


def test_every_column_that_readers_see_has_a_comment(catalog: Any) -> None:
    rows = catalog.execute(
        """
        select c.oid::regclass || '.' || a.attname as name, col_description(c.oid, a.attnum) as comment
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relnamespace::regnamespace::text in ('braid', 'braid_store')
          and case when c.relkind = 'c' then has_type_privilege('braid_reader', c.reltype, 'USAGE')
                   when c.relkind in ('r', 'p', 'v')
                     then has_column_privilege('braid_reader', c.oid, a.attnum, 'SELECT') end
        """
    ).fetchall()
    seen = {row.name for row in rows}
    assert {"braid.collections.name", "braid_store.collections.k1", "braid.search_result.score"} <= seen
    assert [row.name for row in rows if not row.comment] == []


def test_primary_keys_begin_with_the_tenant(catalog: Any) -> None:
    wrong = {}
    for table in tables(catalog):
        expected = table.primary_key[:1] if table.name in REFERENCE else ["tenant_id"]
        if not table.primary_key or table.primary_key[: len(expected)] != expected:
            wrong[table.name] = table.primary_key
    assert wrong == {}


def test_clears_and_drops_know_every_table_of_a_collection(catalog: Any) -> None:
    rows = catalog.execute(
        """
        select c.relname as name
        from pg_class c
        where c.relnamespace = 'braid_store'::regnamespace and c.relkind in ('r', 'p')
          and 2 = (select count(*) from pg_attribute a
                   where a.attrelid = c.oid and a.attname in ('tenant_id', 'collection_id') and not a.attisdropped)
        """
    ).fetchall()
    (emptied,) = catalog.execute("select braid_store.collection_tables()").fetchone()
    # Maintenance settles notes, and shards are retired. The search log outlives the documents.
    others = {"due_parts", "vector_shards", "search_log", "search_feedback", "search_hours"}
    others |= {name for name, facts in FACTS.items() if facts.get("emptied") == "drop"}
    assert {row.name for row in rows} - others == set(emptied)


def test_every_index_has_the_tenant(catalog: Any) -> None:
    """Every index contains tenant_id. Without it, another tenant's row could make a write fail, and EXPLAIN ANALYZE
    would count the other tenants' rows that an index scan finds. It need not come first, because the policy's
    condition is an index condition at any position."""
    rows = catalog.execute(
        "select i.indexrelid::regclass::text as index, c.relname as name, array_agg(a.attname::text) as columns"
        " from pg_index i join pg_class c on c.oid = i.indrelid"
        " left join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)"
        " where c.relnamespace = 'braid_store'::regnamespace and c.relname not like '%yoyo%' group by 1, 2"
    ).fetchall()
    assert "braid_store.vectors_1_hnsw" in {r.index for r in rows}  # a shard has rows of one tenant only
    rows = [r for r in rows if not r.index.endswith("_hnsw")]
    wrong = [r.index for r in rows if r.name not in REFERENCE | {"tenant_members"} and "tenant_id" not in r.columns]
    assert wrong == []


def test_foreign_keys_are_indexed_and_only_where_designed(catalog: Any) -> None:
    rows = catalog.execute(
        """
        select k.conrelid::regclass::text as source, k.confrelid::regclass::text as target,
          exists (select from pg_index i where i.indrelid = k.conrelid
                  and (i.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey) as is_indexed
        from pg_constraint k
        where k.contype = 'f' and k.connamespace = 'braid_store'::regnamespace and k.conparentid = 0
        """
    ).fetchall()
    assert [row for row in rows if not row.is_indexed] == []
    # Tenants' rows reference no other small tables, because every write would lock their rows.
    designed = {
        ("braid_store.access_settings", "braid_store.tenants"),
        ("braid_store.tenant_members", "braid_store.tenants"),
        ("braid_store.collections", "braid_store.vector_spaces"),
        ("braid_store.indexed_attributes", "braid_store.collections"),
        ("braid_store.synonyms", "braid_store.collections"),
        ("braid_store.ranking_versions", "braid_store.collections"),
        ("braid_store.sparse_encoder_terms", "braid_store.sparse_encoders"),
        ("braid_store.static_embedder_letters", "braid_store.static_embedders"),
        ("braid_store.static_embedder_tokens", "braid_store.static_embedders"),
        ("braid_store.model_changes", "braid_store.collections"),
        ("braid_store.dropped_spaces", "braid_store.collections"),
        ("braid_store.chunks", "braid_store.documents"),
    }
    there = {f"braid_store.{table}" for table in FACTS}
    assert {(row.source, row.target) for row in rows} == {key for key in designed if there.issuperset(key)}


def test_no_statistics_are_kept_on_what_tenants_store(catalog: Any) -> None:
    rows = catalog.execute(
        """
        select c.relname || '.' || a.attname as name, coalesce(a.attstattarget, -1) as target
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relnamespace = 'braid_store'::regnamespace and c.relkind in ('r', 'p')
          and exists (select from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id')
        """
    ).fetchall()
    assert len(rows) > 80
    assert [row.name for row in rows if row.target != 0] == []
    extended = catalog.execute("select stxname from pg_statistic_ext where stxnamespace = 'braid_store'::regnamespace")
    assert extended.fetchall() == []


def test_generated_ids_are_never_given_by_a_caller_nor_run_out(catalog: Any) -> None:
    rows = catalog.execute(
        """
        select c.relname || '.' || a.attname as name, a.attidentity as identity, a.atttypid::regtype::text as type
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
        where c.relnamespace = 'braid_store'::regnamespace and c.relkind in ('r', 'p') and c.relname not like '%yoyo%'
          and (a.attidentity <> '' or pg_get_expr(d.adbin, d.adrelid) like '%nextval%')
        """
    ).fetchall()
    assert {row.name for row in rows} >= SMALL_IDS | {"documents.id", "chunks.id", "segments.id"}
    assert [row for row in rows if row.identity != "a"] == []
    assert {row.name for row in rows if row.type != "bigint"} == SMALL_IDS


def test_ids_of_tenant_rows_are_bigint_wherever_they_appear(catalog: Any) -> None:
    rows = catalog.execute(
        "select c.relname || '.' || a.attname as name, a.atttypid::regtype::text as type"
        " from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0"
        " where c.relnamespace::regnamespace::text in ('braid', 'braid_store') and c.relkind in ('r', 'p', 'c')"
        " and a.attname in ('chunk_id', 'document_id', 'segment_id')"
    ).fetchall()
    assert len(rows) > 8
    assert [row for row in rows if row.type != "bigint"] == []


def test_no_triggers_rules_or_defaults_outside_the_catalog(catalog: Any) -> None:
    triggers = catalog.execute(
        "select t.tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid"
        " where c.relnamespace = 'braid_store'::regnamespace and not t.tgisinternal"
    )
    assert triggers.fetchall() == []


def test_views_check_the_callers_rights(catalog: Any) -> None:
    views = catalog.execute(
        "select c.oid::regclass::text as name, coalesce(c.reloptions, '{}') as options,"
        " c.relowner::regrole::text as owner from pg_class c"
        " where c.relkind = 'v' and c.relnamespace::regnamespace::text in ('braid', 'braid_store')"
    ).fetchall()
    assert {view.name for view in views} == {name for name, h in OBJECTS.items() if h.kind == "view"}
    owner = owner_role(catalog)
    assert [view for view in views if "security_invoker=true" not in view.options or view.owner != owner] == []
