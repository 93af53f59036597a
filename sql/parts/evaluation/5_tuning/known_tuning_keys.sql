create or replace function braid_store.known_tuning_keys()
returns table (name text, modes text[], argument text, default_values jsonb)
language sql
stable
parallel safe
security invoker
rows 22
set search_path = pg_catalog, pg_temp
as $$
  values
    ('fusion', '{hybrid}'::text[], 'fusion', '["convex", "rrf"]'::jsonb),
    ('full_text_weight', '{hybrid}', 'full_text_weight', '[0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.5]'),
    ('semantic_weight', '{hybrid}', 'semantic_weight', null),
    ('sparse_weight', '{hybrid}', null, null),
    ('rrf_k', '{hybrid}', 'rrf_k', null),
    ('normalisation', '{hybrid}', null, '["centroid", "theoretical", "minmax"]'),
    ('smoothing', '{hybrid}', null, '[0, 0.5, 1]'),
    ('neighbour_weight', '{hybrid,full_text,semantic}', null, '[0, 0.2, 0.4]'),
    ('document_weight', '{hybrid,full_text,semantic}', null, null),
    ('question_penalty', '{hybrid}', null, null),
    ('speaker_weight', '{hybrid}', null, null),
    ('name_weight', '{hybrid,full_text}', null, null),
    ('k1', '{hybrid,full_text}', null, '[0.6, 0.9, 1.2, 1.6, 2]'),
    ('b', '{hybrid,full_text}', null, '[null, 0.3, 0.5, 0.75]'),
    ('title_weight', '{hybrid,full_text}', null, '[0.5, 1, 2, 3]'),
    ('bm25_variant', '{hybrid,full_text}', null, null),
    ('statistics_scope', '{hybrid,full_text}', null, null),
    ('typos', '{hybrid,full_text}', null, null),
    ('candidate_count', '{hybrid,full_text,semantic}', 'candidate_count', null),
    ('ef_search', '{hybrid,semantic}', 'ef_search', null),
    ('boosts', '{hybrid,full_text,semantic}', 'boosts', null)
  union all
  select s.key, array(select jsonb_array_elements_text(s.value #> '{tuning,modes}')), s.value #>> '{tuning,argument}',
    null
  from braid_store.parts p, jsonb_each(p.manifest -> 'settings') s
  where s.value ? 'tuning';
$$;

comment on function braid_store.known_tuning_keys() is
  E'List the keys that a search space may have. They are settings of a ranking, settings of parts by their manifests, '
  'and the search arguments candidate_count, ef_search and boosts.\n'
  'modes: the modes of search in which the key changes something. argument: the argument or option of a search that '
  'takes precedence over the setting. default_values: the values tried without a search space; null for none.';
