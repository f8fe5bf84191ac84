import { join } from 'node:path'
import type { HooksPart } from '../../agent.ts'
import { codexFolder } from './home.ts'
import { hookReader } from './hook-payload.ts'

const events = [
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'PreModelRequest',
  'PostModelRequest',
  'PreToolUse',
  'PostToolUse',
  'PermissionRequest',
  'PreCompact',
  'PostCompact',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'Interrupt',
] as const

/** Codex skips hooks that the user has not trusted, in `exec` without a word; its terminal asks at the next start. */
export const hooks: HooksPart = {
  events,
  reader: hookReader,
  file: (place) => join(codexFolder(place), 'hooks.json'),
  config(command) {
    // The timeout is in seconds; Codex allows 3 at most for SessionEnd and Interrupt.
    const entry = (event: string) => [{ hooks: [{ type: 'command', command: command(event), timeout: 3 }] }]
    const config = { hooks: Object.fromEntries(events.map((event) => [event, entry(event)])) }
    return `${JSON.stringify(config, null, 2)}\n`
  },
}
