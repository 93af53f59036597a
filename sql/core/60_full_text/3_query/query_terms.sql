create or replace function braid_store.query_terms(
  tenant_id int,
  collection braid_store.collections,
  tokens braid_store.query_token[],
  hidden_lexemes text[] default '{}'
)
returns table (
  term text,
  lexeme text,
  phrase text,
  frequency int,
  clause_number int,
  group_number int,
  occurrence text,
  kind text,
  "position" int,
  is_synonym boolean,
  document_frequency bigint,
  posting_count bigint
)
language plpgsql
stable
parallel safe
security invoker
rows 10
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  c_most_prefixes constant int := 64;
  c_most_expansions constant int := 64;
  c_most_in_all constant int := 128;
  c_most_synonyms constant int := 63; -- per term: each phrase that a word belongs to may add synonyms
  v_collection_id int := query_terms.collection.id;
  v_has_synonyms boolean;
  v_has_phrases boolean; -- True if a phrase with synonyms begins with a query word.
  -- The words of the query that belong to a phrase with synonyms. Parallel arrays hold a synonym of each phrase, and
  -- the number of words in the phrase.
  v_words text[] := '{}';
  v_synonyms text[];
  v_word_counts int[];
begin
  select exists (select from braid_store.synonyms s where s.collection_id = v_collection_id),
         exists (
           select
           from unnest(query_terms.tokens) k,
                lateral (
                  select from braid_store.synonyms s
                  where s.collection_id = v_collection_id
                    and s.lexeme > k.lexeme || ' ' collate "C" and s.lexeme < k.lexeme || '!' collate "C"
                  limit 1
                ) s)
  into v_has_synonyms, v_has_phrases;
  if v_has_phrases then
    select coalesce(array_agg(p.lexeme), '{}'), array_agg(p.synonym), array_agg(p.word_count)
    into v_words, v_synonyms, v_word_counts
    from braid_store.phrase_synonyms(
           v_collection_id, query_terms.tokens) p;
  end if;

  return query
  with tokens as materialized (
    select c.clause_number, c.group_number, c.occurrence, c.kind, c.position, c.token_kind,
           c.lexeme
    from unnest(query_terms.tokens) c
    where c.occurrence in ('must', 'should')
  ), searched as (
    select t.*
    from tokens t
    where case t.token_kind
            -- A query of stop words alone ("The Who") searches for them; any other query leaves them out.
            when 'stop_word' then not exists (select from tokens o where o.token_kind <> 'stop_word')
            when 'character' then not exists (select from tokens o where o.token_kind = 'bigram')
            else true
          end
  ), terms as materialized (
    select distinct on (s.lexeme, s.kind = 'prefix')
           s.lexeme || case s.kind when 'prefix' then '*' else '' end as term, s.lexeme, s.clause_number,
             s.group_number,
           s.occurrence, s.kind, s.position,
           (count(*) over (partition by s.lexeme, s.kind = 'prefix'))::int as frequency
    from searched s
    order by s.lexeme, s.kind = 'prefix', s.clause_number, s.position
  ), synonyms as (
    select t.term, unnest(s.synonym_lexemes) as lexeme, 1 as word_count
    from terms t,
         lateral (
           select s.synonym_lexemes from braid_store.synonyms s
           where s.collection_id = v_collection_id and s.lexeme = t.lexeme
           offset 0
         ) s
    where v_has_synonyms and t.kind = 'word' and t.lexeme <> all (v_words)
    union all
    select t.term, p.synonym, p.word_count
    from unnest(v_words, v_synonyms, v_word_counts) p (lexeme, synonym, word_count)
    join terms t on t.lexeme = p.lexeme and t.kind = 'word'
  ), lexemes as (
    select t.term, t.lexeme, false as is_synonym from terms t where t.kind <> 'prefix'
    union all
    select t.term, e.lexeme, false
    from (
      select t.*, least(count(*) over (), c_most_prefixes) as prefix_count
      from terms t
      where t.kind = 'prefix'
      order by t.clause_number
      limit c_most_prefixes
    ) t,
    lateral braid_store.expand_prefix(
      query_terms.tenant_id, v_collection_id, t.lexeme,
      least(c_most_expansions, c_most_in_all / t.prefix_count)::int, query_terms.hidden_lexemes) e
    union all
    select s.term, s.lexeme, true
    from (
      -- The synonyms of the longest phrase come first.
      select s.term, s.lexeme,
             row_number() over (partition by s.term order by max(s.word_count) desc, s.lexeme collate "C") as number
      from synonyms s
      group by s.term, s.lexeme
    ) s
    where s.number <= c_most_synonyms
  )
  select t.term, p.lexeme, case when p.lexeme <> l.lexeme then l.lexeme end, t.frequency, t.clause_number,
    t.group_number,
         t.occurrence, t.kind, t.position, l.is_synonym, p.document_frequency, p.posting_count
  from terms t
  left join lexemes l on l.term = t.term
  left join lateral (
    -- The phrase's rarest word stands for it: no chunk has the phrase more often.
    select w.lexeme, p.document_frequency, p.posting_count
    from string_to_table(l.lexeme, ' ') w (lexeme),
         lateral (
           select coalesce(sum(p.document_frequency), 0)::bigint as document_frequency,
                  coalesce(sum(p.posting_count), 0)::bigint as posting_count
           from braid_store.postings p
           where p.tenant_id = query_terms.tenant_id and p.collection_id = v_collection_id and p.lexeme = w.lexeme
             and w.lexeme <> all (query_terms.hidden_lexemes)
           offset 0
         ) p
    order by p.document_frequency, w.lexeme collate "C"
    limit 1
  ) p on true;
end
$$;

comment on function braid_store.query_terms(int, braid_store.collections, braid_store.query_token[], text[]) is
  'Return the terms that a query ranks by, one row for each lexeme of a term. A term is a word with its synonyms, or '
  'a prefix with the lexemes that begin with it. phrase: a synonym of several words, as returned by '
  'braid_store.phrase_lexemes; else null. lexeme is the term''s lexeme, or the rarest word of the phrase. frequency: '
  'how often the term occurs in the query. clause_number and position give the term''s first occurrence. '
  'document_frequency: the number of live chunks that have the lexeme; 0 for hidden_lexemes.';
