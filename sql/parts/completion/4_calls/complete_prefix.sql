-- role: reader
create or replace function braid_calls.complete_prefix(
  prefix text,
  filters jsonb,
  collection text,
  match_count int,
  kinds text[]
)
returns table (completion text, kind text, frequency int)
language plpgsql
stable
parallel unsafe
security definer
rows 10
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_sort = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  c_max_prefix constant int := 1000;
  c_max_word constant int := 100;
  c_max_chunks constant int := 64;
  c_max_chunks_of_letter constant int := 32;
  c_most_words constant int := 4;
  c_most_letters constant int := 6; -- This is the length of a phrase in scripts without spaces.
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection braid_store.collections;
  v_filter braid_store.filter;
  v_typed text := normalize(complete_prefix.prefix, nfc);
  v_parts record;
  v_chunk_ids bigint[];
begin
  if v_typed is null then
    raise exception 'prefix is null'
      using errcode = '22023', hint = 'Give the text that was typed; an empty text has no completions.';
  elsif length(v_typed) > c_max_prefix then
    raise exception 'prefix has % characters, more than %', length(v_typed), c_max_prefix
      using errcode = '54000', hint = 'Give the end of the text that was typed.';
  elsif (complete_prefix.match_count between 1 and 100) is not true then
    raise exception 'match_count is %', coalesce(complete_prefix.match_count::text, 'null')
      using errcode = '22023', hint = 'Use 1 to 100.';
  elsif coalesce(cardinality(complete_prefix.kinds), 0) = 0
        or (complete_prefix.kinds <@ '{word,phrase,title}') is not true then
    raise exception 'kinds is %', coalesce(left(complete_prefix.kinds::text, 100), 'null')
      using errcode = '22023', hint = 'Give one or several of word, phrase and title: {word,title}.';
  end if;
  v_collection := braid_store.find_collection(complete_prefix.collection);
  v_filter := braid_store.compile_filter(complete_prefix.filters, v_tenant_id, v_collection.id);

  v_parts := braid_store.read_typed(v_typed, v_tenant_id, v_collection);
  if length(v_parts.word) > c_max_word or v_parts.word = '' and v_parts.context = '{}' then
    return;
  end if;
  v_chunk_ids := braid_store.completion_sample(
    v_tenant_id, v_collection, v_filter, case when v_parts.is_unspaced then '' else v_parts.word end,
    v_parts.context || case when v_parts.is_unspaced then array[v_parts.word] else '{}' end,
    case when length(v_parts.word) = 1 and not v_parts.is_unspaced then c_max_chunks_of_letter else c_max_chunks end);

  return query
  with titles as materialized (
    select t.title as completion, 'title' as kind,
           row_number() over (order by t.frequency desc, length(t.title), t.title collate "C") as place, t.frequency
    from braid_store.completed_titles(v_tenant_id, v_collection, v_chunk_ids, v_typed) t
    where 'title' = any (complete_prefix.kinds)
  ), words as materialized (
    select v_parts.before || w.completion as completion, w.kind, w.place, w.frequency
    from braid_store.completed_words(
      v_tenant_id, v_collection, v_chunk_ids, v_parts.word, v_parts.context, v_parts.is_unspaced,
      case when v_parts.is_unspaced then c_most_letters when 'phrase' = any (complete_prefix.kinds) then c_most_words
           else 1 end,
      -- A title stands for the same words.
      array(select substr(braid_store.token_lower(t.completion), length(v_parts.before) + 1) from titles t
            where starts_with(braid_store.token_lower(t.completion), braid_store.token_lower(v_parts.before))),
      complete_prefix.match_count) w
    where w.kind = any (complete_prefix.kinds)
  ), chosen as materialized (
    -- Each kind has its share.
    select c.*
    from (select * from titles union all select * from words) c
    order by c.place, array_position(complete_prefix.kinds, c.kind)
    limit complete_prefix.match_count
  )
  select c.completion, c.kind, c.frequency from chosen c
  order by array_position(complete_prefix.kinds, c.kind), c.place;
end
$$;

comment on function braid_calls.complete_prefix(text, jsonb, text, int, text[]) is
  'Do the work of braid.complete, for the tenant of the session. The work has a bound, however many chunks there are.';
