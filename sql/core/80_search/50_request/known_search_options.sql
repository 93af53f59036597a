-- Made of options.json by: make generate
create or replace function braid_store.known_search_options()
returns table (
  name text, types text[], part text, attribute text, least_value float8, greatest_value float8, words text[], hint text
)
language sql
immutable
parallel safe
security invoker
rows 60
set search_path = pg_catalog, pg_temp
as $$
  values
    ('operators', '{boolean}'::text[], 'query', 'operators'::text, null::float8, null::float8, null::text[],
     'Give true or false.'),
    ('language', '{string}', 'query', 'language', null, null, null,
     'Give the name of a language, such as german, or its code, de.'),
    ('typos', '{string}', 'query', 'typos', null, null, '{off,auto}', 'Use "auto" or "off".'),
    ('snippet', '{boolean,keys}', 'snippet', 'snippet', null, null, null,
     'Give true or false, or an object of highlight''s arguments.'),
    ('snippet.start_tag', '{string}', 'snippet', 'start_tag', null, null, null, 'Give a string.'),
    ('snippet.stop_tag', '{string}', 'snippet', 'stop_tag', null, null, null, 'Give a string.'),
    ('snippet.fragment_count', '{integer,"null"}', 'snippet', 'fragment_count', null, null, null,
     'Give a whole number.'),
    ('snippet.fragment_words', '{integer}', 'snippet', 'fragment_words', null, null, null, 'Give a whole number.'),
    ('snippet.fragment_separator', '{string}', 'snippet', 'fragment_separator', null, null, null, 'Give a string.'),
    ('prefilter', '{boolean}', 'query', 'prefilter', null, null, null, 'Give true or false.'),
    ('strategy', '{string}', 'query', 'strategy', null, null, '{hybrid,auto}',
     'Use hybrid or auto; full_text_search and semantic_search search one leg.'),
    ('ranking', '{object}', 'query', 'ranking', null, null, null,
     'Give an object of a collection''s ranking settings, such as {"fusion": "rrf", "k1": 0.9}, as braid.set_ranking '
     'takes it.'),
    ('explain', '{boolean}', 'query', 'explain', null, null, null, 'Give true or false.'),
    ('min_scores', '{keys}', 'query', null, null, null, null,
     'Give the least scores of legs, such as {"full_text": 2, "semantic": 0.3}.'),
    ('min_scores.full_text', '{number}', 'query', 'full_text_min_score', null, null, null, 'Give a number.'),
    ('min_scores.semantic', '{number}', 'vectors', 'semantic_min_score', null, null, null, 'Give a number.'),
    ('min_scores.sparse', '{number}', 'sparse', 'sparse_min_score', null, null, null, 'Give a number.'),
    ('min_relevance', '{number,string}', 'query', 'min_relevance', 0, 1, '{auto}',
     'Give a number from 0 to 1, or "auto".'),
    ('exact', '{boolean}', 'vectors', 'exact', null, null, null, 'Give true or false.'),
    ('ef_search', '{integer}', 'vectors', 'ef_search', 1, 1000, null,
     'Use 1 to 1000, or leave ef_search out to have it chosen for each search.'),
    ('embedding_model', '{string}', 'query', 'embedding_model', null, null, null,
     'Give the name of the model that made query_embedding.'),
    ('sparse', '{object,boolean}', 'sparse', 'sparse', null, null, null,
     'Give an object of terms and their weights, such as {"harbour": 1.2, "ship": 0.4}, or false for no sparse '
     'search.'),
    ('boosts', '{array}', 'boosts', 'boosts', null, null, null,
     'Give an array of boosts, such as [{"recency": {"half_life": "30 days"}}].'),
    ('rank_by', '{array,object}', 'boosts', 'rank_by', null, null, null,
     'Give an array, such as ["similarity", "importance", "recency"], or weights: {"similarity": 1, "recency": 0.5}.'),
    ('collapse', '{boolean,keys}', 'arrangement', 'collapse', null, null, null,
     'Use true to collapse equal texts, or {"similarity": 0.97} to collapse similar vectors as well.'),
    ('collapse.similarity', '{number}', 'arrangement', 'collapse_similarity', 0, 1, null,
     'Its only key is similarity, a cosine from 0 to 1.'),
    ('group_by', '{string,keys}', 'arrangement', 'group_by', null, null, null,
     'Use "document", "speaker", "category", "language", "importance", "source_uri" or a metadata key; write a key '
     'that has the name of a column as "metadata.title".'),
    ('group_by.key', '{string}', 'arrangement', 'group_by', null, null, null,
     'Use "document", "speaker", "category", "language", "importance", "source_uri" or a metadata key; write a key '
     'that has the name of a column as "metadata.title".'),
    ('group_by.size', '{integer}', 'arrangement', 'group_size', 1, 100, null, 'Use a whole number from 1 to 100.'),
    ('group_by.score', '{string}', 'arrangement', 'group_score', null, null, '{max,sum,mean,mixture}',
     'Use "max", "sum", "mean" or "mixture".'),
    ('diversify', '{boolean,keys}', 'arrangement', 'diversify', null, null, null, 'Use true or {"lambda": 0.5}.'),
    ('diversify.lambda', '{number}', 'arrangement', 'diversify_lambda', 0, 1, null,
     'Its only key is lambda, from 0 (only variety counts) to 1 (only the score counts).'),
    ('context', '{boolean,keys}', 'arrangement', 'context', null, null, null,
     'Use true, or how many chunks, such as {"before": 1, "after": 1}.'),
    ('context.before', '{integer}', 'arrangement', 'context_before', 0, 100, null, 'Use a whole number from 0 to 100.'),
    ('context.after', '{integer}', 'arrangement', 'context_after', 0, 100, null, 'Use a whole number from 0 to 100.'),
    ('cursor', '{string}', 'arrangement', 'cursor', null, null, null,
     'Use "" for the first page, then the cursor of the last row.'),
    ('normalisation', '{}', null, null, null, null, null, '{"ranking": {"normalisation": "?"}}'),
    ('saturate_at', '{}', null, null, null, null, null,
     '{"ranking": {"normalisation": "saturate", "saturate_at": "?"}}'),
    ('smoothing', '{}', null, null, null, null, null, '{"ranking": {"smoothing": "?"}}'),
    ('neighbour_weight', '{}', null, null, null, null, null, '{"ranking": {"neighbour_weight": "?"}}'),
    ('document_weight', '{}', null, null, null, null, null, '{"ranking": {"document_weight": "?"}}'),
    ('question_penalty', '{}', null, null, null, null, null, '{"ranking": {"question_penalty": "?"}}'),
    ('speaker_weight', '{}', null, null, null, null, null, '{"ranking": {"speaker_weight": "?"}}'),
    ('name_weight', '{}', null, null, null, null, null, '{"ranking": {"name_weight": "?"}}'),
    ('statistics_scope', '{}', null, null, null, null, null, '{"ranking": {"statistics_scope": "?"}}'),
    ('sparse_weight', '{}', null, null, null, null, null, '{"ranking": {"sparse_weight": "?"}}'),
    ('full_text_min_score', '{}', null, null, null, null, null, '{"min_scores": {"full_text": "?"}}'),
    ('semantic_min_score', '{}', null, null, null, null, null, '{"min_scores": {"semantic": "?"}}'),
    ('sparse_min_score', '{}', null, null, null, null, null, '{"min_scores": {"sparse": "?"}}'),
    ('correct', '{}', null, null, null, null, null, '{"typos": "auto"}'),
    ('rerank', '{}', null, null, null, null, null, '{"rank_by": "?"}'),
    ('group_size', '{}', null, null, null, null, null, '{"group_by": {"key": "document", "size": "?"}}'),
    ('group_score', '{}', null, null, null, null, null, '{"group_by": {"key": "document", "score": "?"}}'),
    ('context_before', '{}', null, null, null, null, null, '{"context": {"before": "?"}}'),
    ('context_after', '{}', null, null, null, null, null, '{"context": {"after": "?"}}')
  union all
  select * from braid_store.extend_search_options();
$$;

comment on function braid_store.known_search_options() is
  'List the options of a search, and the keys of options that are objects, named option.key. types: the JSON types '
  'that the option may have. part: the part of a search to which it belongs. attribute: the attribute of '
  'braid_store.search_options that stores it. least_value, greatest_value and words limit its values. hint is given '
  'with errors. A former name of an option has no types; its hint shows what replaces it.';
