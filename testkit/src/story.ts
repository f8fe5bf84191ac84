import { type Event, type Message, fold, getMessageText } from '@remora/protocol'
import { type Agent, sessions } from '@remora/sdk'
import { expect } from 'vitest'
import { pinned } from './clis.ts'
import type { Home } from './home.ts'

/**
 * Checks that prompts, calls and text appear exactly once and in order: in what a channel emitted, and in that joined with
 * what the agent itself wrote down, whichever of them is stored first.
 *
 * @param lines As `toStory` gives them.
 * @param unseen The one of them that only the transcript has.
 */
export async function expectStory(
  agent: Agent,
  home: Home,
  emitted: readonly Event[],
  lines: readonly string[],
  unseen?: string,
): Promise<void> {
  expect(toStory(fold(emitted)), 'emitted').toEqual(lines.filter((line) => line !== unseen))
  const written = await readWritten(agent, home, emitted.at(-1)!.session)
  expect(toStory(fold([...emitted, ...written])), 'emitted and written').toEqual(lines)
  expect(toStory(fold([...written, ...emitted])), 'written and emitted').toEqual(lines)
}

/** The events of the agent's own transcript. */
export function readWritten(agent: Agent, home: Home, session: string): Promise<Event[]> {
  const env = { ...home.env, [agent.detection.variable]: pinned(agent.id, home.version).path }
  return sessions.events(session, { home: home.path, env })
}

/**
 * A conversation as a user reads it, one line per prompt, text and call. Text that was interrupted is `cut`.
 *
 * @example toStory(messages) // ['user: Count.', 'cut: One two', 'user: Write it.', 'call: denied']
 */
export function toStory(
  messages: readonly Message[],
  describeCall?: (name: string, input: unknown) => string,
): string[] {
  const shown = messages.filter(({ role, context }) => !context && role !== 'system')
  return shown.flatMap((message) => {
    if (message.role === 'user') return [`user: ${getMessageText(message).trim()}`]
    const results = new Map(
      message.content.flatMap((block) =>
        block.type === 'tool_result' ? [[block.tool_use_id, block.status] as const] : [],
      ),
    )
    return message.content.flatMap((block) => {
      if (block.type === 'tool_use') {
        const call = describeCall ? `${describeCall(block.name, block.input)}: ` : ''
        return [`call: ${call}${results.get(block.id) ?? 'open'}`]
      }
      if (block.type !== 'text' || block.text.trim() === '' || isErrorText(block.text)) return []
      const isCut = block.partial === true || message.interrupted === true
      return [`${isCut ? 'cut' : 'assistant'}: ${block.text.trim()}`]
    })
  })
}

/** The text of an API error is no answer, and channels differ in whether it is finished. */
export function isErrorText(text: string): boolean {
  return text.trim().startsWith('API Error')
}
