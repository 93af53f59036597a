// The page Evaluate shows how good searches are on judged queries, and how the collection ranks.

import { call } from './api.js'
import { configuration, parsed } from './configuration.js'
import { choice, count, field, h, number, opener, problem, replace, say, table } from './dom.js'
import { rankings } from './rankings.js'
import { address, state } from './state.js'

export const title = 'Evaluate'
// The running evaluation; a new one aborts it.
let running = null

export async function show(main, values, opened) {
  const sets = await call('query_sets')
  const versions = h('section', { class: 'panel', 'aria-labelledby': 'rankings' })
  rankings(versions)
  if (!sets.length) {
    replace(main, h('h1', {}, 'Evaluate'), h('section', { class: 'panel' }, h('h2', {}, 'There are no judged queries yet'),
      h('p', {}, 'A query set has questions of your users, and which documents answer them. Make one on the page ',
        h('a', { href: address('compare') }, 'Compare'), ', or load one: ', h('code', {}, 'pgbraid judgments load'), '.')), versions)
    return
  }
  const chosen = choice(sets.map((set) => [set.query_set, `${set.query_set}: ${count(set.judged_count)} judged queries`]),
    sets.some((set) => set.query_set === values.set) ? values.set : sets[0].query_set, { id: 'set', onchange: () => fillJudges() })
  const judge = h('select', {})
  const fillJudges = () => {
    const set = sets.find((each) => each.query_set === chosen.value)
    replace(judge, [['', 'all, by the median'], ...set.judges.map((name) => [name, name])].map(([name, label]) => h('option', { value: name }, label)))
  }
  fillJudges()
  if ([...judge.options].some((option) => option.value === values.judge)) judge.value = values.judge
  const sides = [['a', 'baseline'], ['b', 'candidate']].map(([name, label]) => configuration(name, label, parsed(values[name])))
  const trouble = h('div', {})
  const found = h('div', { class: 'found' })
  const read = () => sides.map((side) => side.read())
  const said = () => {
    const [a, b] = read()
    return address('evaluate', { set: chosen.value, judge: judge.value, a, b, run: 1 })
  }
  const measure = () => run(found, chosen.value, judge.value, read())
  const submit = () => {
    try {
      replace(trouble)
      const next = said()
      if (next === location.hash) measure()
      else location.hash = next
    } catch (error) {
      replace(trouble, problem(error))
      error.element?.focus()
    }
  }
  replace(main, h('h1', {}, 'Evaluate'),
    h('form', { class: 'search', onsubmit: (event) => (event.preventDefault(), submit()) },
      h('div', { class: 'row ends' }, field('Query set', chosen), field('Grades of', judge), h('button', { class: 'main' }, 'Evaluate')),
      h('div', { class: 'two' }, sides.map((side) => side.element)), trouble),
    found, versions)
  opened({ address: said, run: measure })
  if (values.run) await measure()
}

async function run(found, set, judge, sides) {
  const [a, b] = sides.map((side) => ({ ...side, collection: state.collection }))
  const isPair = JSON.stringify(a) !== JSON.stringify(b)
  replace(found, h('p', { class: 'soft lead' }, 'Searching for each judged query …'))
  running?.abort()
  const { signal } = running = new AbortController()
  let answer
  try {
    answer = await call('evaluate', { query_set: set, configurations: isPair ? [a, b] : [a], ...(judge ? { judge } : {}) }, signal)
  } catch (error) {
    if (!signal.aborted) replace(found, problem(error))
    return
  }
  const { evaluations, comparisons: [comparison] } = answer
  const metrics = Object.keys(evaluations[0].metrics).sort((one, other) => order(one) - order(other))
  const shown = metrics.includes('ndcg@10') ? 'ndcg@10' : metrics[0]
  replace(found,
    h('section', { class: 'panel', 'aria-labelledby': 'means' },
      h('h2', { id: 'means' }, `${count(evaluations[0].counts.queries)} judged queries`),
      comparison ? pair(metrics, comparison, evaluations) : table(['metric', 'mean'], metrics.map((metric) => [metric, number(evaluations[0].metrics[metric])]), { label: 'Means' }),
      h('p', { class: 'soft' }, evaluations.map((each, place) => `${'ab'[place]}: ${number(each.latency.p50_ms, 1)} ms, 95 % within ${number(each.latency.p95_ms, 1)} ms`).join('; ')),
      evaluations.flatMap((each, place) => each.warnings.map((warning) => h('p', { class: 'notice' }, `${'ab'[place]}: ${warning.message}`)))),
    h('section', { class: 'panel', 'aria-labelledby': 'queries' }, h('h2', { id: 'queries' }, 'Query by query'),
      h('p', { class: 'soft' }, comparison ? `Those that ${shown} changed most first.` : `The worst by ${shown} first.`),
      queries(evaluations, shown)))
  say('Evaluated')
  state.evaluated = isPair ? { collection: state.collection, ranking: evaluations[1].ranking, comparison: { query_set: set, ...comparison } } : null
  document.dispatchEvent(new Event('evaluated'))
}

function order(metric) {
  const place = ['ndcg', 'recall', 'mrr', 'map', 'precision', 'success', 'judged'].indexOf(metric.split('@')[0])
  return place < 0 ? 99 : place
}

function pair(metrics, comparison, evaluations) {
  return [table(['metric', 'a', 'b', 'difference', '95 % interval', 'p', 'better', 'worse', 'same'], metrics.filter((metric) => comparison.metrics[metric]).map((metric) => {
    const found = comparison.metrics[metric]
    return [metric, number(evaluations[0].metrics[metric]), number(evaluations[1].metrics[metric]), difference(found.difference),
      h('span', { class: 'nowrap' }, `${signed(found.interval[0])} to ${signed(found.interval[1])}`), number(found.p_value),
      count(found.wins), count(found.losses), count(found.ties)]
  }), { label: 'Means of both, and their difference' }),
  verdict(comparison.metrics['ndcg@10'])]
}

function verdict(found) {
  if (!found) return null
  const [low, high] = found.interval
  const said = low > 0 ? 'b is better by ndcg@10: the interval is above 0.' : high < 0 ? 'b is worse by ndcg@10: the interval is below 0.'
    : 'It is not sure which is better by ndcg@10: the interval has 0 in it.'
  return h('p', {}, said)
}

function queries(evaluations, metric) {
  const other = new Map((evaluations[1]?.queries ?? []).map((query) => [query.query_id, query]))
  const value = (query) => query?.metrics[metric] ?? null
  const rows = evaluations[0].queries.map((query) => ({ query, other: other.get(query.query_id) }))
  const weight = (row) => (row.other ? -Math.abs(value(row.other) - value(row.query)) : value(row.query))
  rows.sort((first, second) => weight(first) - weight(second))
  return h('ol', { class: 'list' }, rows.slice(0, 200).map((row) => {
    const panel = h('div', { class: 'opened two', hidden: true })
    return h('li', {},
      h('div', { class: 'line' },
        opener(row.query.query_text ?? row.query.query_id, panel, async () => [detail('a', row.query), row.other && detail('b', row.other)], { class: 'quiet wrap' }),
        h('span', { class: 'figures' }, number(value(row.query)), row.other && [' → ', number(value(row.other)), ' ', difference(value(row.other) - value(row.query))])),
      panel)
  }))
}

function detail(name, query) {
  if (!query.rows) return h('p', { class: 'soft' }, `${name}: rows are shown for sets of up to 300 judged queries.`)
  return h('section', { 'aria-label': `Rows of ${name}` }, h('h3', {}, h('span', { class: `letter ${name}` }, name), `${query.results} results, ${query.unjudged} not judged`),
    h('ol', { class: 'graded' }, query.rows.slice(0, 10).map((row) => h('li', {},
      h('span', { class: `grade g${row.grade ?? 'none'}`, title: row.grade === null ? 'not judged' : `grade ${row.grade}` }, row.grade === null ? '·' : String(row.grade)),
      h('span', {}, row.title || row.external_id, ' ', h('code', { class: 'soft' }, row.external_id))))),
    query.missed?.length > 0 && h('p', { class: 'soft' }, 'Relevant and not found: ', query.missed.slice(0, 10).map((each) => each.external_id ?? each).join(', ')))
}

function signed(value) {
  return `${value > 0 ? '+' : value < 0 ? '−' : ''}${number(Math.abs(value))}`
}

function difference(value) {
  return h('span', { class: value > 0 ? 'good' : value < 0 ? 'bad' : 'soft' }, signed(value))
}
