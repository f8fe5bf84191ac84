import { existsSync } from 'node:fs'
import type { Ledger } from '@remora/ledger'
import { listModeWords } from '../args/modes.ts'
import type { Io } from '../command/io.ts'
import { type Option, type Verb, type VerbTable, commonOptions, listSubcommands } from '../command/verb.ts'
import { agentNames } from '../detection/agent-names.ts'
import { ledgerPath } from '../home/remora-home.ts'
import { sharedDatabase } from '../ledger/ledger-location.ts'
import { listLiveRecords } from '../ledger/server-records.ts'
import { withLedger } from '../ledger/with-ledger.ts'

/** How many sessions a completion lists. */
const latestSessions = 50

/**
 * Shells expand what they complete, and model names come from agents, so that other characters could run a command.
 */
const safeWord = /^[\w./@-]+$/

/**
 * Lists completions of the last word of a command line. It reads the local ledger only, and creates nothing.
 *
 * @example await completeWords(verbs, verb, ['gemini', '--mode', 'pl'], io) // ['plan']
 */
export async function completeWords(
  verbs: VerbTable,
  verb: Verb,
  args: readonly string[],
  io: Io,
): Promise<string[]> {
  // Bash passes `--mode=plan` as three words.
  const words = args.filter((word) => word !== '=')
  const current = args.at(-1) === '=' ? '' : (words.at(-1) ?? '')
  const earlier = args.at(-1) === '=' ? words : words.slice(0, -1)
  const [, given] = /^(--[a-z-]+=)/.exec(current) ?? []
  const option = findOption(verb, given?.slice(0, -1) ?? earlier.at(-1))
  const positionals = earlier.filter(
    (word, index) => !word.startsWith('-') && !findOption(verb, earlier[index - 1]),
  )
  const found = option
    ? await listValues(option.value!, option.choices, verb, verbs, positionals, io)
    : await listArguments(verb, verbs, positionals, io)
  return [...new Set(found)]
    .filter((word) => safeWord.test(word))
    .map((word) => `${given ?? ''}${word}`)
    .filter((word) => word.startsWith(current))
}

/** The option that a word names, if it takes a value as the next word. */
function findOption(verb: Verb, word: string | undefined): Option | undefined {
  const options = Object.entries({ ...verb.options, ...commonOptions })
  const found = options.find(
    ([name, { short }]) => word === `--${name}` || (short && word === `-${short}`),
  )?.[1]
  return found?.value === undefined || found.optional ? undefined : found
}

async function listArguments(
  verb: Verb,
  verbs: VerbTable,
  positionals: readonly string[],
  io: Io,
): Promise<string[]> {
  const slots = verb.positionals ?? []
  const slot = slots[positionals.length] ?? (slots.at(-1)?.many ? slots.at(-1) : undefined)
  return [
    ...(positionals.length === 0 ? listSubcommands(verbs, verb.name).map(([name]) => name) : []),
    // The argument of adopt is a pane, which only tmux knows.
    ...(slot && verb.name !== 'adopt'
      ? await listValues(slot.name, undefined, verb, verbs, positionals, io)
      : []),
  ]
}

async function listValues(
  kind: string,
  choices: readonly string[] | undefined,
  verb: Verb,
  verbs: VerbTable,
  positionals: readonly string[],
  io: Io,
): Promise<readonly string[]> {
  if (choices) return choices
  if (kind === 'agent') return agentNames
  if (kind === 'mode') return listModeWords(positionals[0])
  if (kind === 'model') return readLocal(io, (ledger) => listModels(ledger, positionals[0]))
  if (kind !== 'session') return []
  const isLive = verbs[verb.name]?.group === 'Live' && verb.name !== 'new'
  return ['latest', ...(await readLocal(io, isLive ? listLiveIds : listSessionIds))]
}

async function listLiveIds(ledger: Ledger): Promise<string[]> {
  return (await listLiveRecords(ledger)).map(({ id }) => id)
}

async function listSessionIds(ledger: Ledger): Promise<string[]> {
  return (await ledger.sessions({ limit: latestSessions })).map(({ session }) => session)
}

/** Models of past sessions, of one agent if it is known. */
async function listModels(ledger: Ledger, agent: string | undefined): Promise<string[]> {
  const isAgent = agentNames.some((name) => name === agent)
  const entries = await ledger.sessions({ ...(isAgent ? { agent: agent! } : {}), hidden: true })
  return entries.flatMap(({ model }) => model ?? [])
}

/** A shared database could be slow, and the user waits for the completion. */
async function readLocal(io: Io, work: (ledger: Ledger) => Promise<string[]>): Promise<string[]> {
  if (!existsSync(ledgerPath(io)) || (await sharedDatabase(io)) !== undefined) return []
  return withLedger(io, work, { current: false })
}
