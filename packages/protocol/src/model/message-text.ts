import type { Message } from './message.ts'

/** The text of a message, without thinking and tools. @example getMessageText(message) // 'Hello' */
export function getMessageText(message: Pick<Message, 'content'>): string {
  return message.content
    .filter((block) => block.type === 'text')
    .map((block) => block.text)
    .join('\n')
}
