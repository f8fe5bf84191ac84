import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { HooksPart, HookEntry, HookKind, HookTarget, OurHook } from '../../contract/agent.ts'
import { getHookKind, quoteCommand } from '../../dialects/our-hooks.ts'
import { configFolder } from './home.ts'
import { hookObstacles } from './hook-obstacles.ts'
import { hookReader } from './hook-payload.ts'
import { npmTarget, pluginName } from './npm-settings.ts'
import { pluginEvents, pluginText } from './plugin-text.ts'

/** OpenCode has plugins instead of hooks, so ours is a small module that writes to the spool itself. */
export const hooks: HooksPart = {
  events: pluginEvents,
  defaultEvents: pluginEvents,
  gates: [],
  async targets(place, scope) {
    if (typeof scope === 'object') return [pluginTarget(scope.file)]
    const folder = scope === 'project' ? join(place.cwd, '.opencode') : configFolder(place)
    return [pluginTarget(join(folder, 'plugin', pluginName)), await npmTarget(folder)]
  },
  otherFiles: /\.[jt]s$/,
  obstacles: hookObstacles,
  reader: hookReader,
}

/**
 * A plugin file of OpenCode that is entirely ours.
 *
 * @example pluginTarget('/home/me/.config/opencode/plugin/remora.js').entries(text)
 */
function pluginTarget(file: string): HookTarget {
  return { file, entries, added, removed }
}

function entries(text: string): HookEntry[] {
  if (text.trim() === '') return []
  // Another author's file with our name.
  if (!isOurs(text)) return [{ event: 'plugin', command: text.split('\n')[0]!.slice(0, 80) }]
  const argv = [constant(text, 'hook'), constant(text, 'agent')].flatMap((word) =>
    typeof word === 'string' ? [word] : [],
  )
  const events = constant(text, 'events')
  return (Array.isArray(events) ? events.map(String) : pluginEvents).map((event) => ({
    event,
    command: quoteCommand(argv),
    kind: 'record',
  }))
}

function added(text: string, hooks: readonly OurHook[]): string {
  const ours = hooks.filter(({ kind, event }) => kind === 'record' && isPluginEvent(event))
  if (ours.length === 0) return text
  if (text.trim() !== '') {
    throw new RemoraError('config', 'It is another plugin', {
      hint: 'Give it another name; nothing was changed.',
    })
  }
  return pluginText(
    ours.map(({ event }) => event),
    ours[0]!.command,
  )
}

function removed(text: string, kind?: HookKind, original?: string): string {
  return kind === 'pave' || !isOurs(text) ? text : (original ?? '')
}

function isOurs(text: string): boolean {
  return getHookKind(text) === 'record'
}

function isPluginEvent(event: string): boolean {
  return (pluginEvents as readonly string[]).includes(event)
}

function constant(text: string, name: string): unknown {
  try {
    return JSON.parse(new RegExp(`^const ${name} = (.*)$`, 'm').exec(text)?.[1] ?? '')
  } catch {
    return undefined
  }
}
