import { readFile, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type PromptKind, RemoraError } from '@remora/protocol/plain'
import { getMediaType } from '../../files/media-types.ts'
import { type PromptSyntax, encodePrompt } from '../../contract/prompt-escapes.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import type { PromptContent, PromptPart } from './options.ts'

/** The content types that the agent accepts besides text. */
export interface PromptCapabilities {
  readonly image: boolean
  readonly audio: boolean
  readonly embeddedContext: boolean
}

/** Larger files are linked instead of sent, because the agent can read them itself. */
const embedLimit = 256 * 1024
const mediaLimit = 20 * 1024 * 1024

/**
 * Converts a prompt to the protocol and checks that the agent accepts its content types.
 *
 * @example await promptContent('Hi', { cwd, title: 'Gemini CLI', takes }) // [{ type: 'text', text: 'Hi' }]
 */
export async function promptContent(
  content: PromptContent,
  about: { readonly cwd: string; readonly title: string; readonly takes: PromptCapabilities },
  instruction?: string,
): Promise<AgentRecord[]> {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content
  if (!Array.isArray(parts))
    throw new RemoraError('usage', `A prompt is a text or a list of parts, not ${typeof parts}`, {
      hint: "Give a string, or parts such as { type: 'file', path: 'notes.md' }.",
    })
  const blocks = await Promise.all(parts.map((part) => toBlock(part, about)))
  if (!blocks.some((block) => block['type'] !== 'text' || String(block['text']).trim() !== ''))
    throw new RemoraError('usage', 'The prompt is empty', { hint: 'Say what the agent shall do.' })
  return instruction === undefined ? blocks : withInstruction(blocks, instruction)
}

/** Escapes every part that the agent would run as a command, unless a command is intended. */
export function encodeContent(content: PromptContent, kind: PromptKind, syntax: PromptSyntax): PromptContent {
  if (typeof content === 'string') return encodePrompt(content, kind, syntax)
  if (!Array.isArray(content)) return content
  const parts = content as readonly PromptPart[]
  const first = parts.findIndex(({ type }) => type === 'text')
  return parts.map((part, index) =>
    part.type === 'text'
      ? // Only the first text can be a slash command.
        { ...part, text: encodePrompt(part.text, index === first ? kind : 'text', syntax) }
      : part,
  )
}

/** The synchronous path for plain text, which most prompts are. */
export function plainContent(content: PromptContent): AgentRecord[] | undefined {
  const isText = typeof content === 'string' && content.trim() !== ''
  return isText ? [{ type: 'text', text: content }] : undefined
}

/** Appends to the last text, because not every agent accepts two texts in one prompt. */
function withInstruction(blocks: readonly AgentRecord[], instruction: string): AgentRecord[] {
  const last = blocks.findLastIndex(({ type }) => type === 'text')
  if (last === -1) return [...blocks, { type: 'text', text: instruction }]
  return blocks.map((block, index) =>
    index === last ? { ...block, text: `${String(block['text'])}\n\n${instruction}` } : block,
  )
}

type About = Parameters<typeof promptContent>[1]

async function toBlock(part: PromptPart, about: About): Promise<AgentRecord> {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'image':
    case 'audio': {
      const data = typeof part.data === 'string' ? part.data : Buffer.from(part.data).toString('base64')
      return mediaBlock(part.type, data, part.mediaType, about)
    }
    case 'resource': {
      const { uri, text, mediaType } = part
      if (!about.takes.embeddedContext) return { type: 'text', text: `${uri}\n${text}` }
      const resource = { uri, text, ...(mediaType === undefined ? {} : { mimeType: mediaType }) }
      return { type: 'resource', resource }
    }
    case 'link':
      return linkBlock(part.uri, part.name ?? part.uri, part.mediaType)
    case 'file':
      return fileBlock(part, about)
    default:
      throw new RemoraError(
        'usage',
        `A prompt has no part of type ${String((part as AgentRecord)['type'])}`,
        {
          hint: 'Use text, file, image, audio, resource or link.',
        },
      )
  }
}

function mediaBlock(type: 'image' | 'audio', data: string, mimeType: string, about: About): AgentRecord {
  if (typeof mimeType !== 'string' || !mimeType.startsWith(`${type}/`))
    throw new RemoraError('usage', `The ${type} of a prompt has no mediaType that is one`, {
      hint: `Say what it is, such as ${type === 'image' ? 'image/png' : 'audio/wav'}.`,
    })
  if (!about.takes[type])
    throw new RemoraError('unsupported', `${about.title} takes no ${type} in a prompt`, {
      hint: 'Leave it out, or name the file in the text.',
    })
  return { type, data, mimeType }
}

/** Every agent accepts links and reads their target itself. */
function linkBlock(uri: string, name: string, mimeType: string | undefined): AgentRecord {
  return { type: 'resource_link', uri, name, ...(mimeType === undefined ? {} : { mimeType }) }
}

async function fileBlock(part: Extract<PromptPart, { type: 'file' }>, about: About): Promise<AgentRecord> {
  const path = resolve(about.cwd, part.path)
  const found = await stat(path).catch((cause: unknown) => {
    throw new RemoraError('input', `There is no file ${path} to attach`, { hint: 'Check the path.', cause })
  })
  if (!found.isFile())
    throw new RemoraError('input', `${path} is no file, so it cannot be attached`, {
      hint: 'Attach the files in it one by one, or name the folder in the prompt.',
    })
  const mediaType = part.mediaType ?? getMediaType(path)
  const uri = pathToFileURL(path).href
  const [kind] = mediaType?.split('/') ?? []
  if ((kind === 'image' || kind === 'audio') && about.takes[kind] && mediaType !== undefined) {
    if (found.size > mediaLimit)
      throw new RemoraError('input', `${path} is larger than 20 MB`, { hint: 'Attach a smaller version.' })
    return { type: kind, data: (await readFile(path)).toString('base64'), mimeType: mediaType }
  }
  if (about.takes.embeddedContext && found.size <= embedLimit && mediaType === undefined) {
    const bytes = await readFile(path)
    // Binary content cannot be embedded as text.
    if (!bytes.includes(0)) return { type: 'resource', resource: { uri, text: bytes.toString('utf8') } }
  }
  return linkBlock(uri, basename(path), mediaType)
}
