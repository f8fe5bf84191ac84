import type { Message } from '@remora/protocol'

const most = 100

/** The user's prompts of a conversation, latest first, without duplicates. */
export function listPrompts(messages: readonly Message[]): string[] {
  const prompts = new Set<string>()
  for (let index = messages.length - 1; index >= 0 && prompts.size < most; index--) {
    const { role, context, parent, content } = messages[index]!
    if (role !== 'user' || context || parent !== undefined) continue
    const text = content
      .flatMap((block) => (block.type === 'text' ? [block.text] : []))
      .join('\n')
      .trim()
    if (text !== '') prompts.add(text)
  }
  return [...prompts]
}
