-- role: administrator
-- example: braid.set_static_embedder(name => 'small', tokens => '{a}', embeddings => '{"[1,0]"}')
-- page: guide/static-embeddings.md
create or replace function braid.set_static_embedder(
  name text,
  tokens text[],
  embeddings @vector@.halfvec[],
  source_model text default null,
  letters jsonb default null,
  append boolean default false
)
returns int
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.replace_static_embedder(set_static_embedder.name, set_static_embedder.tokens,
    set_static_embedder.embeddings, set_static_embedder.source_model, set_static_embedder.letters,
    set_static_embedder.append);
$$;

comment on function braid.set_static_embedder(text, text[], @vector@.halfvec[], text, jsonb, boolean) is
  E'Store a table of token vectors, by which the database embeds texts; pgbraid static-embedder does this for you.\n'
  'name: the embedder''s name, which is also the embedding_model of collections that it embeds. tokens: the vocabulary '
  'of a WordPiece tokenizer, lower case and without accents, where ## begins the rest of a word; null removes the '
  'embedder. embeddings: the vector of each token, times its weight. The vector of a text is the mean of its tokens'' '
  'vectors, with the length 1. source_model: the model whose vectors these come close to, so that collections of this '
  'model take vectors of queries from the table; null for none. letters: what becomes of characters beyond ASCII, an '
  'array of [first code, last code, replacement]; a null replacement makes a character a word of its own. append: '
  'true adds to the tokens and letters that this transaction has stored, for tables that come in pieces.\n'
  'Unicode''s canonical decomposition comes before the replacements. An embedder that a collection uses cannot be '
  'changed. It has at most 200000 tokens. Return the number of tokens. Only administrators may call it.';
