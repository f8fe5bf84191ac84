import { createHash } from 'node:crypto'
import type { Agent, Screen, ScreenAsk, TerminalPart } from '../../contract/agent.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import type { TerminalNow } from './terminal.ts'

/** Reads an agent's screen, with the digest of its ask. */
export function readScreen(part: TerminalPart, screen: Screen): TerminalNow {
  const { ask, ...state } = part.read(screen)
  return ask ? { ...state, ask: { ...ask, digest: askDigest(ask) } } : state
}

/** Identifies exactly what the user is shown. @example askDigest(ask) // 64 hexadecimal digits */
export function askDigest({ kind, title, body, options, freeText }: ScreenAsk): string {
  const shown = [
    kind,
    title,
    body ?? null,
    options.map(({ id, label }) => [id, label]),
    freeText !== undefined,
  ]
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex')
}

export function getTerminalPart(agent: Agent): TerminalPart {
  if (agent.terminal) return agent.terminal
  throw createUnsupportedError(agent.title, 'the terminal', 'See remora agents for the ways to reach it.')
}
