// Requests. The token came behind the # of the address, is kept for this tab, and goes nowhere but here.

const KEY = 'pgbraid token'

export function takeToken() {
  const match = /^#token=([^&]+)$/.exec(location.hash)
  if (match) {
    sessionStorage.setItem(KEY, decodeURIComponent(match[1]))
    history.replaceState(null, '', location.pathname)
  }
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

export async function call(name, body = {}) {
  let response
  try {
    response = await fetch(`/api/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ''}` },
      credentials: 'omit',
      body: JSON.stringify(body),
    })
  } catch {
    throw new Problem({ message: 'the workbench does not answer', hint: 'is pgbraid workbench still running?' }, 0)
  }
  const answer = await response.json().catch(() => ({}))
  if (!response.ok) throw new Problem(answer.error ?? { message: `status ${response.status}` }, response.status)
  return answer
}
