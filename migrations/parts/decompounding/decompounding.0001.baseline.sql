-- An index of lexemes read from the end, so that compounds are found by their last part.
-- depends: 0001.baseline

create index postings_a_reverse_idx
    on braid_store.postings_a (tenant_id, collection_id, reverse(lexeme)) where length(lexeme) between 8 and 64;
create index postings_b_reverse_idx
    on braid_store.postings_b (tenant_id, collection_id, reverse(lexeme)) where length(lexeme) between 8 and 64;
-- Another tenant's EXPLAIN would show how often a word occurs.
alter index braid_store.postings_a_reverse_idx alter column 3 set statistics 0;
alter index braid_store.postings_b_reverse_idx alter column 3 set statistics 0;
