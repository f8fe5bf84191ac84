import { readFileSync } from 'node:fs'
import type { HeadlessRequest, MediaFile } from '../../contract/agent.ts'
import { createUnsupportedError } from '../../versions/unsupported.ts'

/** The CLI's stdin and the arguments for its format: files can only be sent as JSON. */
export function toPromptInput({ prompt, media = [] }: HeadlessRequest): { args: string[]; stdin: string } {
  if (media.length === 0) return { args: [], stdin: prompt }
  const text = prompt === '' ? [] : [{ type: 'text', text: prompt }]
  const content = [...text, ...media.map(toMediaBlock)]
  const message = {
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
    session_id: '',
  }
  return { args: ['--input-format', 'stream-json'], stdin: `${JSON.stringify(message)}\n` }
}

function toMediaBlock({ path, kind, mediaType }: MediaFile): object {
  const fits = kind === 'image' || (kind === 'document' && mediaType === 'application/pdf')
  if (!fits) {
    throw createUnsupportedError(
      'Claude Code',
      `the option media with ${mediaType}`,
      'It takes images and PDF. Name the path in the prompt, and it can look at the file with its tools.',
    )
  }
  const source = { type: 'base64', media_type: mediaType, data: readFileSync(path).toString('base64') }
  return { type: kind, source }
}
