import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { atLeast, detect, gemini } from '@remora/sdk'
import { canAsk, readYes } from '../../command/confirm.ts'
import { fail } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import { installPackage } from '../../detection/install-package.ts'
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
  await mkdir(folder, { recursive: true, mode: 0o700 })
  io.err('Installing…\n')
  await installPackage(`@google/gemini-cli@${version}`, { name: 'Gemini CLI', folder }, io)
}
