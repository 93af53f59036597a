// This file declares the API of pgbraid, for createClient<Database>(…).schema('braid'). `make generate` makes it from
// the catalog.
export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

type None = { [_ in never]: never }

export type SearchOptions = {
  operators?: boolean | null
  language?: string | null
  typos?: string | null
  snippet?: boolean | {
    start_tag?: string | null
    stop_tag?: string | null
    fragment_count?: number | null
    fragment_words?: number | null
    fragment_separator?: string | null
  } | null
  prefilter?: boolean | null
  strategy?: string | null
  ranking?: { [key: string]: Json | undefined } | null
  explain?: boolean | null
  min_scores?: {
    full_text?: number | null
    semantic?: number | null
    sparse?: number | null
  } | null
  min_relevance?: number | string | null
  exact?: boolean | null
  ef_search?: number | null
  embedding_model?: string | null
  sparse?: { [key: string]: Json | undefined } | boolean | null
  boosts?: Json[] | null
  rank_by?: Json[] | { [key: string]: Json | undefined } | null
  collapse?: boolean | {
    similarity?: number | null
  } | null
  group_by?: string | {
    key?: string | null
    size?: number | null
    score?: string | null
  } | null
  diversify?: boolean | {
    lambda?: number | null
  } | null
  context?: boolean | {
    before?: number | null
    after?: number | null
  } | null
  cursor?: string | null
  decompounding?: string | null
  profile?: string | { [key: string]: Json | undefined } | null
  ranking_model?: string | { [key: string]: Json | undefined } | boolean | null
  late_interaction?: { [key: string]: Json | undefined } | null
}

export type SearchRow = Database['braid']['CompositeTypes']['search_result']
export type SearchWarning = { code: string; message: string }
export type SearchTimings = { compile_ms: number; legs_ms: number; ranking_ms: number; rows_ms: number }
export type SearchCorrection = { word: string; correction: string; lexeme: string; edits: number; applied: boolean }

export type SearchStats = {
  mode: 'hybrid' | 'full_text' | 'semantic' | 'sparse'
  semantic_mode: string | null
  full_text_candidates: number | null
  semantic_candidates: number | null
  sparse_candidates?: number | null
  sparse_terms?: number
  total_candidates: number | null
  filtered_results: number | null
  returned_results: number | null
  fusion_method: string | null
  candidate_count: number
  asked_candidate_count?: number
  underfilled: boolean | null
  next_cursor: string | null
  listing_cut: boolean | null
  terms: string[]
  dropped_terms: string[]
  corrections: SearchCorrection[]
  query_cut: boolean
  demands_cut: boolean | null
  optional_phrases: boolean
  plain_signs?: boolean
  signs_read_as_text?: string[]
  negation_in_words?: string
  scoring_cut: boolean
  strategy_reason?: string
  query_embedding?: 'stored' | 'static'
  candidates_without_embedding?: number | null
  candidates_without_token_vectors?: number
  statistics_scope?: 'collection' | 'filter'
  scope_chunks?: number | null
  relevance?: (number | null)[]
  best_relevance?: number | null
  other_collections?: string[]
  undeclared_filter?: { [key: string]: string } | null
  unknown_filter_keys?: string[] | null
  no_dates?: true
  model?: Json
  profile?: Json
  timings: SearchTimings
  query_time_ms: number
  search_id?: string | number
  // The option explain adds these.
  fusion?: SearchFusion | null
  spread?: Json
  sparse_term_weights?: { [term: string]: number }
  term_statistics?: TermStatistics[]
  expanded?: Json
  postings?: number
  segments?: Json
  postings_read?: number
  chunks_scored?: number
}

export type SearchAnswer = { results: SearchRow[]; stats: SearchStats; warnings: SearchWarning[] }

export type RecallAnswer = {
  results: SearchRow[]
  stats: SearchStats & {
    recall: {
      strategy: string
      reason: string
      searched_text: string | null
      timeframe: { starts_at: string | null; ends_at: string | null }[] | null
      timeframe_phrases: string[] | null
      time_zone: string | null
      reference_time: string | null
    }
  }
  warnings: SearchWarning[]
}

export type MultiSearchAnswer = {
  results: (SearchRow & { query_ranks: { query: number; rank: number; score: number }[] })[]
  stats: {
    mode: 'multi'
    queries: (SearchStats & { text: string | null; weight: number })[]
    total_candidates: number
    returned_results: number
    next_cursor: null
    query_time_ms: number
    search_id?: string | number
  }
  warnings: (SearchWarning & { queries: number[] })[]
}

export type TermStatistics = {
  term: string
  lexemes: string[]
  document_frequency: number
  idf: number
  weight: number
}

// A leg's normalisation, and the numbers that the normalisation used.
export type FusedLeg = { normalisation: string; [number: string]: string | number | null }

export type SearchFusion = {
  fusion: string
  rrf_k?: number
  weights: { full_text: number; semantic: number; sparse?: number }
  full_text?: FusedLeg
  semantic?: FusedLeg
  sparse?: FusedLeg
}

export type ExplainedLeg<Part> = {
  rank: number | null
  score: number | null
  normalised_score: number | null
  terms?: Part[]
}

export type ExplainedRow = {
  place: number
  chunk_id: number
  external_id: string
  chunk_index: number
  title: string | null
  score: number
  // arithmetic evaluates to exactly the score; formula is the same with names in place of numbers.
  arithmetic: string
  formula: string
  spread: Json
  fused_score: number | null
  boosts: Json
  group_score: number | null
  full_text: ExplainedLeg<{ term: string; lexeme: string; contribution: number }> | null
  semantic: ExplainedLeg<never> | null
  sparse?: ExplainedLeg<Json>
  model?: Json
}

export type ExplainedChunk = {
  chunk_id: number
  chunk_index: number
  outcome: string
  reason: string
  failed_conditions: Json
  full_text_score: number | null
  full_text_rank: number | null
  semantic_score: number | null
  semantic_rank: number | null
  sparse_score?: number | null
  sparse_rank?: number | null
  fused_score: number | null
  score: number | null
  place: number | null
  shown_instead: string | null
}

export type SearchExplanation = {
  query: {
    text: string | null
    terms: TermStatistics[]
    dropped_terms: string[]
    corrections: SearchCorrection[]
    cut: boolean
    embedding?: 'stored'
  }
  legs: {
    full_text: { candidates: number | null; postings: number; segments: Json }
    semantic: { candidates: number | null; mode: string | null }
    sparse?: { candidates: number | null; terms: { [term: string]: number } }
  }
  fusion: SearchFusion | null
  spread: Json
  results: ExplainedRow[]
  document: { external_id: string; outcome: string; reason: string; chunks: ExplainedChunk[] } | null
  statistics: {
    query_time_ms: number
    total_candidates: number | null
    fusion_method: string | null
    filtered_results: number | null
    returned_results: number | null
  }
  timings: SearchTimings
  warnings: SearchWarning[]
}

export type Database = {
  braid: {
    Tables: None
    Views: {
      collections: {
        Row: {
          b: number | null
          bm25_variant: string | null
          chunk_tokens: number | null
          created_at: string | null
          default_occurred_at: string | null
          dimensions: number | null
          distance: string | null
          document_weight: number | null
          embed_fields: string[] | null
          embedding_model: string | null
          fold_diacritics: boolean | null
          full_text_weight: number | null
          fusion: string | null
          hnsw_ef_construction: number | null
          hnsw_m: number | null
          index_fields: string[] | null
          indexed_attributes: Json
          k1: number | null
          name: string | null
          name_weight: number | null
          neighbour_weight: number | null
          normalisation: string | null
          overlap_tokens: number | null
          parts: Json
          question_penalty: number | null
          rrf_k: number | null
          semantic_weight: number | null
          smoothing: number | null
          sparse_weight: number | null
          speaker_weight: number | null
          statistics_scope: string | null
          text_config: string | null
          title_weight: number | null
          typos: string | null
          vector_storage: string | null
        }
        Relationships: []
      }
      embedding_costs: {
        Row: {
          cost: number | null
          embedding_model: string | null
          estimated_token_count: number | null
          month: string | null
          request_count: number | null
          tenant_count: number | null
          text_count: number | null
          token_count: number | null
        }
        Relationships: []
      }
      index_health: {
        Row: {
          chunk_count: number | null
          collection: string | null
          dead_chunk_count: number | null
          dead_share: number | null
          ef_search: number | null
          embedding_model: string | null
          index_recall_10: number | null
          index_recall_100: number | null
          index_recall_100_error: number | null
          index_recall_10_error: number | null
          is_indexed: boolean | null
          measured_at: string | null
          segment_count: number | null
          shard: number | null
          tenant: string | null
          vector_count: number | null
          waiting_chunk_count: number | null
        }
        Relationships: []
      }
      model_changes: {
        Row: {
          collection: string | null
          cut_over_at: string | null
          from_dimensions: number | null
          from_distance: string | null
          from_model: string | null
          is_enqueued: boolean | null
          started_at: string | null
          state: string | null
          to_dimensions: number | null
          to_distance: string | null
          to_model: string | null
        }
        Relationships: []
      }
      outbox: {
        Row: {
          abandoned_count: number | null
          age: string | null
          claimable_count: number | null
          collection: string | null
          embedding_model: string | null
          failed_count: number | null
          oldest_at: string | null
          tenant: string | null
          waiting_count: number | null
        }
        Relationships: []
      }
      query_statistics: {
        Row: {
          calls: number | null
          collection: string | null
          compile_ms: number | null
          estimated_calls: number | null
          first_searched_at: string | null
          last_searched_at: string | null
          legs_ms: number | null
          max_ms: number | null
          mean_ms: number | null
          query: string | null
          ranking_ms: number | null
          rows_ms: number | null
          zero_hits: number | null
        }
        Relationships: []
      }
      search_activity: {
        Row: {
          calls: number | null
          collection: string | null
          estimated_calls: number | null
          hour: string | null
          mean_ms: number | null
          mode: string | null
          p50_ms: number | null
          p95_ms: number | null
          p99_ms: number | null
          underfilled: number | null
          warned: number | null
          zero_hits: number | null
        }
        Relationships: []
      }
      search_feedback: {
        Row: {
          collection: string | null
          external_id: string | null
          kind: string | null
          login: string | null
          rank: number | null
          recorded_at: string | null
          search_id: string | null
          value: number | null
        }
        Relationships: []
      }
      search_hours: {
        Row: {
          calls: number | null
          collection: string | null
          compile_ms: number | null
          estimated_calls: number | null
          histogram: number[] | null
          hour: string | null
          legs_ms: number | null
          max_ms: number | null
          mean_ms: number | null
          min_ms: number | null
          mode: string | null
          ranking_ms: number | null
          rows_ms: number | null
          semantic_mode: string | null
          stddev_ms: number | null
          total_ms: number | null
          underfilled: number | null
          warned: number | null
          zero_hits: number | null
        }
        Relationships: []
      }
      search_latency: {
        Row: {
          calls: number | null
          collection: string | null
          day: string | null
          max_ms: number | null
          mean_ms: number | null
          min_ms: number | null
          mode: string | null
          p50_ms: number | null
          p95_ms: number | null
          p99_ms: number | null
          semantic_mode: string | null
          stddev_ms: number | null
        }
        Relationships: []
      }
      search_log: {
        Row: {
          chunk_indexes: number[] | null
          collection: string | null
          compile_ms: number | null
          configuration: Json
          external_ids: string[] | null
          filters: Json
          is_first_page: boolean | null
          is_underfilled: boolean | null
          legs_ms: number | null
          login: string | null
          match_count: number | null
          mode: string | null
          query_hash: string | null
          query_text: string | null
          query_time_ms: number | null
          ranking: string | null
          ranking_ms: number | null
          result_count: number | null
          rows_ms: number | null
          sample_share: number | null
          search_id: string | null
          searched_at: string | null
          semantic_mode: string | null
          warnings: string[] | null
        }
        Relationships: []
      }
      search_problems: {
        Row: {
          collection: string | null
          filters: Json
          match_count: number | null
          mode: string | null
          problems: string[] | null
          query_hash: string | null
          query_text: string | null
          result_count: number | null
          search_id: string | null
          searched_at: string | null
        }
        Relationships: []
      }
      search_success: {
        Row: {
          click_through_rate: number | null
          clicked_reciprocal_rank: number | null
          clicked_searches: number | null
          collection: string | null
          configuration: Json
          mean_rating: number | null
          mean_reciprocal_rank: number | null
          ranking: string | null
          searches: number | null
          used_searches: number | null
        }
        Relationships: []
      }
      storage: {
        Row: {
          byte_count: number | null
          collection: string | null
          part: string | null
          row_estimate: number | null
          table_name: string | null
          tenant: string | null
        }
        Relationships: []
      }
      storage_growth: {
        Row: {
          byte_count: number | null
          day: string | null
          growth: number | null
          index_bytes: number | null
          row_bytes: number | null
          table_name: string | null
        }
        Relationships: []
      }
      synonyms: {
        Row: {
          collection: string | null
          synonyms: string[] | null
          word: string | null
        }
        Relationships: []
      }
      tenant_growth: {
        Row: {
          byte_count: number | null
          byte_growth: number | null
          chunk_count: number | null
          chunk_growth: number | null
          collection: string | null
          day: string | null
          tenant: string | null
          token_count: number | null
        }
        Relationships: []
      }
      tenant_storage: {
        Row: {
          byte_count: number | null
          chunk_count: number | null
          collection: string | null
          indexed_vector_count: number | null
          tenant: string | null
          token_count: number | null
          vector_index_byte_count: number | null
        }
        Relationships: []
      }
    }
    Functions: {
      abandon_embedding_jobs: {
        Args: {
          chunk_ids: number[]
          collection?: string
          embedding_model?: string | null
          error: string
          most_attempts?: number
        }
        Returns: number
      }
      acknowledge_matches: {
        Args: {
          collection?: string
          match_ids: number[]
        }
        Returns: number
      }
      add_principal_member: {
        Args: {
          member: string
          principal: string
          tenant: string
        }
        Returns: boolean
      }
      add_tenant_member: {
        Args: {
          member: string
          tenant: string
        }
        Returns: boolean
      }
      add_trusted_role: {
        Args: {
          kind: string
          role: string
        }
        Returns: boolean
      }
      apply_changes: {
        Args: {
          time_budget?: string
        }
        Returns: Json
      }
      arrange_context: {
        Args: {
          chunk_ids: number[]
          collection?: string
          match_count?: number
          options?: SearchOptions | null
          scores: number[]
          sort?: string
          token_budget?: number
        }
        Returns: {
          citation: number | null
          chunk_id: number | null
          external_id: string | null
          title: string | null
          source_uri: string | null
          passage_start: number | null
          passage_end: number | null
          content: string | null
          token_count: number | null
          total_tokens: number | null
          score: number | null
        }[]
      }
      arrange_results: {
        Args: {
          chunk_ids: number[]
          collection?: string
          match_count?: number
          options?: SearchOptions | null
          scores: number[]
        }
        Returns: Database['braid']['CompositeTypes']['search_result'][]
      }
      assemble_context: {
        Args: {
          candidate_count?: number | null
          collection?: string
          filters?: Json
          full_text_weight?: number | null
          fusion?: string | null
          match?: string
          match_count?: number
          min_score?: number | null
          options?: SearchOptions | null
          query_embedding?: number[] | string | null
          query_text?: string | null
          rrf_k?: number | null
          semantic_weight?: number | null
          sort?: string
          token_budget?: number
        }
        Returns: {
          citation: number | null
          chunk_id: number | null
          external_id: string | null
          title: string | null
          source_uri: string | null
          passage_start: number | null
          passage_end: number | null
          content: string | null
          token_count: number | null
          total_tokens: number | null
          score: number | null
        }[]
      }
      calibrate: {
        Args: never
        Returns: Json
      }
      check_index: {
        Args: {
          collection?: string
        }
        Returns: {
          problem: string | null
          chunk_id: number | null
          lexeme: string | null
          detail: string | null
        }[]
      }
      check_sync: {
        Args: {
          table_name: string
        }
        Returns: {
          tenant: string | null
          external_id: string | null
          problem: string | null
        }[]
      }
      choose_configuration: {
        Args: {
          evaluations: Json
          fold_count?: number
          metric?: string
          resample_count?: number
          seed?: number
        }
        Returns: Json
      }
      claim_embedding_jobs: {
        Args: {
          collection?: string
          embedding_model?: string | null
          job_count?: number
          lease?: string
        }
        Returns: {
          chunk_id: number | null
          input: string | null
        }[]
      }
      claim_matches: {
        Args: {
          collection?: string
          lease?: string
          match_count?: number
        }
        Returns: {
          match_id: number | null
          name: string | null
          kind: string | null
          document_id: number | null
          external_id: string | null
          chunk_id: number | null
          chunk_index: number | null
          matched_at: string | null
        }[]
      }
      clear_collection: {
        Args: {
          collection?: string
        }
        Returns: number
      }
      compare_evaluations: {
        Args: {
          baseline: Json
          candidate: Json
          changed_count?: number
          resample_count?: number
          seed?: number
        }
        Returns: Json
      }
      complete: {
        Args: {
          collection?: string
          filters?: Json
          kinds?: string[]
          match_count?: number
          prefix: string
        }
        Returns: {
          completion: string | null
          kind: string | null
          frequency: number | null
        }[]
      }
      conversation_timeline: {
        Args: {
          candidate_count?: number | null
          collection?: string
          context_after?: number
          context_before?: number
          conversation_key?: string | null
          filters?: Json
          match?: string
          match_count?: number
          min_score?: number | null
          options?: SearchOptions | null
          query_embedding?: number[] | string | null
          reference_time?: string | null
          strategy?: string
          time_zone?: string | null
          timeframe?: string | null
          topic?: string | null
        }
        Returns: {
          window_number: number | null
          is_match: boolean | null
          conversation: string | null
          chunk_id: number | null
          document_id: number | null
          external_id: string | null
          chunk_index: number | null
          title: string | null
          content: string | null
          source_uri: string | null
          speaker: string | null
          category: string | null
          importance: number | null
          occurred_at: string | null
          metadata: Json
          score: number | null
        }[]
      }
      create_collection: {
        Args: {
          chunk_tokens?: number | null
          collection: string
          dimensions?: number
          distance?: string
          embedding_model?: string
          indexed_attributes?: Json
          ranking?: Json
          settings?: Json
          text_config?: string
        }
        Returns: number
      }
      create_query_set: {
        Args: {
          description?: string
          level?: string
          query_set: string
        }
        Returns: boolean
      }
      create_standing_query: {
        Args: {
          collection?: string
          filters?: Json
          match?: string
          name: string
          options?: SearchOptions | null
          query_embedding?: number[] | string | null
          query_text?: string | null
          semantic_min_score?: number | null
        }
        Returns: undefined
      }
      create_tenant: {
        Args: {
          tenant: string
        }
        Returns: number
      }
      current_principals: {
        Args: never
        Returns: string[]
      }
      current_tenant_id: {
        Args: never
        Returns: number
      }
      cut_over_model_change: {
        Args: {
          collection: string
        }
        Returns: undefined
      }
      delete_document: {
        Args: {
          collection?: string
          external_id: string
        }
        Returns: boolean
      }
      delete_documents: {
        Args: {
          collection?: string
          external_ids: string[]
        }
        Returns: number
      }
      delete_profile: {
        Args: {
          profile: string
        }
        Returns: boolean
      }
      document_access: {
        Args: {
          collection?: string
          external_id: string
        }
        Returns: string[]
      }
      drop_collection: {
        Args: {
          collection: string
        }
        Returns: boolean
      }
      drop_embedding_jobs: {
        Args: {
          chunk_ids?: number[] | null
          collection?: string
          embedding_model?: string | null
        }
        Returns: number
      }
      drop_query_set: {
        Args: {
          query_set: string
        }
        Returns: boolean
      }
      drop_ranking_model: {
        Args: {
          name: string
        }
        Returns: boolean
      }
      drop_standing_query: {
        Args: {
          collection?: string
          name: string
        }
        Returns: boolean
      }
      drop_tenant: {
        Args: {
          confirm_tenant?: string | null
          tenant: string
        }
        Returns: boolean
      }
      embed_text: {
        Args: {
          content: string
          embedder: string
        }
        Returns: number[] | string
      }
      embedded_text: {
        Args: {
          collection?: string
          options?: SearchOptions | null
          query_text: string
        }
        Returns: string
      }
      embedding_backlog: {
        Args: never
        Returns: {
          tenant: string | null
          collection: string | null
          embedding_model: string | null
          dimensions: number | null
          waiting_count: number | null
          claimable_count: number | null
          last_error: string | null
        }[]
      }
      embedding_usage: {
        Args: {
          since?: string | null
        }
        Returns: {
          tenant: string | null
          embedding_model: string | null
          day: string | null
          request_count: number | null
          text_count: number | null
          token_count: number | null
          estimated_token_count: number | null
          cost: number | null
        }[]
      }
      evaluate: {
        Args: {
          configuration?: Json
          details?: boolean
          judge?: string | null
          metrics?: string[]
          query_set: string
        }
        Returns: Json
      }
      explain_score: {
        Args: {
          chunk_ids: number[]
          collection?: string
          match?: string
          query_text: string
        }
        Returns: {
          chunk_id: number | null
          term: string | null
          lexeme: string | null
          frequency: number | null
          title_frequency: number | null
          document_frequency: number | null
          idf: number | null
          query_frequency: number | null
          length: number | null
          average_length: number | null
          length_normalisation: number | null
          contribution: number | null
        }[]
      }
      explain_search: {
        Args: {
          candidate_count?: number | null
          collection?: string
          external_id?: string | null
          filters?: Json
          full_text_weight?: number | null
          fusion?: string | null
          match?: string
          match_count?: number
          min_score?: number | null
          options?: SearchOptions | null
          query_embedding?: number[] | string | null
          query_text?: string | null
          rrf_k?: number | null
          semantic_weight?: number | null
        }
        Returns: SearchExplanation
      }
      export_tenant: {
        Args: {
          after?: string | null
          collection?: string | null
          document_count?: number | null
        }
        Returns: Json[]
      }
      extract_timeframe: {
        Args: {
          query_text: string
          reference_time?: string | null
          time_zone?: string | null
        }
        Returns: {
          searched_text: string | null
          timeframe: string | null
          phrases: string[] | null
          warnings: Json
        }[]
      }
      facets: {
        Args: {
          aggregations?: Json
          collection?: string
          filters?: Json
          keys?: string[] | null
          match?: string
          options?: SearchOptions | null
          query_text?: string | null
          value_count?: number
        }
        Returns: {
          key: string | null
          value: Json
          count: number | null
        }[]
      }
      fail_embedding_jobs: {
        Args: {
          chunk_ids: number[]
          collection?: string
          embedding_model?: string | null
          error: string
        }
        Returns: number
      }
      finish_model_change: {
        Args: {
          collection: string
        }
        Returns: undefined
      }
      full_text_search: {
        Args: {
          collection?: string
          filters?: Json
          match?: string
          match_count?: number
          min_score?: number | null
          options?: SearchOptions | null
          query_text: string
        }
        Returns: Database['braid']['CompositeTypes']['search_result'][]
      }
      fuse: {
        Args: {
          fusion?: string
          lists: Json
          match_count?: number
          rrf_k?: number
        }
        Returns: {
          id: string | null
          score: number | null
          parts: Json
        }[]
      }
      get_document: {
        Args: {
          chunk_count?: number | null
          collection?: string
          external_id: string
          first_chunk?: number
        }
        Returns: Json
      }
      get_profile: {
        Args: {
          profile: string
        }
        Returns: Json
      }
      get_query_embedding: {
        Args: {
          collection?: string
          embedded_text: string
        }
        Returns: number[] | string
      }
      get_ranking_model: {
        Args: {
          name: string
        }
        Returns: Json
      }
      grep: {
        Args: {
          after?: number | null
          collection?: string
          excerpt_length?: number
          filters?: Json
          ignore_case?: boolean
          match_count?: number
          pattern?: string | null
          regex?: boolean
        }
        Returns: Json
      }
      health: {
        Args: {
          older_than?: string
        }
        Returns: {
          severity: string | null
          code: string | null
          subject: string | null
          finding: string | null
          reason: string | null
          command: string | null
        }[]
      }
      highlight: {
        Args: {
          chunk_id: number
          fragment_count?: number
          fragment_separator?: string
          fragment_words?: number
          query_text: string
          start_tag?: string
          stop_tag?: string
        }
        Returns: string
      }
      hybrid_search: {
        Args: {
          candidate_count?: number | null
          collection?: string
          filters?: Json
          full_text_weight?: number | null
          fusion?: string | null
          match?: string
          match_count?: number
          min_score?: number | null
          options?: SearchOptions | null
          query_embedding?: number[] | string | null
          query_text?: string | null
          rrf_k?: number | null
          semantic_weight?: number | null
        }
        Returns: Database['braid']['CompositeTypes']['search_result'][]
      }
      import_tenant: {
        Args: {
          records: Json
        }
        Returns: number
      }
      judge_agreement: {
        Args: {
          judge: string
          query_set: string
          reference?: string | null
        }
        Returns: Json
      }
      judgments_from_clicks: {
        Args: {
          collection?: string
          eta?: number
          judge?: string
          min_impressions?: number
          query_set: string
          since?: string | null
        }
        Returns: Json
      }
      learn_profile: {
        Args: {
          collection?: string
          disliked?: string[]
          keys?: string[]
          liked: string[]
          profile: string
        }
        Returns: Json
      }
      list_documents: {
        Args: {
          after?: string | null
          collection?: string
          filters?: Json
          match_count?: number
        }
        Returns: {
          document_id: number | null
          external_id: string | null
          title: string | null
          source_uri: string | null
          metadata: Json
          occurred_at: string | null
          created_at: string | null
          updated_at: string | null
          chunk_count: number | null
        }[]
      }
      list_embedding_jobs: {
        Args: {
          after_chunk_id?: number
          collection?: string
          embedding_model?: string | null
          match_count?: number
          with_state?: string | null
        }
        Returns: {
          chunk_id: number | null
          external_id: string | null
          chunk_index: number | null
          state: string | null
          attempts: number | null
          last_error: string | null
          available_at: string | null
        }[]
      }
      list_judgments: {
        Args: {
          query_id: string
          query_set: string
        }
        Returns: {
          external_id: string | null
          chunk_index: number | null
          judge: string | null
          grade: number | null
          updated_at: string | null
        }[]
      }
      list_profiles: {
        Args: {
          after?: string | null
          match_count?: number
        }
        Returns: {
          profile: string | null
          embedding_model: string | null
          attributes: Json
          updated_at: string | null
        }[]
      }
      list_queries: {
        Args: {
          after?: string | null
          match_count?: number
          query_set: string
        }
        Returns: {
          query_id: string | null
          query_text: string | null
          filters: Json
          embedding_models: string[] | null
          judgment_count: number | null
          updated_at: string | null
        }[]
      }
      list_query_sets: {
        Args: never
        Returns: {
          query_set: string | null
          level: string | null
          description: string | null
          query_count: number | null
          judged_count: number | null
          judgment_count: number | null
          judges: string[] | null
          created_at: string | null
        }[]
      }
      list_ranking_models: {
        Args: never
        Returns: {
          name: string | null
          mode: string | null
          features: string[] | null
          tree_count: number | null
          learned: Json
          collections: string[] | null
          updated_at: string | null
        }[]
      }
      list_rankings: {
        Args: {
          collection?: string
        }
        Returns: {
          version: number | null
          is_current: boolean | null
          changed_at: string | null
          login: string | null
          role: string | null
          reason: string | null
          restored_version: number | null
          changes: Json
          ranking: Json
          evaluation: Json
        }[]
      }
      list_standing_queries: {
        Args: {
          after?: string | null
          collection?: string
          match_count?: number
        }
        Returns: {
          name: string | null
          query_text: string | null
          match: string | null
          filters: Json
          options: Json
          embedding_model: string | null
          semantic_min_score: number | null
          created_at: string | null
        }[]
      }
      list_values: {
        Args: {
          collection?: string
          filters?: Json
          keys?: string[] | null
          value_count?: number
        }
        Returns: {
          key: string | null
          distinct_count: number | null
          minimum: Json
          maximum: Json
          top_values: Json
        }[]
      }
      logged_multi_search: {
        Args: {
          candidate_count?: number | null
          collection?: string
          filters?: Json
          full_text_weight?: number | null
          fusion?: string | null
          match?: string
          match_count?: number
          min_score?: number | null
          options?: SearchOptions | null
          queries: Json
          rrf_k?: number | null
          semantic_weight?: number | null
        }
        Returns: MultiSearchAnswer
      }
      logged_recall: {
        Args: {
          candidate_count?: number | null
          collection?: string
          filters?: Json
          full_text_weight?: number | null
          fusion?: string | null
          match?: string
          match_count?: number
          min_score?: number | null
          options?: SearchOptions | null
          query_embedding?: number[] | string | null
          query_text?: string | null
          reference_time?: string | null
          rrf_k?: number | null
          semantic_weight?: number | null
          strategy?: string
          time_zone?: string | null
          timeframe?: string | null
        }
        Returns: RecallAnswer
      }
      logged_search: {
        Args: {
          candidate_count?: number | null
          collection?: string
          filters?: Json
          full_text_weight?: number | null
          fusion?: string | null
          match?: string
          match_count?: number
          min_score?: number | null
          options?: SearchOptions | null
          query_embedding?: number[] | string | null
          query_text?: string | null
          rrf_k?: number | null
          semantic_weight?: number | null
        }
        Returns: SearchAnswer
      }
      maintain: {
        Args: {
          time_budget?: string | null
        }
        Returns: Json
      }
      measure_index_recall: {
        Args: {
          collection?: string
          query_count?: number
          set_ef_search?: boolean
        }
        Returns: Json
      }
      missing_token_vectors: {
        Args: {
          after_chunk_id?: number
          chunk_count?: number
          collection?: string
        }
        Returns: {
          chunk_id: number | null
          input: string | null
        }[]
      }
      multi_search: {
        Args: {
          candidate_count?: number | null
          collection?: string
          filters?: Json
          full_text_weight?: number | null
          fusion?: string | null
          match?: string
          match_count?: number
          min_score?: number | null
          options?: SearchOptions | null
          queries: Json
          rrf_k?: number | null
          semantic_weight?: number | null
        }
        Returns: MultiSearchAnswer
      }
      parse_timeframe: {
        Args: {
          reference_time?: string | null
          time_zone?: string | null
          timeframe: string
        }
        Returns: {
          starts_at: string | null
          ends_at: string | null
        }[]
      }
      pause_model_change: {
        Args: {
          collection: string
        }
        Returns: undefined
      }
      plan_tuning: {
        Args: {
          budget?: number
          configuration?: Json
          judge?: string | null
          query_set: string
          search_space?: Json
          seed?: number
        }
        Returns: {
          place: number | null
          changes: Json
          candidate: Json
          combination_count: number | null
        }[]
      }
      pool_results: {
        Args: {
          configurations?: Json
          depth?: number
          judge?: string | null
          query_ids?: string[] | null
          query_set: string
          seed?: number
        }
        Returns: {
          query_id: string | null
          query_text: string | null
          external_id: string | null
          chunk_index: number | null
          chunk_id: number | null
          title: string | null
          content: string | null
        }[]
      }
      ranking_features: {
        Args: {
          after?: string | null
          configuration?: Json
          judge?: string | null
          query_count?: number
          query_set: string
        }
        Returns: {
          query_id: string | null
          place: number | null
          external_id: string | null
          chunk_index: number | null
          grade: number | null
          score: number | null
          features: Json
        }[]
      }
      rebuild_index: {
        Args: {
          collection?: string
        }
        Returns: number
      }
      rebuild_vector_index: {
        Args: {
          collection?: string
        }
        Returns: boolean
      }
      recall: {
        Args: {
          candidate_count?: number | null
          collection?: string
          filters?: Json
          full_text_weight?: number | null
          fusion?: string | null
          match?: string
          match_count?: number
          min_score?: number | null
          options?: SearchOptions | null
          query_embedding?: number[] | string | null
          query_text?: string | null
          reference_time?: string | null
          rrf_k?: number | null
          semantic_weight?: number | null
          strategy?: string
          time_zone?: string | null
          timeframe?: string | null
        }
        Returns: Database['braid']['CompositeTypes']['search_result'][]
      }
      recall_json: {
        Args: {
          candidate_count?: number | null
          collection?: string
          filters?: Json
          full_text_weight?: number | null
          fusion?: string | null
          match?: string
          match_count?: number
          min_score?: number | null
          options?: SearchOptions | null
          query_embedding?: number[] | string | null
          query_text?: string | null
          reference_time?: string | null
          rrf_k?: number | null
          semantic_weight?: number | null
          strategy?: string
          time_zone?: string | null
          timeframe?: string | null
        }
        Returns: RecallAnswer
      }
      record_embedding_usage: {
        Args: {
          cost?: number | null
          embedding_model: string
          estimated_token_count?: number
          request_count: number
          tenant: string
          text_count: number
          token_count: number
        }
        Returns: undefined
      }
      record_feedback: {
        Args: {
          external_id: string
          kind: string
          search_id: string
          value?: number | null
        }
        Returns: boolean
      }
      remove_principal_member: {
        Args: {
          member: string
          principal: string
          tenant: string
        }
        Returns: boolean
      }
      remove_tenant_member: {
        Args: {
          member: string
          tenant: string
        }
        Returns: boolean
      }
      remove_trusted_role: {
        Args: {
          kind: string
          role: string
        }
        Returns: boolean
      }
      restore_ranking: {
        Args: {
          collection: string
          reason?: string | null
          version: number
        }
        Returns: number
      }
      resume_model_change: {
        Args: {
          collection: string
        }
        Returns: undefined
      }
      retry_embedding_jobs: {
        Args: {
          chunk_ids?: number[] | null
          collection?: string
          embedding_model?: string | null
        }
        Returns: number
      }
      roll_back_model_change: {
        Args: {
          collection: string
        }
        Returns: undefined
      }
      sample_queries: {
        Args: {
          collection?: string
          method?: string
          min_searches?: number
          query_count?: number
          query_set: string
          seed?: number
          since?: string | null
          with_filters?: boolean
        }
        Returns: number
      }
      search_json: {
        Args: {
          candidate_count?: number | null
          collection?: string
          filters?: Json
          full_text_weight?: number | null
          fusion?: string | null
          match?: string
          match_count?: number
          min_score?: number | null
          options?: SearchOptions | null
          query_embedding?: number[] | string | null
          query_text?: string | null
          rrf_k?: number | null
          semantic_weight?: number | null
        }
        Returns: SearchAnswer
      }
      semantic_search: {
        Args: {
          collection?: string
          filters?: Json
          match_count?: number
          min_score?: number | null
          options?: SearchOptions | null
          query_embedding: number[] | string
        }
        Returns: Database['braid']['CompositeTypes']['search_result'][]
      }
      set_access: {
        Args: {
          claim_path?: string[] | null
          create_tenants?: boolean | null
          public_tenant?: string | null
          tenant_header?: string | null
          trusted_claim_roles?: string[] | null
        }
        Returns: undefined
      }
      set_collection: {
        Args: {
          collection: string
          settings: Json
        }
        Returns: undefined
      }
      set_indexed_attributes: {
        Args: {
          collection?: string
          indexed_attributes: Json
        }
        Returns: undefined
      }
      set_permissions: {
        Args: {
          collection: string
          has_permissions: boolean
        }
        Returns: undefined
      }
      set_principal_claims: {
        Args: {
          claims: Json
        }
        Returns: undefined
      }
      set_profile: {
        Args: {
          attributes?: Json
          collection?: string
          embedding?: number[] | string | null
          profile: string
        }
        Returns: undefined
      }
      set_query_embeddings: {
        Args: {
          collection: string
          embedding_count?: number
        }
        Returns: undefined
      }
      set_ranking: {
        Args: {
          collection: string
          evaluation?: Json
          expected_ranking?: Json
          ranking: Json
          reason?: string | null
        }
        Returns: number
      }
      set_search_log: {
        Args: {
          collection: string
          keep_query?: string | null
          log?: string
          retention?: string | null
          sample_share?: number | null
        }
        Returns: undefined
      }
      set_sparse_encoder: {
        Args: {
          append?: boolean
          name: string
          weights: Json
        }
        Returns: number
      }
      set_static_embedder: {
        Args: {
          append?: boolean
          embeddings: string[]
          letters?: Json
          name: string
          source_model?: string | null
          tokens: string[]
        }
        Returns: number
      }
      set_synonyms: {
        Args: {
          collection?: string
          synonyms: string[]
          word: string
        }
        Returns: number
      }
      set_token_vectors: {
        Args: {
          collection: string
          dimensions?: number | null
          embedding_model: string
          vector_count?: number
        }
        Returns: undefined
      }
      set_validity: {
        Args: {
          collection: string
          has_validity?: boolean
          retention?: string | null
        }
        Returns: undefined
      }
      similar_chunks: {
        Args: {
          chunk_id: number
          filters?: Json
          match_count?: number
          min_score?: number | null
          options?: SearchOptions | null
        }
        Returns: Database['braid']['CompositeTypes']['search_result'][]
      }
      similar_documents: {
        Args: {
          collection?: string
          external_id: string
          filters?: Json
          match_count?: number
          min_score?: number | null
          options?: SearchOptions | null
        }
        Returns: Database['braid']['CompositeTypes']['search_result'][]
      }
      start_model_change: {
        Args: {
          collection: string
          dimensions: number
          distance?: string | null
          embedding_model: string
          vector_storage?: string | null
        }
        Returns: undefined
      }
      static_embedders: {
        Args: never
        Returns: {
          name: string | null
          source_model: string | null
          dimensions: number | null
          token_count: number | null
        }[]
      }
      status: {
        Args: {
          collection?: string | null
        }
        Returns: Json
      }
      store_embeddings: {
        Args: {
          chunk_ids: number[]
          collection?: string
          embedding_model?: string | null
          embeddings: string[]
        }
        Returns: number
      }
      store_judgments: {
        Args: {
          judgments: Json
          query_set: string
        }
        Returns: Json
      }
      store_queries: {
        Args: {
          collection?: string
          queries: Json
          query_set: string
        }
        Returns: number
      }
      store_query_embedding: {
        Args: {
          collection?: string
          embedded_text: string
          embedding: number[] | string
          embedding_model?: string | null
        }
        Returns: boolean
      }
      store_ranking_model: {
        Args: {
          model: Json
          name: string
        }
        Returns: boolean
      }
      store_sparse_terms: {
        Args: {
          chunk_ids: number[]
          collection?: string
          terms: Json
        }
        Returns: number
      }
      store_token_vectors: {
        Args: {
          chunk_ids: number[]
          collection?: string
          embedding_model?: string | null
          vector_counts: number[]
          vectors: string[]
        }
        Returns: number
      }
      supersede_documents: {
        Args: {
          collection?: string
          documents: Json
        }
        Returns: Database['braid']['CompositeTypes']['write_result'][]
      }
      sync_status: {
        Args: never
        Returns: {
          table_name: string | null
          collection: string | null
          tenant: string | null
          state: string | null
          row_estimate: number | null
          document_count: number | null
          waiting_count: number | null
          failed_count: number | null
          last_error: string | null
          rows_per_second: number | null
          seconds_left: number | null
        }[]
      }
      sync_table: {
        Args: {
          access?: string | null
          category?: string | null
          collection?: string
          content?: string[] | null
          filter?: string | null
          id?: string | null
          importance?: string | null
          language?: string | null
          metadata?: string[] | null
          mode?: string
          occurred_at?: string | null
          on_error?: string
          source_uri?: string | null
          speaker?: string | null
          table_name: string
          tenant?: string | null
          tenant_column?: string | null
          title?: string | null
          turns?: string | null
        }
        Returns: undefined
      }
      timeframe_filter: {
        Args: {
          filters?: Json
          reference_time?: string | null
          time_zone?: string | null
          timeframe: string
        }
        Returns: Json
      }
      tune: {
        Args: {
          budget?: number
          configuration?: Json
          fold_count?: number
          judge?: string | null
          metric?: string
          query_set: string
          search_space?: Json
          seed?: number
        }
        Returns: Json
      }
      unsync_table: {
        Args: {
          keep_documents?: boolean
          table_name: string
        }
        Returns: number
      }
      update_metadata: {
        Args: {
          collection?: string
          external_id: string
          metadata: Json
          replace?: boolean
        }
        Returns: boolean
      }
      upsert_document: {
        Args: {
          category?: string | null
          chunk_tokens?: number | null
          chunks?: Json
          collection?: string
          content?: string | null
          embedding?: number[] | string | null
          external_id: string
          format?: string | null
          importance?: number | null
          language?: string | null
          metadata?: Json
          occurred_at?: string | null
          overlap_tokens?: number | null
          source_uri?: string | null
          sparse?: Json
          speaker?: string | null
          title?: string | null
          turns?: Json
        }
        Returns: Database['braid']['CompositeTypes']['write_result']
      }
      upsert_documents: {
        Args: {
          collection?: string
          documents: Json
        }
        Returns: Database['braid']['CompositeTypes']['write_result'][]
      }
      upsert_embedded_documents: {
        Args: {
          collection?: string
          documents: Json
          embeddings: string[]
        }
        Returns: Database['braid']['CompositeTypes']['write_result'][]
      }
      version: {
        Args: never
        Returns: string
      }
    }
    Enums: None
    CompositeTypes: {
      search_result: {
        boosts: Json
        category: string | null
        chunk_id: number | null
        chunk_index: number | null
        content: string | null
        created_at: string | null
        cursor: string | null
        document_id: number | null
        external_id: string | null
        full_text_normalised_score: number | null
        full_text_rank: number | null
        full_text_score: number | null
        fused_score: number | null
        group_score: number | null
        importance: number | null
        metadata: Json
        occurred_at: string | null
        passage: string | null
        passage_end: number | null
        passage_start: number | null
        score: number | null
        semantic_normalised_score: number | null
        semantic_rank: number | null
        semantic_score: number | null
        snippet: string | null
        source_uri: string | null
        sparse_normalised_score: number | null
        sparse_rank: number | null
        sparse_score: number | null
        speaker: string | null
        title: string | null
        token_count: number | null
      }
      write_result: {
        chunk_count: number | null
        document_id: number | null
        external_id: string | null
        status: string | null
      }
    }
  }
}
