import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fail } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import { findProgram } from './find-program.ts'

export interface InstallTarget {
  /** How errors name what is installed. */
  readonly name: string
  /** An existing folder. Its `node_modules` gets the package. */
  readonly folder: string
  /** More options for npm. */
  readonly options?: readonly string[]
}

/** Installs a package with npm into a folder of its own. @example await installPackage('left-pad@1.3.0', { name: 'left-pad', folder }, io) */
export async function installPackage(spec: string, target: InstallTarget, io: Io): Promise<void> {
  const { name, folder, options = [] } = target
  const npm = (await findProgram('npm', io.env['PATH'])) ?? join(dirname(process.execPath), 'npm')
  // Without a package.json, npm would use one of a parent folder.
  await writeFile(
    join(folder, 'package.json'),
    `${JSON.stringify({ name: 'remora-install', private: true })}\n`,
  )
  const child = spawn(
    npm,
    [
      'install',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      '--no-package-lock',
      '--global=false',
      // Few retries, to report a missing network early.
      '--fetch-retries=1',
      ...options,
      spec,
    ],
    { cwd: folder, env: io.env, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let stderr = ''
  let isMissing = false
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const stop = io.stopped?.()
  stop?.addEventListener('abort', () => child.kill())
  const [code] = (await once(child, 'close').catch((error: NodeJS.ErrnoException) => {
    isMissing = error.code === 'ENOENT'
    stderr += error.message
    return [1]
  })) as [number | null]
  if (stop?.aborted) throw await fail('aborted', `${name} was not installed`, 'Run the command again.')
  if (code === 0) return
  if (isMissing)
    throw await fail(
      'agent_missing',
      `npm installs ${name}, and npm is not in PATH`,
      'Install npm (it comes with Node.js from nodejs.org), then retry.',
    )
  throw await fail(
    'network',
    `npm could not install ${name}: ${reason(stderr)}`,
    `Check the name and the connection to the npm registry, or try it yourself: npm install ${spec}`,
  )
}

/** npm prints the path of its log last, and the error before it. For an unknown package, advice follows the error. */
function reason(stderr: string): string {
  const lines = stderr
    .split('\n')
    .filter((line) => line.trim() !== '' && !/complete log of this run|^npm (?:warn|notice)/.test(line))
  const unknown = lines.find((line) => /^npm error (?:404|notarget) \S/.test(line))
  return (unknown ?? lines.at(-1) ?? 'no reason given').trim()
}
