import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { asRecord, asString } from '../../events/fields.ts'
import { resolveLinks } from '../../files/paths.ts'
import { getHookKind } from '../../dialects/our-hooks.ts'
import { isObject } from '../../dialects/settings.ts'
import type { Settings } from '../../dialects/settings.ts'

/** The seconds that Codex allows a hook of these events. */
export const shortEvents: Readonly<Record<string, number>> = { SessionEnd: 3, Interrupt: 3 }
const usualTimeout = 600

export interface HookTrust {
  readonly event: string
  /** Whether it is a hook of Remora. */
  readonly ours: boolean
  /** A person has looked at it as it is now; without that Codex skips it, in `exec` without a word. */
  readonly trusted: boolean
  /** A person has switched it off. */
  readonly disabled: boolean
}

/**
 * Whether Codex will run the hooks of a hooks.json, by what a person has said of them so far. It remembers that by the
 * file, event and place of a hook, with a hash of its definition.
 *
 * @example await hooksTrust('/home/me/.codex/hooks.json', config) // [{ event: 'Stop', trusted: false, … }]
 */
export async function hooksTrust(file: string, config: Settings): Promise<HookTrust[]> {
  const files = [file, await resolveLinks(file)]
  const states = asRecord(config.get('hooks', 'state')) ?? {}
  const stateOf = (place: string) =>
    asRecord(files.map((each) => states[`${each}:${place}`]).find((state) => state !== undefined))
  return (await handlersIn(file)).map(({ event, group, index, handler }) => {
    const state = stateOf(`${snakeCase(event)}:${group}:${index}`)
    const trusted = asString(state?.['trusted_hash'])
    const ours = getHookKind(asString(handler['command']) ?? '') !== undefined
    return {
      event,
      ours,
      // How Codex reads a matcher differs by event; hooks of ours have none.
      trusted: ours ? trusted === hookHash(event, handler) : trusted !== undefined,
      disabled: state?.['enabled'] === false,
    }
  })
}

/**
 * What Codex 0.166.0 calls the `currentHash` of a hook without a matcher: SHA-256 of its definition as JSON with sorted
 * keys, after defaults and limits were applied.
 *
 * @example hookHash('Stop', { command: 'echo hi' }) // 'sha256:f2aa169c…'
 */
export function hookHash(event: string, handler: Readonly<Record<string, unknown>>): string {
  const limit = shortEvents[event] ?? Infinity
  const timeout = typeof handler['timeout'] === 'number' ? handler['timeout'] : usualTimeout
  const status = asString(handler['statusMessage'])
  const definition = {
    event_name: snakeCase(event),
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

interface PlacedHandler {
  readonly event: string
  readonly group: number
  readonly index: number
  readonly handler: Record<string, unknown>
}

/** As Codex reads them: of a file that is not strictly JSON, none. */
async function handlersIn(file: string): Promise<PlacedHandler[]> {
  let events: Record<string, unknown>
  try {
    events = asRecord(asRecord(JSON.parse(await readFile(file, 'utf8')))?.['hooks']) ?? {}
  } catch {
    return []
  }
  return Object.entries(events).flatMap(([event, groups]) =>
    listOf(groups).flatMap((each, group) =>
      listOf(asRecord(each)?.['hooks']).flatMap((handler, index) =>
        isObject(handler) ? [{ event, group, index, handler }] : [],
      ),
    ),
  )
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function snakeCase(event: string): string {
  return event.replaceAll(/(?<=.)[A-Z]/g, '_$&').toLowerCase()
}
