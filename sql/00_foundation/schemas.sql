-- braid is the API and all that is ever exposed; braid_store holds tables and internals.
create schema if not exists braid authorization braid_owner;
create schema if not exists braid_store authorization braid_owner;

comment on schema braid is 'pgbraid: hybrid search in PostgreSQL. The API; see https://github.com/pgbraid/pgbraid';
comment on schema braid_store is 'pgbraid: tables and internals. Not an interface.';
