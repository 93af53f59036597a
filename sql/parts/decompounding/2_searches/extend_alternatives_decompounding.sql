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
  c_most_compounds constant int := 4; -- Each word has a limit of its own.
  c_part_share constant float8 := 0.7;
  -- Words that more chunks have are found often enough.
  c_common_share constant float8 := 0.04;
  c_common_count constant int := 10;
  c_letters constant text := E'^[a-z\\u00df-\\u00f6\\u00f8-\\u017f]+$';
  v_hidden text[] := '{}';
begin
  if coalesce(extend_alternatives_decompounding.options ->> 'decompounding', c_collection.parts ->> 'decompounding')
     is distinct from 'auto'
     or braid_store.linking_elements(c_collection.text_config) = '{}' then
    return;
  end if;
  if c_collection.parts is not null then
    v_hidden := coalesce(braid_store.extend_hidden_lexemes(c_tenant_id, c_collection, c_query.lexemes), '{}');
  end if;
  return query
  with words as materialized (
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
  ), found as (
    select w.*, s.piece as written, s.lexeme as found_lexeme, c_part_share as share, s.piece_frequency,
           0::bigint as place
    from words w,
         lateral (
           select s.* from braid_store.split_compound(c_tenant_id, c_collection, w.word) s
           where length(w.word) >= 2 * c_least_length
           offset 0
         ) s
    union all
    select w.*, c.written, c.compound_lexeme, null, c.document_frequency, c.place
    from words w,
         lateral (
           select c.*, row_number() over (order by c.is_covered desc, c.document_frequency desc,
                                                   c.compound_lexeme collate "C") as place
           from braid_store.find_compounds(c_tenant_id, c_collection, w.word, w.lexeme) c
           -- Few words end by chance with six letters. And a word that no chunk has finds any compound.
           where length(w.lexeme) >= c_least_length
             and (c.is_covered or length(w.lexeme) >= c_long_length or w.document_frequency = 0)
           order by place
           limit c_most_compounds
         ) c
  )
  select f.trimmed, f.lexeme, f.written, f.found_lexeme, f.share, f.piece_frequency
  from found f
  order by f.place, f.clause_number;
end
$$;

comment on function braid_store.extend_alternatives_decompounding(int, braid_store.collections,
                                                                  braid_store.query_token[], braid_store.text_query,
                                                                  jsonb) is
  'Return the parts of the query''s compounds, and the compounds that begin or end with its words, if the search or '
  'the collection asks for it. Compounds count as the word itself; a part is a term of its own, of less weight. Eight '
  'plain words of a query get some, of 4 to 64 letters, that at most ten chunks or one in 25 have. Each gets its '
  'four commonest compounds, first compounds whose rest is known. Others are left out if the word''s lexeme is '
  'shorter than six letters and some chunk has it.';
