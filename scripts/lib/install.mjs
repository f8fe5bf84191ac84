import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { compilerHint } from './compiler.mjs'
import { npm } from './npm.mjs'
import { cache } from './paths.mjs'
import { progress } from './progress.mjs'
import { SetupError } from './setup-error.mjs'
import { contentPrint, stampFile } from './stamp.mjs'

/**
 * Installs a folder's lockfile unless that is already done. `verify` may throw on the result. Install scripts run only
 * with `scripts`; their builds may depend on the Node version, so a new Node installs again. `npm ci` rejects a lockfile
 * without an optional package of another platform; `lenient` accepts it without changing it.
 */
export async function install(
  folder,
  { title, name, scripts = false, lenient = false, verify = async () => {} },
) {
  const modules = join(folder, 'node_modules')
  const stamp = stampFile(join(modules, '.remora-installed'))
  const print = contentPrint([join(folder, 'package-lock.json')], { native: scripts })
  if (stamp.fits(print)) return false
  const log = join(cache, 'logs', `install-${name}.log`)
  await progress(existsSync(modules) ? `${title} anew` : title, async () => {
    // Like `npm ci`: an interrupted install may lack the files that an install script creates.
    rmSync(modules, { recursive: true, force: true })
    const command = lenient ? ['install', '--no-save'] : ['ci']
    // Explicit, because the user's settings may omit these and the tests need them.
    const wanted = ['--include=dev', '--include=optional', `--ignore-scripts=${!scripts}`]
    const code = await npm([...command, '--prefer-offline', ...wanted], { cwd: folder, log })
    if (code !== 0) {
      throw new SetupError(`npm ${command[0]} failed in ${folder}.`, { log, hint: compilerHint(log) })
    }
    await verify(folder)
    stamp.write(print)
  })
  return true
}
