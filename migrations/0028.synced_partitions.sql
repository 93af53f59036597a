-- Partitioned tables whose rows are kept as documents.
-- depends: 0027.markdown

-- The files of the partitions, and their triggers, when they were last looked at.
alter table braid_store.synced_tables
    add column parts oid[] not null default '{}';
