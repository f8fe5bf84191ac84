import type { Command } from '@remora/protocol'
import { commandKey } from './live.ts'

/** The queued and running prompts in order. The latest version of a command wins. */
export function queueOf(commands: readonly Command[]): Map<string, Command> {
  const latest = new Map(commands.map((command) => [commandKey(command), command]))
  const waiting = [...latest.values()].filter(isInQueue).toSorted((a, b) => a.at - b.at)
  return new Map(waiting.map((command) => [commandKey(command), command]))
}

function isInQueue({ state, body }: Command): boolean {
  return body.kind === 'prompt' && (state === 'queued' || state === 'sent')
}
