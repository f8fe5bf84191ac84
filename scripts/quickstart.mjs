// `npm run quickstart`: the time from the printed link to a finished turn of the demo, on a machine without agents and keys
// and with an empty home. Needs a network, because npm fetches the agent of the demo.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { launchBrowser } from './lib/browser.mjs'
import { root } from './lib/paths.mjs'
import { prepareProduct } from './lib/prepare.mjs'
import { printFailure } from './lib/setup-error.mjs'

const allowedSeconds = 60
const command = join(root, 'packages', 'cli', 'bin', 'remora.mjs')

try {
  if (!process.env.REMORA_APP) await prepareProduct()
  const seconds = await measure()
  console.log(`From the link to the finished turn: ${seconds.toFixed(1)} s (${allowedSeconds} s allowed)`)
  process.exitCode = seconds < allowedSeconds ? 0 : 1
} catch (error) {
  printFailure(error)
  process.exitCode = 1
}

async function measure() {
  const home = mkdtempSync('/tmp/rq-')
  // Like a new machine: only Node and the system's programs.
  const env = {
    PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    HOME: home,
    REMORA_HOME: join(home, 'r'),
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    ...pick([
      'REMORA_APP',
      'NODE_EXTRA_CA_CERTS',
      'SSL_CERT_FILE',
      'HTTPS_PROXY',
      'HTTP_PROXY',
      'NO_PROXY',
      'https_proxy',
      'http_proxy',
      'no_proxy',
      'npm_config_registry',
    ]),
  }
  const server = spawn(process.execPath, [command, 'serve', '--port', '0'], { env, cwd: home, stdio: 'pipe' })
  let output = ''
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (output += text))
  const browser = await launchBrowser()
  try {
    while (!output.includes('remora pair')) await waitForOutput(server, output)
    const { stdout } = await promisify(execFile)(process.execPath, [command, 'pair', '--json'], {
      env,
      cwd: home,
    })
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true })
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    const began = performance.now()
    const report = (what) =>
      console.log(`  ${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  ${what}`)
    await page.goto(JSON.parse(stdout).link)
    await page.getByRole('button', { name: 'Try the demo' }).tap()
    report('paired, and requested the demo')
    await page.waitForURL('**/session/**')
    report('Gemini CLI installed and started')
    const allow = page.getByRole('button', { name: 'Allow' }).first()
    await allow.waitFor()
    report('Gemini CLI asks for permission')
    await allow.tap()
    await page.getByText('was applied').waitFor()
    await page.getByText('Done: one full turn').waitFor()
    report('turn finished')
    if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT })
    return (performance.now() - began) / 1000
  } catch (error) {
    const page = browser.contexts()[0]?.pages()[0]
    if (page && process.env.SHOT) await page.screenshot({ path: process.env.SHOT })
    throw error
  } finally {
    await browser.close()
    await promisify(execFile)(process.execPath, [command, 'end', 'latest'], { env, cwd: home }).catch(
      () => {},
    )
    server.kill('SIGTERM')
    if (server.exitCode === null) await once(server, 'exit')
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

function pick(names) {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}

async function waitForOutput(server, output) {
  if (server.exitCode !== null) throw new Error(`The server ended: ${output}`)
  await sleep(50)
}
