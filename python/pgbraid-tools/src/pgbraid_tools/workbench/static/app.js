// Show a page, and what all pages share.

import { call, hasCode, hasToken, takeCode, takeToken } from './api.js'
import * as compare from './compare.js'
import { button, choice, field, h, problem, replace } from './dom.js'
import * as evaluate from './evaluate.js'
import { help, shortcuts } from './keys.js'
import * as observe from './observe.js'
import * as search from './search.js'
import { address, onRefresh, state } from './state.js'

const PAGES = { search, compare, evaluate, observe }
const main = document.getElementById('main')
let shown = null
// The open page: `address()` returns its form's state as an address, and `run()` runs it.
let open = null

async function begin() {
  let error
  try {
    if (hasCode()) await takeCode()
  } catch (thrown) {
    error = thrown
  }
  if (!hasToken()) return door(error)
  try {
    state.session = await call('session')
  } catch (thrown) {
    if (thrown.status === 401) door(error ?? thrown)
    else replace(main, problem(thrown))
    return
  }
  state.facets.clear()
  const filled = state.session.collections.find((collection) => !collection.is_empty)
  state.collection = (filled ?? state.session.collections[0]).name
  frame()
  await show()
}

/** Ask for a token: this browser has none yet, or one from another run of the server. */
function door(error) {
  state.session = null
  open = null
  replace(document.getElementById('pages'))
  replace(document.getElementById('where'))
  const token = h('input', { type: 'password', id: 'token', autocomplete: 'off', required: true })
  const trouble = h('div', {}, error && problem(error))
  replace(main, h('section', { class: 'panel narrow' }, h('h1', {}, 'One more step'),
    h('p', {}, 'Open the whole address that ', h('code', {}, 'pgbraid workbench'),
      ' printed last: behind the # it has a code that lets you in, once.'), trouble,
    h('form', {
      class: 'row ends',
      onsubmit: (event) => {
        event.preventDefault()
        try {
          takeToken(token.value.trim())
          begin()
        } catch (thrown) {
          replace(trouble, problem(thrown))
        }
      },
    }, field('Or give the token of PGBRAID_WORKBENCH_TOKEN', token, { class: 'field grow' }), h('button', { class: 'main' }, 'Enter'))))
}

function frame() {
  replace(document.getElementById('pages'), Object.entries(PAGES).map(([name, page]) =>
    h('a', { href: `#/${name}`, 'data-page': name }, page.title)))
  const names = state.session.collections.map((collection) => [collection.name, collection.name])
  replace(document.getElementById('where'),
    field('Collection', choice(names, state.collection, {
      id: 'collection',
      onchange: (event) => {
        state.collection = event.target.value
        // The focus stays on this field, for the next key, and the query is kept.
        location.hash = address(shown, { query: main.querySelector('#query')?.value.trim() })
      },
    }), { class: 'field inline' }),
    h('span', { class: 'chip', title: 'The tenant that all requests are for' }, `Tenant ${state.session.tenant}`),
    state.session.write ? h('span', { class: 'chip warm' }, 'may write') : h('span', { class: 'chip reads' }, 'reads only'),
    button('Keys', help, { class: 'quiet' }))
}

async function show() {
  const [, name = 'search', query = ''] = /^#\/(\w+)(?:\?(.*))?$/.exec(location.hash) ?? []
  shown = Object.hasOwn(PAGES, name) ? name : 'search'
  const page = PAGES[shown]
  const values = Object.fromEntries(new URLSearchParams(query))
  if (state.session.collections.some((collection) => collection.name === values.collection)) {
    state.collection = values.collection
  }
  document.getElementById('collection').value = state.collection
  document.title = `${page.title} · pgbraid workbench`
  for (const link of document.querySelectorAll('#pages a')) {
    const isHere = link.dataset.page === shown
    link.toggleAttribute('aria-current', false)
    if (isHere) link.setAttribute('aria-current', 'page')
    link.href = isHere ? location.hash || '#/search' : address(link.dataset.page)
  }
  // If the page already shows this address, keep it, with its focus and open parts.
  if (open?.page === page && open.collection === state.collection && says(open) === location.hash) return open.run()
  open = null
  // Each page has its own root element, so late answers of the page before go into a detached element.
  const root = h('div')
  replace(main, root)
  try {
    await page.show(root, values, (opened) => {
      if (root.isConnected) open = { ...opened, page, collection: state.collection }
    })
  } catch (error) {
    replace(root, problem(error))
  }
}

function says({ address }) {
  try {
    return address()
  } catch {
    return null
  }
}

document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault()
  main.focus()
})
// A user may paste an address into this tab, even one from another run of the server.
addEventListener('hashchange', () => (hasCode() || !state.session ? begin() : show()))
shortcuts(() => main)
onRefresh(frame)
begin()
