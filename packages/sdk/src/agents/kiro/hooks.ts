import { readdir } from 'node:fs/promises'
import { join, basename } from 'node:path'
import type { HooksPart, Place, HookEntry, HookTarget } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { parseJsoncObject, removeJsonc, setJsonc } from '../../files/jsonc-edit.ts'
import { countHooks, readHookEvents, removeEmptied } from '../../dialects/nested-hooks.ts'
import { getHookKind, quoteCommand, hookTimeoutMs } from '../../dialects/our-hooks.ts'
import { hookReader } from './hook-payload.ts'

const events = ['agentSpawn', 'userPromptSubmit', 'preToolUse', 'postToolUse', 'stop'] as const

/**
 * Kiro's hooks belong to its agents, so they are added to every agent. If there is none, one is created: `kiro-cli chat
 * --agent remora`. Based on Kiro's documentation; Kiro 3 reads this format too.
 */
export const hooks: HooksPart = {
  events,
  defaultEvents: events,
  gates: [],
  showsOutput: true,
  async targets(place, scope) {
    if (typeof scope === 'object') return [agentFile(scope.file)]
    const folder = scope === 'project' ? join(place.cwd, '.kiro', 'agents') : agentsFolder(place)
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'))
    return (names.length === 0 ? ['remora.json'] : names.toSorted()).map((name) =>
      agentFile(join(folder, name)),
    )
  },
  otherFiles: /\.json$/,
  reader: hookReader,
}

function agentsFolder(place: Place): string {
  return join(place.env['KIRO_HOME'] || join(place.home, '.kiro'), 'agents')
}

/**
 * An agent definition file of Kiro, with hooks as flat lists: `{hooks: {event: [{command, timeout_ms}]}}`.
 *
 * @example agentFile('/home/me/.kiro/agents/default.json')
 */
export function agentFile(file: string): HookTarget {
  const name = basename(file, '.json')
  return {
    file,
    entries: (text) => handlersIn(text).map(({ event, command }) => toEntry(event, command)),
    added: (text, hooks) =>
      hooks.reduce(
        (result, { event, command, kind }) => {
          const entry = { command: quoteCommand(command), timeout_ms: hookTimeoutMs[kind] }
          return setJsonc(result, ['hooks', event, countHooks(result, event)], entry)
        },
        text === '' && hooks.length > 0 ? newAgent(name) : text,
      ),
    removed(text, kind, original) {
      const ours = handlersIn(text).filter(({ command }) => {
        const found = getHookKind(command)
        return found !== undefined && (kind === undefined || found === kind)
      })
      if (ours.length === 0) return text
      const result = removeEmptied(
        ours
          .toReversed()
          .reduce((left, { event, index }) => removeJsonc(left, ['hooks', event, index]), text),
        new Set(ours.toReversed().map(({ event }) => event)),
        original,
      )
      // A file that only our hooks created.
      const same =
        JSON.stringify(parseJsoncObject(result)) === JSON.stringify(parseJsoncObject(newAgent(name)))
      return original === '' && same ? '' : result
    },
  }
}

/** An agent with all tools, because an agent without this field has none. */
function newAgent(name: string): string {
  return `${JSON.stringify({ name, description: 'The default agent, seen by Remora', tools: ['*'] }, null, 2)}\n`
}

function handlersIn(text: string): { event: string; index: number; command: string }[] {
  return Object.entries(readHookEvents(text)).flatMap(([event, list]) =>
    (Array.isArray(list) ? (list as unknown[]) : []).map((each, index) => ({
      event,
      index,
      command: asString(asRecord(each)?.['command']) ?? '',
    })),
  )
}

function toEntry(event: string, command: string): HookEntry {
  const kind = getHookKind(command)
  return { event, command, ...(kind === undefined ? {} : { kind }) }
}
