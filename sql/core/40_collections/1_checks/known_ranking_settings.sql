create or replace function braid_store.known_ranking_settings()
returns table (name text, least_value float8, greatest_value float8, words text[], is_nullable boolean, hint text)
language sql
stable
parallel safe
security invoker
rows 19
set search_path = pg_catalog, pg_temp
as $$
  values
    ('fusion', null::float8, null::float8, '{rrf,convex,dbsf,max}'::text[], false, 'Use rrf, convex, dbsf or max.'),
    ('full_text_weight', 0, 1e9, null, false, 'Use 0, or a number from 1e-9 to 1e9.'),
    ('semantic_weight', 0, 1e9, null, false, 'Use 0, or a number from 1e-9 to 1e9.'),
    ('sparse_weight', 0, 1e9, null, false, 'Use 0, or a number from 1e-9 to 1e9.'),
    ('rrf_k', 0, 1e9, null, false, 'Use a number from 0 to 1e9, usually 60.'),
    ('normalisation', null, null, '{minmax,theoretical,centroid,zscore,saturate,none}', false,
     'Use minmax, theoretical, centroid, zscore, saturate or none.'),
    ('smoothing', 0, 1, null, false, 'Use a number from 0 (off) to 1, usually 0.5.'),
    ('neighbour_weight', 0, 1, null, false, 'Use a number from 0 (off) to 1, usually 0.2.'),
    ('document_weight', 0, 1, null, false, 'Use a number from 0 (off) to 1, usually 0.6.'),
    ('question_penalty', 0, 1, null, false, 'Use a number from 0 (off) to 1, usually 0.3.'),
    ('speaker_weight', 0, 1, null, false, 'Use a number from 0 (off) to 1, usually 0.15.'),
    ('name_weight', 0, 10, null, false, 'Use a number from 0 (off) to 10, usually 1.1.'),
    ('k1', 0, 1e9, null, false, 'Use 0, or a number from 1e-9 to 1e9, usually 1.2.'),
    ('b', 0, 1, null, true,
      'Use 0, a number from 1e-9 to 1, usually 0.75, or null to derive b from the length of the chunks.'),
    ('title_weight', 0, 1e9, null, false, 'Use 0, or a number from 1e-9 to 1e9.'),
    ('bm25_variant', null, null, '{lucene,okapi}', false, 'Use lucene or okapi.'),
    ('statistics_scope', null, null, '{collection,filter,auto,permitted}', false,
     'Use collection, filter, auto or permitted.'),
    ('typos', null, null, '{off,auto}', false, 'Use off or auto.')
  union all
  select s.key, null, null, null, true, s.value ->> 'ranking_hint'
  from braid_store.parts p, jsonb_each(p.manifest -> 'settings') s
  where s.value ? 'ranking_hint';
$$;

comment on function braid_store.known_ranking_settings() is
  'List the settings by which a collection ranks. They are columns of braid_store.collections or, for parts, keys of '
  'its column parts. Each row has the bounds or the allowed words, whether the setting may be null, and a hint for '
  'errors. A setting with neither bounds nor words is a name; every setting of a part is one.';
