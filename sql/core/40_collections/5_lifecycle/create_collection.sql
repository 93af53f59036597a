-- role: administrator
-- example: braid.create_collection(collection => 'another')
-- page: guide/collections.md
create or replace function braid.create_collection(
  collection text,
  text_config text default 'english',
  dimensions int default 384,
  distance text default 'cosine',
  embedding_model text default 'all-MiniLM-L6-v2',
  chunk_tokens int default null,
  indexed_attributes jsonb default '{}',
  ranking jsonb default null,
  settings jsonb default null
)
returns int
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.insert_collection(collection, text_config, dimensions, distance, embedding_model, chunk_tokens,
                                       indexed_attributes, ranking, settings);
$$;

comment on function braid.create_collection(text, text, int, text, text, int, jsonb, jsonb, jsonb) is
  E'Create a collection, which all tenants share: each sees its own documents in it.\n'
  'embedding_model, dimensions, distance (cosine, inner_product or l2): the model that makes the vectors. '
  'text_config: the text search configuration that stems words. chunk_tokens: the most tokens that a chunk has; null '
  'takes 240 for all-MiniLM-L6-v2 and 500 for other models. indexed_attributes: see set_indexed_attributes. ranking: '
  'an object that holds settings of set_ranking, such as {"preset": "conversation"}; the default preset is prose. '
  'settings: an object such as {"fold_diacritics": false}, which takes the keys of set_collection and these. '
  'fold_diacritics: whether words match without their accents. index_fields: a list of the fields that full text '
  'covers: title, speaker, content. embed_fields: a list of the fields that the model embeds: title, speaker, '
  'content.\n'
  'Return the collection''s id. If a collection of this name exists with the same settings, its id is returned; if '
  'its settings differ, 22023 is raised. Only administrators may call it.';
