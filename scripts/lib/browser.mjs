import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram, installCommand } from './find-program.mjs'
import { web } from './paths.mjs'
import { SetupError } from './setup-error.mjs'

/** Launches this machine's browser like the tests of the app, with its own home. */
export async function launchBrowser(options = {}) {
  const { chromium } = createRequire(join(web, 'package.json'))('playwright-core')
  const home = mkdtempSync(join(tmpdir(), 'remora-browser-'))
  const { XDG_CONFIG_HOME: _config, XDG_CACHE_HOME: _cache, ...env } = process.env
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox'],
    env: { ...env, HOME: home },
    ...options,
  })
  // After Playwright's own handler ends the browser, which would otherwise write to the removed folder.
  process.once('exit', () => rmSync(home, { recursive: true, force: true, maxRetries: 3 }))
  return browser
}

export function findChromium() {
  const found = ['chromium', 'chromium-browser', 'google-chrome']
    .map((name) => findProgram(name))
    .find(Boolean)
  if (!found) throw new SetupError('Chromium was not found on PATH.', { hint: installCommand(['chromium']) })
  return found
}
