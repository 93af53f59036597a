// Which page is shown, and what all pages have in common.

import { call, takeToken } from './api.js'
import * as compare from './compare.js'
import { choice, field, h, problem, replace } from './dom.js'
import * as evaluate from './evaluate.js'
import { shortcuts } from './keys.js'
import * as observe from './observe.js'
import * as search from './search.js'

const PAGES = { search, compare, evaluate, observe }
const main = document.getElementById('main')
export const state = { session: null, collection: 'default' }
let shown = null

async function begin() {
  if (!takeToken()) {
    replace(main, h('section', { class: 'panel narrow' }, h('h1', {}, 'One more step'),
      h('p', {}, 'Open the whole address that ', h('code', {}, 'pgbraid workbench'),
        ' printed: behind the # it has the token that lets you in.')))
    return
  }
  try {
    state.session = await call('session')
  } catch (error) {
    replace(main, problem(error))
    return
  }
  const filled = state.session.collections.find((collection) => !collection.is_empty)
  state.collection = (filled ?? state.session.collections[0]).name
  frame()
  addEventListener('hashchange', show)
  shortcuts(() => main)
  await show()
}

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
  if (collection) state.collection = collection
  frame()
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
        location.hash = address(shown)
      },
    }), { class: 'field inline' }),
    h('span', { class: 'chip', title: 'The tenant that all requests are for' }, state.session.tenant),
    state.session.write ? h('span', { class: 'chip warm' }, 'may write') : h('span', { class: 'chip' }, 'reads only'))
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
  // Of its own: what a page still waits for when another is shown, is written into nothing.
  const root = h('div')
  replace(main, root)
  try {
    await page.show(root, values)
  } catch (error) {
    replace(root, problem(error))
  }
}

document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault()
  main.focus()
})
begin()
