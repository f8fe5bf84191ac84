import type { Agent, Screen, ScreenAsk, ScreenOption, ScreenState } from '../contract/agent.ts'

/**
 * An agent whose screens are not interpreted, for a version whose terminal failed in its probe: every dialog is an ask of
 * kind `dialog` with the text of the screen and the keys that the screen itself names.
 *
 * @example const terminal = await startTerminal(withoutGuesses(claude), options)
 */
export function withoutGuesses(agent: Agent): Agent {
  const { terminal } = agent
  if (!terminal) return agent
  return {
    ...agent,
    terminal: { ...terminal, read: (screen) => withPlainAsk(terminal.read(screen), screen) },
  }
}

/** A screen without an input line may show a dialog that the agent's reader does not find, so it counts as one too. */
function withPlainAsk(state: ScreenState, screen: Screen): ScreenState {
  const isUnknown = state.state === 'starting' && state.input === undefined
  if (state.state !== 'asking' && !isUnknown) return state
  const ask = toPlainAsk(screen)
  if (!ask) return state
  const { text: _, ...rest } = state
  return { ...rest, state: 'asking', ask }
}

function toPlainAsk({ lines }: Screen): ScreenAsk | undefined {
  const rows = lines.map((line) => line.trimEnd())
  const first = rows.findIndex(hasText)
  if (first === -1) return undefined
  const shown = rows.slice(first, rows.findLastIndex(hasText) + 1)
  return {
    kind: 'dialog',
    title: 'Unrecognized screen. Use the terminal to answer.',
    body: shown.join('\n'),
    options: listNamedKeys(shown.join('\n')),
  }
}

function hasText(row: string): boolean {
  return /[\p{L}\p{N}]/u.test(row)
}

const keyNames: Readonly<Record<string, string>> = {
  enter: 'Enter',
  return: 'Enter',
  esc: 'Escape',
  escape: 'Escape',
}

/**
 * The keys that a screen names, such as `Esc to cancel`. Their meaning is not known, so none of them counts as a denial
 * or an approval.
 */
function listNamedKeys(text: string): ScreenOption[] {
  const found = new Map<string, ScreenOption>()
  for (const [label, name = ''] of text.matchAll(/\b(enter|return|esc|escape) to [a-z]+(?: [a-z]+)?/gi)) {
    const key = keyNames[name.toLowerCase()]!
    if (!found.has(key))
      found.set(key, { id: `key_${key.toLowerCase()}`, label, effect: 'other', keys: [key] })
  }
  return [...found.values()]
}
