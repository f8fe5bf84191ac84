import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { startInBackground } from '../client/background.ts'
import { liveSessions } from '../client/find-live.ts'
import { serverHealth } from '../client/server-client.ts'
import { logPath, readNote, removeNote, writeNote } from '../client/server-note.ts'
import { prepareStateFolder } from '../client/state-folder.ts'
import { fail } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { version } from '../command/version.ts'
import { parseKeepTime, loadConfig } from '../home/config.ts'
import { archiveFolder, remoraHome } from '../home/remora-home.ts'
import { type Colors, colors } from '../output/colors.ts'
import { homePath } from '../output/home-path.ts'
import { toAddressArguments } from './address-options.ts'
import { getReach } from './addresses.ts'
import { choosePlace } from './choose-address.ts'
import { IdleGarbage } from './idle-garbage.ts'
import { newLink, printLink } from './pairing.ts'
import { portOwner, formatOwner } from './port-owner.ts'
import { readStatus, formatSessions, printStatus } from './read-status.ts'
import { openLog } from './server-log.ts'
import { withIsoTimes } from '../output/format-time.ts'

/** How long a stopping server waits for open connections. */
const closeMs = 8000

/** Runs the server until it is stopped, or shows the one that is already running. */
export async function serve(input: Input, io: Io): Promise<number> {
  const { values } = input
  if (await serverHealth(io)) return alreadyRunning(input, io)
  await prepareStateFolder(io)
  if (values['background']) {
    const url = await startInBackground(io, toAddressArguments(values, io))
    if (values['json']) return printJson(io)
    io.out(
      `Remora is running in the background: ${url}\n  remora status, remora pair, remora logs, remora stop\n`,
    )
    return 0
  }
  const stopped = io.stopped?.() ?? new AbortController().signal
  allowYoungHeapGrowth(false)
  const place = await choosePlace(values, io)
  const keepMs = await readKeepMs(io)
  const { isWildcard, startServer } = await import('@remora/server')
  const log = await openLog(io)
  try {
    const server = await startServer({
      remoraHome: remoraHome(io),
      env: io.env,
      home: io.home,
      host: place.host,
      port: place.port,
      tls: place.tls,
      ...(place.names ? { names: place.names } : {}),
      log: log.write,
      ...(keepMs === undefined ? {} : { archive: { keepMs, folder: archiveFolder(io) } }),
      terminalDriver: () => readTerminalDriver(io),
      app: findAppFolder(io.env),
      demo: {
        prepare: async (report, signal) =>
          (await import('../run/demo/prepare-demo.ts')).appDemo(io).prepare(report, signal),
      },
      version,
    }).catch(async (error: unknown) => {
      throw await portTaken(error, place.port, io)
    })
    try {
      const { url, listening } = server
      const { fingerprint } = listening
      await writeNote(io, {
        pid: process.pid,
        url,
        version,
        startedAt: Date.now(),
        // If it listens on all addresses, its URL decides.
        reach: isWildcard(place.host) ? await getReach(new URL(url).hostname) : place.reach,
        ...(fingerprint === undefined ? {} : { fingerprint }),
      })
      if (values['json']) await printJson(io)
      else await printWelcome(await colors(input, io), io)
      allowYoungHeapGrowth(true)
      new IdleGarbage().start(stopped)
      await waitForStop(stopped)
    } finally {
      if (io.terminal && !values['json'])
        io.err('\nStopping. Agents keep running; remora serve reconnects to them.\n')
      await Promise.race([server.close(), sleep(closeMs, undefined, { ref: false })])
      await removeNote(io, process.pid)
    }
  } finally {
    await log.close()
  }
  // A stop is not a failure.
  return 0
}

/** How long months stay in a shared database; undefined if they are kept. */
async function readKeepMs(io: Io): Promise<number | undefined> {
  const text = (await loadConfig(io)).get('ledger.keep')
  return text === undefined ? undefined : parseKeepTime(text)
}

/** Read for each session, so that a change needs no restart. */
async function readTerminalDriver(io: Io): Promise<'tmux' | 'pty' | undefined> {
  const chosen = (await loadConfig(io)).get('terminal.driver')
  return chosen === 'tmux' || chosen === 'pty' ? chosen : undefined
}

/** Loading the program creates garbage, for which V8 would keep 30 MB that an idle server does not need. */
function allowYoungHeapGrowth(may: boolean): void {
  setFlagsFromString(`--semi-space-growth-factor=${may ? 2 : 1}`)
}

async function alreadyRunning(input: Input, io: Io): Promise<number> {
  if (input.values['json']) return printJson(io)
  io.err('A Remora server is already running.\n')
  if (toAddressArguments(input.values, io).length > 0)
    io.err('  To use other options, stop it first: remora stop\n')
  printStatus(await readStatus(io), await colors(input, io), io)
  return 0
}

async function printJson(io: Io): Promise<number> {
  const note = await readNote(io)
  io.out(`${JSON.stringify(note && withIsoTimes(note, 'startedAt'))}\n`)
  return 0
}

async function waitForStop(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** Adds the owner of the port to an EADDRINUSE error. Other errors stay unchanged. */
async function portTaken(error: unknown, port: number, io: Io): Promise<unknown> {
  const codes = [getErrorCode(error), getErrorCode((error as { cause?: unknown } | undefined)?.cause)]
  if (!codes.includes('EADDRINUSE')) return error
  const owner = await portOwner(port, io.platform)
  return fail(
    'conflict',
    `Port ${port} is in use by ${formatOwner(owner)}`,
    'Stop it, or use another port: remora serve --port <port>; permanently: remora config server.port <port>',
  )
}

function getErrorCode(error: unknown): string | undefined {
  return (error as { code?: string } | undefined)?.code
}

/** Prints the address, live sessions and pairing code of a new server. */
async function printWelcome(paint: Colors, io: Io): Promise<void> {
  const note = (await readNote(io))!
  const sessions = await liveSessions(io).catch(() => [])
  const reach = note.reach === 'loopback' ? ' (this computer only)' : ''
  io.out(`Remora ${version} listening on ${paint.bold(note.url)}${reach}\n`)
  io.out(`  ${formatSessions(sessions)}\n`)
  for (const { id, agent, state, cwd } of sessions.slice(0, 10))
    io.out(`    ${id}  ${agent}  ${state}  ${paint.dim(homePath(cwd, io.home))}\n`)
  io.out(`  ${paint.dim(`Log: ${homePath(logPath(io), io.home)}`)}\n`)
  // The pairing code is a secret, and other outputs than a terminal may be a log.
  if (!io.terminal) {
    io.out('Pair a device: remora pair\n')
    return
  }
  io.out('\n')
  printLink(await newLink(io), paint, io)
  io.out('\nPress Ctrl+C to stop the server. Agents keep running.\n')
}

/** The folder of the built app; undefined in a checkout without a build. */
function findAppFolder(env: Readonly<Record<string, string | undefined>> = {}): string | undefined {
  // Another build, for development.
  if (env['REMORA_APP']) return env['REMORA_APP']
  try {
    const folder = join(dirname(createRequire(import.meta.url).resolve('@remora/web/package.json')), 'dist')
    return existsSync(join(folder, 'index.html')) ? folder : undefined
  } catch {
    return undefined
  }
}
