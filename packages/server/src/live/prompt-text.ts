import type { SessionKey } from '@remora/ledger'
import { type Block, type Command, RemoraError, type StartRequest } from '@remora/protocol'
import type { Terminal } from '@remora/sdk/terminal'
import { toPromptParts } from '../host/prompt-parts.ts'

/** A prompt as terminal input: text, and files by path. Throws for content that a terminal cannot take. */
export function toTerminalText(content: readonly Block[], { agent }: Pick<Terminal, 'agent'>): string {
  const parts = toPromptParts(content)
  if (typeof parts === 'string') return parts
  const texts = parts.map((part) => {
    switch (part.type) {
      case 'text':
        return part.text
      case 'file':
        return agent.terminal!.mention(part.path)
      case 'link':
        return part.uri
      default:
        throw new RemoraError('unsupported', `A terminal prompt cannot contain ${part.type}`, {
          hint: 'Save it as a file and put its path in the prompt.',
        })
    }
  })
  return texts.filter((each) => each !== '').join('\n')
}

/** The prompt that a session is started with, as its first command. */
export function createFirstPrompt(
  client: string,
  target: SessionKey,
  { prompt = '', promptKind }: StartRequest,
): Command {
  const body = { kind: 'prompt' as const, content: [{ type: 'text' as const, text: prompt }], promptKind }
  return { id: 'first', client, target, body, state: 'queued', at: Date.now() }
}
