create type braid_store.search_request as (
  tenant_id int,
  collection braid_store.collections,
  legs text,
  query_text text,
  is_cut boolean,
  tokens braid_store.query_token[],
  query braid_store.text_query,
  corrections jsonb,
  scope_chunks int,
  query_embedding @vector@.vector,
  filters jsonb,
  filter braid_store.filter,
  match_count int,
  min_score float8,
  options braid_store.search_options,
  boosts braid_store.boost[],
  candidate_count int,
  most_candidates int,
  may_grow boolean,
  fingerprint text,
  rows_before int,
  has_deep_pages boolean,
  sparse braid_store.text_query,
  embedding_source text,
  parts jsonb,
  named_ids bigint[]
);

comment on type braid_store.search_request is
  'A search as all its steps see it: made once from the arguments, then handed down. collection has the weights, '
  'fusion, rrf_k and language of the search in place of its own, and the weight 0 for an absent leg. legs: full_text, '
  'semantic or sparse alone, hybrid, or prefilter (full-text matches in the order of similarity). query_text: the '
  'searched part of the text; is_cut: the text was cut; tokens: the tokens of query_text. sparse: the weighted terms '
  'to search for; null without sparse search. Each leg gives candidate_count candidates. If too few rows are left and '
  'may_grow is true, it is asked for more, up to most_candidates. fingerprint: for pages, the identity of the query. '
  'rows_before: how many rows or groups came before this page. has_deep_pages: pages go on beyond the candidates of '
  'the first page. embedding_source: where a part has found query_embedding, such as stored; null if the search gave '
  'it. parts: what parts rank by, by the name of the option; null if they do not change the ranking. named_ids: the '
  'documents whose title or external_id is the query, or a quoted part of it; null if there are none.';
