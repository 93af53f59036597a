-- role: reader, definer
-- page: guide/synonyms.md
create or replace view braid.synonyms
with (security_invoker = true)
as
select c.name as collection, s.word, s.synonyms
from braid_store.synonyms s
join braid_store.collections c on c.id = s.collection_id;

-- Without a trigger, a change of the view raises 55000, which PostgREST answers with status 500: see braid.collections.
create or replace trigger refuse_change
instead of insert or update or delete on braid.synonyms
for each row execute function braid_store.refuse_view_change('braid.set_synonyms');

comment on view braid.synonyms is
  'The synonyms of each collection, as given to braid.set_synonyms: a query for word, which may be a phrase, also '
  'finds its synonyms.';
comment on column braid.synonyms.collection is 'The collection whose searches use the synonyms.';
comment on column braid.synonyms.word is 'A word or phrase of a query.';
comment on column braid.synonyms.synonyms is 'The words and phrases that a query for word also finds.';
