// Edit one of several configurations: mode and ranking, without a query.

import { h } from './dom.js'
import { modes, ranking } from './form.js'

/** Return fields; their `read()` returns the part of a request that says how to search. */
export function configuration(name, label, values) {
  const ranked = ranking(values)
  const mode = modes(values.mode ?? 'hybrid', `mode ${name}`)
  return {
    element: h('section', { class: 'panel configuration', 'aria-labelledby': `configuration-${name}` },
      h('h2', { id: `configuration-${name}` }, h('span', { class: `letter ${name}` }, name), label), mode,
      h('details', { open: Object.keys(values).some((key) => key !== 'mode') }, h('summary', {}, 'Ranking and options'), ranked.element)),
    read() {
      const chosen = mode.querySelector(':checked').value
      return { ...(chosen === 'hybrid' ? {} : { mode: chosen }), ...ranked.read() }
    },
  }
}

/** Parse JSON from the address; return an empty object if it is not valid. */
export function parsed(text) {
  try {
    const value = JSON.parse(text ?? '{}')
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {}
  } catch {
    return {}
  }
}
