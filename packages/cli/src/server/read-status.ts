import type { LiveInfo } from '@remora/protocol/plain'
import { type Colors, colors } from '../output/colors.ts'
import { homePath } from '../output/home-path.ts'
import type { Io } from '../command/io.ts'
import { sharedDatabase } from '../ledger/ledger-location.ts'
import { remoraHome } from '../home/remora-home.ts'
import { oneLine } from '../output/one-line.ts'
import { plural } from '../output/format-number.ts'
import { ago, withIsoTimes } from '../output/format-time.ts'
import type { Input } from '../command/verb.ts'
import { liveSessions } from '../client/find-live.ts'
import { askServer, serverHealth } from '../client/server-client.ts'
import { type Reach, logPath, readNote } from '../client/server-note.ts'
import { exampleAgent } from '../detection/agent-names.ts'

export interface Status {
  readonly running: boolean
  readonly url?: string
  readonly pid?: number
  readonly version?: string
  readonly startedAt?: number
  readonly reach?: Reach
  readonly sessions?: readonly LiveInfo[]
  readonly devices?: number
  /** The shared database without its password, and this machine. */
  readonly database?: string
  readonly node?: { readonly id: string; readonly name: string }
}

/** Shows whether a server runs, and its sessions. Exits with 1 if none runs. */
export async function status(input: Input, io: Io): Promise<number> {
  const found = await readStatus(io)
  if (input.values['json']) io.out(`${JSON.stringify(toStatusJson(found), null, 2)}\n`)
  else printStatus(found, await colors(input, io), io)
  return found.running ? 0 : 1
}

function toStatusJson(status: Status) {
  const sessions = status.sessions?.map((live) => withIsoTimes(live, 'startedAt', 'since'))
  return { ...withIsoTimes(status, 'startedAt'), sessions }
}

/** Reads the state of the running server and its sessions. */
export async function readStatus(io: Io): Promise<Status> {
  const health = await serverHealth(io)
  const shared = await sharedPlace(io)
  if (!health) return { running: false, ...shared }
  const note = await readNote(io)
  const { version } = health
  // A server that stops meanwhile leaves these out.
  const sessions = await liveSessions(io).catch(() => undefined)
  const devices = await askServer(io)
    .get('/api/devices')
    .catch(() => undefined)
  return {
    running: true,
    version,
    ...shared,
    ...(note ? { url: note.url, pid: note.pid, startedAt: note.startedAt, reach: note.reach } : {}),
    ...(sessions ? { sessions } : {}),
    ...(devices ? { devices: devices.devices.length } : {}),
  }
}

/** Only for a ledger that several machines share. */
async function sharedPlace(io: Io): Promise<Pick<Status, 'database' | 'node'>> {
  const database = await sharedDatabase(io)
  if (database === undefined) return {}
  const { getOwnNode } = await import('@remora/ledger')
  return { database, node: await getOwnNode(remoraHome(io)) }
}

export function printStatus(found: Status, paint: Colors, io: Io): void {
  const { database, node } = found
  if (!found.running) {
    io.err('The Remora server is not running.\n  Start it: remora serve\n')
    return
  }
  const { url, pid, version, startedAt, sessions, devices } = found
  const since = startedAt === undefined ? '' : `, started ${ago(startedAt, Date.now())}`
  const process = pid === undefined ? '' : ` (process ${pid}${since})`
  io.out(`${paint.green('●')} Remora ${version} is running${process}\n`)
  if (url !== undefined) io.out(`  ${paint.bold(url)}\n`)
  if (node) io.out(`  ${oneLine(node.name, 60)}, ledger in the database ${database}\n`)
  if (sessions) io.out(`  ${formatSessions(sessions)}\n`)
  if (devices !== undefined)
    io.out(`  ${plural(devices, 'device')} paired${devices === 0 ? ': remora pair' : ''}\n`)
  io.out(`  ${paint.dim(`Log: ${homePath(logPath(io), io.home)}`)}\n`)
}

/** @example '2 live sessions, 1 approval request: remora asks' */
export function formatSessions(all: readonly LiveInfo[]): string {
  const going = all.filter(({ state, node }) => state !== 'ended' && !node)
  if (going.length === 0)
    return `No live sessions. Start one: remora new ${exampleAgent}, or without an API key: remora demo`
  const asks = going.reduce((sum, each) => sum + each.asks, 0)
  const waits = asks === 0 ? '' : `, ${plural(asks, 'approval request')}: remora asks`
  return `${plural(going.length, 'live session')}${waits}`
}
