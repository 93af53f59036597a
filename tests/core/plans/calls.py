"""List calls of every API function. An answer is as small for 30,000 documents as for
2,000, or its call names the tables of which it reads more, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from support.api import API, example
from support.parts import is_installed

LISTS = "the postings of a frequent word are read whole: one row out of line per 8192 chunks"
BOUNDS = "the closer the bounds of many chunks lie, the more are scored"
ALL_JOBS = "no index knows the state of a job"
ALL = "the answer is about all documents"
EMBEDDER = "select braid.set_static_embedder('small', '{needle}', '{[1]}')"
RANKS = "the rank among the first 10,000 of a leg is told, found by measuring all vectors"


@dataclass(frozen=True)
class Call:
    """Describe a call of the API.

    `grows` has the tables of which more is read in proportion to the number of documents, with the reason. `growing` is
    the reason if this holds for all tables. `batch` is the number of documents written.
    """

    statement: str
    prepare: tuple[str, ...] = ()
    batch: int = 1
    grows: Mapping[str, str] = field(default_factory=dict)
    growing: str | None = None

    @property
    def is_growing(self) -> bool:
        return self.growing is not None

    @property
    def is_near(self) -> bool:
        """Tell whether the call searches for vectors."""
        return "[1,0,0]" in self.statement or "similar_" in self.statement


def lists(statement: str) -> Call:
    scored = ("segment_chunks", "tombstones", "chunks", "documents", "forward_rows")
    return Call(statement, grows={"postings": LISTS, **dict.fromkeys(scored, BOUNDS)})


FIRST_TEN = "array(select 'doc ' || n from generate_series(0, 9) n)"
SOME = "array(select 'doc ' || n from generate_series(1000, 1500) n)"
QUERIES = "select braid.set_query_embeddings('docs', 100)"
LOG = "select braid.set_search_log('docs')"
# The search log has searches for the query of ASKED and for others, with clicks.
SEARCHED = (
    "select braid.logged_search('needle', collection => 'docs', match_count => 5) from generate_series(1, 20)",
    "select braid.logged_search('needle ' || n, collection => 'docs', match_count => 5) from generate_series(1, 20) n",
    """select braid.record_feedback(braid.logged_search('needle', collection => 'docs') #>> '{stats,search_id}',
      braid.logged_search('needle', collection => 'docs') #>> '{results,0,external_id}', 'click')
      from generate_series(1, 20)""",
)
ASKED = (
    "select braid.create_query_set('asked')",
    """select braid.store_queries('asked', '[{"query_id": "1", "text": "needle", "embedding": [1,0,0]},
      {"query_id": "2", "text": "a needle"}]', 'docs')""",
    """select braid.store_judgments('asked', '[{"query_id": "1", "external_id": "doc 5", "grade": 1},
      {"query_id": "2", "external_id": "doc 6", "grade": 1}]')""",
)
STANDING = ("select braid.create_standing_query('needles', 'needle', collection => 'docs')",)
STOOD = (*STANDING, "select braid.upsert_document('written', 'A needle.', collection => 'docs')")
AGAIN = """select braid.store_judgments('asked',
  '[{"query_id": "1", "external_id": "doc 5", "grade": 2, "judge": "ana"}]')"""
LEARNED = (
    """select braid.store_ranking_model('learned', '{"version": 1, "mode": "hybrid", "weights": [1, 1, 1, 1, 1],
      "features": ["score", "title_match", "word_match", "neighbour_score", "recency"]}')""",
)
EVALUATED = """braid.evaluate('asked', '{"mode": "full_text", "collection": "docs"}')"""
TUNED = (
    "select braid.create_query_set('tuned')",
    """select braid.store_queries('tuned', (select jsonb_agg(jsonb_build_object('query_id', n::text, 'text', 'needle '
      || n)) from generate_series(1, 30) n), 'docs')""",
    """select braid.store_judgments('tuned', (select jsonb_agg(jsonb_build_object('query_id', n::text, 'external_id',
      'doc 5', 'grade', 1)) from generate_series(1, 30) n))""",
)
SIXTY = {"segments": "60 searches read the row of each segment"}
SPACE = """'tuned', '{"k1": [2]}', 2, '{"mode": "full_text", "collection": "docs"}'"""
EVALUATED_ALL = """braid.evaluate('tuned', '{"mode": "full_text", "collection": "docs"}')"""
TOKENS = "select braid.set_token_vectors('docs', 'third', 8)"
SYNCED = (
    "create table public.synced as select id, 'text ' || id as body from generate_series(1, 30) id;"
    " alter table public.synced add primary key (id)",
    "select braid.sync_table('public.synced', '{body}', tenant => 'bench', collection => 'docs')",
)
HALVES = "array_fill('[0.5,0.5,0.5]'::vector, array[5])"
FILTERS = {
    "one document": '{"external_id": "doc 7"}',
    "some documents": '{"external_id": {"$in": ["doc 3", "doc 4", "doc 1999"]}}',
    "a speaker": '{"speaker": "speakerf"}',
    "some speakers": '{"speaker": {"$in": ["speakerf", "speakerbfa"]}}',
    "a category": '{"category": "first"}',
    "a time": '{"occurred_at": {"$gte": "2000-01-01T00:10:00Z", "$lt": "2000-01-01T00:10:05Z"}, '
    '"source_uri": "file 60"}',
    "an attribute": '{"conversation": "c5"}',
    "some of an attribute": '{"conversation": {"$in": ["c5", "c6"]}}',
    "a range of an attribute": '{"place": {"$gte": 1500, "$lt": 1510}}',
    "an attribute of a speaker": '{"place": {"$lt": 10}, "speaker": "speakera", '
    '"external_id": {"$in": ["doc 1", "doc 2"]}}',
}


def filtered() -> list[Call]:
    """Return searches with selective filters that an index serves."""
    searches = []
    for filters in FILTERS.values():
        searches += [
            Call(f"select * from braid.full_text_search('needle', filters => '{filters}', collection => 'docs')"),
            lists(f"select * from braid.full_text_search('alpha half', filters => '{filters}', collection => 'docs')"),
            Call(f"select * from braid.semantic_search('[1,0,0]', filters => '{filters}', collection => 'docs')"),
        ]
    return searches


# These calls replace or complete an example that is not enough, or that reads more.
SPECIAL: dict[str, list[Call]] = {
    "arrange_results": [
        Call(
            "select braid.arrange_results(%(chunks)s, array_fill(1.0::float8, array[10]), "
            f"collection => 'docs', options => '{options}')"
        )
        for options in (
            '{"group_by": "document", "diversify": {"lambda": 0.5}}',
            '{"context": {"before": 1, "after": 1}}',
        )
    ],
    "arrange_context": [
        Call("select braid.arrange_context(%(chunks)s, array_fill(1.0::float8, array[10]), collection => 'docs')")
    ],
    "abandon_embedding_jobs": [Call("select braid.abandon_embedding_jobs(%(waiting)s, 'why', 1, 'docs')")],
    "assemble_context": [Call("select braid.assemble_context('needle', '[1,0,0]', collection => 'docs')")],
    # calibrate makes a table and measures its speed.
    "calibrate": [],
    "check_index": [Call("select braid.check_index('docs')", growing=ALL)],
    "clear_collection": [
        Call("select braid.clear_collection('moving')"),
        Call("select braid.clear_collection('docs')", growing=ALL),
    ],
    "conversation_timeline": [
        Call("select braid.conversation_timeline('needle', collection => 'docs', conversation_key => 'conversation')"),
        Call(
            "select braid.conversation_timeline('needle', '[1,0,0]', collection => 'docs', "
            "conversation_key => 'speaker', context_before => 5)"
        ),
        Call("select braid.conversation_timeline(collection => 'docs')"),
        Call("select braid.conversation_timeline(collection => 'docs', conversation_key => 'conversation')"),
        Call(
            "select braid.conversation_timeline(timeframe => '2000-01-01T00:01', collection => 'docs', "
            """filters => '{"speaker": "speakerg"}')"""
        ),
    ],
    "acknowledge_matches": [
        Call(
            "select braid.acknowledge_matches(array(select match_id from braid.claim_matches(collection => 'docs')),"
            " 'docs')",
            STOOD,
        )
    ],
    "claim_matches": [Call("select braid.claim_matches(collection => 'docs')", STOOD)],
    "compare_evaluations": [Call(f"select braid.compare_evaluations({EVALUATED}, {EVALUATED}, 100)", ASKED)],
    "complete": [
        Call("select braid.complete('nee', collection => 'docs')"),
        Call("select braid.complete('alpha ', collection => 'docs')"),
        Call("select braid.complete('n', '{\"external_id\": \"doc 5\"}', 'docs')"),
    ],
    "delete_document": [
        Call("select braid.delete_document('doc 5', 'docs')"),
        Call("select braid.delete_document('doc 1001', 'docs')"),
        Call("select braid.delete_document('not there', 'docs')"),
    ],
    "delete_documents": [
        Call(f"select braid.delete_documents({FIRST_TEN}, 'docs')"),
        Call(f"select braid.delete_documents({SOME}, 'docs')", batch=501),
    ],
    "drop_collection": [Call("select braid.drop_collection('moving')"), Call("select braid.drop_collection('docs')")],
    "drop_embedding_jobs": [
        Call("select braid.drop_embedding_jobs(%(waiting)s, 'docs')"),
        Call("select braid.drop_embedding_jobs(collection => 'docs')", grows={"embedding_jobs": ALL_JOBS}),
    ],
    "drop_tenant": [Call("select braid.drop_tenant('bench', 'bench')")],
    "embedding_backlog": [Call("select braid.embedding_backlog()", growing=ALL)],
    "drop_query_set": [Call("select braid.drop_query_set('asked')", ASKED)],
    "drop_ranking_model": [Call("select braid.drop_ranking_model('learned')", LEARNED)],
    "tune": [Call(f"select braid.tune({SPACE})", TUNED, grows=SIXTY)],
    "plan_tuning": [Call(f"select braid.plan_tuning({SPACE})", TUNED)],
    "choose_configuration": [
        Call(
            f"select braid.choose_configuration(jsonb_build_array({EVALUATED_ALL}, {EVALUATED_ALL}))",
            TUNED,
            grows=SIXTY,
        )
    ],
    "evaluate": [Call(f"select {EVALUATED}", ASKED)],
    "pool_results": [
        Call("""select braid.pool_results('asked', '[{"mode": "full_text", "collection": "docs"}]', 5, 'ana')""", ASKED)
    ],
    "judge_agreement": [Call("select braid.judge_agreement('asked', 'ana')", (*ASKED, AGAIN))],
    "sample_queries": [Call("select braid.sample_queries('asked', 'docs')", (*ASKED, LOG, *SEARCHED))],
    "judgments_from_clicks": [
        Call("select braid.judgments_from_clicks('asked', 'docs', min_impressions => 1)", (*ASKED, LOG, *SEARCHED))
    ],
    "apply_changes": [
        Call("select braid.apply_changes()", (*SYNCED, "update public.synced set body = 'new' where id < 20")),
    ],
    "check_sync": [Call("select braid.check_sync('public.synced')", SYNCED)],
    "sync_status": [Call("select braid.sync_status()", SYNCED)],
    "sync_table": [Call(SYNCED[1], SYNCED[:1])],
    "unsync_table": [Call("select braid.unsync_table('public.synced')", SYNCED)],
    "explain_score": [Call("select braid.explain_score('needle alpha', %(chunks)s, collection => 'docs')")],
    "explain_search": [
        Call("select braid.explain_search('needle', collection => 'docs')"),
        Call(
            "select braid.explain_search('needle', '[1,0,0]', external_id => 'doc 4', collection => 'docs')",
            grows=dict.fromkeys(("chunks", "vectors", "chunk_vectors"), RANKS),
        ),
    ],
    "export_tenant": [
        Call("select braid.export_tenant('docs', null, 20)"),
        Call("select braid.export_tenant('docs', 'doc 1500', 20)"),
        Call("select braid.export_tenant()", growing=ALL),
    ],
    "facets": [
        Call("select braid.facets('{speaker,source_uri,color}', 'needle', collection => 'docs')"),
        Call(
            "select braid.facets('{category,conversation}', collection => 'docs', "
            """filters => '{"speaker": "speakerf"}')"""
        ),
        Call("select braid.facets('{speaker,external_id}', collection => 'docs')", growing=ALL),
        Call(
            "select braid.facets(null, 'needle', collection => 'docs', aggregations => "
            """'{"importance": {"buckets": 3}, "occurred_at": {"interval": "day"}, "all": {"total": true}}')"""
        ),
    ],
    "fail_embedding_jobs": [Call("select braid.fail_embedding_jobs(%(waiting)s, 'why', 'docs')")],
    "finish_model_change": [
        Call("select braid.finish_model_change('moving')", ("select braid.cut_over_model_change('moving')",))
    ],
    "full_text_search": [
        Call("select braid.full_text_search('needle', collection => 'docs')"),
        Call("select braid.full_text_search('needle uniquebaab speakerd', match => 'any', collection => 'docs')"),
        Call("select braid.full_text_search('\"needle\" -uniqued', collection => 'docs')"),
        Call("select braid.full_text_search('need* uniqebaab', collection => 'docs')"),
        lists("select braid.full_text_search('alpha half', collection => 'docs')"),
        *filtered(),
    ],
    "get_document": [
        Call("select braid.get_document('doc 4', 'docs')"),
        Call("select braid.get_document('doc 4', 'docs', first_chunk => 1, chunk_count => 2)"),
    ],
    "grep": [
        Call("select braid.grep(collection => 'docs')"),
        Call("""select braid.grep('e', filters => '{"external_id": "doc 4"}', collection => 'docs')"""),
        Call("select braid.grep('absent', collection => 'docs')", growing=ALL),
        Call("select braid.grep('abs[e]nt', regex => true, collection => 'docs')", growing=ALL),
    ],
    "health": [
        Call(
            "select * from braid.health('0 seconds')",
            grows={"embedding_jobs": "10,000 are counted", "chunk_vectors": "up to the size that an index is worth"},
        )
    ],
    "highlight": [Call("select braid.highlight((%(chunks)s::bigint[])[1], 'needle alpha')")],
    "get_query_embedding": [Call("select braid.get_query_embedding('needle', 'docs')", (QUERIES,))],
    "get_ranking_model": [Call("select braid.get_ranking_model('learned')", LEARNED)],
    "hybrid_search": [
        Call("select braid.hybrid_search('needle', '[1,0,0]', collection => 'docs')"),
        Call(
            "select braid.hybrid_search('needle', '[1,0,0]', collection => 'docs', options => "
            """'{"ranking_model": "learned"}')""",
            LEARNED,
        ),
        Call(
            "select braid.hybrid_search('needle', '[1,0,0]', collection => 'docs', options => "
            """'{"group_by": "document", "boosts": [{"recency": {"half_life": "180 days"}}], "snippet": true}')"""
        ),
        Call(
            "select braid.hybrid_search('needle', '[1,0,0]', collection => 'docs', options => "
            """'{"profile": {"embedding": [0,1,0], "attributes": {"speaker": {"speakera": 1}}}}')"""
        ),
        lists("select braid.hybrid_search('alpha other', '[1,0,0]', collection => 'docs')"),
    ],
    "import_tenant": [
        Call(
            "select braid.import_tenant(%(records)s)",
        )
    ],
    "learn_profile": [
        Call("select braid.learn_profile('ana', '{doc 5,doc 6}', '{doc 7}', '{speaker,conversation}', 'docs')")
    ],
    "list_embedding_jobs": [
        Call("select braid.list_embedding_jobs(collection => 'docs')"),
        Call("select braid.list_embedding_jobs('abandoned', collection => 'docs')", grows={"embedding_jobs": ALL_JOBS}),
    ],
    "list_documents": [
        Call("select braid.list_documents('docs', 10)"),
        Call("select braid.list_documents('docs', 10, after => 'doc 5')"),
        *(Call(f"select braid.list_documents('docs', 10, filters => '{filters}')") for filters in FILTERS.values()),
    ],
    "list_judgments": [Call("select braid.list_judgments('asked', '1')", ASKED)],
    "list_queries": [Call("select braid.list_queries('asked')", ASKED)],
    "list_query_sets": [Call("select braid.list_query_sets()", ASKED)],
    "list_ranking_models": [Call("select braid.list_ranking_models()", LEARNED)],
    "list_standing_queries": [Call("select braid.list_standing_queries('docs')", STANDING)],
    "list_values": [
        Call("select braid.list_values(collection => 'docs')", growing=ALL),
        Call("""select braid.list_values(filters => '{"external_id": "doc 4"}', collection => 'docs')"""),
    ],
    "logged_multi_search": [
        Call(
            """select braid.logged_multi_search('[{"text": "needle", "embedding": [1,0,0]}, {"text": "needle"}]', """
            "collection => 'docs')",
            (LOG,),
        )
    ],
    "logged_recall": [
        Call(
            "select braid.logged_recall('needle', '[1,0,0]', '2000-01-01T00:01', 'auto', collection => 'docs')", (LOG,)
        )
    ],
    "maintain": [
        Call(
            "select braid.maintain()",
            growing="deleted chunks are counted, by segment, and vectors",
        )
    ],
    "multi_search": [
        Call(
            """select braid.multi_search('[{"text": "needle", "embedding": [1,0,0]}, {"text": "needle"}]', """
            "collection => 'docs')"
        )
    ],
    "retry_embedding_jobs": [
        Call("select braid.retry_embedding_jobs(%(waiting)s, 'docs')"),
        Call("select braid.retry_embedding_jobs(collection => 'docs')", grows={"embedding_jobs": ALL_JOBS}),
    ],
    "rebuild_index": [Call("select braid.rebuild_index('docs')", growing=ALL)],
    "measure_index_recall": [Call("select braid.measure_index_recall('docs')", growing=ALL)],
    "recall": [
        Call(
            f"select braid.recall('needle', '[1,0,0]', collection => 'docs', strategy => '{strategy}', "
            "timeframe => '2000-01-01T00:01')"
        )
        for strategy in ("hybrid", "prefilter", "auto")
    ],
    "record_feedback": [
        Call(
            "select braid.record_feedback(braid.logged_search('needle', collection => 'docs') #>> '{stats,search_id}', "
            "braid.logged_search('needle', collection => 'docs') #>> '{results,0,external_id}', 'click')",
            (LOG,),
        )
    ],
    "recall_json": [Call("select braid.recall_json('needle 2000', '[1,0,0]', collection => 'docs')")],
    "resume_model_change": [
        Call("select braid.resume_model_change('moving')", ("select braid.pause_model_change('moving')",))
    ],
    "roll_back_model_change": [
        Call("select braid.roll_back_model_change('moving')"),
        Call("select braid.roll_back_model_change('moving')", ("select braid.cut_over_model_change('moving')",)),
    ],
    "logged_search": [
        Call("select braid.logged_search('needle', '[1,0,0]', collection => 'docs')"),
        Call("select braid.logged_search('needle', '[1,0,0]', collection => 'docs')", (LOG,)),
    ],
    "search_json": [
        Call(
            "select braid.search_json('needle', '[1,0,0]', collection => 'docs', options => "
            """'{"explain": true, "snippet": true}')"""
        ),
        Call("select braid.search_json('neeedle', collection => 'docs', options => '{\"typos\": \"auto\"}')"),
    ],
    "set_indexed_attributes": [Call("select braid.set_indexed_attributes('{\"color\": \"text\"}', 'docs')")],
    "set_profile": [Call("select braid.set_profile('ana', '[1,0,0]', collection => 'docs')")],
    "set_sparse_encoder": [Call("select braid.set_sparse_encoder('small', '{\"needle\": 2}')")],
    "set_static_embedder": [Call("select braid.set_static_embedder('small', '{needle}', '{[1]}')")],
    "static_embedders": [Call("select * from braid.static_embedders()", (EMBEDDER,))],
    "embed_text": [Call("select braid.embed_text('needle', 'small')", (EMBEDDER,))],
    "missing_token_vectors": [Call("select braid.missing_token_vectors(64, 0, 'docs')", (TOKENS,))],
    "similar_chunks": [Call("select braid.similar_chunks((%(embedded)s::bigint[])[1])")],
    "similar_documents": [Call("select braid.similar_documents('doc 4', collection => 'docs')")],
    "status": [
        Call("select braid.status('moving')"),
        Call("select braid.status('docs')", growing=ALL),
    ],
    "store_judgments": [
        Call("""select braid.store_judgments('asked', '[{"query_id": "1", "external_id": "a", "grade": 1}]')""", ASKED)
    ],
    "ranking_features": [
        Call("""select braid.ranking_features('asked', '{"mode": "full_text", "collection": "docs"}')""", ASKED)
    ],
    "store_ranking_model": [Call(LEARNED[0])],
    "store_queries": [
        Call("""select braid.store_queries('asked', '[{"query_id": "9", "text": "pin"}]', 'docs')""", ASKED)
    ],
    "store_embeddings": [
        Call(f"select braid.store_embeddings(%(waiting)s, {HALVES}, 'docs')"),
        Call(f"select braid.store_embeddings(%(embedded)s, {HALVES}, 'docs')"),
    ],
    "store_query_embedding": [
        Call("select braid.store_query_embedding('needle', '[1,0,0]', 'docs')", (QUERIES,)),
    ],
    "store_sparse_terms": [
        Call(
            'select braid.store_sparse_terms(%(embedded)s, (select jsonb_agg(\'{"alpha": 1, "needle": 2}\'::jsonb)'
            " from unnest(%(embedded)s::bigint[])), 'docs')"
        ),
    ],
    "store_token_vectors": [
        Call(
            "select braid.store_token_vectors(%(embedded)s, array_fill('[0.5,0.5,0.5]'::halfvec, array[10]), "
            "array_fill(2, array[5]), 'docs')",
            (TOKENS,),
        ),
    ],
    "update_metadata": [
        Call("select braid.update_metadata('doc 5', '{\"place\": -1}', collection => 'docs')"),
    ],
    "upsert_document": [
        Call("select braid.upsert_document('doc 5', 'alpha changed', collection => 'docs')"),
        Call("select braid.upsert_document('doc 1001', 'alpha', embedding => '[0,0,1]', collection => 'docs')"),
        Call("select braid.upsert_document('new', 'alpha brand new', collection => 'docs')"),
    ],
    "upsert_documents": [
        # Documents are replaced, updated and unchanged.
        Call("select braid.upsert_documents(%(replaced)s, 'docs')", batch=501),
        Call("select braid.upsert_documents(%(updated)s, 'docs')", batch=501),
        Call("select braid.upsert_documents(%(unchanged)s, 'docs')", batch=501),
    ],
    "upsert_embedded_documents": [
        Call(
            "select braid.upsert_embedded_documents(%(embedded_documents)s, "
            "array_fill('[0.5,0.5,0.5]'::vector, array[501]), 'docs')",
            batch=501,
        ),
    ],
}


def usual(function: str) -> Call:
    """Return a function's example, adapted to this tenant and its collections."""
    call = example(function)
    names = {"'small'": "'docs'", '"small"': '"docs"', "doc1": "doc 5", "doc2": "doc 6", "discount": "needle"}
    for name, here in {**names, "'alpha'": "'bench'"}.items():
        call = call.replace(name, here)
    return Call(f"select {call}")


def possible(call: Call) -> bool:
    """Tell whether all parts that a call needs are installed."""
    return is_installed(call.statement, *call.prepare)


CALLS = {
    function: list(filter(possible, SPECIAL.get(function) or [usual(function)]))
    for function in API
    if SPECIAL.get(function) != []
}
