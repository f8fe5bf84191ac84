import { fileURLToPath } from 'node:url'
import type { AcpCommand } from '../options.ts'

const program = fileURLToPath(new URL('./agent.test-data.mjs', import.meta.url))

/** Starts the fake agent. Its own file describes the options. @example connect(fakeAgent({ stays: true })) */
export function fakeAgent(behaviour: Readonly<Record<string, unknown>> = {}): AcpCommand {
  return { command: process.execPath, args: [program, JSON.stringify(behaviour)], id: 'fake' }
}
