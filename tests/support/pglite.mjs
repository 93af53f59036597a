// Serve databases of PGlite, each on a port of its own. Each line of the input is a command, and a line of the output
// answers it: `open` opens a database and returns its port, `keep PORT` makes later databases copies of this one, and
// `close PORT` closes a database.
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { readFileSync } from 'node:fs'

const require = createRequire(process.cwd() + '/')
const { PGlite } = require('@electric-sql/pglite')
const { vector } = require('@electric-sql/pglite/vector')
const { PGLiteSocketServer } = require('@electric-sql/pglite-socket')

const files = require.resolve('@electric-sql/pglite').replace(/[^/]*$/, '')
const wasmModule = await WebAssembly.compile(readFileSync(files + 'pglite.wasm'))
const fsBundle = new Blob([readFileSync(files + 'pglite.data')])
const servers = new Map()
let kept

async function open() {
  const db = await PGlite.create({ extensions: { vector }, wasmModule, fsBundle, loadDataDir: kept })
  // By default, the server accepts one connection and closes the next.
  const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0, maxConnections: 100 })
  await server.start()
  const port = server.getServerConn().split(':').pop()
  servers.set(port, server)
  return port
}

async function keep(port) {
  kept = await servers.get(port).db.dumpDataDir('none')
  return 'kept'
}

async function close(port) {
  const server = servers.get(port)
  servers.delete(port)
  await server.stop()
  // A crashed database cannot close normally.
  await server.db.close().catch(error => console.error(String(error)))
  return 'closed'
}

const commands = { open, keep, close }
process.on('unhandledRejection', error => console.error(error))
for await (const line of createInterface({ input: process.stdin })) {
  const [command, port] = line.split(' ')
  process.stdout.write((await commands[command](port)) + '\n')
}
