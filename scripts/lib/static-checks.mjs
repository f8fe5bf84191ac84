import { join } from 'node:path'
import { runNode } from './children.mjs'
import { bin, cache, root } from './paths.mjs'
import { SetupError } from './setup-error.mjs'
import { together } from './together.mjs'

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

/** A short run of every bench: that it works, not how fast it is, since that depends on what else the machine does. */
export function checkBenches() {
  return together(benches.map(checkBench))
}

async function checkBench(name) {
  const log = join(cache, 'logs', `bench-${name}.log`)
  const code = await runNode(join(root, 'bench', `${name}.mjs`), ['--smoke'], { log })
  if (code !== 0) throw new SetupError(`bench/${name}.mjs ended with exit code ${code}.`, { log })
}

/** A tenth and less of what `npm run faults` does: a new seed each time, which is in the log. */
export function checkFaults() {
  return together([
    faults('ledger', ['--points', '10'], 'Killing a writer of the ledger lost or doubled something.'),
    faults('hooks', ['--hooks', '600'], 'Killing the drain of the spool lost or doubled something.'),
    faults('live', ['--points', '10'], 'Killing the server and what is around it lost or doubled something.'),
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

/** Runs a tool quietly and shows its output only if it fails. */
async function tool(title, name, args, hint, command = name) {
  const log = join(cache, 'logs', `${title}.log`)
  const code = await runNode(bin(name, command), args, { log })
  if (code !== 0) throw new SetupError(`${command} ended with exit code ${code}.`, { log, hint })
}
