import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { LiveInfo, StartRequest } from '@remora/protocol'
import { loadScenarios, type Scenario, startScriptedModel } from '@remora/scripted-model'
import { findAgent } from '@remora/sdk'
import { createLineLog, type RunningServer, startServer } from '@remora/server'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { getCli, createHome, type Home } from '../../../testkit/src/index.ts'
import { borrowBrowser, returnBrowser } from './browser.test-data.ts'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** The built app; the variable selects another build. */
export const appFolder = process.env['REMORA_TEST_APP'] ?? fileURLToPath(new URL('../dist', import.meta.url))
const fakeGemini = fileURLToPath(
  new URL('../../../packages/server/src/live/fake-gemini.test-data.mjs', import.meta.url),
)

/** The timeout of every wait, long enough for a busy machine. */
export const delayMs = 60_000

export const phone = { width: 390, height: 844 }
export const desktop = { width: 1280, height: 800 }

export interface PageOptions {
  /** The first screen. The device is paired by its link, so that nothing loads twice. */
  readonly at?: string
  readonly viewport?: { width: number; height: number }
  readonly theme?: 'light' | 'dark'
  /** Touch input; by default on narrow screens. */
  readonly touch?: boolean
  /** False to show the pairing page. */
  readonly paired?: boolean
  /** Stays open after the test. */
  readonly kept?: boolean
  /** With the service worker, which takes time to cache the app. */
  readonly worker?: boolean
}

export interface StageOptions {
  /** The available agents: real ones by name, or `fake` for a program that imitates Gemini without delays. */
  readonly agents: readonly ('gemini' | 'claude' | 'codex' | 'opencode' | 'fake')[]
  /** Additional scenarios of the scripted model. */
  readonly scenarios?: readonly Scenario[]
  /** Another build of the app. */
  readonly app?: string
  /** Additional environment variables of the server. */
  readonly env?: (folder: string) => Readonly<Record<string, string>>
}

/** A server with agents, and a browser. */
export interface WebStage extends AsyncDisposable {
  readonly server: RunningServer
  readonly url: string
  /** The working folder of the agents. */
  readonly cwd: string
  readonly browser: Browser
  readonly logged: string[]
  /** Opens the app on a new device. Console errors are collected in `consoleErrors`. */
  open(options?: PageOptions): Promise<Page>
  readonly consoleErrors: string[]
  start(request?: Partial<StartRequest>): Promise<LiveInfo>
  /** Replaces the server by a new one on the same port. */
  restart(): Promise<void>
  /** Waits for the next hello of a server, because the page may not have noticed the restart yet. */
  greeted(page: Page): Promise<void>
  until<T>(what: string, look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T>
}

export async function webStage({
  agents,
  scenarios,
  env: more,
  app = appFolder,
}: StageOptions): Promise<WebStage> {
  if (!existsSync(join(app, 'index.html'))) throw new Error('The app is not built: npm run build')
  const folder = await mkdtemp('/tmp/rw-')
  const model = await startScriptedModel(
    scenarios ? { scenarios: [...(await loadScenarios()), ...scenarios] } : {},
  )
  const homes: Home[] = []
  let env: Record<string, string | undefined> = {
    PATH: process.env['PATH'],
    HOME: folder,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
  }
  let home = folder
  let cwd = join(folder, 'work')
  const [first] = agents.filter((agent) => agent !== 'fake')
  for (const agent of agents) {
    if (agent === 'fake') {
      env['GEMINI_CLI_PATH'] = fakeGemini
      continue
    }
    const cli = await getCli(agent)
    const made = await createHome(agent, { version: cli.version, model })
    homes.push(made)
    // Each agent has its own home, set by its variables. The first one's variables apply to all.
    env = agent === first ? { ...env, ...made.env } : { ...made.env, ...env }
    env[findAgent(agent)!.detection.variable] = cli.path
    // Codex looks below HOME for the configuration of its model.
    if (agent === 'codex') env['CODEX_HOME'] = join(made.path, '.codex')
    if (agent === first) ({ path: home, cwd } = made)
  }
  await mkdir(cwd, { recursive: true })
  const logged: string[] = []
  const begin = (port: number): Promise<RunningServer> =>
    startServer({
      remoraHome: join(folder, 'r'),
      env: { ...env, TMUX_TMPDIR: folder, TMUX: undefined, ...more?.(folder) },
      home,
      version: '0.0.0',
      port,
      app,
      // All devices of a test share one address.
      limits: { requestsPerAddress: { perSecond: 100, burst: 1000 } },
      log: createLineLog((line) => logged.push(line)),
    })
  let server = await begin(await steadyPort())
  const browser = await borrowBrowser()
  const contexts: BrowserContext[] = []
  const consoleErrors: string[] = []

  return {
    get server() {
      return server
    },
    get url() {
      return server.url
    },
    cwd,
    browser,
    logged,
    consoleErrors,
    async open({
      at = '/',
      viewport = phone,
      theme = 'light',
      paired = true,
      touch = viewport.width < 600,
      worker = false,
      kept = false,
    } = {}) {
      const context = await browser.newContext({
        viewport,
        colorScheme: theme,
        hasTouch: touch,
        reducedMotion: 'reduce',
        serviceWorkers: worker ? 'allow' : 'block',
      })
      contexts.push(context)
      context.setDefaultTimeout(delayMs)
      // An open page keeps rendering, so it is closed after the test. Screenshot programs run outside Vitest.
      if (!kept && process.env['VITEST']) (await import('vitest')).onTestFinished(() => context.close())
      const page = await context.newPage()
      page.on('console', (message) => {
        if (message.type() === 'error') consoleErrors.push(message.text())
      })
      page.on('pageerror', (error) => consoleErrors.push(String(error)))
      const { code } = server.listening.pairing.create()
      await page.goto(`${server.url}${at}${paired ? `#pair=${code}` : ''}`)
      return page
    },
    start: (request = {}) => server.context.live.start({ agent: first ?? 'gemini', cwd, ...request }),
    async restart() {
      const { port } = server.listening
      await server.close()
      server = await begin(port)
    },
    greeted: (page) =>
      new Promise((resolve) => {
        page.on('websocket', (socket) =>
          socket.on('framereceived', ({ payload }) => {
            if (String(payload).startsWith('{"type":"hello"')) resolve()
          }),
        )
      }),
    async until(what, look) {
      const deadline = Date.now() + delayMs
      for (;;) {
        const found = await look()
        if (found) return found
        if (Date.now() > deadline) throw new Error(`Timed out waiting until ${what}\n${logged.join('')}`)
        await sleep(50)
      }
    },
    async [Symbol.asyncDispose]() {
      for (const context of contexts) await context.close()
      await returnBrowser()
      await server.close()
      try {
        execFileSync('tmux', ['-S', join(folder, 'r', 'tmux.sock'), 'kill-server'], { stdio: 'ignore' })
      } catch {
        // There was none.
      }
      for (const made of homes) await made.remove()
      await model.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    },
  }
}

/** Below the ephemeral ports, which the system gives away as soon as they are free. */
const lowest = 15_000
const count = 15_000

/** A free port that stays free while a server restarts. @example const port = await steadyPort() */
export async function steadyPort(): Promise<number> {
  for (;;) {
    const wanted = lowest + Math.floor(Math.random() * count)
    const server = createServer().listen(wanted, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    return port
  }
}
