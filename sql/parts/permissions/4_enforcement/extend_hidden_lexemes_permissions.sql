create or replace function braid_store.extend_hidden_lexemes_permissions(
  tenant_id int,
  collection braid_store.collections,
  lexemes text[]
)
returns text[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  c_sample constant int := 256;
  v_bounds bigint[];
  v_word record;
  v_query braid_store.text_query;
  v_filter braid_store.filter;
  v_hidden text[] := '{}';
begin
  if lexemes = '{}' or (collection.parts -> 'permissions')::boolean is not true
     or not exists (select from braid_store.access_lists l
                    where l.tenant_id = extend_hidden_lexemes_permissions.tenant_id) then
    return null;
  end if;
  v_bounds := braid_calls.readable_bounds();
  if v_bounds = '{0}' then
    return null;
  end if;
  for v_word in
    select u.lexeme, (
             select bool_and(p.elements is not null) and sum(p.posting_count) <= c_sample
             from braid_store.postings p
             where p.tenant_id = extend_hidden_lexemes_permissions.tenant_id
               and p.collection_id = (extend_hidden_lexemes_permissions.collection).id and p.lexeme = u.lexeme
               and p.posting_count > 0) as is_sampled_whole
    from (select distinct l collate "C" as lexeme from unnest(extend_hidden_lexemes_permissions.lexemes) l) u
    -- Most words have a readable chunk among their first.
    where not exists (
      select
      from (
             select p.segment_id, e.element >> braid_store.impact_bits() as chunk_number
             from (
                    select p.segment_id, p.elements[:c_sample] as elements from braid_store.postings p
                    where p.tenant_id = extend_hidden_lexemes_permissions.tenant_id
                      and p.collection_id = (extend_hidden_lexemes_permissions.collection).id and p.lexeme = u.lexeme
                      and p.elements is not null
                    offset 0
                  ) p,
                  unnest(p.elements) e (element)
             limit c_sample
           ) s,
           lateral (
             select coalesce(g.first_chunk_id + s.chunk_number - 1, (
                      select sc.chunk_id from braid_store.segment_chunks sc
                      where sc.tenant_id = extend_hidden_lexemes_permissions.tenant_id
                        and sc.collection_id = (extend_hidden_lexemes_permissions.collection).id
                        and sc.segment_id = s.segment_id and sc.chunk_number between s.chunk_number and s.chunk_number
                      order by sc.chunk_number
                      limit 1)) as chunk_id
             from braid_store.segments g
             where g.tenant_id = extend_hidden_lexemes_permissions.tenant_id
               and g.collection_id = (extend_hidden_lexemes_permissions.collection).id and g.id = s.segment_id
             offset 0
           ) i,
           lateral (
             select from braid_store.chunks c
             where c.tenant_id = extend_hidden_lexemes_permissions.tenant_id and c.id between i.chunk_id and i.chunk_id
               and (c.access_list_id is null or width_bucket(c.access_list_id, v_bounds) % 2 = 1)
             order by c.id
             offset 0
           ) c)
  loop
    if v_word.is_sampled_whole is not true then
      v_filter := coalesce(v_filter, braid_store.extend_filter_permissions(braid_store.no_filter(), tenant_id,
                                                                           collection.id));
      v_query := braid_store.compile_query(
        tenant_id, collection,
        array[row(1, 1, 'should', 'word', 1, v_word.lexeme, 'word', v_word.lexeme)::braid_store.query_token], 'any');
      continue when v_word.lexeme = any (v_query.lexemes) and cardinality((braid_store.full_text_candidates(
        tenant_id, collection, v_query, v_filter, null, 1)).candidates) > 0;
    end if;
    v_hidden := v_hidden || v_word.lexeme;
  end loop;
  return v_hidden;
end
$$;

comment on function braid_store.extend_hidden_lexemes_permissions(int, braid_store.collections, text[]) is
  'Return the lexemes, among given ones, that no readable chunk has; null if the session reads all. The lists of '
  'rare words are read whole, and of others the beginning. Where nothing there can be read, a search decides.';
