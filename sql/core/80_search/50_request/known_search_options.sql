create or replace function braid_store.known_search_options()
returns table (name text, types text[], part text, hint text)
language sql
immutable
parallel safe
security invoker
rows 30
set search_path = pg_catalog, pg_temp
as $$
  values
    ('language', '{string}'::text[], 'query', 'Give the name of a language, such as german, or its code, de.'),
    ('operators', '{boolean}', 'query', 'Give true or false.'),
    ('correct', '{boolean}', 'query', 'Give true or false.'),
    ('statistics_scope', '{string}', 'query', 'Use collection, filter or auto.'),
    ('embedding_model', '{string}', 'query', 'Give the name of the model that made query_embedding.'),
    ('prefilter', '{boolean}', 'query', 'Give true or false.'),
    ('full_text_min_score', '{number}', 'query', 'Give a number.'),
    ('min_relevance', '{number,string}', 'query', 'Give a number from 0 to 1, or "auto".'),
    ('ranking', '{object}', 'query',
     'Give an object of a collection''s ranking settings, such as {"fusion": "rrf", "k1": 0.9}, as braid.apply_ranking takes it.'),
    ('explain', '{boolean}', 'query', 'Give true or false.'),
    ('semantic_min_score', '{number}', 'vectors', 'Give a number.'),
    ('exact', '{boolean}', 'vectors', 'Give true or false.'),
    ('ef_search', '{number}', 'vectors', 'Give a number.'),
    ('normalisation', '{string,object}', 'fusion',
     'Give a name, such as "centroid", or one per leg: {"full_text": "minmax", "semantic": "centroid"}.'),
    ('saturate_at', '{number}', 'fusion', 'Give the BM25 score that counts as 1, from 1e-9 to 1e9.'),
    ('sparse', '{object,boolean}', 'sparse',
     'Give an object of terms and their weights, such as {"harbour": 1.2, "ship": 0.4}, or false for no sparse search.'),
    ('sparse_weight', '{number}', 'sparse', 'Use 0, or a number from 1e-9 to 1e9.'),
    ('sparse_min_score', '{number}', 'sparse', 'Give a number.'),
    ('smoothing', '{number}', 'fusion', 'Use a number from 0, which is none, to 1, usually 0.5.'),
    ('neighbour_weight', '{number}', 'boosts', 'Use a number from 0, which is none, to 1, usually 0.3.'),
    ('boosts', '{array}', 'boosts', 'Give an array of boosts, such as [{"recency": {"half_life": "30 days"}}].'),
    ('profile', '{string,object}', 'boosts',
     'Give the name of a profile, or an object: {"name": "ana", "weight": 0.2}.'),
    ('rank_by', '{array,object}', 'boosts',
     'Give an array, such as ["similarity", "importance", "recency"], or weights: {"similarity": 1, "recency": 0.5}.'),
    ('rerank', '{array}', 'boosts', 'Give rank_by, such as ["similarity", "importance", "recency"]; this is its older name.'),
    ('model', '{string,object,boolean}', 'boosts', 'Give the name of a ranking model, a model itself, or false for none.'),
    ('late_interaction', '{object}', 'boosts',
     'Give the vectors of the query''s tokens: {"vectors": [[0.1, …], …]}, and if you like candidates and weight.'),
    ('collapse', '{boolean,object}', 'arrangement',
     'Use true for equal texts, or {"similarity": 0.97} for vectors alike too.'),
    ('group_by', '{string}', 'arrangement',
     'Use "document", "speaker", "category", "language", "importance", "source_uri" or a metadata key; one of the '
     'name of a column is written "metadata.title".'),
    ('group_size', '{number}', 'arrangement', 'Use a whole number from 1 to 100.'),
    ('group_score', '{string}', 'arrangement', 'Use "max", "sum", "mean" or "mixture".'),
    ('diversify', '{boolean,object}', 'arrangement', 'Use true or {"lambda": 0.5}.'),
    ('context_before', '{number}', 'arrangement', 'Use a whole number from 0 to 100.'),
    ('context_after', '{number}', 'arrangement', 'Use a whole number from 0 to 100.'),
    ('cursor', '{string}', 'arrangement', 'Use "" for the first page, then the cursor of the last row.'),
    ('snippet', '{boolean,object}', 'snippet', 'Give true or false, or an object of highlight''s arguments.');
$$;

comment on function braid_store.known_search_options() is
  'Lists the options of a search: the JSON types that each may have, the part of a search that it belongs to, and a '
  'hint for errors. There is no other list. A new option is added here, in braid_store.search_options and in '
  'braid_store.read_search_options.';
