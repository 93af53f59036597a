"""Show what is installed and stored: pgbraid status."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from pgbraid._version import __version__
from pgbraid.cli.options import dsn_option, json_option, tenant_option
from pgbraid.cli.output import table
from pgbraid.display import clean_lines

if TYPE_CHECKING:
    from pgbraid.install.state import Connection


@click.command(short_help="Show versions and what is stored.")
@dsn_option
@tenant_option
@json_option
def status(dsn: str | None, tenant: str, as_json: bool) -> None:
    """Show versions, pending migrations and what the collections hold."""
    import psycopg

    from pgbraid._dsn import find_dsn

    with psycopg.connect(find_dsn(dsn), autocommit=True) as connection:
        facts = _facts(connection, tenant)
    click.echo(json.dumps(facts, indent=2, default=str) if as_json else clean_lines(_text(facts)))


def _facts(connection: Connection, tenant: str) -> dict[str, Any]:
    import psycopg

    from pgbraid.errors import NotInstalledError
    from pgbraid.install import read_installation
    from pgbraid.install.state import changed_functions
    from pgbraid.install.vector import find

    installation = read_installation(connection)
    if installation is None:
        raise NotInstalledError("this database has no pgbraid", hint="run: pgbraid init")
    changed = changed_functions(connection, installation) if installation.is_this_package else []
    extension = find(connection)
    connection.execute("select set_config('braid.tenant', %s, false)", (tenant,))
    nodes = _nodes(connection)
    try:
        row = connection.execute("select braid.status()").fetchone()
        elsewhere = None
    except psycopg.errors.ObjectNotInPrerequisiteState as error:
        if nodes is None:
            raise
        row, elsewhere = None, error.diag.message_primary
    may_measure = connection.execute(MAY_MEASURE.encode()).fetchone() == (True,)
    total, free = (connection.execute(BYTES.encode()).fetchone() if may_measure else None) or (None, None)
    return {
        "package_version": __version__,
        "database_version": installation.version,
        "extension_version": getattr(find(connection, "pgbraid"), "version", None),
        "content_matches": installation.is_this_package and not changed,
        "installed_parts": installation.parts,
        "absent_parts": installation.absent_parts,
        "differing_parts": installation.differing_parts,
        "changed_functions": changed,
        "pending_migrations": installation.pending_migrations,
        "changed_migrations": installation.changed_migrations,
        "unknown_migrations": installation.unknown_migrations,
        "postgresql_version": connection.info.parameter_status("server_version"),
        "pgvector_version": extension.version if extension else None,
        "pgvector_schema": extension.schema if extension else None,
        "bytes": total,
        "free_bytes": free,
        **({} if nodes is None else {"nodes": nodes, "tenant": tenant, "elsewhere": elsewhere}),
        **{key: value for key, value in (row[0] if row else {}).items() if key not in ("version", "parts", "bytes")},
    }


# Sizes need the rights of the tables' owner, and a database of this version.
MAY_MEASURE = """
select pg_catalog.pg_has_role(c.relowner, 'usage')
   and pg_catalog.to_regprocedure('braid_store.relation_sizes()') is not null
from pg_catalog.pg_class c where c.oid = 'braid_store.postings_a'::regclass
"""
# Bytes of all tables, and an estimate of their unused bytes.
BYTES = """
select (select coalesce(sum(pg_catalog.pg_total_relation_size(c.oid)), 0)::bigint
        from pg_catalog.pg_class c where c.relnamespace = 'braid_store'::regnamespace and c.relkind = 'r'),
       (select coalesce(sum(byte_count - needed_byte_count), 0)::bigint
        from braid_store.relation_sizes() where byte_count > 1000000 and byte_count > needed_byte_count)
"""


def _nodes(connection: Connection) -> dict[str, list[str]] | None:
    """Return the tenants of each node; None without a cluster, or for a login that may not see all tenants."""
    import psycopg

    from pgbraid.install.clusters import cluster_of

    cluster = cluster_of(connection)
    if cluster is None:
        return None
    nodes: dict[str, list[str]] = {}
    try:
        for key, _, host, port in cluster.nodes_of_tenants(connection):
            nodes.setdefault(f"{host}:{port}", []).append(key)
    except psycopg.errors.InsufficientPrivilege:
        return None
    return nodes


# Bounds the tenants named for each node, and the functions named as different.
NAMED = 8


def _different(functions: list[str], parts: Sequence[str]) -> str:
    if not functions:
        return "not those of this package" + (f": {', '.join(parts)}" if parts else "")
    named = ", ".join(functions[:NAMED]) + (", ..." if len(functions) > NAMED else "")
    return f"{len(functions)} have other bodies than in this package: {named}"


def _text(facts: dict[str, Any]) -> str:
    states = [(state, facts[f"{state}_migrations"]) for state in ("pending", "changed", "unknown")]
    migrations = "; ".join(f"{state}: {', '.join(names)}" for state, names in states if names)
    parts = [facts["installed_parts"], facts["absent_parts"]]
    different = _different(facts["changed_functions"], facts["differing_parts"])
    kind = ", which is an extension" if facts["extension_version"] else ""
    lines = [
        ("pgbraid", f"package {facts['package_version']}, database {facts['database_version']}{kind}"),
        (
            "parts",
            "; not installed: ".join(", ".join(names) or "none" for names in parts if names or names is parts[0]),
        ),
        ("functions", "as in this package" if facts["content_matches"] else different),
        ("migrations", migrations or "as in this package"),
        ("PostgreSQL", facts["postgresql_version"]),
        ("pgvector", f"{facts['pgvector_version']} in schema {facts['pgvector_schema']}"),
        ("tenant", facts.get("tenant")),
        *(
            ("node", f"{node}: {len(keys)} tenants ({', '.join(keys[:NAMED])}{', …' if len(keys) > NAMED else ''})")
            for node, keys in facts.get("nodes", {}).items()
        ),
        *(("warning", warning["message"]) for warning in facts.get("warnings", [])),
    ]
    if facts["bytes"] is not None:
        lines.append(("size", f"{facts['bytes'] / 1e6:,.0f} MB, {facts['free_bytes'] / 1e6:,.0f} MB of it free"))
    text = [f"{name:<11} {value}" for name, value in lines]
    if not facts["content_matches"]:
        text.append("run: pgbraid upgrade")
    collections = facts.get("collections", [])
    moving = [(found["name"], found["model_change"]) for found in collections if found.get("model_change")]
    elsewhere = facts.get("elsewhere")
    text += ["", *([f"{elsewhere}: give its DSN to see what is stored"] if elsewhere else _table(collections))]
    text += [
        f"{name}: model change from {to['from_model']} to {to['to_model']} ({to['to_dimensions']} dimensions) is"
        f" {to['state'].replace('_', ' ')}; {to['embedded_chunks']} chunks embedded, {to['failed_embeddings']} failed"
        for name, to in moving
    ]
    return "\n".join(text)


COLUMNS = {
    "collection": "name",
    "model": "embedding_model",
    "dimensions": "dimensions",
    "documents": "documents",
    "chunks": "chunks",
    "not embedded": "pending_embeddings",
}


def _table(collections: list[dict[str, Any]]) -> list[str]:
    rows = [list(COLUMNS), *([str(found.get(key, "")) for key in COLUMNS.values()] for found in collections)]
    return table(rows, numbers=frozenset(range(2, len(COLUMNS))))
