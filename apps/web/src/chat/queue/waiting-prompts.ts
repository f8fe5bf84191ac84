import type { Block, Command, Message, PromptKind } from '@remora/protocol'
import { getMessageText } from '@remora/protocol/plain'
import type { Unsent } from '../../state/outbox.ts'
import type { SessionKey } from '../../wire/api.ts'

/** A prompt that is queued, sent or not sent yet. */
export interface WaitingPrompt {
  readonly key: string
  readonly id: string
  /** Undefined until the server has it. */
  readonly client: string | undefined
  readonly state: 'unsent' | 'queued' | 'sent'
  readonly content: readonly Block[]
  readonly promptKind: PromptKind | undefined
  readonly text: string
  readonly files: number
}

/** Tolerance for clock differences. */
const slackMs = 5_000

/** The prompts of a session that the agent has not started, in order; unsent prompts of this device come last. */
export function listWaitingPrompts(
  targets: readonly SessionKey[],
  commands: Iterable<Command>,
  unsent: readonly Unsent[],
  messages: readonly Message[],
): WaitingPrompt[] {
  const isHere = ({ target }: { readonly target: SessionKey }): boolean =>
    targets.some(({ agent, session }) => target.agent === agent && target.session === session)
  const known = new Set<string>()
  const waiting: WaitingPrompt[] = []
  for (const command of [...commands].filter(isHere).toSorted((a, b) => a.at - b.at)) {
    const { id, client, state, body, at } = command
    if (body.kind !== 'prompt' || (state !== 'queued' && state !== 'sent')) continue
    known.add(id)
    const text = getMessageText(body)
    // The prompt is in the transcript, so it is shown in the conversation.
    if (state === 'sent' && isInMessages(text, at, messages)) continue
    waiting.push({
      key: `${client} ${id}`,
      id,
      client,
      state,
      content: body.content,
      promptKind: body.promptKind,
      text,
      files: countFiles(body.content),
    })
  }
  for (const each of unsent.filter(isHere)) {
    if (known.has(each.id)) continue
    const { content, promptKind } = each.body
    waiting.push({
      key: each.id,
      id: each.id,
      client: undefined,
      state: 'unsent',
      content,
      promptKind,
      text: getMessageText(each.body),
      files: countFiles(content),
    })
  }
  return waiting
}

/** Replaces the text and keeps the files. */
export function withText(content: readonly Block[], text: string): Block[] {
  const rest = content.filter(({ type }) => type !== 'text')
  return text.trim() === '' ? rest : [...rest, { type: 'text', text }]
}

function countFiles(content: readonly Block[]): number {
  return content.filter((block) => 'source' in block).length
}

function isInMessages(text: string, at: number, messages: readonly Message[]): boolean {
  const wanted = removeSpaces(text)
  return messages
    .slice(-50)
    .some(
      ({ role, timestamp, content }) =>
        role === 'user' &&
        timestamp >= at - slackMs &&
        removeSpaces(getMessageText({ content })).includes(wanted),
    )
}

function removeSpaces(text: string): string {
  // A word joiner keeps a text from running as a command of the agent.
  return text.replaceAll(/[\s\u2060\u2800]+/g, '')
}
