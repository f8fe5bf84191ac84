import { formatRootHelp, formatVerbHelp } from './args/help.ts'
import { parse } from './args/parse.ts'
import { UsageError, exitCode } from './command/errors.ts'
import type { Io } from './command/io.ts'
import { findVerb } from './command/verb.ts'
import { version } from './command/version.ts'
import { loadAdded } from './detection/added-agents.ts'
import { guardOutput } from './output/guard-output.ts'
import { verbs } from './verbs.ts'

/** Runs one command line and returns its exit code. @example await main(['doctor', '--json'], io) */
export async function main(words: readonly string[], world: Io): Promise<number> {
  const io = guardOutput(world)
  try {
    return await dispatch(words, io, world)
  } catch (error) {
    return await report(error, io)
  }
}

async function dispatch(words: readonly string[], io: Io, world: Io): Promise<number> {
  // Without a command, `remora` serves on a terminal and prints its help elsewhere.
  const [name, ...rest] = words.length === 0 && io.terminal ? ['serve'] : words
  if (name === '--version' || name === '-v') {
    io.out(`${version}\n`)
    return 0
  }
  await loadAdded(io)
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const [topic, ...sub] = name === 'help' ? rest : []
    io.out(topic === undefined ? formatRootHelp(verbs) : await formatHelp(topic, sub))
    return 0
  }
  const { verb, args } = await findVerb(verbs, name, rest)
  const input = parse(verb, args)
  if (!input.values['help']) {
    const isJson = verb.printsJson?.(input) ?? input.values['json'] === true
    return verb.run(input, isJson ? guardOutput(world, 'json') : io)
  }
  io.out(await formatHelp(name, rest))
  return 0
}

/** The help of a verb. For an earlier name, it is the help of the current one, with a note. */
async function formatHelp(name: string, args: readonly string[]): Promise<string> {
  const { verb } = await findVerb(verbs, name, args)
  const { parent, currentName = parent && `${parent} ${name}` } = verbs[name]!
  if (currentName === undefined) return formatVerbHelp(verb, verbs)
  const [first, ...rest] = currentName.split(' ')
  const current = await findVerb(verbs, first!, rest)
  return `remora ${name} is now remora ${currentName}; both work.\n\n${formatVerbHelp(current.verb, verbs)}`
}

/** Prints two lines: what failed, and what to do. */
async function report(error: unknown, io: Io): Promise<number> {
  if (error instanceof UsageError) {
    io.err(`remora: ${error.message}\n  ${error.hint}\n`)
    return 2
  }
  const { RemoraError } = await import('@remora/protocol/plain')
  if (RemoraError.is(error)) {
    io.err(`remora: ${error.message}\n${error.hint ? `  ${error.hint}\n` : ''}`)
    return exitCode(error.code)
  }
  const trace = io.env['REMORA_DEBUG'] && error instanceof Error ? `\n${error.stack}` : ''
  io.err(`remora: ${error instanceof Error ? error.message : String(error)}${trace}\n`)
  io.err('  This is a bug. Set REMORA_DEBUG=1 for a stack trace, and please report it.\n')
  return 1
}
