import type { Alias } from './alias/alias.ts'
import { aliasCommand, shellWord } from './alias/alias-command.ts'
import { aliasFits } from './alias/alias-fits.ts'
import { commandOf } from './classify.ts'
import { type DocMapping, docFor } from './doc-mapping.ts'
import { inputText } from './input-text.ts'
import { type PackageManager, installHint } from './install-hint.ts'
import type { DesirePath } from './paths.ts'
import type { Recovery } from './recoveries.ts'
import { similar } from './similar.ts'
import { aliasFrom } from './suggest-alias.ts'
import {
  type Setting,
  allowSetting,
  memoryFile,
  timeoutSetting,
  variableSetting,
} from './suggest-settings.ts'

export const suggestionKinds = ['document', 'pave', 'alias', 'install', 'setting', 'lesson'] as const
export type SuggestionKind = (typeof suggestionKinds)[number]

/** A fix for a path: what it is, and what to paste where. */
export interface Suggestion extends Setting {
  readonly kind: SuggestionKind
  readonly text: string
}

export interface SuggestSources {
  readonly aliases: readonly Alias[]
  readonly mappings: readonly DocMapping[]
  readonly recoveries: readonly Recovery[]
  /** The tools that an agent has, as far as that is known. */
  readonly tools: (agent: string) => readonly string[]
  /** The package managers of this machine. */
  readonly managers: readonly PackageManager[]
}

/**
 * What would mend a path, the best first; there is always something.
 *
 * @example suggest(path, sources)[0].paste // 'remora alias pip pip3 --replace'
 */
export function suggest(path: DesirePath, sources: SuggestSources): Suggestion[] {
  const found: Suggestion[] = []
  const doc = docFor(sources.mappings, path)
  if (doc)
    found.push(lesson(path, `Read ${doc.doc} first.${doc.excerpt ? ` ${doc.excerpt}` : ''}`, 'document'))
  const known = sources.aliases.find((alias) => aliasFits(alias, path.example))
  if (known && known.kind !== 'tool')
    found.push({
      kind: 'pave',
      text: `Your alias for ${known.from} is about this; let the agents heed it`,
      where: 'shell',
      paste: `remora pave --hook --agent ${path.example.agent}`,
    })
  const own = sources.recoveries.filter(({ pattern }) => pattern === path.name)
  if (!known) {
    const alias = aliasFrom(own)
    if (alias)
      found.push({
        kind: 'alias',
        text: 'This is what worked afterwards',
        where: 'shell',
        paste: aliasCommand(alias),
      })
  }
  found.push(...byClass(path, sources))
  if (found.length === 0) found.push(lastResort(path, own))
  return found
}

function byClass(path: DesirePath, sources: SuggestSources): Suggestion[] {
  const { detail, example } = path
  const { agent, tool, native } = example
  switch (path.class) {
    case 'unknown-tool':
      return unknownTool(path, sources)
    case 'missing-command': {
      if (detail === undefined) return []
      const install = installHint(detail, sources.managers)
      if (install !== undefined)
        return [{ kind: 'install', text: `${detail} is not installed`, where: 'shell', paste: install }]
      return [lesson(path, `The command \`${detail}\` is not installed here; do not use it.`)]
    }
    case 'missing-env':
      if (detail === undefined || !/^[A-Za-z_]\w*$/.test(detail)) return []
      return [setting(`${detail} is not set for the commands of ${agent}`, variableSetting(agent, detail))]
    case 'permission-denied': {
      // The system and services refuse what no rule of a CLI can allow.
      if (path.rule === 'system-permission' || path.rule === 'service-permission') return []
      const allow = allowSetting(agent, tool, native, commandOf(example.input))
      return allow ? [setting('If it may run without asking', allow)] : []
    }
    case 'timeout': {
      const longer = timeoutSetting(agent)
      if (longer) return [setting('If it may take longer', longer)]
      return [lesson(path, 'Run commands that take long in the background, or give them a longer timeout.')]
    }
    case 'edit-mismatch':
      return [lesson(path, 'Read a file again right before you edit it, and copy the old text from there.')]
    case 'wrong-path':
      return detail === undefined
        ? []
        : [lesson(path, `There is no \`${detail}\`; look before you use a path.`)]
    default:
      return []
  }
}

/** No hook hears of a tool that is not there, so the lesson has to be written down where the agent reads it. */
function unknownTool(path: DesirePath, { tools, aliases }: SuggestSources): Suggestion[] {
  const { agent, native, error } = path.example
  const meant = aliases.find(({ kind, from }) => kind === 'tool' && from === native)?.to
  // Some CLIs say themselves what they have instead.
  const told = /did you mean[^"'`]*["'`](?<name>[\w-]+)/i.exec(error ?? '')?.groups?.['name']
  const [near] = similar(native, tools(agent), { alias: () => meant ?? told })
  const write = `remora pave --agents-md --append ${memoryFile(agent)}`
  if (!near) return [lesson(path, `There is no tool \`${native}\`.`)]
  if (meant !== undefined)
    return [
      {
        kind: 'pave',
        text: `Your alias says ${meant}; write it down for ${agent}`,
        where: 'shell',
        paste: write,
      },
    ]
  const alias = aliasCommand({ kind: 'tool', from: native, to: near.name, agent })
  return [
    { kind: 'alias', text: `The nearest tool is ${near.name}`, where: 'shell', paste: `${alias}\n${write}` },
  ]
}

function setting(text: string, { where, paste }: Setting): Suggestion {
  return { kind: 'setting', text, where, paste }
}

function lesson(path: DesirePath, paste: string, kind: SuggestionKind = 'lesson'): Suggestion {
  const where = memoryFile(path.example.agent)
  return { kind, text: `A line for ${where}`, where, paste: `- ${paste}` }
}

/** What worked, if anything did; else a person has to say where help stands. */
function lastResort(path: DesirePath, recoveries: readonly Recovery[]): Suggestion {
  const worked = recoveries.find(
    ({ failure, success }) =>
      inputText(failure.input) !== inputText(success.input) && !inputText(success.input).includes('\n'),
  )
  if (worked)
    return lesson(
      path,
      `\`${inputText(worked.failure.input)}\` fails; \`${inputText(worked.success.input)}\` works.`,
    )
  return {
    kind: 'document',
    text: 'Say where help for it stands',
    where: 'shell',
    paste: `remora map ${shellWord(path.name)} --doc README.md`,
  }
}
