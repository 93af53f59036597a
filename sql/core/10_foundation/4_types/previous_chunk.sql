create type braid_store.previous_chunk as (
  chunk_id bigint,
  document_id bigint,
  input_hash bytea
);

comment on type braid_store.previous_chunk is
  'A chunk of a document that is being replaced. input_hash: the hash of the text that its embedding was made from.';
