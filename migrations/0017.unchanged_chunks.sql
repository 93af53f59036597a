-- A chunk whose text is unchanged keeps its vector when its document is replaced. No table and no view has these types.
-- depends: 0016.rank_by

alter type braid_store.document_change add attribute previous_title text;

create type braid_store.previous_chunk as (
    chunk_id bigint,
    document_id bigint,
    input_hash bytea
);
comment on type braid_store.previous_chunk is
    'A chunk of a document that is being replaced. input_hash: of what its embedding was made from.';
