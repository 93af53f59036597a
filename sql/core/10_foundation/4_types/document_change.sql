create type braid_store.document_change as (
  ordinality int,
  document_id bigint,
  status text,
  previous_title text
);

comment on type braid_store.document_change is
  'What storing a document_input did to the document''s row in documents.';
