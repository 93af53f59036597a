create or replace function braid_store.other_name(name text)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select format(' A search called "%s" elsewhere is %s here.', left(other_name.name, 100), n.strategy)
  from (values
    ('semantic',
      '{vector,vectors,vectorsearch,dense,knn,ann,embedding,embeddings,similarity,semanticsearch,nearest}'::text[]),
    ('full_text', '{fulltext,fulltextsearch,fts,keyword,keywords,keywordsearch,bm25,lexical,text,textsearch,tsvector}'),
    ('hybrid', '{hybrid,hybridsearch,both,combined,rrf}'),
    ('prefilter', '{prefilter,prefiltered,rerank}')
  ) n (strategy, names)
  where lower(translate(other_name.name, '-_ ', '') collate "C") = any (n.names);
$$;

comment on function braid_store.other_name(text) is
  'Return the end of a hint, which gives the name here for a strategy or mode of search that has another name '
  'elsewhere. Return null for other names.';
