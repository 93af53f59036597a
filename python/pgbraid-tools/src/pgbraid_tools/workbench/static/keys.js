// Keys that work while no text is being typed.

import { button, h } from './dom.js'

const SWITCH = 'pgbraid keys'
const KEYS = [
  ['/', 'to the query'],
  ['j  k', 'next and previous result'],
  ['e', 'why this result stands there'],
  ['0 … 3', 'grade the result, on the page Compare'],
  ['?', 'these keys'],
]

/** Tell whether the keys are on. Users who dictate, or hit keys by accident, can turn them off. */
export function isOn() {
  return localStorage.getItem(SWITCH) !== 'off'
}

export function shortcuts(root) {
  document.addEventListener('keydown', (event) => {
    if (!isOn() || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select, dialog')) return
    if (event.key === '/') focus(root().querySelector('input[type=search]'), event)
    else if (event.key === 'j' || event.key === 'k') focus(neighbour(root(), event.key === 'j' ? 1 : -1), event)
    else if (event.key === 'e') document.activeElement.closest('.result')?.querySelector('[data-key=e]')?.click()
    else if (event.key === '?') help()
  })
}

function focus(element, event) {
  if (!element) return
  event.preventDefault()
  element.focus()
}

function neighbour(root, step) {
  const results = [...root.querySelectorAll('.result')]
  const here = results.indexOf(document.activeElement.closest('.result'))
  return results[here < 0 ? (step > 0 ? 0 : results.length - 1) : here + step]
}

export function help() {
  const chosen = h('input', {
    type: 'checkbox', checked: isOn(), onchange: () => localStorage.setItem(SWITCH, chosen.checked ? 'on' : 'off'),
  })
  const dialog = h('dialog', { 'aria-labelledby': 'keys' },
    h('h2', { id: 'keys' }, 'Keys'),
    h('dl', { class: 'keys' }, KEYS.map(([key, meaning]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, meaning)])),
    h('label', { class: 'check' }, chosen, h('span', {}, 'Use these keys')),
    button('Close', () => dialog.close(), { autofocus: true }))
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}
