-- role: writer
-- page: guide/search-log.md
create or replace view braid.search_success
with (security_invoker = true)
as
with feedback as (
  select f.search_id, min(f.rank) filter (where f.kind = 'click') as clicked_rank,
         bool_or(f.kind = 'click') as is_clicked, bool_or(f.kind = 'used_in_answer') as is_used,
         sum(f.value) filter (where f.kind = 'rating') as rating_sum,
           count(*) filter (where f.kind = 'rating') as rating_count
  from braid_store.search_feedback f
  where f.tenant_id = (select braid.current_tenant_id())
  group by f.search_id
), searches as (
  select l.collection_id, l.ranking, l.configuration, count(*) as searches,
    count(*) filter (where f.is_clicked) as clicked_searches,
         sum(coalesce(1.0::float8 / f.clicked_rank, 0)) as reciprocal_ranks,
         count(*) filter (where f.is_used) as used_searches, sum(f.rating_sum) / nullif(sum(f.rating_count),
           0)::float8 as mean_rating
  from braid_store.search_log l
  left join feedback f on f.search_id = l.search_id
  where l.tenant_id = (select braid.current_tenant_id()) and l.is_first_page and l.result_count > 0
  group by l.collection_id, l.ranking, l.configuration
)
select c.name as collection, s.ranking, s.configuration, s.searches, s.clicked_searches,
       s.clicked_searches / s.searches::float8 as click_through_rate,
       s.reciprocal_ranks / s.searches as mean_reciprocal_rank,
       s.reciprocal_ranks / nullif(s.clicked_searches, 0) as clicked_reciprocal_rank,
       s.mean_rating, s.used_searches
from searches s
join braid_store.collections c on c.id = s.collection_id;

-- With the trigger, changing the view fails with 42501 (PostgREST: status 403), without it with 55000 (status 500).
create or replace trigger refuse_change
instead of insert or update or delete on braid.search_success
for each row execute function braid_store.refuse_view_change('braid.record_feedback');

comment on view braid.search_success is
  'Click rates and ranks of clicked results for the logged searches of the session''s tenant, by the collection''s '
  'ranking and the search''s configuration. Only first pages with results count. Only writers may read it.';
comment on column braid.search_success.collection is 'The collection that was searched.';
comment on column braid.search_success.ranking is 'The ranking settings of the collection, as in braid.search_log.';
comment on column braid.search_success.configuration is 'The other arguments of the searches, as in braid.search_log.';
comment on column braid.search_success.searches is 'The number of logged searches.';
comment on column braid.search_success.clicked_searches is 'The number of searches with a click.';
comment on column braid.search_success.click_through_rate is 'The share of searches with a click.';
comment on column braid.search_success.mean_reciprocal_rank is
  'The mean of 1 / rank of the best clicked result, over all searches; a search without a click counts as 0.';
comment on column braid.search_success.clicked_reciprocal_rank is
  'The mean of 1 / rank of the best clicked result, over searches with a click.';
comment on column braid.search_success.mean_rating is 'The mean of all ratings.';
comment on column braid.search_success.used_searches is
  'The number of searches with a result that was used in an answer.';
