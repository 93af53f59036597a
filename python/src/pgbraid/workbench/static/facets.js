// Filters, built from the values that there are.

import { state } from './app.js'
import { call } from './api.js'
import { count, field, h, problem, replace } from './dom.js'
import { object } from './form.js'

/** `read()` gives the filter. What a filter in the address has that no box stands for is in the field below. */
export function filters(given, onchange) {
  const { boxes, rest } = split(given ?? {})
  const chosen = new Map(Object.entries(boxes))
  const json = h('textarea', {
    rows: '2', spellcheck: 'false', value: Object.keys(rest).length ? JSON.stringify(rest) : '',
    placeholder: '{"importance": {"$gte": 3}}', onchange,
  })
  const lists = h('div', {}, h('p', { class: 'soft' }, 'Counting values …'))
  fill(lists, chosen, onchange)
  return {
    element: h('div', {}, lists, field('Filter, JSON', json)),
    read() {
      // Without a prototype: __proto__ may be a key.
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

async function fill(lists, chosen, onchange) {
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
  replace(lists,
    !found.is_complete && h('p', { class: 'soft' }, 'There are too many chunks to count values.'),
    found.is_complete && !listed.length && h('p', { class: 'soft' }, 'No value is on more than one chunk.'),
    listed.map((facet) => list(facet, chosen, onchange)))
}

function list({ key, values }, chosen, onchange) {
  const all = [...values]
  for (const value of chosen.get(key) ?? []) if (!all.some((known) => known.value === value)) all.push({ value, count: null })
  return h('fieldset', { class: 'facet' }, h('legend', {}, key.replace(/^metadata\./, '')), all.map(({ value, count: chunks }) =>
    h('label', { class: 'check' },
      h('input', {
        type: 'checkbox', checked: (chosen.get(key) ?? []).includes(value),
        onchange: (event) => {
          const others = (chosen.get(key) ?? []).filter((known) => known !== value)
          chosen.set(key, event.target.checked ? [...others, value] : others)
          onchange()
        },
      }),
      h('span', { class: 'name' }, String(value)), chunks !== null && h('span', { class: 'soft' }, count(chunks)))))
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
