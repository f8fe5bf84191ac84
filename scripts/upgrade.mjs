// `npm run upgrade -- [--from commit]`: creates a home with an older commit (ledger, settings, installed hooks, a paired
// browser with its page open, a running session), continues it with this checkout, and checks that nothing was lost.
import { execFile, spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual, parseArgs, promisify } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { launchBrowser } from './lib/browser.mjs'
import { run } from './lib/children.mjs'
import { cache, root } from './lib/paths.mjs'
import { prepareProduct, prepareTests } from './lib/prepare.mjs'
import { duration, progress } from './lib/progress.mjs'
import { SetupError, printFailure } from './lib/setup-error.mjs'
import { Tally } from './lib/tally.mjs'

const { values } = parseArgs({ options: { from: { type: 'string', default: 'HEAD~1' } } })
const tally = new Tally()
try {
  await prepareTests()
  await prepareProduct()
  const old = await checkOut(values.from)
  try {
    await upgrade(old)
  } finally {
    rmSync(old, { recursive: true, force: true, maxRetries: 3 })
  }
} catch (error) {
  printFailure(error)
  tally.add({ passed: 0, failed: 1 })
}
console.log(`\n${tally.line()}`)
process.exitCode = tally.failed === 0 ? 0 : 1

/** Builds the older commit in its own folder. */
async function checkOut(commit) {
  const folder = mkdtempSync('/tmp/ru-')
  const log = join(cache, 'logs', 'upgrade.log')
  const build = "import('./scripts/lib/prepare.mjs').then(({ prepareProduct }) => prepareProduct())"
  await progress(`building ${commit}`, async () => {
    for (const [command, ...args] of [
      ['git', 'clone', '--quiet', '--no-checkout', root, folder],
      ['git', '-C', folder, 'checkout', '--quiet', commit],
      [process.execPath, '--eval', build],
    ])
      if ((await run(command, args, { cwd: folder, log })) !== 0)
        throw new SetupError(`Could not build ${commit}.`, { log })
  })
  return folder
}

async function upgrade(old) {
  const home = mkdtempSync('/tmp/rh-')
  const cwd = join(home, 'work')
  mkdirSync(cwd)
  const env = {
    PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    HOME: home,
    REMORA_HOME: join(home, 'r'),
    TMUX_TMPDIR: home,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    FAKE_LOG: join(home, 'log'),
    GEMINI_CLI_PATH: join(old, 'packages/server/src/live/fake-gemini.test-data.mjs'),
  }
  const before = command(old, env, cwd)
  const after = command(root, env, cwd)
  const browser = await launchBrowser()
  try {
    await before('config', 'color', 'never')
    await before('hooks', 'install', 'gemini')
    const server = await before.json('serve', '--background', '--port', '0', '--json')
    const port = new URL(server.url).port
    const live = await before.json('new', 'gemini', '--cwd', cwd, '--prompt', 'hello there', '--json')
    await until('the first turn', async () => (await prompts(env)).length === 1)
    const page = await openApp(browser, await before.json('pair', '--json'))
    await sendFromApp(page, 'sent by the older version')
    await until('the session is idle', async () => (await findLive(before, live.id))?.state === 'idle')
    const session = (await findLive(before, live.id)).session
    const known = await remember(before, session)
    // The payload of a hook that fired without a server is in the spool.
    await before('stop')
    fireHook(env, cwd)

    const started = performance.now()
    await after('serve', '--background', '--port', port)
    console.log(`  first start of the new version: ${duration(performance.now() - started)}`)
    const now = await remember(after, session)
    await tally.check('every message is the same', () => same(known.messages, now.messages))
    await tally.check('every session is listed', () => {
      const ids = new Set(known.sessions.map(({ id }) => id))
      same(
        known.sessions,
        now.sessions.filter(({ id }) => ids.has(id)),
      )
    })
    await tally.check('settings are the same', () => same(known.settings, now.settings))
    await tally.check('the audit log verifies', () => after('audit', '--verify'))
    await tally.check('the paired device is known', () => same(known.devices, now.devices))
    await tally.check('the installed hooks work', async () => {
      const status = await after.json('hooks', 'status', 'gemini', '--json')
      if (status.agents[0].files[0].state === 'absent') throw new Error('The hooks are not recognized.')
      await until('the payload of the hook', async () =>
        JSON.stringify(await after.json('desires', '--json')).includes('no-such-tool'),
      )
    })
    await tally.check('the running session is driven by the command', async () => {
      await until('the session is idle', async () => (await findLive(after, live.id))?.state === 'idle')
      await after('send', live.id, 'sent by the new version')
      await until('its prompt', async () => (await prompts(env)).includes('sent by the new version'))
    })
    await tally.check('the page of the older version continues', async () => {
      await page.getByText('You said: sent by the new version').waitFor()
      await sendFromApp(page, 'sent by the older page')
      await page.getByText('You said: sent by the older page').waitFor()
    })
    await tally.check('a reload shows the new app, still paired', async () => {
      await page.reload()
      await page.getByText('You said: sent by the older page').waitFor()
    })
    await tally.check('every prompt arrived once', async () =>
      same(await prompts(env), [
        'hello there',
        'sent by the older version',
        'sent by the new version',
        'sent by the older page',
      ]),
    )
    await tally.check('the older version refuses the newer ledger, or works', async () => {
      await after('stop')
      const { failed, output } = await before.attempt('sessions', '--json')
      if (failed && !/newer version of Remora/.test(output)) throw new Error(output)
    })
  } finally {
    await browser.close()
    await after.attempt('stop')
    spawnSync('tmux', ['-S', join(env.REMORA_HOME, 'tmux.sock'), 'kill-server'])
    rmSync(home, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** The `remora` command of a checkout. */
function command(checkout, env, cwd) {
  const file = join(checkout, 'packages/cli/bin/remora.mjs')
  const call = async (...args) =>
    (await promisify(execFile)(process.execPath, [file, ...args], { env, cwd, maxBuffer: 2 ** 26 })).stdout
  call.json = async (...args) => JSON.parse(await call(...args))
  call.attempt = async (...args) => {
    try {
      return { failed: false, output: await call(...args) }
    } catch (error) {
      return { failed: true, output: `${error.stdout}${error.stderr}` }
    }
  }
  return call
}

async function remember(remora, session) {
  const [shown, sessions, settings, devices] = [
    await remora.json('show', session, '--json'),
    await remora.json('sessions', '--json'),
    await remora.json('config', '--json'),
    await remora.json('devices', '--json'),
  ]
  return {
    messages: shown.messages ?? shown,
    sessions: sessions.map(({ agent, id, messages, firstPrompt }) => ({ agent, id, messages, firstPrompt })),
    // A newer version may have more settings.
    settings: settings.filter(({ source }) => source === 'file').map(({ key, value }) => ({ key, value })),
    devices: devices.map(({ id, name }) => ({ id, name })),
  }
}

async function findLive(remora, id) {
  return (await remora.json('ls', '--json')).live.find((live) => live.id === id)
}

async function openApp(browser, { link }) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(link)
  await page.getByRole('link', { name: /hello/ }).first().click()
  await page.getByText('You said: hello there').waitFor()
  return page
}

async function sendFromApp(page, text) {
  await page.getByTestId('composer').getByRole('textbox').fill(text)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText(`You said: ${text}`).waitFor()
}

/** Runs the hook like Gemini CLI, after a failed tool call. */
function fireHook(env, cwd) {
  const settings = JSON.parse(readFileSync(join(env.HOME, '.gemini/settings.json'), 'utf8'))
  const { command: hook } = settings.hooks.AfterTool[0].hooks[0]
  const payload = {
    session_id: 'known-by-a-hook-alone',
    cwd,
    hook_event_name: 'AfterTool',
    timestamp: new Date().toISOString(),
    tool_name: 'no-such-tool',
    tool_input: { path: 'x' },
    tool_response: { error: { message: 'Tool "no-such-tool" not found' } },
  }
  spawnSync('/bin/sh', ['-c', hook], { env, cwd, input: JSON.stringify(payload) })
}

async function prompts(env) {
  const text = readFileSync(env.FAKE_LOG, { encoding: 'utf8', flag: 'a+' })
  return text
    .split('\n')
    .filter(Boolean)
    .flatMap((line) => JSON.parse(line).prompt ?? [])
}

function same(before, after) {
  if (isDeepStrictEqual(before, after)) return
  const file = join(cache, 'logs', 'upgrade-difference.json')
  rmSync(file, { force: true })
  appendFileSync(file, `${JSON.stringify({ before, after }, null, 2)}\n`)
  throw new SetupError('The messages differ.', { log: file })
}

async function until(what, check) {
  const deadline = performance.now() + 60_000
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`Timed out: ${what}`)
    await sleep(100)
  }
}
