import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { asRecord, asString } from '../../events/fields.ts'
import { resolveLinks } from '../../files/paths.ts'
import { getHookKind } from '../../dialects/our-hooks.ts'
import { isObject } from '../../dialects/settings.ts'
import type { Settings } from '../../dialects/settings.ts'

/** The maximum timeout in seconds that Codex allows for hooks of these events. */
export const shortEvents: Readonly<Record<string, number>> = { SessionEnd: 3, Interrupt: 3 }
const defaultTimeout = 600

export interface HookTrust {
  readonly event: string
  /** Whether it is a hook of Remora. */
  readonly ours: boolean
  /** Whether the user trusted its current definition. Codex skips other hooks, in `exec` silently. */
  readonly trusted: boolean
  /** Whether the user disabled it. */
  readonly disabled: boolean
}

/**
 * Whether Codex will run the hooks of a hooks.json. Codex stores the user's decision by the file, event and index of a
 * hook, with a hash of its definition.
 *
 * @example await readHooksTrust('/home/me/.codex/hooks.json', config) // [{ event: 'Stop', trusted: false, … }]
 */
export async function readHooksTrust(file: string, config: Settings): Promise<HookTrust[]> {
  const files = [file, await resolveLinks(file)]
  const states = asRecord(config.get('hooks', 'state')) ?? {}
  const findState = (key: string) =>
    asRecord(files.map((each) => states[`${each}:${key}`]).find((state) => state !== undefined))
  return (await readHandlers(file)).map(({ event, group, index, handler }) => {
    const state = findState(`${toSnakeCase(event)}:${group}:${index}`)
    const trusted = asString(state?.['trusted_hash'])
    const ours = getHookKind(asString(handler['command']) ?? '') !== undefined
    return {
      event,
      ours,
      // The hash is only known for hooks without a matcher, such as Remora's.
      trusted: ours ? trusted === computeHookHash(event, handler) : trusted !== undefined,
      disabled: state?.['enabled'] === false,
    }
  })
}

/**
 * The `currentHash` that Codex 0.166.0 computes for a hook without a matcher: SHA-256 of its definition as JSON with sorted
 * keys, after defaults and limits were applied.
 *
 * @example computeHookHash('Stop', { command: 'echo hi' }) // 'sha256:f2aa169c…'
 */
export function computeHookHash(event: string, handler: Readonly<Record<string, unknown>>): string {
  const limit = shortEvents[event] ?? Infinity
  const timeout = typeof handler['timeout'] === 'number' ? handler['timeout'] : defaultTimeout
  const status = asString(handler['statusMessage'])
  const definition = {
    event_name: toSnakeCase(event),
    hooks: [
      {
        async: handler['async'] === true,
        command: handler['command'],
        ...(status === undefined ? {} : { statusMessage: status }),
        timeout: Math.min(limit, Math.max(1, timeout)),
        type: 'command',
      },
    ],
  }
  return `sha256:${hash('sha256', JSON.stringify(definition))}`
}

interface IndexedHandler {
  readonly event: string
  readonly group: number
  readonly index: number
  readonly handler: Record<string, unknown>
}

/** Like Codex, it finds none in a file that is not strict JSON. */
async function readHandlers(file: string): Promise<IndexedHandler[]> {
  let events: Record<string, unknown>
  try {
    events = asRecord(asRecord(JSON.parse(await readFile(file, 'utf8')))?.['hooks']) ?? {}
  } catch {
    return []
  }
  return Object.entries(events).flatMap(([event, groups]) =>
    asList(groups).flatMap((each, group) =>
      asList(asRecord(each)?.['hooks']).flatMap((handler, index) =>
        isObject(handler) ? [{ event, group, index, handler }] : [],
      ),
    ),
  )
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function toSnakeCase(event: string): string {
  return event.replaceAll(/(?<=.)[A-Z]/g, '_$&').toLowerCase()
}
