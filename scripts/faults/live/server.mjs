// The server that the fault runs kill. Usage: node server.mjs <REMORA_HOME> <home>; prints its port, stops on SIGTERM.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLineLog, startServer } from '@remora/server'

const [remoraHome, home] = process.argv.slice(2)
const server = await startServer({
  remoraHome,
  home,
  env: process.env,
  version: '0.0.0',
  port: 0,
  // Small, so that a slow client falls behind quickly.
  limits: { behindBytes: 16_000 },
  log: createLineLog((line) => appendFileSync(join(home, 'server.log'), line)),
})
process.on('SIGTERM', () => void server.close().then(() => process.exit(0)))
process.stdout.write(`${JSON.stringify({ port: server.listening.port })}\n`)
