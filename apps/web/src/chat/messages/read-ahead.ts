import type { Message } from '@remora/protocol'
import { lexOnce } from '../../markdown/lex.ts'

/** Reads the Markdown of a message before it is drawn, so that drawing it takes less time at once. */
export function readAhead({ role, content }: Message): void {
  if (role !== 'assistant' || !Array.isArray(content)) return
  for (const block of content)
    if (block.type === 'text' && typeof block.text === 'string') lexOnce(block, block.text)
}
