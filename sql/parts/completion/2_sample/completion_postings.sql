create or replace function braid_store.completion_postings(
  tenant_id int,
  collection braid_store.collections,
  word text,
  context_words text[],
  chunk_count bigint,
  max_count int,
  among bigint[]
)
returns bigint[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  -- A lexeme that more than this share of the chunks have is found by reading any chunks. A list of 20000 is short.
  c_common_share constant float8 := 0.05;
  c_short_list constant int := 20000;
  v_common float8 := greatest(chunk_count * c_common_share, c_short_list);
  v_lexemes text[];
  v_counts int[];
  v_frequency float8;
  v_context text;
  v_context_frequency bigint;
begin
  if word <> '' then
    -- Each lexeme has a share, and frequent ones have more.
    select array_agg(l.lexeme), array_agg(greatest(3, max_count * l.document_frequency / l.total)::int), min(l.total)
    into v_lexemes, v_counts, v_frequency
    from (
      select l.lexeme, l.document_frequency, sum(l.document_frequency) over () as total
      from braid_store.prefix_lexemes(tenant_id, collection.id, word, collection.text_config,
                                      collection.fold_diacritics) l
      where l.document_frequency <= v_common
    ) l;
  end if;
  -- The rarest word typed before tells most about the text.
  select t.lexeme, f.document_frequency into v_context, v_context_frequency
  from braid_store.tokenize(context_words, collection.text_config, collection.fold_diacritics) t,
       lateral (
         select sum(p.document_frequency) as document_frequency from braid_store.postings p
         where p.tenant_id = completion_postings.tenant_id and p.collection_id = completion_postings.collection.id
           and p.lexeme = t.lexeme
         offset 0
       ) f
  where t.kind in ('word', 'compound', 'bigram', 'stop_word') and f.document_frequency between 1 and v_common
  order by t.kind = 'stop_word', t.text_number = cardinality(context_words) desc, f.document_frequency
  limit 1;
  -- The rarer ones come first.
  return case when v_context_frequency <= v_frequency is not false and v_context is not null
              then braid_store.sampled_postings(tenant_id, collection.id, array[v_context], array[max_count], among) end
    || case when v_lexemes is not null
            then braid_store.sampled_postings(tenant_id, collection.id, v_lexemes, v_counts, among) end
    || case when v_context_frequency > v_frequency
            then braid_store.sampled_postings(tenant_id, collection.id, array[v_context], array[max_count], among) end;
end
$$;

comment on function braid_store.completion_postings(int, braid_store.collections, text, text[], bigint, int, bigint[])
is
  'Return about max_count chunks of the rarest word in context_words, and as many of the lexemes that begin with the '
  'word. The rarer come first. among: leave out other chunks, unless it is null. Return null if neither has a list '
  'that is worth reading.';
