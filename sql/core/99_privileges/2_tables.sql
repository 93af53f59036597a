revoke all on all tables in schema braid, braid_store from public, braid_reader, braid_writer, @definer@;
revoke all on schema braid, braid_calls, braid_store from public;
grant usage on schema braid, braid_calls to braid_reader, @definer@;
-- Whoever can name a table can lock it against everybody (core/10_foundation/1_schemas/schemas.sql).
revoke all on schema braid_store from braid_reader, braid_writer;
grant usage on schema braid_store to @definer@;

-- Only our own functions lock these tables.
revoke all on all tables in schema braid_locks from public, braid_reader, braid_writer, @definer@;
revoke all on schema braid_locks from public, braid_reader;
grant usage on schema braid_locks to @definer@;
grant select, update on all tables in schema braid_locks to @definer@;

-- Applications read, search and write through definer functions, and read through views, for which they need these
-- privileges, and the policies. They may not read the index itself: query plans count the rows that a policy
-- removes, which would tell whether any tenant has a word.
grant select on
  braid_store.documents, braid_store.chunks, -- in views of users' own
  braid_store.vector_spaces, braid_store.collections, braid_store.synonyms, braid_store.indexed_attributes,
  braid_store.model_migrations
to braid_reader, @definer@;

grant select on
  braid_store.installation, braid_store.parts, braid_store.vector_settings,
  braid_store.segments, braid_store.segment_chunks, braid_store.postings, braid_store.forward_rows,
  braid_store.tombstones, braid_store.chunk_vectors, braid_store.vector_shards,
  braid_store.centroids, braid_store.embedding_jobs, braid_store.chunk_attributes, braid_store.due_parts,
  braid_store.sparse_rows, braid_store.sparse_segments, braid_store.sparse_segment_chunks,
  braid_store.unindexed_sparse_rows, braid_store.sparse_encoders, braid_store.sparse_encoder_terms,
  braid_store.token_vectors, braid_store.profiles, braid_store.query_embeddings, braid_store.query_sets, braid_store.queries,
  braid_store.query_set_embeddings, braid_store.judgments, braid_store.synced_rows, braid_store.search_log,
  braid_store.search_feedback, braid_store.search_hours, braid_store.ranking_models, braid_store.metadata_lists,
  braid_store.changed_metadata
to @definer@;

grant insert, update, delete on
  braid_store.documents, braid_store.chunks, braid_store.segments, braid_store.segment_chunks, braid_store.postings,
  braid_store.forward_rows, braid_store.tombstones, braid_store.chunk_vectors,
  braid_store.vector_shards, braid_store.embedding_jobs, braid_store.chunk_attributes,
  braid_store.sparse_rows, braid_store.sparse_segments, braid_store.sparse_segment_chunks,
  braid_store.unindexed_sparse_rows, braid_store.token_vectors, braid_store.profiles, braid_store.query_embeddings,
  braid_store.query_sets, braid_store.queries, braid_store.query_set_embeddings, braid_store.judgments,
  braid_store.ranking_models, braid_store.metadata_lists, braid_store.changed_metadata
to @definer@;

-- What a tenant's users searched for is for whoever may also write its documents, not for all who search.
grant select on
  braid_store.search_log, braid_store.search_feedback, braid_store.search_hours
to braid_writer;
-- Maintenance moves and deletes these rows.
grant insert on braid_store.search_log to @definer@;
grant insert, update on braid_store.search_feedback to @definer@;

-- Writers note what is due, and maintenance deletes the notes.
grant insert, delete on braid_store.due_parts to @definer@;

-- Maintenance creates these rows. Other than maintenance, only clearing a collection deletes them.
grant delete on braid_store.centroids to @definer@;
-- Only maintenance writes these; clearing a collection deletes them.
grant select, delete on braid_store.daily_part_sizes to @definer@;
-- So are these, by what services run.
grant delete on braid_store.synced_rows to @definer@;

do $$
declare
  v_grant record;
begin
  for v_grant in
    select l.role, v as view
    from (values ('reader', 'braid_reader'), ('writer', 'braid_writer'), ('definer', '@definer@')) l (list, role)
    cross join braid_store.listed_views(l.list) v
  loop
    execute format('grant select on %s to %I', v_grant.view, v_grant.role);
  end loop;
end
$$;

do $$
declare
  v_shard regclass;
begin
  for v_shard in
    select c.oid::regclass from pg_catalog.pg_class c
    where c.relnamespace = 'braid_store'::regnamespace and c.relkind = 'r' and c.relname ~ '^vectors_[0-9]+$'
  loop
    execute format('grant select, insert, update, delete on %s to @definer@', v_shard);
  end loop;
end
$$;

revoke all on type
  braid.search_result, braid.write_result, braid_store.search_result, braid_store.write_result, braid_store.candidate, braid_store.fused_candidate,
  braid_store.query_condition, braid_store.text_query, braid_store.document_input, braid_store.document_change,
  braid_store.filter, braid_store.boost, braid_store.search_options, braid_store.query_token, braid_store.search_request,
  braid_store.found_candidates, braid_store.ranked_candidates, braid_store.arrangement, braid_store.examined_chunk,
  braid_store.searched_segments, braid_store.bounded_places, braid_store.scored_chunks,
  braid_store.measured_chunks, braid_store.serving_shard, braid_store.previous_chunk
from public;
revoke all on type braid_store.search_result, braid_store.write_result from braid_reader; -- as they were in braid once
-- So that users' own functions can return what ours return.
grant usage on type braid.search_result, braid.write_result to braid_reader;
