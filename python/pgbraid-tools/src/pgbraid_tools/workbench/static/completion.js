// Propose completions below a search field: the pattern "combobox" of the ARIA Authoring Practices.

import { call } from './api.js'
import { h, replace } from './dom.js'
import { state } from './state.js'

// The list comes when the typist pauses for so many milliseconds.
const PAUSE = 120

/** Return the field with its list. `filters()` returns the filter of the search; `submit()` searches. */
export function completing(query, filters, submit) {
  const list = h('ul', { role: 'listbox', id: 'completions', class: 'completions', 'aria-label': 'Completions', hidden: true })
  for (const [name, value] of Object.entries({
    role: 'combobox', 'aria-autocomplete': 'list', 'aria-controls': 'completions', 'aria-expanded': 'false',
  })) query.setAttribute(name, value)
  let asked = null
  let pause = null
  let typed = ''
  let chosen = -1

  const close = () => {
    clearTimeout(pause)
    asked?.abort()
    list.hidden = true
    chosen = -1
    query.setAttribute('aria-expanded', 'false')
    query.removeAttribute('aria-activedescendant')
  }
  const choose = (place) => {
    list.children[chosen]?.setAttribute('aria-selected', 'false')
    chosen = place
    const option = list.children[chosen]
    query.value = option ? option.dataset.completion : typed
    if (!option) return query.removeAttribute('aria-activedescendant')
    option.setAttribute('aria-selected', 'true')
    option.scrollIntoView({ block: 'nearest' })
    query.setAttribute('aria-activedescendant', option.id)
  }
  const open = (rows) => {
    replace(list, rows.map(({ completion, kind }, place) => h('li', {
      role: 'option', id: `completion-${place}`, 'aria-selected': 'false', 'data-completion': completion,
      // A click would first take the focus from the field.
      onmousedown: (event) => event.preventDefault(),
      onclick: () => {
        query.value = completion
        close()
        submit()
      },
    }, h('span', {}, completion), kind === 'title' && h('span', { class: 'chip' }, 'title'))))
    list.hidden = !rows.length
    chosen = -1
    query.setAttribute('aria-expanded', String(rows.length > 0))
  }
  const ask = async () => {
    const { signal } = asked = new AbortController()
    try {
      const { completions } = await call('complete', { prefix: typed, collection: state.collection, filters: filters() }, signal)
      if (document.activeElement === query) open(completions)
    } catch { /* the search itself says what is wrong */ }
  }
  query.addEventListener('input', () => {
    close()
    typed = query.value
    if (typed.trim() && query.selectionStart === typed.length) pause = setTimeout(ask, PAUSE)
  })
  query.addEventListener('keydown', (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
    const count = list.children.length
    if (event.key === 'Escape' && !list.hidden) {
      choose(-1)
      close()
    } else if (event.key === 'ArrowDown' && !list.hidden) choose(chosen + 1 < count ? chosen + 1 : -1)
    else if (event.key === 'ArrowUp' && !list.hidden) choose(chosen < 0 ? count - 1 : chosen - 1)
    else if (event.key === 'ArrowDown' && query.value.trim()) {
      typed = query.value
      ask()
    } else return
    event.preventDefault()
  })
  query.addEventListener('blur', close)
  return { element: h('div', { class: 'completing' }, query, list), close }
}
