create or replace view braid.synonyms
with (security_invoker = true)
as
select c.name as collection, s.word, s.synonyms
from braid_store.synonyms s
join braid_store.collections c on c.id = s.collection_id;

comment on view braid.synonyms is
  'The synonyms of each collection, as given to braid.set_synonyms: a query for word finds its synonyms too.';
