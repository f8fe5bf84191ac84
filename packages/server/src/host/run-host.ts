import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LedgerSink, ledgerAsks, ledgerSink, ownLease } from '@remora/intake'
import type { Ledger } from '@remora/ledger'
import { openHome } from '@remora/ledger-postgres'
import { type AskBroker, RemoraError } from '@remora/protocol/plain'
import { thisProcess } from '@remora/sdk/acp'
import { refreshAgents } from '../core/added-agents.ts'
import { type Log, createLineLog } from '../core/log.ts'
import { takeExclusiveLease } from './exclusive-lease.ts'
import { HostAgent } from './host-agent.ts'
import { type HostEvents, createHostEvents, createRetryingSink } from './host-events.ts'
import {
  type HostExit,
  type HostFiles,
  type HostSpec,
  getHostFiles,
  getHostSocket,
  readSpec,
  takenCode,
  writePrivate,
} from './host-files.ts'
import { HostQueue } from './host-queue.ts'
import { HostSocket } from './host-socket.ts'
import type { HostInfo, HostRequest } from './host-wire.ts'
import { recoverCommands } from './recover-commands.ts'

/** How often the host checks that the folder of all state exists. */
const checkMs = 2_000
/** Timeout of the last writes. */
const endMs = 15_000

/** Runs one agent until its end is requested, the agent has ended for good, or the folder of all state was removed. */
export async function runHost(specFile: string): Promise<number> {
  const spec = await readSpec(specFile)
  const files = getHostFiles(spec.remoraHome, spec.live)
  const log = openLog(files.log)
  const ledger = await openHome({ remoraHome: spec.remoraHome, env: process.env }).catch(
    async (error: unknown) => {
      // No other host can run without a ledger, so this one writes the state file.
      const exit: HostExit = { reason: 'failed', error: toJson(error) }
      await writePrivate(files.state, { ...(await thisProcess()), socket: '', exit })
      log('error', 'Cannot open the ledger', { ...exit })
      return undefined
    },
  )
  if (!ledger) return 1
  try {
    const release = await takeExclusiveLease(ledger, ownLease(ledger, `host ${spec.live}`)).catch(
      (error: unknown) => {
        if (RemoraError.is(error) && error.code === 'conflict') return undefined
        throw error
      },
    )
    if (!release) return takenCode
    try {
      return await new Host(spec, files, ledger, log).run()
    } finally {
      await release().catch(() => {})
    }
  } finally {
    await ledger.close().catch(() => {})
  }
}

class Host {
  readonly #spec: HostSpec
  readonly #files: HostFiles
  readonly #ledger: Ledger
  readonly #log: Log
  readonly #socket: string
  readonly #over = new AbortController()
  readonly #storing = new AbortController()
  readonly #sink: LedgerSink
  #server!: HostSocket
  #agent: HostAgent | undefined
  #queue: HostQueue | undefined
  #events: HostEvents | undefined
  #problem: Error | undefined
  #shown: { readonly state: HostInfo['state']; readonly since: number } = {
    state: 'starting',
    since: Date.now(),
  }

  constructor(spec: HostSpec, files: HostFiles, ledger: Ledger, log: Log) {
    this.#spec = spec
    this.#files = files
    this.#ledger = ledger
    this.#log = log
    this.#socket = getHostSocket(spec.remoraHome, spec.live)
    this.#sink = ledgerSink(ledger)
  }

  async run(): Promise<number> {
    const stop = (): void => this.#end()
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
    // The terminal that started it may close.
    process.on('SIGHUP', () => {})
    this.#server = await HostSocket.open(this.#socket, (what) => this.#act(what))
    await this.#writeState()
    this.#publish()
    const checking = setInterval(() => {
      if (existsSync(this.#files.folder)) void this.#server.keep().catch(() => {})
      else this.#end()
    }, checkMs)
    let exit: HostExit
    try {
      exit = await this.#runAgent()
    } catch (error) {
      exit = { reason: 'failed', error: toJson(error) }
    }
    clearInterval(checking)
    this.#log('info', 'Host stopped', { ...exit })
    await this.#finish(exit)
    return exit.reason === 'failed' ? 1 : 0
  }

  /** Starts the agent and resolves when it has ended. */
  async #runAgent(): Promise<HostExit> {
    const agent = await this.#start()
    const key = { agent: agent.agent, session: agent.session }
    const release = await takeExclusiveLease(this.#ledger, `session ${key.agent} ${key.session}`).catch(
      async (error: unknown) => {
        await agent.close()
        throw error
      },
    )
    try {
      const events = createHostEvents(this.#sink, key)
      this.#events = events
      await recoverCommands(this.#ledger, key)
      await events.status('starting', { at: this.#spec.startedAt, detail: `host ${process.pid}` })
      const earlier = { agent: this.#spec.agent, session: this.#spec.live }
      await this.#ledger.commands.rekey(earlier, key)
      const queue = new HostQueue({
        remoraHome: this.#spec.remoraHome,
        ledger: this.#ledger,
        key,
        earlier,
        agent,
        events,
        log: this.#log,
        signal: this.#over.signal,
        stored: () => this.#sink.flush(),
        end: () => this.#end(),
      })
      this.#queue = queue
      await this.#writeState()
      this.#publish()
      const working = queue.run()
      const stopped = new Promise<undefined>((resolve) =>
        this.#over.signal.addEventListener('abort', () => resolve(undefined), { once: true }),
      )
      const died = await Promise.race([agent.gone, this.#over.signal.aborted ? undefined : stopped])
      if (died) await events.error({ code: died.code, message: died.message, hint: died.hint })
      this.#over.abort()
      await agent.close()
      await working
      await queue.refuseAll(died ? died.message : 'The session ended')
      return died ? { reason: 'crashed', error: died.toJSON() } : { reason: 'ended' }
    } finally {
      await agent.close().catch(() => {})
      await release().catch(() => {})
    }
  }

  async #start(): Promise<HostAgent> {
    const started = performance.now()
    await refreshAgents({ remoraHome: this.#spec.remoraHome, log: this.#log })
    const agent = await HostAgent.start(this.#spec, {
      asks: createAsks(this.#ledger, this.#spec.remoraHome, this.#log),
      sink: createRetryingSink(this.#sink, this.#storing.signal, (problem) => this.#reportProblem(problem)),
      signal: this.#over.signal,
      changed: () => this.#publish(),
      restarted: () => void this.#queue?.check().catch(() => {}),
    })
    this.#agent = agent
    this.#log('info', 'Agent started', {
      agent: agent.agent,
      session: agent.session,
      ms: Math.round(performance.now() - started),
    })
    return agent
  }

  #end(): void {
    this.#over.abort(new RemoraError('aborted', 'The session ended'))
  }

  async #act(what: HostRequest['do']): Promise<void> {
    switch (what) {
      case 'cancel':
        if (!(await this.#agent?.cancel())) throw new RemoraError('conflict', 'No turn is running')
        return
      case 'end':
        this.#end()
        return
      case 'nudge':
        await this.#queue?.check()
        return
      default:
        throw new RemoraError('usage', `A host cannot ${String(what)}`)
    }
  }

  #reportProblem(problem: Error | undefined): void {
    if (problem && problem.message !== this.#problem?.message)
      this.#log('error', 'Cannot write the ledger', { error: problem.message })
    this.#problem = problem
    if (this.#agent) this.#agent.problem = problem?.message
  }

  /** Publishes the current state. It has a session as soon as the host is ready. */
  #publish(): void {
    const agent = this.#queue ? this.#agent : undefined
    const starting: HostInfo = { state: 'starting', modes: [], models: [] }
    const info = agent?.info() ?? starting
    if (info.state !== this.#shown.state) this.#shown = { state: info.state, since: Date.now() }
    this.#server.publish({
      type: 'info',
      pid: process.pid,
      live: this.#spec.live,
      ...(agent ? { session: agent.session } : {}),
      info: { ...info, since: this.#shown.since },
    })
  }

  /** Writes the state file, by which servers find the host. */
  async #writeState(exit?: HostExit): Promise<void> {
    await writePrivate(this.#files.state, {
      ...(await thisProcess()),
      socket: this.#socket,
      ...(this.#agent ? { session: this.#agent.session } : {}),
      ...(exit ? { exit } : {}),
    })
  }

  /** Stores the end and removes everything but the state file. Slow writes are abandoned after a timeout. */
  async #finish(exit: HostExit): Promise<void> {
    const late = sleep(endMs, undefined, { ref: false })
    const store = async (): Promise<void> => {
      await this.#events?.status('ended', exit.error ? { detail: exit.error.message } : {})
      await this.#sink.close()
    }
    await Promise.race([store(), late]).catch((error: unknown) =>
      this.#log('error', 'Cannot store the end', { error: (error as Error).message }),
    )
    this.#storing.abort()
    if (existsSync(this.#files.folder)) {
      await this.#writeState(exit).catch(() => {})
      await rm(this.#files.spec, { force: true })
    }
    this.#server.publish({ type: 'exit', exit })
    await this.#server.close()
  }
}

function toJson(error: unknown): NonNullable<HostExit['error']> {
  if (RemoraError.is(error)) return error.toJSON()
  return { code: 'unknown', message: error instanceof Error ? error.message : String(error) }
}

/** Policies answer first, then a person through the ledger. Policies load at the first ask: many sessions have none. */
function createAsks(ledger: Ledger, remoraHome: string, log: Log): AskBroker {
  let loading: Promise<AskBroker> | undefined
  const load = async (): Promise<AskBroker> => {
    const [{ createPolicyAsks }, { PolicyFile, getPolicyPath }] = await Promise.all([
      import('../approvals/policies.ts'),
      import('../approvals/policy-file.ts'),
    ])
    const policies = new PolicyFile(getPolicyPath(remoraHome), log)
    return createPolicyAsks(() => policies.load(), ledgerAsks(ledger))
  }
  return {
    async ask(ask, about) {
      loading ??= load()
      return (await loading).ask(ask, about)
    },
  }
}

const maxLogBytes = 1024 * 1024

/** Appends to a file, which is emptied when it is too long. */
function openLog(file: string): Log {
  return createLineLog((line) => {
    try {
      const handle = openSync(file, 'a', 0o600)
      try {
        if (fstatSync(handle).size > maxLogBytes) ftruncateSync(handle)
        writeSync(handle, line)
      } finally {
        closeSync(handle)
      }
    } catch {
      // On a full disk or without the folder, the host runs without a log.
    }
  })
}
