create or replace function braid_store.pgvector_findings(installed_version text, available_version text)
returns table (severity text, code text, subject text, finding text, reason text, command text)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  with versions as (
    select string_to_array(substring(installed_version from '^[0-9]+(?:[.][0-9]+)*'), '.')::int[] as installed,
           string_to_array(substring(available_version from '^[0-9]+(?:[.][0-9]+)*'), '.')::int[] as available
  )
  select f.*
  from versions v,
       lateral (
         -- The running code comes from the server's files, whatever the extension's version in this database is.
         select 'problem', 'pgvector_faulty', 'pgvector ' || available_version,
                'The server has pgvector ' || available_version || ', which has bugs that later versions fix.',
                k.faults,
                E'-- Install pgvector 0.8.4 or newer on the server, then, in each database:\nalter extension vector '
                  'update;'
         from (
           select string_agg(x.fault, ' ' order by x.fixed) as faults
           from (values
             (array[0, 8, 2],
               'Before 0.8.2, a role that may create an HNSW index can use it to read other tables'' data, or crash '
               'the server (CVE-2026-3172).'),
             (array[0, 8, 4],
               'Before 0.8.4, a vacuum of an HNSW index can fail with "hnsw graph not repaired" while rows are '
               'written, so that the index''s space is never reused.')
           ) x (fixed, fault)
           where coalesce(v.available, v.installed) < x.fixed
         ) k
         where k.faults is not null
         union all
         select 'advice', 'pgvector_not_updated', 'pgvector ' || installed_version,
                format('The extension has version %s in this database, but the server has version %s.',
                       installed_version, available_version),
                'Functions and operators of the newer version are missing until the extension is updated.',
                'alter extension vector update;'
         where v.installed < v.available
       ) f;
$$;

comment on function braid_store.pgvector_findings(text, text) is
  'Find what is wrong with the version of pgvector. installed_version: the extension''s version that this database '
  'has. available_version: the version of the server''s files; null if they cannot be seen. Its changelog tells of '
  'the faults: github.com/pgvector/pgvector/issues/959 and 993.';
