import { type Alias, aliasCommand, shellWord } from '../alias/alias.ts'
import { aliasFits } from '../alias/alias-fits.ts'
import { docFor, type DocMapping } from '../analysis/doc-mapping.ts'
import { inputText } from '../analysis/input-text.ts'
import { installHint, type PackageManager } from './install-hint.ts'
import type { DesirePath } from '../analysis/paths.ts'
import type { Recovery } from '../analysis/recoveries.ts'
import { similar } from '../analysis/similar.ts'
import { aliasFrom } from './suggest-alias.ts'
import { selectInstructive } from './select-instructive.ts'
import {
  type AgentSettings,
  allowSetting,
  getCommandPrefix,
  type Setting,
  variableSetting,
} from './suggest-settings.ts'
import { classify, getCommandLine } from '../classify/classify.ts'
import { isDangerous } from './dangerous.ts'

/** The kinds of suggestions. */
export const suggestionKinds = ['document', 'pave', 'alias', 'install', 'setting', 'lesson'] as const
/** The kind of a suggestion. */
export type SuggestionKind = (typeof suggestionKinds)[number]

/** A fix for a path: what it is, and what to paste where. */
export interface Suggestion extends Setting {
  readonly kind: SuggestionKind
  readonly text: string
}

/** What suggestions depend on in an agent. */
export interface SuggestAgent {
  /** The file with instructions that it reads at the start; `AGENTS.md` by default. */
  readonly memoryFile?: string
  /** Present if it has a hook that can change a tool call. */
  readonly pave?: object
  readonly settings?: AgentSettings
}

/** What `suggest` reads. */
export interface SuggestSources {
  readonly aliases: readonly Alias[]
  readonly mappings: readonly DocMapping[]
  readonly recoveries: readonly Recovery[]
  /** Finds an agent; undefined for one of an older ledger. */
  readonly agent: (id: string) => SuggestAgent | undefined
  /** The known tools of an agent. */
  readonly tools: (agent: string) => readonly string[]
  /** The package managers of this machine. */
  readonly managers: readonly PackageManager[]
  /** Whether a command is installed now. */
  readonly isInstalled?: (command: string) => boolean
  /** The day when the pave hook of an agent was installed; undefined without one. */
  readonly pavedSince?: (agent: string) => string | undefined
}

/**
 * Suggests fixes for a path, the best first; there is at least one.
 *
 * @example suggest(path, sources)[0].paste // 'remora alias pip pip3 --replace'
 */
export function suggest(path: DesirePath, sources: SuggestSources): Suggestion[] {
  const found: Suggestion[] = []
  const doc = docFor(sources.mappings, path)
  if (doc)
    found.push(
      lesson(path, sources, `Read ${doc.doc} first.${doc.excerpt ? ` ${doc.excerpt}` : ''}`, 'document'),
    )
  const known = sources.aliases.find((alias) => aliasFits(alias, path.example))
  if (known && known.kind !== 'tool') found.push(paving(path, known, sources))
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
  if (found.length === 0) found.push(lastResort(path, sources, own))
  return found
}

/** The alias exists: suggests how to apply it to the agents. */
function paving(path: DesirePath, { from }: Alias, sources: SuggestSources): Suggestion {
  const { pavedSince } = sources
  const able = path.agents.filter((agent) => sources.agent(agent)?.pave)
  const missing = able.filter((agent) => pavedSince?.(agent) === undefined)
  if (able.length > 0 && missing.length === 0) {
    const since = able.map((agent) => `${agent} since ${pavedSince!(agent)!}`).join(', ')
    const text = `Your alias for ${from} is already paved (${since}); check whether it helped`
    return { kind: 'pave', text, where: 'shell', paste: 'remora desires effect' }
  }
  const text = `Your alias for ${from} is about this; apply it to the agents`
  const paste =
    able.length === 0
      ? writeDown(path.agents, sources)
      : `remora pave --hook ${missing.map((agent) => `--agent ${agent}`).join(' ')}`
  return { kind: 'pave', text, where: 'shell', paste }
}

/** The commands that write the lessons into the agents' memory files. */
function writeDown(agents: readonly string[], sources: SuggestSources): string {
  return memoryFiles(agents, sources)
    .map((file) => `remora pave --agents-md --append ${file}`)
    .join('\n')
}

/** The memory files of some agents. */
function memoryFiles(agents: readonly string[], sources: SuggestSources): string[] {
  return [...new Set(agents.map((agent) => sources.agent(agent)?.memoryFile ?? 'AGENTS.md'))]
}

function byClass(path: DesirePath, sources: SuggestSources): Suggestion[] {
  const { detail, example } = path
  const { agent } = example
  const settings = sources.agent(agent)?.settings
  switch (path.class) {
    case 'unknown-tool':
      return unknownTool(path, sources)
    case 'missing-command': {
      if (detail === undefined) return []
      if (sources.isInstalled?.(detail))
        return [
          {
            kind: 'install',
            text: `${detail} is installed now; if agents still miss it, compare their PATH`,
            where: 'shell',
            paste: `command -v ${shellWord(detail)}`,
          },
        ]
      const install = installHint(detail, sources.managers)
      if (install !== undefined)
        return [{ kind: 'install', text: `${detail} is not installed`, where: 'shell', paste: install }]
      return [lesson(path, sources, `The command \`${detail}\` is not installed here; do not use it.`)]
    }
    case 'missing-env':
      if (detail === undefined || !/^[A-Za-z_]\w*$/.test(detail)) return []
      return [setting(`${detail} is not set for the commands of ${agent}`, variableSetting(settings, detail))]
    case 'permission-denied': {
      const advice = permissionAdvice(path, settings)
      if (advice?.setting) return [setting(advice.text, advice.setting)]
      return advice?.lesson === undefined ? [] : [lesson(path, sources, advice.lesson, 'lesson', advice.text)]
    }
    case 'timeout': {
      const longer = settings?.timeout
      if (longer) return [setting('If it may take longer', longer)]
      return [
        lesson(
          path,
          sources,
          'Run commands that take long in the background, or give them a longer timeout.',
        ),
      ]
    }
    case 'edit-mismatch':
      return [
        lesson(
          path,
          sources,
          'Read a file again right before you edit it, and copy the old text from there.',
        ),
      ]
    case 'wrong-path':
      return pathLesson(path, sources)
    default:
      return []
  }
}

/** Faults of paths and their remedies, by rule. */
const pathFaults: Readonly<Record<string, readonly [fault: string, remedy: string]>> = {
  'path-outside': ['outside of the folders that you may use', 'Stay in the folders of this session.'],
  'path-kind': ['not what was expected', 'Check first whether a path is a file or a folder.'],
  'file-kind': ['not what was expected', 'Check first what exists there, and whether it is a folder.'],
}

function pathLesson(path: DesirePath, sources: SuggestSources): Suggestion[] {
  const [fault, remedy] = pathFaults[path.rule] ?? ['not there', 'List a folder before you use a path in it.']
  const files = path.details.map((file) => `\`${file.replaceAll(/\s+/g, ' ')}\``)
  if (files.length === 0) return [lesson(path, sources, remedy)]
  const all = files.length === 1 ? files[0]! : `${files.slice(0, -1).join(', ')} and ${files.at(-1)!}`
  return [lesson(path, sources, `${all} ${files.length === 1 ? 'is' : 'are'} ${fault}. ${remedy}`)]
}

/** The minimum similarity of a suggested tool: a wrong one misleads more than none. */
const alikeTools = 0.75

/** CLIs run no hook for an unknown tool, so the lesson goes into the agent's memory file. */
function unknownTool(path: DesirePath, sources: SuggestSources): Suggestion[] {
  const { tools, aliases } = sources
  const { native } = path.example
  const meant = aliases.find(({ kind, from }) => kind === 'tool' && from === native)?.to
  if (meant !== undefined)
    return [
      {
        kind: 'pave',
        text: `Your alias says ${meant}; write it down for ${path.agents.join(', ')}`,
        where: 'shell',
        paste: writeDown(path.agents, sources),
      },
    ]
  const found = path.agents.flatMap((agent) => {
    const [near] = similar(native, tools(agent), { threshold: alikeTools })
    return near ? [{ agent, name: near.name }] : []
  })
  if (found.length === 0)
    return [lesson(path, sources, `There is no tool \`${native}\`; use one of those that you have.`)]
  const names = [...new Set(found.map(({ name }) => name))]
  const made = found.map(({ agent, name }) => aliasCommand({ kind: 'tool', from: native, to: name, agent }))
  return [
    {
      kind: 'alias',
      text: `The nearest tool is ${names.join(' or ')}`,
      where: 'shell',
      paste: [
        ...made,
        writeDown(
          found.map(({ agent }) => agent),
          sources,
        ),
      ].join('\n'),
    },
  ]
}

function setting(text: string, { where, paste }: Setting): Suggestion {
  return { kind: 'setting', text, where, paste }
}

function lesson(
  path: DesirePath,
  sources: SuggestSources,
  paste: string,
  kind: SuggestionKind = 'lesson',
  why?: string,
): Suggestion {
  const where = memoryFiles(path.agents, sources).join(', ')
  return {
    kind,
    text: `${why === undefined ? '' : `${why}. `}A line for ${where}`,
    where,
    paste: `- ${paste}`,
  }
}

/** The input that worked later, if there is one; else the user is asked to link documentation. */
function lastResort(path: DesirePath, sources: SuggestSources, recoveries: readonly Recovery[]): Suggestion {
  const worked = selectInstructive(recoveries).find(
    ({ failure, success }) =>
      inputText(failure.input) !== inputText(success.input) && !inputText(success.input).includes('\n'),
  )
  if (worked)
    return lesson(
      path,
      sources,
      `\`${inputText(worked.failure.input)}\` fails; \`${inputText(worked.success.input)}\` works.`,
    )
  return {
    kind: 'document',
    text: 'Link it to documentation',
    where: 'shell',
    paste: `remora map ${shellWord(path.name)} --doc README.md`,
  }
}

/** Advice on a refusal: a rule of the CLI that allows the call, or a lesson for the agent. */
interface PermissionAdvice {
  readonly text: string
  readonly setting?: Setting
  readonly lesson?: string
}

/** Refusals by rules of a CLI, which another rule can change. */
const ofRules = new Set(['permission-not-granted', 'refused-by-policy'])
const ofHooks = /\bhooks?\b|^Tool execution blocked/im
const ofFolders = /For security|allowed (?:working|workspace) director/i

/**
 * Advises on refused calls. A rule is offered only if a rule refused them, and never for a command that needs approval
 * each time.
 *
 * @example permissionAdvice(path, settings)?.setting?.paste
 */
function permissionAdvice(
  { rule, example }: DesirePath,
  settings: AgentSettings | undefined,
): PermissionAdvice | undefined {
  // A rule of a CLI cannot override the system or a service.
  if (rule === 'system-permission' || rule === 'service-permission') return undefined
  const { tool, native, error = '', input } = example
  const command = getCommandLine(input)
  const words = tool === 'Bash' ? getCommandPrefix(command) : undefined
  const what = words ? `\`${words.join(' ')}\`` : tool === 'Bash' ? 'such a command' : `\`${native}\``
  if (ofFolders.test(error))
    return {
      text: 'The agent left the folders that it may use, and no rule for commands changes that',
      lesson: 'Work only in the folders of this session; ask before you touch anything outside of them.',
    }
  if (ofHooks.test(error))
    return {
      text: 'A hook refused it, and no rule changes that',
      lesson: `A hook refuses ${what} here: do what it says, and do not try another way around it.`,
    }
  if (words && isDangerous(words))
    return {
      text: 'Too much to allow for good: answer when the agent asks',
      lesson: `Say what you want to do with ${what} and why, and wait for the answer of a person.`,
    }
  // The status hides the text, which shows what refused the call.
  const errorRule = classify({ ...example, status: 'error' }).rule
  if (!ofRules.has(errorRule) && !/requires? (?:approval|permission)/i.test(error))
    return {
      text: 'A person denied it, or it could not be asked for',
      lesson: `Ask before you use ${what}, and say why you need it.`,
    }
  const setting = allowSetting(settings, tool, native, command)
  return setting && { text: 'If it may run without asking', setting }
}
