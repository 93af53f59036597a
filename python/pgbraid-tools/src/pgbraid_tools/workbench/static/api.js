// Send requests. The token is kept for this tab, and sent only to this server.

const KEY = 'pgbraid token'

const CODE = '#code='
const TOKEN = /^[A-Za-z0-9._~-]{24,}$/

export function hasCode() {
  return location.hash.startsWith(CODE)
}

/** Exchange the one-time code in the address for the token. */
export async function takeCode() {
  const code = location.hash.slice(CODE.length)
  history.replaceState(null, '', location.pathname)
  sessionStorage.setItem(KEY, (await call('enter', { code })).token)
}

export function takeToken(text) {
  if (!TOKEN.test(text)) throw new Problem({ message: 'that is no token', hint: 'it has 24 or more letters, digits, and . _ ~ -' }, 0)
  sessionStorage.setItem(KEY, text)
}

export function hasToken() {
  return sessionStorage.getItem(KEY) !== null
}

export class Problem extends Error {
  constructor({ message, hint, sqlstate }, status) {
    super(message)
    this.hint = hint
    this.sqlstate = sqlstate
    this.status = status
  }
}

export async function call(name, body = {}, signal = undefined) {
  let response
  try {
    response = await fetch(`/api/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ''}` },
      credentials: 'omit',
      body: JSON.stringify(body),
      signal,
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Problem({ message: 'the workbench does not answer', hint: 'is pgbraid workbench still running?' }, 0)
  }
  const answer = await response.json().catch(() => ({}))
  // The request was aborted while the body arrived.
  signal?.throwIfAborted()
  if (!response.ok) throw new Problem(answer.error ?? { message: `status ${response.status}` }, response.status)
  return answer
}
