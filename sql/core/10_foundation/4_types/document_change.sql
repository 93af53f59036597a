create type braid_store.document_change as (
  ordinality int,
  document_id bigint,
  status text,
  previous_title text
);

comment on type braid_store.document_change is
  'The effect of storing a document_input on the document''s row in documents.';
