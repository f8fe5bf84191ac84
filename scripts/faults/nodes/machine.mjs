import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RunningServer } from '../live/running-server.mjs'
import { Line } from './line.mjs'

const agent = fileURLToPath(new URL('../live/agent.mjs', import.meta.url))

/**
 * Creates a machine with its own home, server and connection to the database: a cable in its own network namespace, or a
 * TCP proxy where namespaces are unavailable.
 */
export async function createMachine({ folder, name, postgres, database, network }) {
  const remoraHome = join(folder, name, 'r')
  const home = join(folder, name, 'h')
  for (const path of [remoraHome, home]) mkdirSync(path, { recursive: true, mode: 0o700 })
  const address = new URL(database)
  const line = network?.cable(name) ?? new Line({ host: postgres.host, port: postgres.port })
  if (network) address.hostname = network.address
  else address.port = String(await line.open())
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    TMUX_TMPDIR: join(folder, name),
    FAKE_LOG: join(home, 'noted.jsonl'),
    FAULTS_RECORD: join(home, 'received.jsonl'),
    GEMINI_CLI_PATH: agent,
    REMORA_DATABASE_URL: address.href,
  }
  const machine = { name, folder: join(folder, name), remoraHome, home, env, line }
  machine.server = new RunningServer(machine)
  return machine
}
