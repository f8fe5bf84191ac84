import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { run } from './children.mjs'
import { findProgram, installCommand } from './find-program.mjs'
import { cache } from './paths.mjs'
import { progress } from './progress.mjs'
import { SetupError } from './setup-error.mjs'

/** Debian's folder of PostgreSQL servers, with one folder per version. None of them is on PATH. */
const debianServers = '/usr/lib/postgresql'

/** Programs of the tests that npm does not provide. One of the names must exist. */
const needed = [
  { names: ['tmux'], package: 'tmux' },
  { names: ['busybox'], package: 'busybox' },
  { names: ['chromium', 'chromium-browser', 'google-chrome'], package: 'chromium' },
  // Its package starts a server, which does not affect those of the tests.
  { names: ['initdb'], package: 'postgresql', folders: serverFolders },
]

/** Installs missing programs if it has the rights, or else reports how to install them. */
export async function ensurePrograms({ servers = debianServers } = {}) {
  const missing = missingPackages(servers)
  if (missing.length === 0) return
  const log = join(cache, 'logs', 'apt-get.log')
  const apt = await aptGet()
  const byHand = `Install with: ${installCommand(missing)}`
  if (!apt)
    throw new SetupError(`The tests need ${missing.join(' and ')}, not found on PATH.`, {
      hint: byHand,
    })
  await progress(`installing ${missing.join(' and ')} with apt-get`, async () => {
    await apt(['update'], log)
    const code = await apt(['install', '-y', '--no-install-recommends', ...missing], log)
    if (code !== 0)
      throw new SetupError(`apt-get could not install ${missing.join(' and ')}.`, { log, hint: byHand })
  })
  const still = missingPackages(servers)
  if (still.length > 0) {
    throw new SetupError(`apt-get ran, and ${still.join(' and ')} are still missing.`, { log, hint: byHand })
  }
}

function missingPackages(servers) {
  return needed
    .filter(({ names, folders }) => {
      const path = [process.env.PATH ?? '', ...(folders?.(servers) ?? [])].join(delimiter)
      return !names.some((name) => findProgram(name, path))
    })
    .map((program) => program.package)
}

function serverFolders(servers) {
  return existsSync(servers) ? readdirSync(servers).map((version) => join(servers, version, 'bin')) : []
}

/** The command that runs apt-get without a password prompt, or undefined. */
async function aptGet() {
  if (!findProgram('apt-get')) return undefined
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  if (process.getuid?.() === 0) return (args, log) => run('apt-get', args, { log, env })
  const sudoLog = join(cache, 'logs', 'sudo.log')
  if (!findProgram('sudo') || (await run('sudo', ['-n', 'true'], { log: sudoLog })) !== 0) return undefined
  return (args, log) => run('sudo', ['-n', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args], { log })
}
