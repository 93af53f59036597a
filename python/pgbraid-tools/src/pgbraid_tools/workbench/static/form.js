// The arguments of a search, which become fields, a request, and an address.

import { choice, field, h } from './dom.js'
import { settings } from './state.js'

const MODES = [['hybrid', 'Hybrid'], ['full_text', 'Full text'], ['semantic', 'Semantic']]
const FUSIONS = [['convex', 'convex'], ['rrf', 'rrf'], ['dbsf', 'dbsf'], ['max', 'max']]
const NUMBERS = ['full_text_weight', 'semantic_weight']
const OBJECTS = ['filters', 'options']

/** Return the request that the address describes, without unreadable values. */
export function request(values) {
  const made = { query: values.query ?? '', mode: values.mode ?? 'hybrid', match_count: Number(values.match_count) || 10 }
  for (const name of ['timeframe', 'fusion', 'match']) if (values[name]) made[name] = values[name]
  for (const name of NUMBERS) if (values[name]) made[name] = Number(values[name])
  for (const name of OBJECTS) {
    try {
      const value = JSON.parse(values[name] ?? 'null')
      if (value !== null) made[name] = value
    } catch { /* what somebody has put into the address */ }
  }
  return made
}

export function modes(value, name = 'mode') {
  return h('fieldset', { class: 'segments' }, h('legend', { class: 'hidden' }, 'Which searches run'),
    MODES.map(([mode, label]) => h('label', {},
      h('input', { type: 'radio', name, value: mode, checked: mode === value }), h('span', {}, label))))
}

/** Return fields for ranking and shaping results; `read()` returns this part of a request, or throws an error. */
export function ranking(values) {
  const own = settings()
  const options = { ...values.options }
  const grouped = h('input', { type: 'checkbox', checked: options.group_by === 'document' })
  const mends = h('input', { type: 'checkbox', checked: options.correct === true })
  delete options.group_by
  delete options.correct
  if (values.options?.group_by && values.options.group_by !== 'document') options.group_by = values.options.group_by
  const weight = (name) => h('input', {
    type: 'number', min: '0', max: '1000000', step: 'any', inputmode: 'decimal', value: values[name] ?? '',
    placeholder: own[name] === null ? 'the fusion’s' : String(own[name]),
  })
  const full = weight('full_text_weight')
  const semantic = weight('semantic_weight')
  const fusion = choice([['', `the collection’s (${own.fusion})`], ...FUSIONS], values.fusion)
  const match = choice([['any', 'any word'], ['75%', '75 % of the words'], ['all', 'all words']], values.match ?? 'any')
  const more = h('textarea', {
    rows: '2', spellcheck: 'false', value: Object.keys(options).length ? JSON.stringify(options) : '',
    placeholder: '{"boosts": [{"recency": {"half_life": "30 days"}}]}',
  })
  const element = h('div', { class: 'grid' },
    field('Weight of full text', full), field('Weight of semantic', semantic), field('Fusion', fusion),
    field('Texts have', match),
    h('label', { class: 'check' }, grouped, h('span', {}, 'One result a document')),
    h('label', { class: 'check' }, mends, h('span', {}, 'Mend misspelt words')),
    field('More options, JSON', more, { class: 'field whole' }))
  return {
    element,
    read() {
      const made = {}
      if (full.value !== '') made.full_text_weight = Number(full.value)
      if (semantic.value !== '') made.semantic_weight = Number(semantic.value)
      if (fusion.value) made.fusion = fusion.value
      if (match.value !== 'any') made.match = match.value
      const given = object(more, 'the options')
      if (grouped.checked) given.group_by = 'document'
      if (mends.checked) given.correct = true
      if (Object.keys(given).length) made.options = given
      return made
    },
  }
}

/** Parse the JSON object in a field; an empty field gives an empty object. */
export function object(element, name) {
  let value
  try {
    value = JSON.parse(element.value.trim() || '{}')
  } catch {
    value = null
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw Object.assign(new Error(`${name} are no JSON object`), { hint: 'as in {"speaker": "Ana"}', element })
  }
  return value
}
