-- Settings of parts are one column of the view, as they are of the table. Both are made anew with the functions.
-- depends: 0047.parts_of_collections

drop view if exists braid.collections;
drop function if exists braid_calls.collection_spaces(text);

-- The view reads their defaults.
comment on column braid_store.parts.name is 'core, or the name of the part.';
comment on column braid_store.parts.place is 'Where it comes when parts are installed, and called at extension points.';
comment on column braid_store.parts.manifest is 'Its part.json.';
