import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { atLeast, detect, gemini } from '@remora/sdk'
import { canAsk, readYes } from '../../command/confirm.ts'
import { fail } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import { findProgram } from '../../detection/find-program.ts'
import { homePath } from '../../output/home-path.ts'

const version = '0.61.0'
/** The first version whose ACP works for the demo. */
const oldest = '0.34.0'
/** Size of the download, and its usual duration. */
const size = { megabytes: 100, usualSeconds: 20 }

export interface FoundGemini {
  readonly path: string
  readonly version: string
}

/** Finds the user's Gemini CLI, or installs one for the demo after confirmation. */
export async function findGemini(
  folder: string,
  yes: boolean,
  io: Io,
  onInstall?: (about: typeof size) => void,
): Promise<FoundGemini> {
  const own = await detect(gemini, { env: io.env, home: io.home, cwd: io.cwd, platform: io.platform })
  if (own.path !== undefined && own.version !== undefined && atLeast(own.version, oldest))
    return { path: own.path, version: own.version }
  const path = join(folder, 'node_modules', '.bin', 'gemini')
  const place = { env: { GEMINI_CLI_PATH: path }, home: io.home, cwd: io.cwd, platform: io.platform }
  const installed = await detect(gemini, place)
  if (installed.path !== undefined && installed.version !== undefined)
    return { path: installed.path, version: installed.version }
  await askFirst(folder, yes, io)
  onInstall?.(size)
  await install(folder, io)
  const now = await detect(gemini, place)
  if (now.path !== undefined && now.version !== undefined) return { path: now.path, version: now.version }
  throw await fail('agent_missing', `npm did not install Gemini CLI into ${folder}`, gemini.detection.install)
}

async function askFirst(folder: string, yes: boolean, io: Io): Promise<void> {
  if (yes) return
  const what = `The demo needs Gemini CLI ${version}: npm installs it into ${homePath(folder, io.home)} (${size.megabytes} MB)`
  if (!canAsk(io))
    throw await fail(
      'agent_missing',
      `${what}. Not a terminal, so Remora cannot ask`,
      'Pass --yes to confirm: remora demo --yes',
    )
  io.err(`${what}. No other files are changed.\nInstall it? (y/n) `)
  if (!(await readYes(io)))
    throw await fail(
      'aborted',
      'Gemini CLI was not installed',
      `To install it yourself: ${gemini.detection.install}`,
    )
}

async function install(folder: string, io: Io): Promise<void> {
  const npm = (await findProgram('npm', io.env['PATH'])) ?? join(dirname(process.execPath), 'npm')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // Without a package.json, npm would use one of a parent folder.
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ name: 'remora-demo', private: true })}\n`)
  io.err('Installing…\n')
  const child = spawn(
    npm,
    [
      'install',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      '--no-package-lock',
      // Few retries, to report a missing network early.
      '--fetch-retries=1',
      `@google/gemini-cli@${version}`,
    ],
    { cwd: folder, env: io.env, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let said = ''
  let isMissing = false
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const stop = io.stopped?.()
  stop?.addEventListener('abort', () => child.kill())
  const [code] = (await once(child, 'close').catch((error: NodeJS.ErrnoException) => {
    isMissing = error.code === 'ENOENT'
    said += error.message
    return [1]
  })) as [number | null]
  if (code === 0) return
  if (isMissing)
    throw await fail(
      'agent_missing',
      'The demo needs Gemini CLI, and npm is not in PATH',
      'Install npm (it comes with Node.js from nodejs.org), then retry.',
    )
  throw await fail(
    'network',
    `npm could not install Gemini CLI: ${reason(said)}`,
    `Check the connection to the npm registry, or install it yourself: ${gemini.detection.install}`,
  )
}

/** npm prints the path of its log last, and the error before it. */
function reason(said: string): string {
  const lines = said
    .split('\n')
    .filter((line) => line.trim() !== '' && !/complete log of this run/.test(line))
  return (lines.at(-1) ?? 'no reason given').trim()
}
