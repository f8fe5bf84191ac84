import type { Message } from '@remora/protocol/plain'
import { UsageError } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { colors } from '../../output/colors.ts'
import { formatDamage } from '../../output/format-damage.ts'
import { plural } from '../../output/format-number.ts'
import { writeAll } from '../../output/write-all.ts'
import { ConversationPrinter } from './conversation-printer.ts'
import { type Conversation, loadConversation } from './conversation.ts'
import { conversationHead } from './head.ts'
import { html } from './html.ts'
import { markdown } from './markdown.ts'

const forms = ['json', 'markdown', 'html', 'raw'] as const

/** Prints one session in the chosen format. */
export async function showSession(input: Input, io: Io): Promise<number> {
  const { values, positionals } = input
  const [form, other] = forms.filter((name) => values[name])
  if (other) throw new UsageError(`--${form} and --${other} cannot be combined`, 'Leave one of them out')
  const agent = typeof values['agent'] === 'string' ? values['agent'] : undefined
  const last = readCount(values['last'])
  if (last !== undefined && form === 'raw')
    throw new UsageError('--last and --raw cannot be combined', 'Leave one of them out')
  const select = (messages: readonly Message[]): readonly Message[] =>
    values['all'] || form === 'json' ? messages : messages.filter(({ context }) => !context)
  const loaded = await loadConversation(
    positionals[0]!,
    agent,
    io,
    last === undefined ? undefined : (messages) => select(messages).length >= last,
  )
  const selected = select(loaded.messages)
  const shown = last === undefined ? selected : selected.slice(-last)
  const conversation = { ...loaded, hasEarlier: loaded.hasEarlier || shown.length < selected.length }
  if (conversation.damaged.length > 0) io.err(formatDamage(conversation.damaged, io.home).join(''))
  else printUnreadable(conversation, io)
  const { elsewhere = [] } = conversation
  // On standard error, because the JSON has no field for it.
  if (form === 'raw' || form === 'json') for (const line of elsewhere) io.err(`${line}\n`)
  if (form === 'raw') return writeAll(io, records(conversation))
  if (form === 'json') return writeAll(io, jsonArray(shown))
  const thinking = values['thinking'] === true
  if (form === 'markdown') return writeAll(io, markdown(conversation, shown, { thinking, home: io.home }))
  if (form === 'html') return writeAll(io, html(conversation, shown, { thinking, home: io.home }))
  return writeAll(io, await forPeople(conversation, shown, thinking, input, io))
}

function readCount(value: string | boolean | undefined): number | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string' || !/^[1-9]\d{0,6}$/.test(value))
    throw new UsageError(`--last is not a number: ${value}`, 'Pass a number of messages, such as --last 20')
  return Number(value)
}

const unreadable = new Set(['text', 'too deep', 'too large', 'too long', 'unreadable'])

/** Kinds of records that could not be read. */
function printUnreadable({ events, id }: Conversation, io: Io): void {
  const count = events.filter((event) => event.type === 'unknown' && unreadable.has(event.what)).length
  if (count === 0) return
  io.err(`${plural(count, 'record')} could not be read and ${count === 1 ? 'is' : 'are'} not shown.\n`)
  io.err(`  Show the raw text: remora show ${id} --raw\n`)
}

async function forPeople(
  conversation: Conversation,
  messages: readonly Message[],
  thinking: boolean,
  input: Input,
  io: Io,
): Promise<Iterable<string>> {
  const paint = await colors(input, io)
  const style = {
    paint,
    thinking,
    terminal: io.terminal,
    columns: io.columns,
    cwd: conversation.cwd ?? io.cwd,
  }
  return (function* pieces(): Generator<string> {
    yield conversationHead(conversation, messages, paint, io.home)
    let piece = ''
    const printer = new ConversationPrinter((text) => void (piece += text), style)
    for (const message of messages) {
      printer.message(message)
      yield piece
      piece = ''
    }
    printer.end()
    yield piece
    if (messages.length === 0 && !conversation.elsewhere?.length) yield `${paint.dim('No messages.')}\n`
  })()
}

function* jsonArray(messages: readonly Message[]): Generator<string> {
  yield '['
  for (const [index, message] of messages.entries())
    yield `${index === 0 ? '' : ','}\n${JSON.stringify(message, null, 2)}`
  yield messages.length === 0 ? ']\n' : '\n]\n'
}

function* records({ events }: Conversation): Generator<string> {
  for (const { raw } of events) if (raw !== undefined) yield `${JSON.stringify(raw)}\n`
}
