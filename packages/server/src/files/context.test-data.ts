import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ledger, openLedger } from '@remora/ledger'
import { type Ask, type Command, type LiveInfo, RemoraError } from '@remora/protocol'
import { Hono } from 'hono'
import { ServerApprovals } from '../approvals/server-approvals.ts'
import type { Context } from '../core/context.ts'
import { type Env, serveRoutes } from '../http/app.ts'
import type { Route, Services } from '../http/route.ts'
import type { LiveChange } from '../core/live.ts'
import { toErrorResponse } from '../security/http-error.ts'
import { createUserIdentity } from '../security/who.ts'
import { createLedgerStore } from '../core/store.ts'

export interface Answered {
  readonly status: number
  readonly headers: Headers
  /** The fields that tests read; each route sets some of them. */
  readonly body: {
    readonly error?: { readonly code: string; readonly message: string }
    readonly id: string
    readonly path: string
    readonly name: string
    readonly entries: readonly { readonly name: string }[]
    readonly uploads: readonly unknown[]
    readonly preferences: unknown
    readonly command: unknown
    readonly reviews: readonly unknown[]
    readonly instructions: readonly { readonly title: string }[]
  }
}

/** A context with a real ledger, whose sessions and asks the test controls. */
export interface TestContext extends AsyncDisposable {
  readonly context: Context
  readonly home: string
  readonly ledger: Ledger
  /** The log lines. */
  readonly logged: string[]
  live(info: Partial<LiveInfo> & Pick<LiveInfo, 'id'>): LiveInfo
  frame(live: string, text: string): void
  ask(key: { agent: string; session: string }, ask: Ask): Promise<void>
  settle(key: { agent: string; session: string }, ask: string): Promise<void>
  readonly submitted: Command[]
  /** Sends a request to routes, as the local user. */
  request(routes: readonly Route[], path: string, init?: RequestInit): Promise<Answered>
}

export async function createContext(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<TestContext> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'remora-')))
  const home = join(root, 'home')
  mkdirSync(home)
  const remoraHome = join(home, '.remora')
  const ledger = await openLedger({ file: join(remoraHome, 'ledger.db') })
  const ending = new AbortController()
  const sessions = new Map<string, LiveInfo>()
  const liveListeners = new Set<(change: LiveChange) => void>()
  const submitted: Command[] = []
  const logged: string[] = []
  const publish = (change: LiveChange) => liveListeners.forEach((listener) => listener(change))
  const of = ({ agent, session }: { agent: string; session: string }) =>
    [...sessions.values()].find(
      (info) => info.agent === agent && info.session === session && info.state !== 'ended',
    )
  const unused = (): never => {
    throw new RemoraError('unsupported', 'Not in this test')
  }
  const log: Context['log'] = (level, message, fields) =>
    void logged.push(JSON.stringify({ level, message, ...fields }))
  const approvals = new ServerApprovals({ ledger, log, remoraHome, signal: ending.signal })
  const context: Context = {
    ledger,
    remoraHome,
    env,
    home,
    version: '0.0.0',
    store: createLedgerStore(ledger),
    log,
    signal: ending.signal,
    live: {
      list: () => [...sessions.values()],
      find: (word) => sessions.get(word),
      of,
      start: unused,
      adoptable: unused,
      adopt: unused,
      release: unused,
      async submit(command) {
        const stored = await ledger.commands.submit({ ...command, state: 'queued', at: Date.now() })
        submitted.push(stored)
        return stored
      },
      edit: unused,
      withdraw: unused,
      terminal: () => undefined,
      frame: () => undefined,
      on(listener) {
        liveListeners.add(listener)
        return () => liveListeners.delete(listener)
      },
    },
    approvals,
  }
  return {
    context,
    home,
    ledger,
    logged,
    submitted,
    live(info) {
      const before = sessions.get(info.id)
      const now: LiveInfo = {
        agent: 'gemini',
        session: info.id,
        channel: 'terminal',
        state: 'idle',
        cwd: home,
        startedAt: Date.now(),
        since: Date.now(),
        adopted: false,
        asks: 0,
        queued: 0,
        ...before,
        ...info,
      }
      sessions.set(info.id, now)
      publish({ type: 'live', live: now })
      return now
    },
    frame: (live, text) => publish({ type: 'frame', frame: { live, text } }),
    ask: (key, ask) => approvals.open(key, ask, async () => 'done'),
    settle: (key, ask) => approvals.settle(key, ask, { by: 'terminal' }),
    async request(routes, path, init) {
      const app = new Hono<Env>()
      app.use(async (c, next) => {
        c.set('who', createUserIdentity('ann'))
        await next()
      })
      serveRoutes(app, routes, {} as Services)
      app.onError((error, c) => {
        const { status, error: response } = toErrorResponse(error)
        return c.json({ error: response }, status as 400)
      })
      const json: Record<string, string> =
        typeof init?.body === 'string' ? { 'content-type': 'application/json' } : {}
      const response = await app.request(
        path,
        { ...init, headers: { ...json, ...(init?.headers as Record<string, string>) } },
        { incoming: { socket: {} }, secure: false },
      )
      const text = await response.text()
      let body: unknown = text
      try {
        body = JSON.parse(text)
      } catch {
        // The response is a file.
      }
      return { status: response.status, body: body as Answered['body'], headers: response.headers }
    },
    async [Symbol.asyncDispose]() {
      ending.abort()
      await approvals[Symbol.asyncDispose]()
      await ledger.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
