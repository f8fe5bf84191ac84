import { setMaxListeners } from 'node:events'
import { mkdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { follow, keepLease, ownLease } from '@remora/intake'
import { openHome } from '@remora/ledger-postgres'
import { RemoraError } from '@remora/protocol'
import { writeAskHook } from './approvals/ask-hook.ts'
import { ServerApprovals } from './approvals/server-approvals.ts'
import { WaitingHooks } from './approvals/waiting-hooks.ts'
import { refreshAgents } from './core/added-agents.ts'
import type { Context } from './core/context.ts'
import { Demos, type DemoSource } from './demo/demos.ts'
import { createDemoRoutes } from './http/routes/server.ts'
import { type Fleet, type FleetOptions, openFleet } from './fleet/fleet.ts'
import { LiveManager } from './live/manager.ts'
import { type ArchiveOptions, archiveMonths } from './fleet/archive-months.ts'
import type { Log } from './core/log.ts'
import { Notifier } from './push/notifier.ts'
import { createPushRoutes } from './http/routes/push.ts'
import { Reviews } from './review/reviews.ts'
import { createReviewRoutes } from './http/routes/reviews.ts'
import { includesRole } from './security/roles.ts'
import { type Listening, type ListenOptions, listen } from './http/listen.ts'
import { createLedgerStore } from './core/store.ts'
import { getSocketPath } from './unix/socket-path.ts'
import { Presence } from './ws/presence.ts'

/** The first scan of transcripts starts no later than this after the server. */
const scanDelayMs = 3_000

/** Where the server keeps its state, and how it listens. */
export interface ServerOptions extends Omit<ListenOptions, 'context' | 'unixSocket'> {
  /** The folder of all state. */
  readonly remoraHome: string
  /** The user's environment, in which agents are started. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly version: string
  readonly log: Log
  /** Provides the demo; without it there is none. */
  readonly demo?: DemoSource | undefined
  /** Whether to import transcripts and hook events while serving; true by default. */
  readonly follow?: boolean
  /** Archives old months; without it they stay in the ledger. */
  readonly archive?: ArchiveOptions
  /** How long after the start requests wait for sessions that are being restored. */
  readonly restoreWaitMs?: number
  /** The user's choice of what holds new terminals; read for each session. */
  readonly terminalDriver?: () => Promise<'tmux' | 'pty' | undefined>
  /** Options of the machines that share a ledger. */
  readonly fleet?: Pick<FleetOptions, 'times' | 'now'>
}

/** A started server. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string
  readonly context: Context
  readonly listening: Listening
  /** Stops serving; the agents keep running. */
  close(): Promise<void>
}

/**
 * Starts the server of a user. Only one can run for each folder of state.
 *
 * @example
 * await using server = await startServer({ remoraHome, env: process.env, home: homedir(), version: '1.0.0', log, port: 0 })
 * console.log(server.url)
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { remoraHome, env, home, version, log } = options
  mkdirSync(remoraHome, { recursive: true, mode: 0o700 })
  const ledger = await openHome({ remoraHome, env })
  if (ledger.archiveOf) {
    await ledger.close()
    throw new RemoraError('unsupported', `Cannot serve an archive (${ledger.archiveOf.month})`, {
      hint: 'Read it with: remora sessions, remora show, remora search',
    })
  }
  const lease = await keepLease(ledger, ownLease(ledger, 'server'), 'remora serve')
  if ('heldBy' in lease) {
    await ledger.close()
    throw new RemoraError(
      'conflict',
      `A server is already running (process ${lease.heldBy.pid} on ${lease.heldBy.host})`,
      {
        hint: 'See: remora status',
      },
    )
  }
  const over = new AbortController()
  const { signal } = over
  // Every part of the server adds a listener.
  setMaxListeners(0, signal)
  const store = createLedgerStore(ledger)
  const approvals = new ServerApprovals({
    ledger,
    remoraHome,
    log,
    signal,
    getCwd: (key) => manager.of(key)?.cwd,
  })
  const hooks = new WaitingHooks({ signal })
  const socket = getSocketPath(remoraHome)
  const hookCommand = (agent: string, live: string) => writeAskHook({ remoraHome, socket, agent, live })
  const manager = new LiveManager({
    ledger,
    store,
    approvals,
    log,
    remoraHome,
    env,
    home,
    hooks,
    hookCommand,
    restoreWaitMs: options.restoreWaitMs,
    terminalDriver: options.terminalDriver,
  })
  manager.on((change) => {
    if (change.type === 'live' && change.live.state !== 'asking') hooks.idle(change.live.id)
  })
  const fleet: Fleet | undefined = openFleet({
    ledger,
    local: manager,
    remoraHome,
    version,
    log,
    ...options.fleet,
  })
  const context: Context = {
    ledger,
    remoraHome,
    env,
    home,
    version,
    store,
    live: fleet?.live ?? manager,
    approvals,
    hooks,
    log,
    signal,
  }
  const presence = options.presence ?? new Presence()
  const tasks: Promise<void>[] = []
  let closing: Promise<void> | undefined
  const parts: { notifier?: Notifier; reviews?: Reviews; listening?: Listening } = {}
  const close = (): Promise<void> => {
    closing ??= (async () => {
      over.abort()
      await parts.listening?.close()
      await parts.reviews?.idle()
      await fleet?.close()
      await manager.close()
      await approvals.close()
      await parts.notifier?.idle()
      await Promise.all(tasks)
      await lease.release()
      await ledger.close()
    })()
    return closing
  }
  try {
    await refreshAgents(context)
    await manager.load()
    const notifier = (parts.notifier = await Notifier.start(context, presence))
    const reviews = (parts.reviews = await Reviews.open(context))
    const listening = (parts.listening = await listen({
      ...options,
      context,
      unixSocket: socket,
      presence,
      routes: [
        ...(options.routes ?? []),
        ...createPushRoutes(context, notifier),
        ...createReviewRoutes(context, reviews),
        ...createDemoRoutes(new Demos(context, options.demo)),
      ],
    }))
    const { devices, people } = listening
    notifier.setAnswerCheck((id) => {
      const role = people.find(devices.get(id)?.person ?? '')?.role
      return role !== undefined && includesRole(role, 'member')
    })
    devices.onRevoked((id) => {
      notifier.subscribers
        .remove(id)
        .catch((error: unknown) =>
          logError(log, 'Cannot remove the push subscription of a revoked device', error),
        )
    })
    // After a long sleep of the machine another server may hold the lease. Two servers would send every key twice.
    lease.lost.addEventListener('abort', () => {
      log('error', 'Another server has taken over. Stopping this one')
      close().catch((error: unknown) => logError(log, 'Cannot stop the server', error))
    })
    const restoring = manager
      .restore()
      .catch((error: unknown) => logError(log, 'Cannot restore live sessions', error))
    tasks.push(restoring)
    fleet?.start()
    tasks.push(watchLedger(context, manager))
    if (options.follow !== false) tasks.push(followTranscripts(context, restoring))
    if (options.archive) tasks.push(archiveMonths(context, options.archive))
    return { url: listening.url, context, listening, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

async function watchLedger({ ledger, signal }: Context, live: LiveManager): Promise<void> {
  let changed = ledger.changed(signal)
  while (!signal.aborted) {
    await changed
    // Subscribing before the update keeps later changes from being missed.
    changed = ledger.changed(signal)
    live.stored()
    // Batches changes. On a shared ledger most of them concern other machines.
    await sleep(ledger.node === undefined ? 50 : 250, undefined, { signal, ref: false }).catch(() => {})
  }
}

/** Imports transcripts and hook events into the ledger, unless another process already does. */
async function followTranscripts(
  { ledger, remoraHome, env, home, log, signal }: Context,
  restoring: Promise<void>,
): Promise<void> {
  // The first scan of all transcripts competes with live sessions, which users wait for.
  await Promise.race([restoring, sleep(scanDelayMs, undefined, { signal, ref: false }).catch(() => {})])
  while (!signal.aborted) {
    try {
      await follow(ledger, { signal, remoraHome, env, home })
    } catch (error) {
      if (!RemoraError.is(error) || error.code !== 'conflict')
        logError(log, 'Cannot follow transcripts', error)
    }
    await sleep(5_000, undefined, { signal, ref: false }).catch(() => {})
  }
}

function logError(log: Log, message: string, error: unknown): void {
  log('error', message, { error: error instanceof Error ? error.message : String(error) })
}
