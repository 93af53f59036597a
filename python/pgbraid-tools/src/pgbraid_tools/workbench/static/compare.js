// The page Compare shows two configurations side by side, with keys to grade results.

import { call } from './api.js'
import { configuration, parsed } from './configuration.js'
import { button, choice, field, h, number, problem, replace, say } from './dom.js'
import { isOn } from './keys.js'
import { origin, passage } from './results.js'
import { address, begins, state } from './state.js'

export const title = 'Compare'
// The running comparison; a new one aborts it.
let running = null
// braid.tune needs the same number.
const LEAST_QUERIES = 20
const MEANINGS = ['nothing to do with it', 'close, no answer', 'an answer, unclear', 'answers it exactly']

export async function show(main, values, opened) {
  const query = h('input', {
    type: 'search', id: 'query', value: values.query ?? '', autocomplete: 'off', spellcheck: 'false',
    placeholder: 'A query for both', 'aria-label': 'Query',
  })
  const sides = [['a', 'baseline'], ['b', 'candidate']].map(([name, label]) =>
    configuration(name, label, parsed(values[name] ?? (name === 'b' ? '{"mode":"full_text"}' : '{}'))))
  const trouble = h('div', {})
  const found = h('div', {})
  const said = () => {
    const [a, b] = sides.map((side) => side.read())
    return address('compare', { query: query.value, a, b })
  }
  const submit = () => {
    try {
      replace(trouble)
      const next = said()
      if (next === location.hash) run()
      else location.hash = next
    } catch (error) {
      replace(trouble, problem(error))
      error.element?.focus()
    }
  }
  const run = async () => {
    if (query.value.trim()) await both(found, query.value.trim(), sides.map((side) => side.read()))
    else replace(found, h('p', { class: 'soft lead' }, 'Both search for the same query; what stands elsewhere is marked.'))
  }
  replace(main, h('h1', { class: 'hidden' }, 'Compare two configurations'),
    h('form', { class: 'search', onsubmit: (event) => (event.preventDefault(), submit()) },
      h('div', { class: 'row query' }, query, h('button', { class: 'main' }, 'Compare')),
      h('div', { class: 'two' }, sides.map((side) => side.element)), trouble),
    found)
  opened({ address: said, run })
  if (!query.value.trim()) begins(query)
  await run()
}

async function both(found, query, sides) {
  replace(found, h('p', { class: 'soft lead' }, 'Searching …'))
  running?.abort()
  const { signal } = running = new AbortController()
  let answers
  try {
    answers = await Promise.all(sides.map((side) => call('search', { ...side, query, collection: state.collection }, signal)))
  } catch (error) {
    if (!signal.aborted) replace(found, problem(error))
    return
  }
  const lists = answers.map((answer) => answer.results)
  const places = lists.map((rows) => new Map(rows.map((row, place) => [row.chunk_id, place + 1])))
  const judging = await judgments(query)
  if (signal.aborted) return
  const column = (side) => h('section', { 'aria-label': `Results of ${'ab'[side]}` },
    answers[side].warnings.map((warning) => h('p', { class: 'notice' }, warning.message ?? warning.code)),
    lists[side].length ? h('ol', { class: 'results' }, lists[side].map((row, place) =>
      card(row, place + 1, places[1 - side].get(row.chunk_id), side, judging)))
      : h('p', { class: 'soft lead' }, 'Nothing was found.'))
  const shared = lists[0].filter((row) => places[1].has(row.chunk_id)).length
  replace(found, judging.element,
    h('p', { class: 'lead' }, h('strong', {}, `${shared} in both`),
      h('span', { class: 'soft' }, `, ${lists[0].length - shared} only in a, ${lists[1].length - shared} only in b`)),
    h('div', { class: 'two' }, column(0), column(1)))
  say(`${shared} results in both`)
  judging.draw()
}

function card(row, place, other, side, judging) {
  const label = `title-${'ab'[side]}-${place}`
  const change = other === undefined ? ['new', `only in ${'ab'[side]}`]
    : other === place ? ['same', 'same place'] : other > place ? ['up', `▲ ${other - place}`] : ['down', `▼ ${place - other}`]
  const element = h('article', { class: 'result compact', tabindex: '-1', 'aria-labelledby': label },
    h('div', { class: 'head' }, h('span', { class: 'place', 'aria-hidden': 'true' }, String(place)),
      h('div', {}, h('h3', { id: label }, row.title || row.external_id), origin(row)),
      h('span', { class: 'ends' }, h('span', { class: 'total' }, number(row.score)),
        h('span', { class: `change ${change[0]}`, title: 'Beside its place in the other list' }, change[1]))),
    passage(row.passage, row.is_cut),
    judging.scale(row))
  element.addEventListener('keydown', (event) => {
    if (!isOn() || event.ctrlKey || event.metaKey || event.altKey) return
    if (!/^[0-3]$/.test(event.key) || event.target.closest('input, textarea, select')) return
    event.preventDefault()
    judging.grade(row, Number(event.key))
  })
  return h('li', {}, element)
}

/** Show and store grades of the chosen query set; without --write, show only a hint. */
async function judgments(query) {
  const scales = []
  // Errors appear below the graded result, or else in the panel.
  let trouble = h('div', { 'aria-live': 'polite' })
  const idle = { element: null, scale: () => null, grade: () => {}, draw: () => {} }
  if (!state.session.write) {
    return { ...idle, element: h('p', { class: 'soft' }, 'To grade results with the keys 0 to 3, start the workbench with ', h('code', {}, '--write'), '.') }
  }
  let sets
  try {
    sets = await call('query_sets')
  } catch (error) {
    return { ...idle, element: problem(error) }
  }
  const known = new Map()
  let level = 'document'
  const key = (row) => JSON.stringify([row.external_id, level === 'chunk' ? row.chunk_index : null])
  const names = sets.map((set) => [set.query_set, set.query_set])
  if (!names.some(([name]) => name === state.querySet)) state.querySet = names[0]?.[0] ?? ''
  const chosen = choice([...names, ['', 'a new set …']], state.querySet, { onchange: () => choose() })
  const name = h('input', { type: 'text', placeholder: 'name of the new set', 'aria-label': 'Name of the new set' })
  const judge = h('input', { type: 'text', value: state.judge ?? 'default', onchange: () => choose() })
  const own = trouble
  const complain = (row, ...children) => {
    replace(trouble)
    trouble = scales.find(([each]) => each === row)?.[2] ?? own
    replace(trouble, children)
  }
  const progress = h('span', { class: 'soft' })
  const made = h('span', { class: 'row' }, name, button('Create', async () => {
    try {
      await call('create_query_set', { query_set: name.value })
      state.querySet = name.value.trim()
      chosen.prepend(h('option', { value: state.querySet }, state.querySet))
      chosen.value = state.querySet
      chosen.closest('.field').hidden = false
      judge.closest('.field').hidden = false
      sets.push({ query_set: state.querySet, judged_count: 0 })
      await choose()
    } catch (error) {
      complain(null, problem(error))
    }
  }), h('span', { class: 'soft' }, 'A query set keeps the grades.'))
  const choose = async () => {
    state.querySet = chosen.value
    state.judge = judge.value.trim() || 'default'
    made.hidden = chosen.value !== ''
    known.clear()
    complain(null)
    const judged = sets.find((set) => set.query_set === chosen.value)?.judged_count
    replace(progress, judged === undefined ? '' : `${judged} of its queries are judged; tuning needs ${LEAST_QUERIES}.`)
    try {
      if (chosen.value) {
        const found = await call('grades', { query_set: chosen.value, query, judge: state.judge })
        level = found.level
        for (const each of found.grades) known.set(key(each), each.grade)
      }
    } catch (error) {
      complain(null, problem(error))
    }
    draw()
  }
  const draw = () => {
    for (const [row, element] of scales) {
      element.hidden = !chosen.value
      for (const each of element.querySelectorAll('button')) {
        each.setAttribute('aria-pressed', String(known.get(key(row)) === Number(each.textContent)))
      }
    }
  }
  const grade = async (row, value) => {
    if (!chosen.value) {
      complain(row, h('p', { class: 'notice' }, 'Choose a query set first, or create one: above the lists.'))
      return
    }
    const next = known.get(key(row)) === value ? null : value
    try {
      await call('judge', {
        query_set: chosen.value, query, judge: state.judge, collection: state.collection,
        external_id: row.external_id, chunk_index: row.chunk_index, grade: next,
      })
      complain(row)
      known.set(key(row), next)
      say(next === null ? 'Grade taken back' : `Graded ${next}`)
    } catch (error) {
      complain(row, problem(error))
    }
    draw()
  }
  // Without any set there is nothing to choose, so ask only for the name of the first set.
  const isFirst = names.length === 0
  await choose()
  return {
    element: h('section', { class: 'panel judging', 'aria-label': 'Judging' },
      h('div', { class: 'row' }, field('Grades go to the query set', chosen, { hidden: isFirst }), made,
        field('Judge', judge, { hidden: isFirst })), progress,
      h('p', { class: 'soft' }, 'On a result, the keys 0 to 3 grade it: ', MEANINGS.map((meaning, value) =>
        [h('kbd', {}, String(value)), ` ${meaning}${value < 3 ? ', ' : '.'}`]), ' The same key again takes it back.'), own),
    scale(row) {
      const element = h('div', { class: 'scale', role: 'group', 'aria-label': `Grade of ${row.external_id}` },
        MEANINGS.map((meaning, value) => button(String(value), () => grade(row, value), { title: meaning, 'aria-pressed': 'false' })))
      const below = h('div', { 'aria-live': 'polite' })
      scales.push([row, element, below])
      return [element, below]
    },
    grade, draw,
  }
}
