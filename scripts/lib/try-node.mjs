import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from './children.mjs'
import { listInstallScripts } from './install-scripts.mjs'
import { npmCli } from './nodes.mjs'
import { cache, root } from './paths.mjs'
import { SetupError } from './setup-error.mjs'
import { onStop } from './stop.mjs'

const timeoutMs = 30 * 60_000

/** Runs `npm start` in a clean copy of the checkout until the server answers, and stops it. */
export async function measureStart({ version, path }, folder) {
  const checkout = copyCheckout(join(folder, 'checkout'))
  const env = createEnvironment(folder, path)
  const log = toLog(`start-node-${version}`)
  const began = performance.now()
  const output = await startServer(checkout, env, log)
  const seconds = (performance.now() - began) / 1000
  const installed = [checkout, join(checkout, 'scripts', 'better-sqlite3')].map((each) =>
    measureMegabytes(join(each, 'node_modules')),
  )
  if (output.includes('ExperimentalWarning'))
    throw new SetupError(`npm start warns on Node ${version}.`, { log })
  return {
    seconds,
    megabytes: installed.reduce((sum, each) => sum + each),
    scripts: listInstallScripts(join(env.HOME, '.npm', '_logs')),
  }
}

/** Runs the unit tests in the copy that `measureStart` created. */
export async function runUnitTests({ version, path }, folder) {
  const cwd = join(folder, 'checkout')
  const log = toLog(`unit-node-${version}`)
  const env = { ...createEnvironment(folder, path), TMPDIR: makeFolder(join(folder, 'tmp')) }
  const code = await run(path, [npmCli, 'run', 'unit'], { cwd, env, log })
  if (code !== 0) throw new SetupError(`Unit tests fail on Node ${version}.`, { log })
}

/** Copies the files that git would commit: no packages, no build. */
function copyCheckout(target) {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  })
  for (const name of listed.toString().split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(target, name)), { recursive: true })
    cpSync(join(root, name), join(target, name), { verbatimSymlinks: true })
  }
  return target
}

/** The environment: the given `node` and `npm`, and of ours only the registry settings. */
function createEnvironment(folder, path) {
  const bin = join(folder, 'bin')
  if (!existsSync(bin)) {
    mkdirSync(bin)
    symlinkSync(path, join(bin, 'node'))
    symlinkSync(npmCli, join(bin, 'npm'))
  }
  const network = Object.entries(process.env).filter(([name]) =>
    /^(?:https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_file|npm_config_registry)$/i.test(name),
  )
  const home = makeFolder(join(folder, 'home'))
  return {
    ...Object.fromEntries(network),
    PATH: [bin, '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
  }
}

async function startServer(cwd, env, log) {
  // In its own process group, so that npm, the setup and the server end together.
  const child = spawn('npm', ['start', '--', '--port', '0'], { cwd, env, stdio: 'pipe', detached: true })
  const forget = onStop(() => stopGroup(child))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  try {
    const until = Date.now() + timeoutMs
    for (;;) {
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? []
      if (address && (await isHealthy(address))) return output
      if (child.exitCode !== null || Date.now() > until)
        throw new SetupError(`npm start did not start the server:\n${output.slice(-2000)}`)
      await sleep(100)
    }
  } finally {
    await stopGroup(child)
    forget()
    mkdirSync(dirname(log), { recursive: true })
    writeFileSync(log, output)
  }
}

async function isHealthy(address) {
  return fetch(`${address}/health`).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function stopGroup(child) {
  if (child.exitCode !== null) return
  process.kill(-child.pid, 'SIGTERM')
  await once(child, 'exit')
}

function measureMegabytes(path) {
  const output = execFileSync('sh', ['-c', 'du -sk "$0" 2>/dev/null || echo 0', path]).toString()
  return Number.parseInt(output, 10) / 1000
}

function makeFolder(path) {
  mkdirSync(path, { recursive: true })
  return path
}

function toLog(name) {
  return join(cache, 'logs', `${name}.log`)
}
