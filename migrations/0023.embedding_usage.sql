-- What embedding services were asked for, by tenant, model and day. A row is changed again and again: the room that
-- fillfactor leaves keeps the change in its page.
-- depends: 0022.query_embeddings

create table braid_store.embedding_usage (
    tenant_id int not null,
    embedding_model text collate "C" not null check (octet_length(embedding_model) between 1 and 255),
    day date not null,
    request_count bigint not null,
    text_count bigint not null,
    token_count bigint not null,
    estimated_token_count bigint not null,
    cost numeric,
    primary key (tenant_id, embedding_model, day)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
comment on table braid_store.embedding_usage is
    'What workers had embedding services do, by tenant, model and day (UTC): requests, texts, tokens, and what they cost. '
    'estimated_token_count: those of token_count that a service did not tell.';
alter table braid_store.embedding_usage
    alter column tenant_id set statistics 0,
    alter column embedding_model set statistics 0,
    alter column day set statistics 0,
    alter column request_count set statistics 0,
    alter column text_count set statistics 0,
    alter column token_count set statistics 0,
    alter column estimated_token_count set statistics 0,
    alter column cost set statistics 0;
