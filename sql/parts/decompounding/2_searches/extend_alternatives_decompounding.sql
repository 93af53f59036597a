create or replace function braid_store.extend_alternatives_decompounding(
  tenant_id int,
  collection braid_store.collections,
  tokens braid_store.query_token[],
  query braid_store.text_query,
  options jsonb
)
returns table (
  word text, query_lexeme text, written text, lexeme text, share float8, document_frequency bigint
)
language plpgsql
stable
parallel unsafe
security invoker
rows 5
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  c_collection constant braid_store.collections := extend_alternatives_decompounding.collection;
  c_tenant_id constant int := extend_alternatives_decompounding.tenant_id;
  c_query constant braid_store.text_query := extend_alternatives_decompounding.query;
  c_least_length constant int := 4;
  c_most_length constant int := 64;
  c_long_length constant int := 6;
  c_most_words constant int := 8;
  c_most_compounds constant int := 3; -- Each word has a limit of its own.
  c_part_share constant float8 := 0.7;
  -- Words that more chunks have are found often enough.
  c_common_share constant float8 := 0.04;
  c_common_count constant int := 10;
  c_letters constant text := E'^[a-z\\u00df-\\u00f6\\u00f8-\\u017f]+$';
  v_hidden text[] := '{}';
  v_written text[]; -- as typed, in the order of the query
  v_words text[];
  v_lexemes text[];
  v_frequencies bigint[];
begin
  if coalesce(extend_alternatives_decompounding.options ->> 'decompounding', c_collection.parts ->> 'decompounding')
     is distinct from 'auto'
     or braid_store.linking_elements(c_collection.text_config) = '{}' then
    return;
  end if;
  if c_collection.parts is not null then
    v_hidden := coalesce(braid_store.extend_hidden_lexemes(c_tenant_id, c_collection, c_query.lexemes), '{}');
  end if;
  select array_agg(w.trimmed), array_agg(w.word), array_agg(w.lexeme), array_agg(w.document_frequency)
  into v_written, v_words, v_lexemes, v_frequencies
  from (
    select w.*
    from (
      select distinct on (t.lexeme) t.lexeme, t.clause_number, t.trimmed, braid_store.token_lower(t.trimmed) as word,
             coalesce(case when t.lexeme <> all (v_hidden)
                           then c_query.document_frequencies[array_position(c_query.lexemes, t.lexeme)] end, 0)
               as document_frequency
      from (
        select t.*, btrim(t.written, E'!"()*,;<=>?[]^`{|}~''-/\\:.@&$¡§«»¿،؛؟—―‘’‚“”„†‡•…‹›–+%') as trimmed
        from unnest(extend_alternatives_decompounding.tokens) t
      ) t
      where t.kind = 'word' and t.token_kind = 'word' and t.occurrence = 'should'
      order by t.lexeme, t.clause_number
    ) w
    where length(w.word) between c_least_length and c_most_length and w.word ~ c_letters
      and w.document_frequency <= greatest(c_common_count, c_common_share * (
        select s.chunk_count from braid_store.index_statistics(c_tenant_id, c_collection.id) s))
    order by w.clause_number
    limit c_most_words
  ) w;
  if v_words is null then
    return;
  end if;
  return query
  with found as (
    select array_position(v_words, s.word) as word_number, s.piece as written, s.lexeme, c_part_share as share,
           s.piece_frequency as document_frequency, 0::bigint as place
    from braid_store.split_compounds(c_tenant_id, c_collection, v_words) s
    union all
    select c.*
    from (
      select n.word_number, c.written, c.compound_lexeme, null::float8, c.document_frequency,
             row_number() over (partition by n.word_number
                                order by c.is_covered desc, c.document_frequency desc, c.compound_lexeme collate "C")
               as place
      from braid_store.find_compounds(
             c_tenant_id, c_collection, v_words,
             array(select case when length(l) >= c_least_length then l end from unnest(v_lexemes) l), c_long_length) c,
           lateral (select array_position(v_lexemes, c.word_lexeme) as word_number offset 0) n
      -- Few words end by chance with six letters. And a word that no chunk has finds any compound.
      where c.is_covered or length(c.word_lexeme) >= c_long_length or v_frequencies[n.word_number] = 0
    ) c
    where c.place <= c_most_compounds
  )
  select v_written[f.word_number], v_lexemes[f.word_number], f.written, f.lexeme, f.share, f.document_frequency
  from found f
  order by f.place, f.word_number;
end
$$;

comment on function braid_store.extend_alternatives_decompounding(int, braid_store.collections,
                                                                  braid_store.query_token[], braid_store.text_query,
                                                                  jsonb) is
  'Return the parts of the query''s compounds, and the compounds that begin or end with its words, if the search or '
  'the collection asks for it. Compounds count as the word itself; a part is a term of its own, of less weight. Eight '
  'plain words of a query get some, of 4 to 64 letters, that at most ten chunks or one in 25 have. Each gets its '
  'three commonest compounds. If the word''s lexeme is shorter than six letters, compounds whose rest is known come '
  'first, and others are left out if some chunk has the word.';
