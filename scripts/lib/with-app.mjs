import { join } from 'node:path'
import { checkNodeVersion } from './node-version.mjs'
import { runNode } from './children.mjs'
import { bin, web } from './paths.mjs'
import { prepareProduct } from './prepare.mjs'
import { printFailure } from './setup-error.mjs'

/** Runs a program of the app's tests on the built app, and exits with its code. */
export async function withApp(program, args) {
  checkNodeVersion()
  try {
    if (!process.env.REMORA_TEST_APP) await prepareProduct()
    process.exitCode = await runNode(bin('tsx'), [join(web, 'test', program), ...args])
  } catch (error) {
    printFailure(error)
    process.exitCode = 1
  }
}
