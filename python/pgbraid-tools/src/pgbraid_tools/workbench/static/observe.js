// The page Observe shows latency, pending work, growth, and problems.

import { call } from './api.js'
import { count, h, number, problem, replace, svg, table, time } from './dom.js'
import { address, settings, state } from './state.js'

export const title = 'Observe'
// The server returns this number of queries in each order.
const MOST_QUERIES = 15

export async function show(main) {
  const body = h('div', { class: 'observe' }, h('p', { class: 'soft' }, 'One moment …'))
  replace(main, h('h1', {}, 'Observe'), body)
  const found = await call('observe', { collection: state.collection })
  const part = (name, label, make, properties = {}) => {
    const { rows, error } = found[name]
    return h('section', { class: `panel ${properties.class ?? ''}`, 'aria-labelledby': `part-${name}` },
      h('h2', { id: `part-${name}` }, label), error ? refused(error) : make(rows))
  }
  replace(body,
    part('health', 'Health', health, { class: 'broad' }),
    part('latency', 'How long searches take', latency, { class: 'broad' }),
    part('problems', 'Found nothing, or were warned', problems),
    part('slow', 'Queries', () => ranked(found.slow.rows, found.frequent)),
    part('collections', 'Collections of this tenant', collections, { class: 'broad' }),
    part('growth', 'Growth', growth),
    part('outbox', 'Waits for embeddings', outbox),
    part('indexes', 'Indexes', indexes),
    part('synonyms', 'Synonyms', synonyms))
}

function refused(error) {
  const isHidden = error.sqlstate === '42501'
  return isHidden ? h('p', { class: 'soft' }, 'The login of this workbench may not see it.') : problem(error)
}

function health(rows) {
  if (!rows.length) return h('p', { class: 'fine' }, 'Nothing is wrong.')
  return h('ul', { class: 'findings' }, rows.map((row) => h('li', {},
    h('p', {}, h('span', { class: `severity ${row.severity}` }, row.severity), h('strong', {}, row.finding), ' ', row.reason),
    row.command && h('pre', { tabindex: '0', 'aria-label': 'What mends it' }, row.command))))
}

function logging() {
  return settings().search_log === 'off' ? h('p', { class: 'soft' }, 'Searches of this collection are not logged. An administrator turns that on: ',
    h('code', {}, `select braid.set_search_log('${state.collection.replaceAll("'", "''")}');`)) : h('p', { class: 'soft' }, 'None so far.')
}

function latency(rows) {
  if (!rows.length) return logging()
  const most = Math.max(...rows.map((row) => row.p95_ms))
  return table(['day', 'path', 'searches', 'half within', '95 % within', '99 % within'], rows.map((row) => [
    row.day, row.semantic_mode ? `${row.mode.replace('_', ' ')}, ${row.semantic_mode}` : row.mode.replace('_', ' '), count(row.calls), ms(row.p50_ms),
    h('span', { class: 'bar-cell' }, h('span', { class: 'track' }, h('span', { class: 'level', 'width%': (100 * row.p95_ms) / most })), ms(row.p95_ms)),
    ms(row.p99_ms)]), { label: 'Latency by day and path' })
}

function problems(rows) {
  return rows.length ? table(['when', 'query', 'problems'], rows.map((row) => [
    h('span', { class: 'nowrap' }, time(row.searched_at)), link(row.query_text), row.problems.join(', ').replaceAll('_', ' ')]), { label: 'Searches with problems' }) : logging()
}

function queries(rows) {
  return rows.length ? table(['query', 'searches', 'found nothing', 'mean', 'slowest'], rows.map((row) => [
    link(row.query), count(row.calls), count(row.zero_hits), ms(row.mean_ms), ms(row.max_ms)]), { label: 'Queries' }) : logging()
}

/** Show the queries in two orders, or in one list if both orders would show all of them. */
function ranked(slow, { rows: frequent, error }) {
  if (error) return problem(error)
  if (slow.length === frequent.length && slow.length < MOST_QUERIES) return queries(slow)
  const box = h('div', {})
  const orders = { slow: ['Slowest first', slow], frequent: ['Most frequent first', frequent] }
  const show = (name) => replace(box, queries(orders[name][1]))
  show('slow')
  return [h('fieldset', { class: 'segments' }, h('legend', { class: 'hidden' }, 'Order of the queries'),
    Object.entries(orders).map(([name, [label]]) => h('label', {},
      h('input', { type: 'radio', name: 'order', checked: name === 'slow', onchange: () => show(name) }), h('span', {}, label)))), box]
}

/** Return a link that runs the query again. */
function link(query) {
  if (!query) return h('span', { class: 'soft' }, 'not kept')
  return query.startsWith('sha256:') ? h('code', {}, query.slice(0, 20)) : h('a', { href: address('search', { query }) }, query)
}

function growth(rows) {
  if (!rows.length) return h('p', { class: 'soft' }, 'maintain() has not noted any size yet.')
  const last = rows.at(-1)
  const first = Date.parse(rows[0].day)
  const span = Math.max(1, Date.parse(last.day) - first)
  const most = Math.max(1, ...rows.map((row) => row.chunk_count))
  const points = rows.map((row) => `${(100 * (Date.parse(row.day) - first)) / span},${40 - (38 * row.chunk_count) / most}`)
  const drawn = rows.length > 1 && svg('svg', { class: 'chart', viewBox: '0 0 100 40', preserveAspectRatio: 'none', role: 'img', 'aria-label': `Chunks from ${rows[0].day} to ${last.day}` },
    svg('polygon', { class: 'area', points: `0,40 ${points.join(' ')} 100,40` }), svg('polyline', { class: 'line', points: points.join(' ') }))
  return [h('p', {}, h('strong', {}, `${count(last.chunk_count)} chunks`), h('span', { class: 'soft' }, `, about ${megabytes(last.byte_count)}, on ${last.day}`)), drawn]
}

function collections(rows) {
  return table(['collection', 'documents', 'chunks', 'wait', 'failed', 'logged searches', 'model'], rows.map((row) => [
    row.name, count(row.documents), count(row.chunks), count(row.pending_embeddings), count(row.failed_embeddings), count(row.logged_searches),
    `${row.embedding_model} (${row.dimensions})`]), { label: 'Collections' })
}

function outbox(rows) {
  return rows.length ? table(['collection', 'model', 'wait', 'failed', 'given up', 'oldest'], rows.map((row) => [
    row.collection, row.embedding_model, count(row.waiting_count), count(row.failed_count), count(row.abandoned_count), age(row.age)]), { label: 'Outbox' })
    : h('p', { class: 'fine' }, 'Nothing waits.')
}

function indexes(rows) {
  return rows.length ? table(['collection', 'segments', 'chunks', 'dead', 'vectors', 'index recall'], rows.map((row) => [
    row.collection, count(row.segment_count), count(row.chunk_count), `${number(100 * (row.dead_share ?? 0), 1)} %`,
    row.shard === null ? 'all compared' : count(row.vector_count),
    row.index_recall_10 === null ? '–' : number(row.index_recall_10)]), { label: 'Indexes' })
    : h('p', { class: 'soft' }, 'There is no index yet.')
}

function synonyms(rows) {
  return rows.length ? table(['a query for', 'finds too'], rows.map((row) => [row.word, row.synonyms.join(', ')]), { label: 'Synonyms' })
    : h('p', { class: 'soft' }, 'This collection has none.')
}

function ms(value) {
  return `${number(value, 1)} ms`
}

function megabytes(value) {
  return value >= 1e6 ? `${number(value / 1e6, 1)} MB` : `${number(value / 1e3, 1)} kB`
}

function age(seconds) {
  if (seconds === null) return '–'
  if (seconds < 120) return `${Math.round(seconds)} s`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}
