import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** Only the last list on a command line counts, so Playwright's own features are repeated here. */
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
  // Saves two hidden pages for the address bar, a third of the cost of a window.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
]
const inVitest = process.env['VITEST'] !== undefined
let shared: Promise<Browser> | undefined

/** One browser for all test files of a worker, because starting it costs more than most tests. It ends with the worker. */
export async function borrowBrowser(): Promise<Browser> {
  if (shared && !(await shared).isConnected()) shared = undefined
  return (shared ??= launch())
}

/** Closes the browser where no other test needs it. */
export async function returnBrowser(): Promise<void> {
  if (inVitest) return
  await (await shared)?.close()
  shared = undefined
}

/** Keeps Chromium from writing settings, crash reports and caches into the user's home. */
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
  // A worker has half a second to exit: enough to kill the browser, not to close it.
  if (inVitest) process.once('SIGTERM', () => process.exit())
  // Runs after Playwright's handler, which ends the browser that writes into this folder.
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
