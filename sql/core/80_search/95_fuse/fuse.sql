-- role: reader
-- example: braid.fuse(lists => '[["a", "b"], ["b", "c"]]')
-- page: guide/fuse.md
create or replace function braid.fuse(
  lists jsonb,
  fusion text default 'rrf',
  rrf_k float8 default 60,
  match_count int default 100
)
returns table (id text, score float8, parts jsonb)
language sql
stable
parallel unsafe
security invoker
rows 100
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_calls.fuse_lists(fuse.lists, fuse.fusion, fuse.rrf_k, fuse.match_count);
$$;

comment on function braid.fuse(jsonb, text, float8, int) is
  E'Fuse ranked lists from anywhere, such as a reranker''s and a search''s, into one list, best first.\n'
  'It reads no data. lists: an array of 1 to 16 lists. A list is an array of items, or an object with items, weight '
  '(1 by default) and name. An item is an id, which is a text or a whole number, or an object with id and score. All '
  'items of a list have a score, or none. With scores, the highest score is the list''s first rank, and equal scores '
  'keep the given order; else the given order is the ranking. An id that a list repeats counts once, at its best '
  'place. All lists have at most 100000 items. fusion: rrf or convex. Under rrf an id gets weight / (rrf_k + rank) '
  'from each list that has it. Under convex it gets weight × score. The scores of a list are normalised to 0 to 1, '
  'and the weights to a sum of 1. rrf_k: 60 by default; smaller numbers favour the first ranks. match_count: how many '
  'ids are returned, 100 by default; null returns all. Return an object for each id, with id (a text), score and '
  'parts. Ids of equal scores are ordered by their bytes. parts: an object for each list that has the id. It has '
  'list (its name, or its number from 1), rank, score and part, which is what the list adds to the score. Under '
  'convex it also has normalised_score.';
