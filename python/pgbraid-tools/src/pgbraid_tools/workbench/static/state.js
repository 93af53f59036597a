// What all pages have in common: who works in which collection, and addresses that say so.

import { call } from './api.js'

export const state = { session: null, collection: 'default', facets: new Map() }
// What shows the session again when it is another one.
let show = () => {}

export function address(page, values = {}) {
  const given = Object.entries({ collection: state.collection, ...values })
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)])
  return `#/${page}?${new URLSearchParams(given)}`
}

export function settings() {
  return state.session.collections.find((collection) => collection.name === state.collection)
}

export async function refresh(collection) {
  state.session = await call('session')
  state.facets.clear()
  if (collection) state.collection = collection
  show()
}

export function onRefresh(listener) {
  show = listener
}

/** Where somebody begins to type, unless the focus is where it has to stay. */
export function begins(element) {
  if (!document.activeElement.closest('#where')) element.focus()
}
