// Build filters from the values in the collection.

import { call } from './api.js'
import { count, field, h, problem, replace } from './dom.js'
import { object } from './form.js'
import { state } from './state.js'

// The server counts up to this number of values of a key for a query.
const COUNTED = 100
const MONTHS = 12

/** Return the filters: `read()` returns the filter, `follow(query, mode)` counts the chunks that a query finds.
 * Parts of the address's filter without a checkbox go into the field below. */
export function filters(given, onchange) {
  const { boxes, rest } = split(given ?? {})
  const chosen = new Map(Object.entries(boxes))
  const json = h('textarea', {
    rows: '2', spellcheck: 'false', value: Object.keys(rest).length ? JSON.stringify(rest) : '',
    placeholder: '{"importance": {"$gte": 3}}', onchange,
  })
  const lists = h('div', {}, h('p', { class: 'soft' }, 'Counting values …'))
  // The element of each count, by key and value.
  const counts = new Map()
  const pick = ({ gte, lt }) => {
    json.value = JSON.stringify({ ...object(json, 'the filters'), occurred_at: { $gte: gte, $lt: lt } })
    onchange()
  }
  const filled = fill(lists, chosen, onchange, counts, pick)
  return {
    async follow(query, mode) {
      await filled
      await recount(lists, counts, mode === 'semantic' ? '' : query.trim())
    },
    element: h('div', {}, lists, field('Filter, JSON', json)),
    read() {
      // An object without a prototype, because a key may be __proto__.
      const simple = Object.create(null)
      for (const [key, values] of chosen) {
        if (values.length) simple[key] = values.length === 1 ? values[0] : { $in: values }
      }
      const other = object(json, 'the filters')
      const parts = [simple, other].filter((part) => Object.keys(part).length)
      return parts.length > 1 ? { $and: parts } : parts[0]
    },
  }
}

async function fill(lists, chosen, onchange, counts, pick) {
  let found
  try {
    const { collection } = state
    if (!state.facets.has(collection)) state.facets.set(collection, call('facets', { collection }))
    found = await state.facets.get(collection)
  } catch (error) {
    state.facets.clear()
    replace(lists, problem(error))
    return
  }
  const known = new Set(found.facets.map((facet) => facet.key))
  const listed = [...found.facets, ...[...chosen.keys()].filter((key) => !known.has(key)).map((key) => ({ key, values: [] }))]
  const note = h('p', { class: 'soft counted', hidden: true }, 'Counted among what full text finds.')
  replace(lists, note,
    !found.is_complete && h('p', { class: 'soft' }, 'There are too many chunks to count values.'),
    found.is_complete && !listed.length && h('p', { class: 'soft' }, 'No value is on more than one chunk.'),
    listed.map((facet) => list(facet, chosen, onchange, counts)),
    found.months.length > 1 && months(found.months, pick))
}

/** Show the last months of occurred_at as bars; a month is a filter. */
function months(found, pick) {
  const most = Math.max(...found.map((month) => month.count))
  return h('fieldset', { class: 'facet months' }, h('legend', {}, 'occurred_at'),
    found.slice(-MONTHS).map(({ value, count: chunks }) => h('button', {
      type: 'button', class: 'month', title: `Search ${value.label}`, onclick: () => pick(value),
    }, h('span', {}, value.label), h('meter', { max: String(most), value: String(chunks), 'aria-hidden': 'true' }),
    h('span', { class: 'soft' }, count(chunks)))))
}

/** Update the counts in place, so that the focus stays in the list. */
async function recount(lists, counts, query) {
  const keys = [...new Set([...counts.values()].map(({ key }) => key))]
  if (!keys.length) return
  let found = null
  let total = null
  if (query) {
    try {
      const { collection } = state
      const place = JSON.stringify([collection, query])
      if (!state.facets.has(place)) state.facets.set(place, call('facets', { collection, query, keys }))
      const answer = await state.facets.get(place)
      total = answer.total
      if (answer.is_complete) found = new Map(answer.facets.map((facet) => [facet.key, facet.values]))
    } catch { /* the search itself says what is wrong with the query */ }
  }
  if (!lists.isConnected) return
  const note = lists.querySelector('.counted')
  note.hidden = !found
  if (total) {
    note.textContent = `Counted among what full text finds: ${count(total.chunks.count)} chunks of ` +
      `${count(total.documents.count)} documents.`
  }
  for (const { key, value, all, element } of counts.values()) {
    const values = found?.get(key)
    const known = values?.find((each) => each.value === value)?.count ?? (values && values.length < COUNTED ? 0 : null)
    element.textContent = values ? count(known) : all === null ? '' : count(all)
  }
}

function list({ key, values }, chosen, onchange, counts) {
  const all = [...values]
  for (const value of chosen.get(key) ?? []) if (!all.some((known) => known.value === value)) all.push({ value, count: null })
  return h('fieldset', { class: 'facet' }, h('legend', {}, key.replace(/^metadata\./, '')), all.map(({ value, count: chunks }) => {
    const element = h('span', { class: 'soft' }, chunks === null ? '' : count(chunks))
    counts.set(JSON.stringify([key, value]), { key, value, all: chunks, element })
    return h('label', { class: 'check' },
      h('input', {
        type: 'checkbox', checked: (chosen.get(key) ?? []).includes(value),
        onchange: (event) => {
          const others = (chosen.get(key) ?? []).filter((known) => known !== value)
          chosen.set(key, event.target.checked ? [...others, value] : others)
          onchange()
        },
      }),
      h('span', { class: 'name' }, String(value)), element)
  }))
}

function split(given) {
  const parts = Array.isArray(given.$and) && Object.keys(given).length === 1 ? given.$and : [given]
  const boxes = Object.create(null)
  const rest = []
  for (const part of parts) {
    const other = Object.create(null)
    for (const [key, value] of Object.entries(part)) {
      const list = isPlain(value) ? [value] : Array.isArray(value?.$in) && Object.keys(value).length === 1 ? value.$in : null
      if (list?.every(isPlain) && !key.startsWith('$') && !(key in boxes)) boxes[key] = list
      else other[key] = value
    }
    if (Object.keys(other).length) rest.push(other)
  }
  return { boxes, rest: rest.length > 1 ? { $and: rest } : rest[0] ?? {} }
}

function isPlain(value) {
  return ['string', 'number', 'boolean'].includes(typeof value)
}
