// Show the search as code, to run elsewhere.

import { call } from './api.js'
import { button, h, problem, replace, say } from './dom.js'

const LABELS = { sql: 'SQL', 'supabase-js': 'supabase-js', curl: 'curl', python: 'Python' }

export function copies(request) {
  const box = h('div', { class: 'copies' }, h('p', { class: 'soft' }, 'One moment …'))
  call('copies', request).then((texts) => show(box, texts, 'sql'), (error) => replace(box, problem(error)))
  return box
}

function show(box, texts, chosen, focus = false) {
  const copy = button('Copy', async () => {
    try {
      await navigator.clipboard.writeText(texts[chosen])
      copy.textContent = 'Copied'
      say(`${LABELS[chosen]} copied`)
    } catch {
      getSelection().selectAllChildren(text)
      copy.textContent = 'Selected: copy it with your keys'
    }
  }, { class: 'main' })
  const text = h('pre', { tabindex: '0', 'aria-label': `The search as ${LABELS[chosen]}` }, texts[chosen])
  const names = h('fieldset', { class: 'segments' }, h('legend', { class: 'hidden' }, 'Copy as'),
    Object.entries(LABELS).map(([name, label]) => h('label', {},
      h('input', { type: 'radio', name: 'copies', value: name, checked: name === chosen, onchange: () => show(box, texts, name, true) }),
      h('span', {}, label))))
  replace(box, h('div', { class: 'row' }, names, copy), text)
  if (focus) names.querySelector(':checked').focus()
}
