import { fileURLToPath } from 'node:url'
import type { AcpCommand } from '../options.ts'

const program = fileURLToPath(new URL('./agent.test-data.mjs', import.meta.url))

/** Starts the agent without a model; what it can be told is said in its own file. @example connect(fakeAgent({ stays: true })) */
export function fakeAgent(behaviour: Readonly<Record<string, unknown>> = {}): AcpCommand {
  return { command: process.execPath, args: [program, JSON.stringify(behaviour)], id: 'fake' }
}
