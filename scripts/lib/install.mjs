import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { compilerHint } from './compiler.mjs'
import { npm } from './npm.mjs'
import { cache } from './paths.mjs'
import { progress } from './progress.mjs'
import { SetupError } from './setup-error.mjs'
import { contentPrint, stampFile } from './stamp.mjs'

/**
 * Installs what a folder's lockfile says, unless that was done already. `verify` may object to the result. Install
 * scripts run only with `scripts`; what they build may depend on the version of Node, so a change of it installs again.
 * `npm ci` refuses a lockfile that lacks an optional package of another platform; `lenient` takes it, and changes nothing in it.
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
    // As `npm ci` does: an install cut short may lack what an install script would have put there.
    rmSync(modules, { recursive: true, force: true })
    const command = lenient ? ['install', '--no-save'] : ['ci']
    // Explicit, since the user's settings may leave these out and the tests need them.
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
