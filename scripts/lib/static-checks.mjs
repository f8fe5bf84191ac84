import { join } from 'node:path'
import { runNode } from './children.mjs'
import { bin, cache, root } from './paths.mjs'
import { SetupError } from './setup-error.mjs'
import { together } from './together.mjs'

/** Checks the format of every file. */
export function checkFormat() {
  return tool('format', 'oxfmt', ['--check'], 'Fix it with: npm run format')
}

/** Runs the type-aware linter: floating promises, import directions, cycles. A warning counts as an error. */
export function checkLint() {
  return tool('lint', 'oxlint', ['--type-aware', '--deny-warnings'])
}

/** Checks all types, including tests, and builds the packages. */
export function checkTypes() {
  return tool('types', 'typescript', ['-b'], undefined, 'tsc')
}

/** Runs every bench briefly to check that it works. Its speed depends on the load of the machine. */
export function checkBenches() {
  return together(benches.map(checkBench))
}

async function checkBench(name) {
  const log = join(cache, 'logs', `bench-${name}.log`)
  const code = await runNode(join(root, 'bench', `${name}.mjs`), ['--smoke'], { log })
  if (code !== 0) throw new SetupError(`bench/${name}.mjs ended with exit code ${code}.`, { log })
}

/** Short fault runs with a new seed each time, which is in the log. */
export function checkFaults() {
  return together([
    faults('ledger', ['--points', '10'], 'Killing a writer of the ledger lost or doubled something.'),
    faults('hooks', ['--hooks', '600'], 'Killing the drain of the spool lost or doubled something.'),
    faults('live', ['--points', '10'], 'Live faults lost or duplicated something.'),
    faults('readers', ['--minutes', '0.17'], 'A hostile record broke a reader, the ledger or a verb.'),
  ])
}

async function faults(kind, args, message) {
  const log = join(cache, 'logs', `faults-${kind}.log`)
  const code = await runNode(join(root, 'scripts', 'faults.mjs'), [kind, ...args], { log })
  if (code !== 0) throw new SetupError(message, { log })
}

const benches = [
  'acp',
  'cli-help',
  'fold',
  'headless',
  'hooks',
  'live',
  'load',
  'restart',
  'scale',
  'transcripts',
]

/** Runs a tool and shows its output only if it fails. */
async function tool(title, name, args, hint, command = name) {
  const log = join(cache, 'logs', `${title}.log`)
  const code = await runNode(bin(name, command), args, { log })
  if (code !== 0) throw new SetupError(`${command} ended with exit code ${code}.`, { log, hint })
}
