import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** The last list of a command line holds: so these are Playwright's, and behind them what is ours. */
const unwanted = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  // Two more pages behind each window, for an address bar that nobody sees: a third of what it costs to open one.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
]
const inVitest = process.env['VITEST'] !== undefined
let shared: Promise<Browser> | undefined

/** One browser for all test files of a worker: to start it costs more than most tests. It ends with the worker. */
export async function borrowBrowser(): Promise<Browser> {
  if (shared && !(await shared).isConnected()) shared = undefined
  return (shared ??= launch())
}

/** Where nothing else will need it. */
export async function returnBrowser(): Promise<void> {
  if (inVitest) return
  await (await shared)?.close()
  shared = undefined
}

/** What Chromium needs so that it writes nothing into the home of who runs it: settings, crash reports, caches. */
export function browserEnv(home: string): Record<string, string> {
  const { XDG_CONFIG_HOME: _config, XDG_CACHE_HOME: _cache, ...env } = process.env
  return { ...(env as Record<string, string>), HOME: home }
}

async function launch(): Promise<Browser> {
  const home = mkdtempSync(join(tmpdir(), 'remora-browser-'))
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      `--disable-features=${unwanted.join()}`,
    ],
    env: browserEnv(home),
    handleSIGTERM: !inVitest,
  })
  // A worker that is told to end has half a second: enough to end the browser, not to ask it to.
  if (inVitest) process.once('SIGTERM', () => process.exit())
  // Behind Playwright's own, which ends the browser first: else it would write into what goes away.
  process.once('exit', () => rmSync(home, { recursive: true, force: true, maxRetries: 3 }))
  return browser
}

export function findChromium(): string {
  const found = (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((place) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(place, name)))
    .find((file) => existsSync(file))
  if (!found) throw new Error('There is no Chromium on PATH')
  return found
}
