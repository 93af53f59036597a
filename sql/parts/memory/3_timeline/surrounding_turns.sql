create or replace function braid_store.surrounding_turns(
  tenant_id int,
  collection_id int,
  found_ids bigint[],
  context_before int,
  context_after int,
  conversation_key text,
  filters jsonb
)
returns table (chunk_id bigint, conversation jsonb, document_id bigint, place bigint)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Make the planner use the primary key for the lookups below: only its order avoids a sort. While the table is small,
-- other indexes that begin with the tenant seem as cheap, but each lookup would read all rows of the tenant.
set enable_sort = off
set enable_bitmapscan = off
as $$
declare
  c_max_turns constant int := 1000000;
  v_field text := braid_store.conversation_field(conversation_key);
  v_conversations jsonb;
  v_filter jsonb;
  v_member_ids bigint[];
begin
  if conversation_key is not null then
    execute format($query$
      select jsonb_agg(distinct f.conversation)
      from unnest($2) u (chunk_id),
           lateral (
             select %s as conversation from braid_store.chunks c
             where c.tenant_id = $1 and c.id between u.chunk_id and u.chunk_id
             order by c.id
             offset 0
           ) f
      where f.conversation is not null
      $query$, v_field)
    into v_conversations using tenant_id, found_ids;
    if v_conversations is not null then
      v_filter := braid_store.extend_own_filters(
        jsonb_build_object(conversation_key, jsonb_build_object('$in', v_conversations)), filters, collection_id);
      -- Matches belong to their conversation, whatever else parts leave out.
      v_member_ids := array(
        select unnest(found_ids)
        union
        select unnest(braid_store.filtered_chunk_ids(
          tenant_id, collection_id, braid_store.compile_filter(v_filter, tenant_id, collection_id), c_max_turns)));
    end if;
  end if;

  return query execute format($query$
    with matched as (
      select u.chunk_id, m.document_id, m.chunk_index, m.conversation
      from unnest($2) u (chunk_id),
           lateral (
             select c.document_id, c.chunk_index, %1$s as conversation from braid_store.chunks c
             where c.tenant_id = $1 and c.id between u.chunk_id and u.chunk_id
             order by c.id
             offset 0
           ) m
    ), members as (
      select u.chunk_id, m.conversation, u.chunk_id = any ($2) as is_match,
             row_number() over (partition by m.conversation order by m.occurred_at, m.document_id,
               m.chunk_index) as place
      from unnest($5) u (chunk_id),
           lateral (
             select c.occurred_at, c.document_id, c.chunk_index, %1$s as conversation from braid_store.chunks c
             where c.tenant_id = $1 and c.id between u.chunk_id and u.chunk_id
             order by c.id
             offset 0
           ) m
      where m.conversation is not null
    ), near as (
      select m.*,
             max(m.place) filter (where m.is_match) over w as match_before,
             min(m.place) filter (where m.is_match) over (
               partition by m.conversation order by m.place rows between current row
                 and unbounded following) as match_after
      from members m
      window w as (partition by m.conversation order by m.place)
    )
    select n.chunk_id, n.conversation, null::bigint, n.place
    from near n
    where n.place - n.match_before <= $4 or n.match_after - n.place <= $3
    union all
    select distinct n.id, null::jsonb, m.document_id, n.chunk_index::bigint
    from matched m,
         lateral (
           select c.id, c.chunk_index from braid_store.chunks c
           where c.tenant_id = $1 and c.document_id = m.document_id
             and c.chunk_index between m.chunk_index - $3 and m.chunk_index + $4
           order by c.chunk_index
           offset 0
         ) n
    where m.conversation is null
    $query$, v_field)
  using tenant_id, found_ids, context_before, context_after, coalesce(v_member_ids, '{}');
end
$$;

comment on function braid_store.surrounding_turns(int, int, bigint[], int, int, text, jsonb) is
  'Return chunks with the turns before and after them, each once. Turns are ordered by chunk_index in the same '
  'document or, with conversation_key, by time in the same conversation. place: the position in this order. '
  'filters: of the search; turns of a conversation meet its conditions that hold for the whole call.';
