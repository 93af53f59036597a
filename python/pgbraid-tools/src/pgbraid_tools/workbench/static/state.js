// State shared by all pages: the session, the collection, and addresses that name it.

import { call } from './api.js'

export const state = { session: null, collection: 'default', facets: new Map() }
// The listener that draws the session again after it has changed.
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

/** Focus the element where typing begins, unless the focus is in the header and must stay there. */
export function begins(element) {
  if (!document.activeElement.closest('#where')) element.focus()
}
