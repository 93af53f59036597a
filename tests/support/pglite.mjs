// Databases of PGlite, each behind a port. A line of the input is a command, a line of the output is its answer:
// `open` gives a port, `keep PORT` makes the next ones copies of this one, `close PORT` ends it.
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
  // By default it takes one connection and breaks the next one off.
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
  // One that has crashed cannot end as it should.
  await server.db.close().catch(error => console.error(String(error)))
  return 'closed'
}

const commands = { open, keep, close }
process.on('unhandledRejection', error => console.error(error))
for await (const line of createInterface({ input: process.stdin })) {
  const [command, port] = line.split(' ')
  process.stdout.write((await commands[command](port)) + '\n')
}
