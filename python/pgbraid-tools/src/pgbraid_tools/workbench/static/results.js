// Show results, each with its details.

import { call } from './api.js'
import { arithmetic } from './explain.js'
import { button, h, number, opener, replace, time } from './dom.js'
import { state } from './state.js'

export const LEGS = [['full_text', 'Full text'], ['semantic', 'Semantic'], ['sparse', 'Sparse']]

export function passage(parts, isCut) {
  return h('p', { class: 'passage' }, parts.map(([text, isMarked]) => (isMarked ? h('mark', {}, text) : text)), isCut && ' …')
}

/** Return the line below a title. */
export function origin(row) {
  const shown = [row.speaker, time(row.occurred_at), row.category].filter(Boolean)
  return h('p', { class: 'origin' }, h('code', {}, row.chunk_index ? `${row.external_id} #${row.chunk_index}` : row.external_id),
    shown.map((text) => [' · ', text]))
}

export function metadata(row) {
  const entries = Object.entries(row.metadata ?? {}).filter(([, value]) => value === null || typeof value !== 'object' || Array.isArray(value))
  return entries.length > 0 && h('ul', { class: 'tags' }, entries.slice(0, 6).map(([key, value]) =>
    h('li', {}, h('span', { class: 'soft' }, `${key} `), String(value).slice(0, 80))))
}

export function best(rows) {
  return Object.fromEntries(LEGS.map(([leg]) => [leg, Math.max(0, ...rows.map((row) => row[`${leg}_score`] ?? 0))]))
}

/** Show rank and score in each leg; the length of a bar is the score relative to the best in the list. */
export function bars(row, most) {
  const legs = LEGS.filter(([leg]) => most[leg] > 0 || row[`${leg}_rank`] !== null)
  return h('dl', { class: 'legs' }, legs.map(([leg, label]) => {
    const score = row[`${leg}_score`]
    const rank = row[`${leg}_rank`]
    const share = most[leg] > 0 && score > 0 ? Math.round((100 * score) / most[leg]) : 0
    return h('div', {},
      h('dt', {}, label),
      h('dd', {},
        h('span', { class: 'rank' }, rank === null || rank === undefined ? 'not found' : `#${rank}`),
        h('span', { class: 'track' }, h('span', { class: `level ${leg}`, 'width%': share })),
        h('span', { class: 'score' }, rank === null || rank === undefined ? '' : number(score))))
  }))
}

export function result(row, place, most, asked) {
  const panel = h('div', { class: 'opened', hidden: true })
  const label = `title-${place}`
  const near = h('div', { class: 'opened', hidden: true })
  const around = h('div', { class: 'opened', hidden: true })
  return h('li', {}, h('article', { class: 'result', tabindex: '-1', 'aria-labelledby': label },
    h('div', { class: 'head' },
      h('span', { class: 'place', 'aria-hidden': 'true' }, String(place)),
      h('div', {}, h('h2', { id: label }, row.title || row.external_id), origin(row)),
      h('span', { class: 'total', title: 'The score that rows are ordered by' }, number(row.group_score ?? row.score))),
    passage(row.passage, row.is_cut),
    metadata(row),
    bars(row, most),
    h('div', { class: 'actions' },
      asked && opener('Why here?', panel, async () => arithmetic(await asked(), row), { 'data-key': 'e' }),
      opener('In its context', around, () => neighbours(row)),
      opener('More like this', near, () => likeness(row))),
    panel, around, near))
}

async function likeness(row) {
  const { results } = await call('similar', { chunk_id: row.chunk_id })
  return results.length ? h('ol', { class: 'short' }, results.map((found) => h('li', {},
    h('div', { class: 'line' }, h('strong', {}, found.title || found.external_id), h('span', { class: 'score' }, number(found.score))),
    origin(found), passage(found.passage.map(([text]) => [text.slice(0, 240), false]), true)))) : h('p', { class: 'soft' }, 'There is no other chunk.')
}

async function neighbours(row, around = 3) {
  const found = await call('context', {
    collection: state.collection, external_id: row.external_id, chunk_index: row.chunk_index, around,
  })
  if (!found.chunks.length) return h('p', { class: 'soft' }, 'The document has been deleted or written anew since.')
  const box = h('div', {})
  const first = found.chunks[0].chunk_index
  const last = found.chunks.at(-1).chunk_index
  return replace(box,
    h('p', { class: 'soft' }, `Chunks ${first + 1} to ${last + 1} of ${found.chunk_count}`, found.source_uri && ` · ${found.source_uri}`),
    h('ol', { class: 'turns' }, found.chunks.map((chunk) =>
      h('li', { class: chunk.chunk_index === row.chunk_index ? 'here' : undefined },
        h('p', { class: 'origin' }, [`#${chunk.chunk_index}`, chunk.speaker, time(chunk.occurred_at)].filter(Boolean).join(' · ')),
        h('p', { class: 'passage' }, chunk.content)))),
    last - first + 1 < found.chunk_count && around < 50 && button('More of it', async () =>
      box.replaceWith(await neighbours(row, Math.min(50, around * 3))), { class: 'quiet' }))
}
