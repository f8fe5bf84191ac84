import { join } from 'node:path'
import { runNode } from './children.mjs'
import { bin, cache, root } from './paths.mjs'
import { SetupError } from './setup-error.mjs'

/** Whether every file looks as the formatter would write it. */
export function checkFormat() {
  return tool('format', 'oxfmt', ['--check'], 'Repair it with: npm run format')
}

/** The linter with types: floating promises, import directions, cycles. A warning counts as an error. */
export function checkLint() {
  return tool('lint', 'oxlint', ['--type-aware', '--deny-warnings'])
}

/** All types, tests included. It builds the packages on the way. */
export function checkTypes() {
  return tool('types', 'typescript', ['-b'], undefined, 'tsc')
}

/** A short run of the bench, with the limit that we promise. */
export async function checkHelpCost() {
  const log = join(cache, 'logs', 'cli-help.log')
  const code = await runNode(join(root, 'bench', 'cli-help.mjs'), ['--runs', '7', '--limit', '100'], { log })
  if (code !== 0) throw new SetupError('remora --help is too slow, or does not run.', { log })
}

/** Runs a tool quietly and shows what it said only if it objects. */
async function tool(title, name, args, hint, command = name) {
  const log = join(cache, 'logs', `${title}.log`)
  const code = await runNode(bin(name, command), args, { log })
  if (code !== 0) throw new SetupError(`${command} ended with exit code ${code}.`, { log, hint })
}
