import { join } from 'node:path'
import type { HooksPart } from '../../agent.ts'
import { geminiFolder } from './home.ts'
import { hookReader } from './hook-payload.ts'

const events = [
  'SessionStart',
  'SessionEnd',
  'BeforeAgent',
  'AfterAgent',
  'BeforeModel',
  'AfterModel',
  'BeforeToolSelection',
  'BeforeTool',
  'AfterTool',
  'PreCompress',
  'Notification',
] as const

export const hooks: HooksPart = {
  events,
  reader: hookReader,
  file: (place) => join(geminiFolder(place), 'settings.json'),
  config(command) {
    // No matcher means every tool. The timeout is in milliseconds.
    const entry = (event: string) => [
      { hooks: [{ name: 'remora', type: 'command', command: command(event), timeout: 5000 }] },
    ]
    const config = { hooks: Object.fromEntries(events.map((event) => [event, entry(event)])) }
    return `${JSON.stringify(config, null, 2)}\n`
  },
}
