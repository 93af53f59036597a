-- role: writer
create or replace function braid_calls.lease_matches(match_count int, lease interval, collection text)
returns table (
  match_id bigint,
  name text,
  kind text,
  document_id bigint,
  external_id text,
  chunk_id bigint,
  chunk_index int,
  matched_at timestamptz
)
language plpgsql
volatile
parallel unsafe
security definer
rows 100
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
-- Make the planner read the primary key in its order, as in lease_embedding_jobs.
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  c_most_examined constant int := 10000;
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection_id int := (braid_store.find_collection(lease_matches.collection)).id;
  v_examined bigint[] := '{0}'; -- matches that are tested together, in the order of their ids
  v_ids bigint[] := '{}';
begin
  if (lease_matches.match_count between 1 and 10000) is not true then
    raise exception 'match_count is %', coalesce(lease_matches.match_count::text, 'null')
      using errcode = '22023', hint = 'Use 1 to 10000.';
  elsif (lease_matches.lease > interval '0') is not true then
    raise exception 'lease is %', coalesce(lease_matches.lease::text, 'null')
      using errcode = '22023', hint = 'Use the time that your work with the matches takes, such as ''5 minutes''.';
  end if;
  loop
    v_examined := array(
      select m.id
      from braid_store.standing_query_matches m
      where m.tenant_id = v_tenant_id and m.collection_id = v_collection_id
        and (m.claimed_until is null or m.claimed_until < clock_timestamp())
        and m.id > v_examined[cardinality(v_examined)]
      order by m.id
      limit greatest(lease_matches.match_count, least(4 * cardinality(v_examined), c_most_examined)));
    v_ids := v_ids || array(
      select m.id
      from unnest(braid_store.visible_matches(v_tenant_id, v_collection_id, v_examined)) u (id),
           lateral (
             select m.id from braid_store.standing_query_matches m
             where m.tenant_id = v_tenant_id and m.collection_id = v_collection_id
               and m.id between u.id and u.id
               and (m.claimed_until is null or m.claimed_until < clock_timestamp())
             order by m.id
             for update skip locked
             offset 0
           ) m
      limit lease_matches.match_count - cardinality(v_ids));
    exit when v_examined = '{}' or cardinality(v_ids) = lease_matches.match_count;
  end loop;
  update braid_store.standing_query_matches m
  set claimed_until = clock_timestamp() + least(lease_matches.lease, interval '100 years')
  where m.tenant_id + 0 = v_tenant_id and m.ctid = any (array(
    select m.ctid
    from unnest(v_ids) u (id),
         lateral (
           select m.ctid from braid_store.standing_query_matches m
           where m.tenant_id = v_tenant_id and m.collection_id = v_collection_id
             and m.id between u.id and u.id
           order by m.id
           offset 0
         ) m));

  return query
  select m.id, q.name, m.kind, d.id, d.external_id, m.chunk_id, c.chunk_index, m.matched_at
  from unnest(v_ids) with ordinality u (id, place),
       lateral (
         select m.* from braid_store.standing_query_matches m
         where m.tenant_id = v_tenant_id and m.collection_id = v_collection_id
           and m.id between u.id and u.id
         order by m.id
         offset 0
       ) m,
       lateral (
         select q.name from braid_store.standing_queries q
         where q.tenant_id = v_tenant_id and q.collection_id = v_collection_id
           and q.id between m.query_id and m.query_id
         order by q.id
         offset 0
       ) q,
       lateral (
         select c.document_id, c.chunk_index from braid_store.chunks c
         where c.tenant_id = v_tenant_id and c.id between m.chunk_id and m.chunk_id
         order by c.id
         offset 0
       ) c,
       lateral (
         select d.id, d.external_id from braid_store.documents d
         where d.tenant_id = v_tenant_id and d.id between c.document_id and c.document_id
         order by d.id
         offset 0
       ) d
  order by u.place;
end
$$;

comment on function braid_calls.lease_matches(int, interval, text) is 'Do the work of braid.claim_matches.';
