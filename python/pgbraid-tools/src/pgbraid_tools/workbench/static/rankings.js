// A collection's rankings, in versions: deploy an evaluated ranking, and go back.

import { call } from './api.js'
import { button, field, h, problem, replace, say, table, time } from './dom.js'
import { state } from './state.js'

export async function rankings(section) {
  // Listen before the first await, because an evaluation may end meanwhile; the latest request wins.
  if (state.session.write && !section.dataset.listens) {
    section.dataset.listens = 'true'
    document.addEventListener('evaluated', () => section.isConnected && rankings(section))
  }
  const turn = section.dataset.turn = String(Number(section.dataset.turn ?? 0) + 1)
  const head = h('h2', { id: 'rankings' }, 'How the collection ranks')
  let versions
  try {
    versions = await call('rankings', { collection: state.collection })
  } catch (error) {
    replace(section, head, error.status === 403 ? h('p', { class: 'soft' }, 'Only administrators see its versions.') : problem(error))
    return
  }
  const trouble = h('div', { 'aria-live': 'polite' })
  const act = async (name, body, said) => {
    try {
      const { version } = await call(name, body)
      state.session = await call('session')
      await rankings(section)
      say(`${said} ${version}`)
      section.querySelector('h2').focus()
    } catch (error) {
      replace(trouble, problem(error))
    }
  }
  const newest = versions.find((version) => version.is_current)
  head.tabIndex = -1
  const deployable = state.session.write ? deploy(act)
    : h('p', { class: 'soft' }, 'To deploy a ranking or go back, start the workbench with ', h('code', {}, '--write'), '.')
  if (section.dataset.turn !== turn) return
  replace(section, head,
    h('p', { class: 'soft' }, `For all tenants, in the collection ${state.collection}. Each change is a version, and can be undone.`),
    deployable,
    trouble,
    versions.length ? table(['version', 'when', 'who', 'why', 'changes', ''], versions.slice(0, 20).map((version) => [
      `${version.version}`, time(version.changed_at), version.role ?? version.login ?? '', version.reason ?? '',
      h('code', {}, changes(version)),
      version === newest ? h('span', { class: 'chip' }, 'now') : state.session.write ? button('Go back to it', () =>
        confirm(`Have the collection ${state.collection} rank as in version ${version.version}, for all tenants?`) &&
        act('restore_ranking', { collection: state.collection, version: version.version, reason: `back to version ${version.version}` }, 'Now it is version'), { class: 'quiet' }) : '',
    ]), { label: 'Versions' }) : h('p', {}, 'It ranks as it was created.'))
}

function deploy(act) {
  const evaluated = state.evaluated
  if (evaluated?.collection !== state.collection) {
    return h('p', {}, 'Evaluate b beside a, and b can be deployed here.')
  }
  const settings = evaluated.ranking
  if (!Object.keys(settings).length) {
    return h('p', {}, 'b ranks as the collection does: change weights, fusion, or give the option ', h('code', {}, '{"ranking": {"k1": 0.9}}'), '.')
  }
  // Show the measured gain beside the button that deploys the ranking.
  const interval = evaluated.comparison.metrics?.['ndcg@10']?.interval
  const isWorse = interval && interval[1] < 0
  const isSure = interval && interval[0] > 0
  const told = Object.entries(settings).map(([name, value]) => `${name} ${value ?? '–'}`).join(', ')
  const reason = h('input', { type: 'text', required: true, maxlength: '1000', placeholder: 'why' })
  return h('form', {
    class: 'row ends',
    onsubmit: (event) => {
      event.preventDefault()
      const warned = isWorse ? 'b is worse than a by ndcg@10. ' : ''
      if (!confirm(`${warned}Have the collection ${state.collection} rank so, for all tenants?`)) return
      act('set_ranking', { collection: state.collection, ranking: settings, reason: reason.value, evaluation: evaluated.comparison }, 'Deployed as version')
    },
  }, h('p', { class: 'whole' }, 'Of b, these are settings of a ranking: ', h('code', {}, told)),
  isWorse && h('p', { class: 'notice whole' }, 'b is worse than a by ndcg@10: keep a, unless something else speaks for b.'),
  !isWorse && !isSure && h('p', { class: 'notice whole' }, 'It is not sure that b is better than a by ndcg@10.'),
  field('Reason', reason, { class: 'field grow' }),
  h('button', { class: isSure ? 'main' : undefined }, isWorse ? 'Deploy b all the same' : 'Deploy b'))
}

function changes(version) {
  const made = Object.entries(version.changes ?? {}).map(([name, [before, after]]) => `${name} ${before ?? '–'} → ${after ?? '–'}`)
  return made.join(', ') || (version.restored_version ? `as version ${version.restored_version}` : '')
}
