// The API of pgbraid, for createClient<Database>(…).schema('braid'). Made from the catalog by: make types
export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

type None = { [_ in never]: never }

export type SearchOptions = {
  language?: string | null
  operators?: boolean | null
  correct?: boolean | null
  statistics_scope?: string | null
  embedding_model?: string | null
  prefilter?: boolean | null
  full_text_min_score?: number | null
  min_relevance?: number | string | null
  explain?: boolean | null
  semantic_min_score?: number | null
  exact?: boolean | null
  ef_search?: number | null
  normalisation?: string | { [key: string]: Json | undefined } | null
  saturate_at?: number | null
  sparse?: { [key: string]: Json | undefined } | boolean | null
  sparse_weight?: number | null
  sparse_min_score?: number | null
  smoothing?: number | null
  neighbour_weight?: number | null
  boosts?: Json[] | null
  profile?: string | { [key: string]: Json | undefined } | null
  rank_by?: Json[] | { [key: string]: Json | undefined } | null
  rerank?: Json[] | null
  late_interaction?: { [key: string]: Json | undefined } | null
  collapse?: boolean | { [key: string]: Json | undefined } | null
  group_by?: string | null
  group_size?: number | null
  group_score?: string | null
  diversify?: boolean | { [key: string]: Json | undefined } | null
  context_before?: number | null
  context_after?: number | null
  cursor?: string | null
  snippet?: boolean | { [key: string]: Json | undefined } | null
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
          dimensions: number | null
          distance: string | null
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
          neighbour_weight: number | null
          normalisation: string | null
          rrf_k: number | null
          semantic_weight: number | null
          smoothing: number | null
          sparse_encoder: string | null
          sparse_weight: number | null
          statistics_scope: string | null
          text_config: string | null
          title_weight: number | null
          token_vector_count: number | null
          token_vector_dimensions: number | null
          token_vector_model: string | null
          vector_storage: string | null
        }
        Relationships: []
      }
      model_migrations: {
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
      synonyms: {
        Row: {
          collection: string | null
          synonyms: string[] | null
          word: string | null
        }
        Relationships: []
      }
    }
    Functions: {
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
      clear_collection: {
        Args: {
          collection?: string
        }
        Returns: number
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
          b?: number | null
          bm25_variant?: string
          chunk_tokens?: number | null
          collection: string
          dimensions?: number
          distance?: string
          embed_fields?: string[]
          embedding_model?: string
          fold_diacritics?: boolean
          full_text_weight?: number | null
          fusion?: string
          hnsw_ef_construction?: number | null
          hnsw_m?: number
          index_fields?: string[]
          indexed_attributes?: Json
          k1?: number | null
          neighbour_weight?: number | null
          normalisation?: string
          preset?: string | null
          rrf_k?: number
          semantic_weight?: number | null
          smoothing?: number | null
          sparse_encoder?: string | null
          sparse_weight?: number | null
          statistics_scope?: string | null
          text_config?: string
          title_weight?: number | null
          vector_storage?: string | null
        }
        Returns: number
      }
      create_tenant: {
        Args: {
          tenant: string
        }
        Returns: number
      }
      current_tenant_id: {
        Args: never
        Returns: number
      }
      cut_over_model_migration: {
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
      drop_collection: {
        Args: {
          collection: string
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
        Returns: Json
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
        }[]
      }
      facets: {
        Args: {
          collection?: string
          filters?: Json
          keys: string[]
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
      finish_model_migration: {
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
      get_document: {
        Args: {
          collection?: string
          external_id: string
        }
        Returns: Json
      }
      get_profile: {
        Args: {
          profile: string
        }
        Returns: Json
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
      maintain: {
        Args: {
          time_budget?: string | null
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
      pause_model_migration: {
        Args: {
          collection: string
        }
        Returns: undefined
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
        Returns: Json
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
      resume_model_migration: {
        Args: {
          collection: string
        }
        Returns: undefined
      }
      roll_back_model_migration: {
        Args: {
          collection: string
        }
        Returns: undefined
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
        Returns: Json
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
      set_indexed_attributes: {
        Args: {
          collection?: string
          indexed_attributes: Json
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
      set_ranking: {
        Args: {
          b?: number | null
          bm25_variant?: string | null
          collection: string
          full_text_weight?: number | null
          fusion?: string | null
          k1?: number | null
          neighbour_weight?: number | null
          normalisation?: string | null
          preset?: string | null
          rrf_k?: number | null
          semantic_weight?: number | null
          smoothing?: number | null
          sparse_encoder?: string | null
          sparse_weight?: number | null
          statistics_scope?: string | null
          title_weight?: number | null
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
      set_vector_index: {
        Args: {
          collection: string
          hnsw_ef_construction?: number | null
          hnsw_m?: number | null
          vector_storage?: string | null
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
      start_model_migration: {
        Args: {
          collection: string
          dimensions: number
          distance?: string | null
          embedding_model: string
          vector_storage?: string | null
        }
        Returns: undefined
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
          chunks?: Json
          collection?: string
          content?: string | null
          embedding?: number[] | string | null
          external_id: string
          importance?: number | null
          language?: string | null
          metadata?: Json
          occurred_at?: string | null
          source_uri?: string | null
          sparse?: Json
          speaker?: string | null
          title?: string | null
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
