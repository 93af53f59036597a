// The page Search.

import { address, begins, refresh, settings, state } from './app.js'
import { call } from './api.js'
import { copies } from './copies.js'
import { button, choice, count, field, h, holdFocus, problem, replace, say } from './dom.js'
import { missing } from './explain.js'
import { filters } from './facets.js'
import { modes, ranking, request } from './form.js'
import { best, result } from './results.js'

export const title = 'Search'
let showsFilters = matchMedia('(min-width: 60rem)').matches
// The search before is of no interest any more.
let running = null

export async function show(main, values, opened) {
  const given = request(values)
  const query = h('input', {
    type: 'search', name: 'query', id: 'query', value: given.query, autocomplete: 'off', spellcheck: 'false',
    placeholder: 'What are you looking for?', 'aria-label': 'Query', enterkeyhint: 'search',
  })
  const timeframe = h('input', { type: 'text', value: given.timeframe ?? '', placeholder: 'last week, 2025-03, auto', autocomplete: 'off' })
  const limit = choice([['5', '5'], ['10', '10'], ['20', '20'], ['50', '50'], ['100', '100']], String(given.limit))
  const ranked = ranking(given)
  const trouble = h('div', {})
  const said = () => {
    const mode = form.elements.mode.value
    return address('search', {
      query: query.value, mode: mode === 'hybrid' ? '' : mode, limit: limit.value === '10' ? '' : limit.value,
      timeframe: timeframe.value.trim(), ...ranked.read(), filters: filtered.read(),
    })
  }
  const submit = () => {
    try {
      replace(trouble)
      const next = said()
      if (next === location.hash) again()
      else location.hash = next
    } catch (error) {
      replace(trouble, problem(error))
      error.element?.focus()
    }
  }
  const filtered = filters(given.filters, submit)
  const isRanked = ['full_text_weight', 'semantic_weight', 'fusion', 'match', 'options'].some((name) => name in given)
  const form = h('form', {
    class: 'search', role: 'search', autocomplete: 'off',
    onsubmit: (event) => {
      event.preventDefault()
      submit()
    },
  },
  h('div', { class: 'row query' }, query, h('button', { class: 'main' }, 'Search')),
  h('div', { class: 'row settings' }, modes(given.mode), field('When', timeframe, { class: 'field inline' }),
    field('Results', limit, { class: 'field inline' })),
  h('details', { open: isRanked }, h('summary', {}, 'Ranking and options'), ranked.element),
  trouble)
  for (const radio of form.elements.mode) radio.addEventListener('change', () => query.value && submit())
  const found = h('div', { class: 'found' })
  const search = async (asked) => {
    if (asked.query.trim()) await run(found, { ...asked, collection: state.collection })
    else replace(found, welcome())
  }
  const again = () => search(request(Object.fromEntries(new URLSearchParams(location.hash.split('?')[1]))))
  replace(main, h('h1', { class: 'hidden' }, 'Search'), form, h('div', { class: 'columns' },
    h('details', { class: 'side', open: showsFilters, ontoggle: (event) => (showsFilters = event.target.open) }, h('summary', {}, 'Filters'), filtered.element), found))
  opened({ address: said, run: again })
  if (!given.query.trim()) begins(query)
  await search(given)
}

function welcome() {
  const own = settings()
  if (own.is_empty) {
    return h('section', { class: 'panel' }, h('h2', {}, 'There is nothing to find yet'),
      h('p', {}, 'The collection ', h('code', {}, own.name), ' has no documents of this tenant.'),
      h('p', {}, h('code', {}, 'pgbraid ingest FOLDER'), ' indexes files.'),
      state.session.collections.every((collection) => collection.is_empty) && offer())
  }
  return h('p', { class: 'soft lead' }, 'Search by words, by meaning, or by both. Press ', h('kbd', {}, '?'), ' for the keys.')
}

/** Something to search, for a first look. */
function offer() {
  const box = h('div', { 'aria-live': 'polite' })
  const begin = async () => {
    if (!confirm('Create the collection demo in this database, and index Python’s documentation in it?')) return
    try {
      await call('load_demo', { confirm: 'demo' })
      await follow(box)
    } catch (error) {
      replace(box, problem(error))
    }
  }
  return replace(box, h('p', {}, 'Or look around first: the demo is the documentation of Python’s standard library, about 1,300 passages in a collection of their own.'),
    button('Load the demo', begin, { class: 'main' }))
}

async function follow(box) {
  const bar = h('progress', { 'aria-label': 'Loading the demo' })
  const text = h('p', { class: 'soft' })
  replace(box, text, bar)
  for (;;) {
    const { stage, done, total, error } = await call('demo')
    if (error) throw Object.assign(new Error(error.message), error)
    if (stage === 'ready') break
    text.textContent = `${stage} … ${total ? `${count(done)} of ${count(total)}` : ''}`
    if (total) Object.assign(bar, { max: total, value: done })
    await new Promise((resolve) => setTimeout(resolve, 400))
  }
  await refresh('demo')
  location.hash = address('search', { query: 'remember the order in which keys were added' })
}

async function run(found, asked) {
  holdFocus(found)
  replace(found, h('p', { class: 'soft lead' }, 'Searching …'))
  running?.abort()
  const { signal } = running = new AbortController()
  let answer
  try {
    answer = await call('search', asked, signal)
  } catch (error) {
    if (!signal.aborted) replace(found, problem(error))
    return
  }
  const { results, stats, warnings } = answer
  let explained
  const explanation = () => (explained ??= call('explain', asked).catch((error) => {
    explained = undefined
    throw error
  }))
  const most = best(results)
  const panel = h('div', { class: 'panel', hidden: true })
  const told = `${count(results.length)} ${results.length === 1 ? 'result' : 'results'}`
  const tool = (label, make) => {
    const toggle = button(label, () => {
      const opens = toggle.getAttribute('aria-expanded') === 'false'
      for (const other of tools.children) other.setAttribute('aria-expanded', 'false')
      toggle.setAttribute('aria-expanded', String(opens))
      panel.hidden = !opens
      replace(panel, opens && make())
      panel.querySelector('input[type=text]')?.focus()
    }, { class: 'quiet', 'aria-expanded': 'false' })
    return toggle
  }
  const tools = h('div', { class: 'tools' },
    tool('Copy as …', () => copies(asked)),
    tool('Why is … not here?', () => missing(asked)))
  replace(found,
    h('div', { class: 'line summary' },
      h('p', {}, h('strong', {}, told), h('span', { class: 'soft' }, timing(stats))), tools),
    panel,
    warnings.map((warning) => h('p', { class: 'notice' }, warning.message ?? warning.code)),
    results.length ? h('ol', { class: 'results' }, results.map((row, place) => result(row, place + 1, most, explanation)))
      : h('p', { class: 'soft lead' }, 'Nothing was found.'))
  say(told)
}

function timing(stats) {
  const parts = []
  if (stats.query_time_ms !== undefined) parts.push(`${Math.round(stats.query_time_ms)} ms`)
  if (stats.full_text_candidates) parts.push(`${count(stats.full_text_candidates)} by full text`)
  if (stats.semantic_candidates) parts.push(`${count(stats.semantic_candidates)} by vectors`)
  return parts.length ? ` · ${parts.join(' · ')}` : ''
}
