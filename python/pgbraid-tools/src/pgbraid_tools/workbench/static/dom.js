// Build elements from data, never from markup, so that a document's content stays text.

const SVG = 'http://www.w3.org/2000/svg'

export function h(name, properties = {}, ...children) {
  return fill(document.createElement(name), properties, children)
}

export function svg(name, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, name), properties, children)
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (name === 'value' || name === 'checked') element[name] = value
    // The page's policy forbids style attributes, so set the property.
    else if (name === 'width%') element.style.width = `${value}%`
    else element.setAttribute(name, value === true ? '' : value)
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false))
  return element
}

export function replace(element, ...children) {
  element.replaceChildren(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false))
  return element
}

/** Call before the content of an element is replaced: if the focus is inside, the next Tab continues from there. */
export function holdFocus(element) {
  if (!element.contains(document.activeElement)) return
  element.tabIndex = -1
  element.focus({ preventScroll: true })
}

let saying = null

/** Announce a text to screen readers, which ignore a text that stays the same. */
export function say(text) {
  const said = document.getElementById('said')
  said.textContent = ''
  clearTimeout(saying)
  saying = setTimeout(() => { said.textContent = text }, 60)
}

export function number(value, digits = 3) {
  if (value === null || value === undefined) return '–'
  return Math.abs(value) >= 100 ? value.toFixed(1) : value.toFixed(digits)
}

export function count(value) {
  return value === null || value === undefined ? '–' : value.toLocaleString('en')
}

export function time(value) {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(value || '')
  return match ? (match[2] === '00:00' ? match[1] : `${match[1]} ${match[2]}`) : value || ''
}

export function field(label, control, properties = {}) {
  return h('label', { class: 'field', ...properties }, h('span', {}, label), control)
}

export function choice(options, value, properties = {}) {
  const element = h('select', properties, options.map(([name, label]) => h('option', { value: name }, label)))
  element.value = value ?? ''
  return element
}

export function button(label, onclick, properties = {}) {
  return h('button', { type: 'button', onclick, ...properties }, label)
}

export function problem(error) {
  return h('div', { class: 'notice bad', role: 'alert' },
    h('p', {}, error.message), error.hint && h('p', { class: 'soft' }, error.hint))
}

export function table(head, rows, properties = {}) {
  const numeric = head.map((_, place) => rows.length > 0 && rows.every((row) => isNumeric(row[place])))
  const kind = (place) => ({ class: numeric[place] ? 'number' : undefined })
  return h('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': properties.label || 'Table' },
    h('table', {},
      h('thead', {}, h('tr', {}, head.map((name, place) => h('th', { scope: 'col', ...kind(place) }, name)))),
      h('tbody', {}, rows.map((row) => h('tr', {}, row.map((cell, place) => h('td', kind(place), cell)))))))
}

function isNumeric(cell) {
  return typeof cell === 'string' && /^[–+−-]?[\d.,]*( ms| %| s)?$/.test(cell)
}

/** Return a button that opens and closes a panel; `fill` makes its content when it is first opened. */
export function opener(label, panel, fill, properties = {}) {
  const element = button(label, async () => {
    const opens = panel.hidden
    panel.hidden = !opens
    element.setAttribute('aria-expanded', String(opens))
    if (!opens) return
    replace(panel, h('p', { class: 'soft' }, 'One moment …'))
    try {
      replace(panel, await fill())
    } catch (error) {
      replace(panel, problem(error))
    }
  }, { 'aria-expanded': 'false', class: 'quiet', ...properties })
  return element
}
