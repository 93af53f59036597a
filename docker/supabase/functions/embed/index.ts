// A Supabase Edge Function that embeds documents from pgbraid's outbox, and embeds queries before it searches.
//
// 1. Install pgbraid in the project (docs/guide/supabase.md), and expose the schema braid.
//
// 2. Create a collection for the model, because the collection `default` is for another one. Run in the SQL editor:
//
//      select braid.create_collection('notes', dimensions => 384, embedding_model => 'gte-small');
//
// 3. Copy the folders embed and _shared into supabase/functions of your project, and run there:
//
//      supabase functions deploy embed --no-verify-jwt
//
//    The platform's check accepts tokens only; the API that this function calls checks keys as well as tokens.
//
// The platform itself runs gte-small. To use any service that speaks OpenAI's POST /embeddings, create the collection
// with its model and dimensions, and name it:
//
//      supabase secrets set EMBEDDING_URL=https://api.openai.com/v1 EMBEDDING_API_KEY=… \
//                           EMBEDDING_MODEL=text-embedding-3-small
//
// Requests and their answers:
//
//      POST {"embed": {"collection": "notes"}}           → {"claimed": 20, "stored": 20, "failed": []}
//      POST {"embed": {"all_tenants": true}}             → the sums of these, and complete: true or false
//      POST {"search": {"query_text": "per seat", "collection": "notes"}}   → the result of braid.logged_search
//
// With the header Accept: application/x-ndjson, a search answers in lines of JSON, each as soon as it is known. The
// first line holds the full-text results, while the query is still being embedded (stage full_text). The last line
// holds the result of braid.logged_search (stage fused). Each line has stage, is_last, and changes: the chunk_ids that
// are new, gone, or moved, with their ranks. An error after the first line is a line
// {"error": {code, message, details, hint}}. Ending the request cancels the work.
//
// The function acts for its caller. The caller sends a user's token in Authorization, as supabase-js does, or a secret
// key in apikey with the tenant in the header x-braid-tenant:
//
//      supabase.functions.invoke('embed', { body: { search: { query_text: 'per seat', collection: 'notes' } } })
//      curl https://….supabase.co/functions/v1/embed --json '{"embed": {"collection": "notes"}}' \
//           --header 'apikey: sb_secret_…' --header 'x-braid-tenant: acme'
//
// With all_tenants and a secret key, without x-braid-tenant, the function works through the backlogs of all tenants,
// one batch each in turn. It ends when nothing is pending or after 80 seconds; `collection` restricts it to one
// collection. A backlog that fails is listed in `failed` with its tenant, and the others continue.
// docs/guide/supabase.md shows the pg_cron job that calls it.
//
// Call `embed` after writing, or from pg_cron, until `claimed` is 0. job_count (up to 100) and lease are arguments of
// braid.claim_embedding_jobs. A text that the model refuses, while it accepts others, is listed in `failed` with the
// reason. It is abandoned at once if the service blames the text, else after 5 attempts. braid.list_embedding_jobs
// lists it, and braid.retry_embedding_jobs makes it claimable again.
//
// Errors are {code, message, details, hint}, with the status of the API, or 502 if the model cannot be reached. On a
// cluster (docs/guide/citus.md), details holds the node to ask, as JSON.
import 'jsr:@supabase/functions-js/edge-runtime.d.ts'
import { createClient } from 'npm:@supabase/supabase-js@2'
import { corsHeaders } from 'npm:@supabase/supabase-js@2/cors'
import type { Database, Json } from '../_shared/braid.ts'

type Functions = Database['braid']['Functions']
type Search = Functions['logged_search']['Args']
type Claim = Omit<Functions['claim_embedding_jobs']['Args'], 'embedding_model'> & { all_tenants?: boolean }
type Fields = { [key: string]: unknown }

const MAX_JOBS = 100
// Supabase ends a request after 150 seconds; texts that are not embedded by then are given back.
const EMBEDDING_MS = 60_000
// After this time, no batch of another tenant begins; a batch takes at most EMBEDDING_MS.
const ALL_TENANTS_MS = 80_000

const service = Deno.env.get('EMBEDDING_URL')?.replace(/\/$/, '')
const model = Deno.env.get('EMBEDDING_MODEL') ?? 'gte-small'
const session = service ? null : new Supabase.ai.Session(model)

const named: { [name: string]: string } = JSON.parse(Deno.env.get('SUPABASE_PUBLISHABLE_KEYS') || '{}')
const publishable = named.default ?? Object.values(named)[0] ?? Deno.env.get('SUPABASE_ANON_KEY')

const cors = {
  ...corsHeaders,
  'Access-Control-Allow-Headers': `${corsHeaders['Access-Control-Allow-Headers']}, x-braid-tenant`,
}

// An error that the caller sees.
class Failure extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly hint?: string,
    readonly code?: string,
    readonly details?: string,
  ) {
    super(message)
  }
}

// An error of one text, while others may succeed. isFinal is true if the service itself blames the text.
class Refused extends Error {
  constructor(
    message: string,
    readonly isFinal = false,
  ) {
    super(message)
  }
}

// Every model accepts this text, so if it fails, the service is at fault.
const HARMLESS = 'warm up'
// A text that fails while others succeed gets this number of attempts.
const MOST_ATTEMPTS = 5

const reason = (failure: unknown) => (failure instanceof Error ? failure.message : String(failure))

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

async function ask(texts: string[], deadline: number, gone?: AbortSignal): Promise<(number[] | Error)[]> {
  const late = AbortSignal.timeout(Math.max(1, Math.min(30_000, deadline - Date.now())))
  const answer = await fetch(`${service}/embeddings`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${Deno.env.get('EMBEDDING_API_KEY') ?? ''}` },
    body: JSON.stringify({ model, input: texts }),
    signal: gone ? AbortSignal.any([gone, late]) : late,
  })
  if (!answer.ok) {
    const message = `the embedding service answered ${answer.status}: ${(await answer.text()).slice(0, 500)}`
    throw [400, 413, 414, 422].includes(answer.status) ? new Refused(message, true) : new Error(message)
  }
  const { data } = (await answer.json()) as { data?: { index: number; embedding: number[] | null }[] }
  if (data?.length !== texts.length) throw new Error(`${data?.length} embeddings came for ${texts.length} texts`)
  data.sort((one, other) => one.index - other.index)
  return data.map(({ embedding }) => (Array.isArray(embedding) ? embedding : new Refused('no embedding came')))
}

async function run(text: string): Promise<number[]> {
  try {
    return (await session!.run(text, { mean_pool: true, normalize: true })) as number[]
  } catch (failure) {
    throw new Refused(reason(failure))
  }
}

// Return for each text its vector, or an error. If the service refuses a batch, its texts are sent one by one.
async function vectors(
  texts: string[],
  deadline = Date.now() + EMBEDDING_MS,
  gone?: AbortSignal,
): Promise<(number[] | Error)[]> {
  if (service) {
    try {
      return await ask(texts, deadline, gone)
    } catch (failure) {
      if (!(failure instanceof Refused) || texts.length === 1) return texts.map(() => failure as Error)
    }
  }
  const found: (number[] | Error)[] = []
  for (const text of texts) {
    const before = found.at(-1)
    try {
      if (Date.now() > deadline) throw new Error(`not embedded within ${EMBEDDING_MS / 1000} seconds`)
      if (before instanceof Error && !(before instanceof Refused)) throw before // the service is down
      found.push(service ? (await ask([text], deadline))[0] : await run(text))
    } catch (failure) {
      found.push(failure as Error)
    }
  }
  return found
}

// Embed documents like `vectors`. If no text was embedded and HARMLESS fails as well, blame the service, not the texts.
async function vectorsOfDocuments(texts: string[]): Promise<(number[] | Error)[]> {
  const deadline = Date.now() + EMBEDDING_MS
  const found = await vectors(texts, deadline)
  if (found.some(Array.isArray) || !found.some((one) => one instanceof Refused)) return found
  const [harmless] = await vectors([HARMLESS], deadline)
  if (!(harmless instanceof Error)) return found
  return found.map((one) => (one instanceof Refused ? new Error(harmless.message) : one))
}

// Return the API's client, acting as the caller. Publishable and secret keys are no tokens: they go into apikey,
// wherever the caller sent them, and the platform turns them into a token. A user's token is sent with a key of the
// project.
function api(request: Request, tenant = request.headers.get('x-braid-tenant')) {
  const bearer = request.headers.get('Authorization')?.replace(/^Bearer\s+/i, '')
  const token = bearer?.startsWith('sb_') ? undefined : bearer
  const key = request.headers.get('apikey') || (token ? publishable : bearer)
  if (!key) {
    throw new Failure(
      401,
      'the request has neither a token nor a key',
      "Send a user's token as Authorization: Bearer …, or a key of the project as apikey.",
    )
  }
  return createClient<Database>(Deno.env.get('SUPABASE_URL')!, key, {
    auth: { persistSession: false },
    global: {
      headers: {
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...(tenant ? { 'x-braid-tenant': tenant } : {}),
      },
    },
  }).schema('braid')
}

type Api = ReturnType<typeof api>
type Answer<Data> = {
  data: Data | null
  error: { code?: string; message: string; details?: string; hint?: string } | null
  status: number
}

async function result<Data>(call: PromiseLike<Answer<Data>>): Promise<Data> {
  const { data, error, status } = await call
  if (error) throw new Failure(status >= 400 ? status : 502, error.message, error.hint, error.code, error.details)
  return data as Data
}

function otherModel(collection: string, wanted: string, dimensions?: number): Failure {
  return new Failure(
    400,
    `collection "${collection}" is for ${wanted}; this function embeds by ${model}`,
    `Make a collection for it: select braid.create_collection('…', ` +
      `dimensions => ${dimensions ?? (session ? 384 : '…')}, embedding_model => '${model}'); ` +
      'or set EMBEDDING_URL and EMBEDDING_MODEL for the model of this one.',
    '22023',
  )
}

// Return the dimensions that a collection needs for vectors of our model, which may be the target of a model change.
// Ask before embedding, so that only callers whom the API admits cause costs.
async function spaceOf(braid: Api, collection: string, forSearch: boolean) {
  const [own] = await result(
    braid.from('collections').select('embedding_model, dimensions, parts').eq('name', collection),
  )
  if (!own) {
    throw new Failure(400, `collection "${collection}" does not exist`, 'braid.collections lists them.', '42704')
  }
  const storesQueries = (own.parts as { query_embedding_count?: number }).query_embedding_count! > 0
  if (own.embedding_model === model) return { dimensions: own.dimensions!, storesQueries }
  const [next] = forSearch
    ? []
    : await result(braid.from('model_changes').select('to_model, to_dimensions').eq('collection', collection))
  if (next?.to_model !== model) throw otherModel(collection, `${own.embedding_model}`)
  return { dimensions: next.to_dimensions!, storesQueries }
}

async function embed(braid: Api, { collection = 'default', job_count = 20, lease }: Claim) {
  const { dimensions } = await spaceOf(braid, collection, false)
  const of = { collection, embedding_model: model }
  const jobs = await result(braid.rpc('claim_embedding_jobs', { ...of, job_count, lease }))
  if (!jobs.length) return { claimed: 0, stored: 0, failed: [] }

  const refused = new Map<number, Error>()
  const fitting: [number, string][] = []
  const found = await vectorsOfDocuments(jobs.map(({ input }) => input!))
  found.forEach((one, place) => {
    const chunk_id = jobs[place].chunk_id!
    if (one instanceof Error) refused.set(chunk_id, one)
    else if (one.length === dimensions) fitting.push([chunk_id, JSON.stringify(one)])
    else refused.set(chunk_id, otherModel(collection, `${dimensions} dimensions, not ${one.length}`, one.length))
  })
  let stored = 0
  try {
    stored = await store(braid, of, fitting, refused)
  } catch (failure) {
    for (const [chunk_id] of fitting) refused.set(chunk_id, failure as Error)
  }
  await giveBack(braid, of, refused)
  const fault = [...refused.values()].find((error) => !(error instanceof Refused))
  if (!stored && fault) throw fault instanceof Failure ? fault : new Failure(502, fault.message, 'Call again later.')
  const failed = [...refused].map(([chunk_id, error]) => ({ chunk_id, error: error.message }))
  return { claimed: jobs.length, stored, failed }
}

// Work through the backlogs of all tenants, one batch each in turn. The order is random, so that no tenant is always
// last.
async function embedAll(request: Request, { collection, job_count = 20, lease }: Claim) {
  const deadline = Date.now() + ALL_TENANTS_MS
  const all = await result(api(request).rpc('embedding_backlog'))
  let waiting = all
    .filter((one) => one.embedding_model === model && one.claimable_count)
    .filter((one) => (collection ?? one.collection) === one.collection)
    .map((one) => ({ tenant: one.tenant!, collection: one.collection!, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
  const sum = { claimed: 0, stored: 0, failed: [] as Fields[], complete: true }
  while (waiting.length) {
    const again: typeof waiting = []
    for (const backlog of waiting) {
      const of = { tenant: backlog.tenant, collection: backlog.collection }
      if (Date.now() > deadline) return { ...sum, complete: false }
      try {
        const done = await embed(api(request, backlog.tenant), { collection: backlog.collection, job_count, lease })
        sum.claimed += done.claimed
        sum.stored += done.stored
        sum.failed.push(...done.failed.map((one) => ({ ...of, ...one })))
        if (done.claimed === job_count) again.push(backlog)
      } catch (failure) {
        // If the model cannot be reached, the other tenants would fail as well.
        if ((failure as Partial<Failure>).status === 502) {
          if (!sum.stored) throw failure
          return { ...sum, failed: [...sum.failed, { ...of, error: reason(failure) }], complete: false }
        }
        sum.failed.push({ ...of, error: reason(failure) })
        sum.complete = false
      }
    }
    waiting = again
  }
  return sum
}

type Of = { collection: string; embedding_model: string }

// Store vectors and return their number. If the database refuses one, all are stored one by one.
async function store(braid: Api, of: Of, fitting: [number, string][], refused: Map<number, Error>): Promise<number> {
  if (!fitting.length) return 0
  try {
    const chunk_ids = fitting.map(([chunk_id]) => chunk_id)
    const embeddings = fitting.map(([, embedding]) => embedding)
    return await result(braid.rpc('store_embeddings', { ...of, chunk_ids, embeddings }))
  } catch (failure) {
    if (!(failure instanceof Failure) || !failure.code?.startsWith('22')) throw failure
    if (fitting.length === 1) {
      refused.set(fitting[0][0], new Refused(failure.message))
      return 0
    }
  }
  let stored = 0
  for (const one of fitting) stored += await store(braid, of, [one], refused)
  return stored
}

// Give jobs back with their error; otherwise they stay claimed until the lease ends.
async function giveBack(braid: Api, of: Of, refused: Map<number, Error>) {
  const byReason = new Map<string, [Error, number[]]>()
  for (const [chunk_id, error] of refused) {
    const key = `${error instanceof Refused} ${error.message}`
    const [, chunk_ids] = byReason.get(key) ?? [error, []]
    byReason.set(key, [error, [...chunk_ids, chunk_id]])
  }
  for (const [failure, chunk_ids] of byReason.values()) {
    const given = { ...of, chunk_ids, error: failure.message.slice(0, 1000) }
    await (failure instanceof Refused
      ? braid.rpc('abandon_embedding_jobs', { ...given, most_attempts: failure.isFinal ? 1 : MOST_ATTEMPTS })
      : braid.rpc('fail_embedding_jobs', given))
  }
}

type Found = { results: { chunk_id: number }[]; stats: Fields; warnings: Json[] }
type Page = { stage: string; is_last: boolean; found: Found }

// Search. With `inStages`, yield the full-text results first if the query is still to be embedded.
async function* search(braid: Api, args: Search, inStages = false, gone?: AbortSignal): AsyncGenerator<Page> {
  const options = args.options ?? {}
  // Other types are passed on, for the search to refuse.
  const query_text = typeof args.query_text === 'string' && isObject(options) ? args.query_text.trim() : ''
  const call = async (name: 'logged_search' | 'search_json', given: Search) => {
    const sent = braid.rpc(name, given)
    return (await result(gone ? sent.abortSignal(gone) : sent)) as unknown as Found
  }
  const warnings: Json[] = []
  let store: PromiseLike<unknown> | undefined
  const collection = args.collection ?? 'default'
  const toEmbed = query_text && args.query_embedding == null
  // Ask both at the same time, and wait for both even if one is refused.
  const [space, text] = await Promise.allSettled([
    toEmbed ? spaceOf(braid, collection, true) : null,
    toEmbed ? result(braid.rpc('embedded_text', { query_text, collection, options: args.options })) : null,
  ])
  if (space.status === 'rejected') throw space.reason
  if (text.status === 'rejected') throw text.reason
  if (space.value && text.value) {
    const { dimensions, storesQueries } = space.value
    const query = { embedded_text: text.value, collection }
    const stored = storesQueries ? await result(braid.rpc('get_query_embedding', query)) : null
    const coming = stored
      ? [JSON.parse(`${stored}`) as number[]]
      : vectors([text.value], Date.now() + EMBEDDING_MS, gone)
    // A cursor is a place in the fused order, so a page with a cursor has no full-text stage.
    if (inStages && !stored && args.full_text_weight !== 0 && !(options as Fields).cursor) {
      const given = { ...(options as { [key: string]: Json }) }
      delete given.cursor
      const found = await call('search_json', { ...args, semantic_weight: 0, options: given })
      yield { stage: 'full_text', is_last: false, found }
    }
    const [vector] = await coming
    if (gone?.aborted) return
    if (vector instanceof Error) {
      // The search continues with full text only.
      warnings.push({ code: 'embedding_unavailable', message: `searched by full text only; ${vector.message}` })
    } else if (vector.length !== dimensions) {
      throw otherModel(collection, `${dimensions} dimensions, not ${vector.length}`, vector.length)
    } else {
      args = { ...args, query_embedding: vector, options: { embedding_model: model, ...options } }
      if (storesQueries) {
        store = braid.rpc('store_query_embedding', { ...query, embedding: vector, embedding_model: model })
      }
    }
  }
  // Search and store the query's vector at the same time; the search does not depend on the store's success.
  const [found] = await Promise.all([call('logged_search', args), store])
  const stage = found.stats.mode === 'hybrid' ? 'fused' : `${found.stats.mode}`
  yield { stage, is_last: true, found: { ...found, warnings: [...found.warnings, ...warnings] } }
}

// Return the differences from the previous page, by chunk_id; ranks start at 1.
function changes(before: Found['results'], now: Found['results']) {
  const ranks = (rows: Found['results']) => new Map(rows.map(({ chunk_id }, place) => [chunk_id, place + 1]))
  const [old, current] = [ranks(before), ranks(now)]
  return {
    new: [...current.keys()].filter((chunk_id) => !old.has(chunk_id)),
    gone: [...old.keys()].filter((chunk_id) => !current.has(chunk_id)),
    moved: [...current]
      .filter(([chunk_id, rank]) => (old.get(chunk_id) ?? rank) !== rank)
      .map(([chunk_id, rank]) => ({ chunk_id, from: old.get(chunk_id)!, to: rank })),
  }
}

const LINES = 'application/x-ndjson'

// Send a line for each page as it arrives. An error before the first line is answered with its own status.
async function lines(braid: Api, args: Search): Promise<Response> {
  const gone = new AbortController()
  const pages = search(braid, args, true, gone.signal)
  let next = await pages.next().catch((failure) => {
    gone.abort()
    throw failure
  })
  let before: Found['results'] = []
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const send = (line: unknown) => controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`))
      if (next.done) return controller.close()
      const { stage, is_last, found } = next.value
      send({ stage, is_last, changes: changes(before, found.results), ...found })
      before = found.results
      try {
        next = await pages.next()
      } catch (failure) {
        if (gone.signal.aborted) return
        send({ error: told(failure) })
        controller.close()
      }
    },
    cancel: () => gone.abort(),
  })
  return new Response(body, { headers: { ...cors, 'Content-Type': LINES } })
}

// Return the body's only task and its arguments.
function task(body: unknown): ['embed' | 'search', Fields] {
  const hint = 'Send {"embed": {"collection": "…"}} or {"search": {"query_text": "…"}}.'
  if (!isObject(body)) {
    const kind = body === null ? 'null' : Array.isArray(body) ? 'an array' : `a ${typeof body}`
    throw new Failure(400, `the body is ${kind}, not a JSON object`, hint)
  }
  const [name, ...others] = Object.keys(body)
  if ((name !== 'embed' && name !== 'search') || others.length) {
    throw new Failure(400, `the body has ${name === undefined ? 'no key' : Object.keys(body).join(', ')}`, hint)
  }
  const args = body[name]
  if (!isObject(args)) throw new Failure(400, `${name} is not a JSON object`, hint)
  const unknown = Object.keys(args).find((key) => !['collection', 'job_count', 'lease', 'all_tenants'].includes(key))
  if (name === 'embed' && unknown) {
    throw new Failure(400, `embed has no argument ${unknown}`, 'It takes collection, job_count, lease and all_tenants.')
  }
  if (name === 'embed' && args.all_tenants !== undefined && typeof args.all_tenants !== 'boolean') {
    throw new Failure(400, `all_tenants is ${JSON.stringify(args.all_tenants)}`, 'Use true or false.')
  }
  const count = args.job_count ?? 1
  if (name === 'embed' && !(Number.isInteger(count) && Number(count) >= 1 && Number(count) <= MAX_JOBS)) {
    throw new Failure(400, `job_count is ${count}`, `Use 1 to ${MAX_JOBS}.`, '22023')
  }
  if (args.collection !== undefined && typeof args.collection !== 'string') {
    throw new Failure(400, 'collection is not a string', 'Name a collection.')
  }
  return [name, args]
}

async function answer(request: Request): Promise<Response> {
  if (request.method !== 'POST') throw new Failure(405, `the method is ${request.method}`, 'Use POST.')
  let body: unknown
  try {
    body = JSON.parse(await request.text())
  } catch (failure) {
    throw new Failure(400, `the body is not JSON: ${reason(failure)}`)
  }
  const [name, args] = task(body)
  if (name === 'embed') {
    const claim = args as Claim
    const done = claim.all_tenants ? await embedAll(request, claim) : await embed(api(request), claim)
    return Response.json(done, { headers: cors })
  }
  if (request.headers.get('Accept')?.includes(LINES)) return await lines(api(request), args as Search)
  const { value } = await search(api(request), args as Search).next()
  return Response.json((value as Page).found, { headers: cors })
}

const told = (failure: unknown) => {
  const { code, details, hint } = failure as Partial<Failure>
  return { code, message: reason(failure), details, hint }
}

Deno.serve(async (request) => {
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: cors })
  try {
    return await answer(request)
  } catch (failure) {
    return Response.json(told(failure), { status: (failure as Partial<Failure>).status ?? 500, headers: cors })
  }
})
