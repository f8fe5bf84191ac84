import type { Block } from '@remora/protocol/plain'
import type { HeadlessRequest } from '../contract/agent.ts'

/** The content of the user's message, for CLIs that do not echo it. @example toPromptBlocks(request) */
export function toPromptBlocks({ prompt, media = [] }: HeadlessRequest): Block[] {
  const files = media.map(({ path, kind, mediaType }): Block => ({
    type: kind,
    source: { type: 'file', media_type: mediaType, path },
  }))
  return [...(prompt === '' ? [] : [{ type: 'text', text: prompt } as const]), ...files]
}
