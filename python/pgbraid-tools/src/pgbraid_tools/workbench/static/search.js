// The page Search runs a search and shows its results.

import { call } from './api.js'
import { completing } from './completion.js'
import { copies } from './copies.js'
import { button, choice, count, field, h, holdFocus, problem, replace, say } from './dom.js'
import { missing } from './explain.js'
import { filters } from './facets.js'
import { modes, ranking, request } from './form.js'
import { best, result } from './results.js'
import { address, begins, refresh, settings, state } from './state.js'

export const title = 'Search'
let showsFilters = matchMedia('(min-width: 60rem)').matches
// The running search; a new one aborts it.
let running = null

export async function show(main, values, opened) {
  const given = request(values)
  const query = h('input', {
    type: 'search', name: 'query', id: 'query', value: given.query, autocomplete: 'off', spellcheck: 'false',
    placeholder: 'What are you looking for?', 'aria-label': 'Query', enterkeyhint: 'search',
  })
  const timeframe = h('input', { type: 'text', value: given.timeframe ?? '', placeholder: 'last week, 2025-03, auto', autocomplete: 'off' })
  const count = choice([['5', '5'], ['10', '10'], ['20', '20'], ['50', '50'], ['100', '100']], String(given.match_count))
  const ranked = ranking(given)
  const trouble = h('div', {})
  const said = () => {
    const mode = form.elements.mode.value
    return address('search', {
      query: query.value, mode: mode === 'hybrid' ? '' : mode, match_count: count.value === '10' ? '' : count.value,
      timeframe: timeframe.value.trim(), ...ranked.read(), filters: filtered.read(),
    })
  }
  const submit = () => {
    completed.close()
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
  const completed = completing(query, filtered.read, submit)
  const isRanked = ['timeframe', 'full_text_weight', 'semantic_weight', 'fusion', 'match', 'options'].some((name) => name in given)
  const form = h('form', {
    class: 'search', role: 'search', autocomplete: 'off',
    onsubmit: (event) => {
      event.preventDefault()
      submit()
    },
  },
  h('div', { class: 'row query' }, completed.element, h('button', { class: 'main' }, 'Search')),
  h('div', { class: 'row settings' }, modes(given.mode), field('When', timeframe, { class: 'field inline folds' }),
    field('Results', count, { class: 'field inline folds' })),
  h('details', { open: isRanked }, h('summary', {}, 'Ranking and options'), ranked.element),
  trouble)
  for (const radio of form.elements.mode) radio.addEventListener('change', () => query.value && submit())
  const found = h('div', { class: 'found' })
  const search = async (asked) => {
    filtered.follow(asked.query, asked.mode)
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

/** Offer to load the demo documents. */
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
    results.length > 0 && button('Download CSV', () => download(results), { class: 'quiet' }),
    tool('Why is … not here?', () => missing(asked)))
  replace(found,
    h('div', { class: 'line summary' },
      h('p', {}, h('strong', {}, told), h('span', { class: 'soft' }, timing(stats))), tools),
    panel,
    warnings.map((warning) => h('p', { class: 'notice' }, warning.message ?? warning.code)),
    results.length ? h('ol', { class: 'results' }, results.map((row, place) => result(row, place + 1, most, explanation)))
      : nothing(asked))
  say(told)
}

/** Explain an empty result; say so if the filters alone exclude everything. */
function nothing(asked) {
  const box = h('div', { class: 'lead' }, h('p', { class: 'soft' }, 'Nothing was found.'))
  if (!asked.filters && !asked.timeframe) return box
  const { filters, timeframe, ...open } = asked
  const cause = [filters && 'filters', timeframe && 'timeframe'].filter(Boolean).join(' and the ')
  call('search', { ...open, match_count: 1 }).then(({ results }) => {
    if (!results.length) return
    const { query, mode } = open
    const without = address('search', { query, mode: mode === 'hybrid' ? '' : mode })
    replace(box, h('p', { class: 'notice' }, `The ${cause} leave${filters ? '' : 's'} nothing of what the query finds. `,
      h('a', { href: without }, `Search without the ${cause}`)))
  }, () => {})
  return box
}

const CSV = [
  'rank', 'score', 'external_id', 'chunk_index', 'title', 'speaker', 'occurred_at', 'category', 'source_uri', 'full_text_rank',
  'full_text_score', 'semantic_rank', 'semantic_score', 'passage',
]

/** Download the rows as CSV; quote a cell where needed. */
function download(results) {
  const cell = (value) => {
    const text = value === null || value === undefined ? '' : String(value)
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  const rows = results.map((row, place) => ({ ...row, rank: place + 1, passage: row.passage.map(([text]) => text).join('') }))
  const lines = [CSV, ...rows.map((row) => CSV.map((name) => cell(row[name])))].map((line) => line.join(','))
  const url = URL.createObjectURL(new Blob([`${lines.join('\r\n')}\r\n`], { type: 'text/csv' }))
  h('a', { href: url, download: `${state.collection}.csv` }).click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

function timing(stats) {
  const parts = []
  if (stats.query_time_ms !== undefined) parts.push(`${Math.round(stats.query_time_ms)} ms`)
  if (stats.full_text_candidates) parts.push(`${count(stats.full_text_candidates)} by full text`)
  if (stats.semantic_candidates) parts.push(`${count(stats.semantic_candidates)} by vectors`)
  return parts.length ? ` · ${parts.join(' · ')}` : ''
}
