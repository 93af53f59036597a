-- How the tables that every write changes are stored and vacuumed.
-- depends: 0015.upkeep

-- Autovacuum comes when a fifth of a table is dead, by default: until then deleted rows keep their room, and searches
-- step over them in the indexes. A twentieth is still one pass over the indexes for many dead rows. Of toasted values the
-- same holds: where a table's toast has no settings of its own, it has the table's.
do $$
declare
  v_table text;
begin
  foreach v_table in array '{documents,chunks,chunk_attributes,chunk_vectors,forward_rows,segment_chunks,postings}'::text[] loop
    execute format('alter table braid_store.%I set (autovacuum_vacuum_scale_factor = 0.05)', v_table);
  end loop;
  -- These are small beside what passes through them.
  foreach v_table in array '{segments,tombstones,embedding_jobs,due_parts}'::text[] loop
    execute format('alter table braid_store.%I set (autovacuum_vacuum_scale_factor = 0.02)', v_table);
  end loop;
end
$$;

-- A job is claimed once and deleted: the room is for the claimed version beside the first, so that its index needs no
-- second entry (a heap-only update).
alter table braid_store.embedding_jobs set (fillfactor = 70);
