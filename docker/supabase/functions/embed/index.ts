// A Supabase Edge Function that embeds documents from pgbraid's outbox, and queries on their way to the search.
//
//   supabase functions deploy embed
//
//   POST {"embed": {"collection": "notes"}}                              → {"claimed": 20, "stored": 20}
//   POST {"search": {"query_text": "per seat", "collection": "notes"}}   → what braid.search_json returns
//
// It acts for whoever calls it: the caller's token, or a service_role key with the header x-braid-tenant. Call `embed`
// after writing, or from pg_cron, until `claimed` is 0. The collection's embedding_model must be the one used here:
// gte-small, which the platform runs itself, or what EMBEDDING_URL, EMBEDDING_MODEL and EMBEDDING_API_KEY name, a
// service that speaks OpenAI's POST /embeddings.
import 'jsr:@supabase/functions-js/edge-runtime.d.ts'
import { createClient } from 'npm:@supabase/supabase-js@2'
import type { Database, Json } from '../_shared/braid.ts'

type Functions = Database['braid']['Functions']
type Search = Functions['search_json']['Args']
type Claim = Functions['claim_embedding_jobs']['Args']

const service = Deno.env.get('EMBEDDING_URL')?.replace(/\/$/, '')
const model = Deno.env.get('EMBEDDING_MODEL') ?? 'gte-small'
const session = service ? null : new Supabase.ai.Session(model)

async function vectors(texts: string[]): Promise<number[][]> {
  if (session) {
    const given: number[][] = []
    for (const text of texts) {
      given.push((await session.run(text, { mean_pool: true, normalize: true })) as number[])
    }
    return given
  }
  const answer = await fetch(`${service}/embeddings`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${Deno.env.get('EMBEDDING_API_KEY') ?? ''}` },
    body: JSON.stringify({ model, input: texts }),
    signal: AbortSignal.timeout(30_000),
  })
  if (!answer.ok) throw new Error(`the embedding service answered ${answer.status}: ${await answer.text()}`)
  const { data } = (await answer.json()) as { data: { index: number; embedding: number[] }[] }
  if (data.length !== texts.length) throw new Error(`${data.length} embeddings came for ${texts.length} texts`)
  return data.sort((one, other) => one.index - other.index).map(({ embedding }) => embedding)
}

// What a query asks for: excluded words and phrases do not belong into its embedding, nor do the signs of others.
function asked(query: string): string {
  const clauses = query.matchAll(/([+-]*)(?:"([^"]*)"|([^"\s]+))/g)
  return [...clauses]
    .filter(([, signs, , word]) => signs !== '-' && word !== 'OR')
    .map(([, , phrase, word]) => phrase ?? word.replace(/\*+$/, ''))
    .join(' ')
    .trim()
}

function api(request: Request) {
  const headers: Record<string, string> = { Authorization: request.headers.get('Authorization') ?? '' }
  const tenant = request.headers.get('x-braid-tenant')
  if (tenant) headers['x-braid-tenant'] = tenant
  return createClient<Database>(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_ANON_KEY')!, {
    auth: { persistSession: false },
    global: { headers },
  }).schema('braid')
}

type Api = ReturnType<typeof api>

async function embed(braid: Api, { collection, job_count = 20, lease }: Claim) {
  const of = { collection, embedding_model: model }
  const { data: jobs } = await braid.rpc('claim_embedding_jobs', { ...of, job_count, lease }).throwOnError()
  const chunk_ids = jobs.map(({ chunk_id }) => chunk_id!)
  if (!chunk_ids.length) return { claimed: 0, stored: 0 }
  try {
    const embeddings = (await vectors(jobs.map(({ input }) => input!))).map((vector) => JSON.stringify(vector))
    const { data: stored } = await braid.rpc('store_embeddings', { ...of, chunk_ids, embeddings }).throwOnError()
    return { claimed: chunk_ids.length, stored }
  } catch (failure) {
    // They can be claimed again after a pause; without this, when the lease is over.
    const error = failure instanceof Error ? failure.message : String(failure)
    await braid.rpc('fail_embedding_jobs', { ...of, chunk_ids, error: error.slice(0, 1000) })
    throw failure
  }
}

async function search(braid: Api, given: Search) {
  const options = (given.options ?? {}) as { [key: string]: Json }
  const text = options.operators === false ? given.query_text : asked(given.query_text ?? '')
  const warnings: Json[] = []
  if (text && given.query_embedding == null) {
    try {
      const [query_embedding] = await vectors([text])
      given = { ...given, query_embedding, options: { embedding_model: model, ...options } }
    } catch (error) {
      // Full text goes on without it.
      warnings.push({ code: 'embedding_unavailable', message: `searched by full text only; ${error}` })
    }
  }
  const { data } = await braid.rpc('search_json', given).throwOnError()
  const found = data as { warnings: Json[]; [key: string]: Json }
  return { ...found, warnings: [...found.warnings, ...warnings] }
}

Deno.serve(async (request) => {
  try {
    const body = (await request.json()) as { embed?: Claim; search?: Search }
    if (body.search) return Response.json(await search(api(request), body.search))
    if (body.embed) return Response.json(await embed(api(request), body.embed))
    return Response.json({ message: 'the body has neither embed nor search' }, { status: 400 })
  } catch (failure) {
    const { code, message, hint } = failure as { code?: string; message?: string; hint?: string }
    const status = code === '42501' ? 403 : code || failure instanceof SyntaxError ? 400 : 502
    return Response.json({ code, message, hint }, { status })
  }
})
