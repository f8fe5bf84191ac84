import type { Block } from '@remora/protocol/plain'
import type { HeadlessRequest } from '../contract/agent.ts'

/** What a person said, for CLIs that do not repeat it: the words, then the files. @example toPromptBlocks(request) */
export function toPromptBlocks({ prompt, media = [] }: HeadlessRequest): Block[] {
  const files = media.map(({ path, kind, mediaType }): Block => ({
    type: kind,
    source: { type: 'file', media_type: mediaType, path },
  }))
  return [...(prompt === '' ? [] : [{ type: 'text', text: prompt } as const]), ...files]
}
