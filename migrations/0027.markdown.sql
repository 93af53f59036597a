-- Content that is Markdown. No table and no view has this type.
-- depends: 0026.synced_tables

alter type braid_store.document_input
    add attribute format text;
