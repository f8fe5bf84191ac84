import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { colors } from '../output/colors.ts'
import { fail } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import { keepTime } from '../home/config.ts'
import type { Input } from '../command/verb.ts'
import { version } from '../command/version.ts'
import { startInBackground } from '../client/background.ts'
import { appFolder } from './app-folder.ts'
import { reachOf } from './addresses.ts'
import { choosePlace } from './choose-address.ts'
import { IdleGarbage } from './idle-garbage.ts'
import { placeWords } from './address-options.ts'
import { portOwner, sayOwner } from './port-owner.ts'
import { serverHealth } from '../live/server-client.ts'
import { openLog } from './server-log.ts'
import { readNote, removeNote, writeNote } from '../client/server-note.ts'
import { archiveFolder, remoraHome } from '../home/remora-home.ts'
import { prepareStateFolder } from '../client/state-folder.ts'
import { readStatus, tellStatus } from '../live/status.ts'
import { tellWelcome } from './welcome.ts'

/** Whoever stops the server waits no longer than this for clients that do not let go. */
const closeMs = 8000

/** Runs the server until it is told to stop, or says where one runs already. */
export async function serve(input: Input, io: Io): Promise<number> {
  const { values } = input
  if (await serverHealth(io)) return alreadyRunning(input, io)
  await prepareStateFolder(io)
  if (values['background']) {
    const url = await startInBackground(io, placeWords(values, io))
    if (values['json']) return printJson(io)
    io.out(
      `Remora is running in the background: ${url}\n  remora status, remora pair, remora logs, remora stop\n`,
    )
    return 0
  }
  const stopped = io.stopped?.() ?? new AbortController().signal
  growYoungHeap(false)
  const place = await choosePlace(values, io)
  const keepMs = await keptMs(io)
  const { isEvery, startServer } = await import('@remora/server')
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
      app: appFolder(io.env),
      demo: {
        prepare: async (tell, signal) =>
          (await import('../run/demo/app-demo.ts')).appDemo(io).prepare(tell, signal),
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
        // Where it listens everywhere, what it is called says how far that is.
        reach: isEvery(place.host) ? await reachOf(new URL(url).hostname) : place.reach,
        ...(fingerprint === undefined ? {} : { fingerprint }),
      })
      if (values['json']) await printJson(io)
      else await tellWelcome(await colors(input, io), io)
      growYoungHeap(true)
      new IdleGarbage().start(stopped)
      await untilStopped(stopped)
    } finally {
      if (io.terminal && !values['json'])
        io.err('\nStopping. Agents keep running; remora serve reconnects to them.\n')
      await Promise.race([server.close(), sleep(closeMs, undefined, { ref: false })])
      await removeNote(io, process.pid)
    }
  } finally {
    await log.close()
  }
  // A server that was told to stop has done what it was told.
  return 0
}

/** How long months stay in a database that machines share; for good where nobody says otherwise. */
async function keptMs(io: Io): Promise<number | undefined> {
  const { loadConfig } = await import('../home/config.ts')
  const text = (await loadConfig(io)).get('ledger.keep')
  return text === undefined ? undefined : keepTime(text)
}

/** To load a program makes garbage, for which V8 takes 30 MB and keeps them; an idle server does without. */
function growYoungHeap(may: boolean): void {
  setFlagsFromString(`--semi-space-growth-factor=${may ? 2 : 1}`)
}

async function alreadyRunning(input: Input, io: Io): Promise<number> {
  if (input.values['json']) return printJson(io)
  io.err('A Remora server is already running.\n')
  if (placeWords(input.values, io).length > 0) io.err('  To use other options, stop it first: remora stop\n')
  tellStatus(await readStatus(io), await colors(input, io), io)
  return 0
}

async function printJson(io: Io): Promise<number> {
  io.out(`${JSON.stringify(await readNote(io))}\n`)
  return 0
}

async function untilStopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** A port that is taken is named with its owner; everything else stays as it was said. */
async function portTaken(error: unknown, port: number, io: Io): Promise<unknown> {
  const codes = [codeOf(error), codeOf((error as { cause?: unknown } | undefined)?.cause)]
  if (!codes.includes('EADDRINUSE')) return error
  const owner = await portOwner(port, io.platform)
  return fail(
    'conflict',
    `Port ${port} is in use by ${sayOwner(owner)}`,
    'Stop it, or use another port: remora serve --port <port>; permanently: remora config server.port <port>',
  )
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string } | undefined)?.code
}
