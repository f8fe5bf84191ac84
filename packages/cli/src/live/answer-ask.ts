import type { Ledger, SessionKey } from '@remora/ledger'
import type { Answer, Ask, AskOption } from '@remora/protocol/plain'
import { getLocalPerson } from '@remora/server/client'
import { askServer, serverHealth } from '../client/server-client.ts'
import { fail, UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { withLedger } from '../ledger/with-ledger.ts'
import { oneLine } from '../output/one-line.ts'
import { type Pending, askEvents, getAskNumber, pendingAsks, formatAnswer, formatOptions } from './pending.ts'

/** Answers an ask, unless it is already answered. */
export async function answerAsk({ values, positionals }: Input, io: Io): Promise<number> {
  const [word, decision] = positionals as [string, string?]
  const text = typeof values['text'] === 'string' ? values['text'] : undefined
  return withLedger(
    io,
    async (ledger) => {
      const pending = await findAsk(ledger, word)
      const { ask, agent, session } = pending
      if (!pending.waited)
        throw await fail(
          'conflict',
          `The agent that asked "${oneLine(ask.title, 80)}" has exited`,
          'List open requests: remora asks',
        )
      const chosen = choose(ask, decision, text)
      const wanted: Answer = {
        ask: ask.id,
        ...chosen,
        by: 'person',
        person: getLocalPerson(),
        device: 'remora answer',
        digest: ask.digest,
      }
      const { won, answer, effect } = await giveAnswer(ledger, { agent, session }, wanted, io)
      if (!won) throw await answeredAlready(ask, answer)
      if (effect === 'gone')
        throw await fail(
          'conflict',
          `${agent} is no longer asking "${oneLine(ask.title, 80)}"`,
          'It may have been answered in its own terminal. Check: remora ls',
        )
      if (values['json']) io.out(`${JSON.stringify({ agent, session, answer }, null, 2)}\n`)
      else io.out(`Answered: ${oneLine(ask.title, 100)}: ${formatAnswer(ask, { ...answer, device: '' })}\n`)
      return 0
    },
    { current: false },
  )
}

interface GivenAnswer {
  readonly won: boolean
  readonly answer: Answer
  /** Whether it reached the agent, if known. */
  readonly effect?: 'done' | 'gone'
}

/** The server reads the terminal again before it presses a key. */
const answerMs = 30_000

/** Answers through the running server, which types into terminals; else in the ledger, where the asking process looks. */
async function giveAnswer(ledger: Ledger, key: SessionKey, wanted: Answer, io: Io): Promise<GivenAnswer> {
  if (!(await serverHealth(io))) return ledger.asks.answer(key, wanted)
  const { ask, digest, option, text } = wanted
  const body = {
    ...key,
    ask,
    digest,
    ...(option === undefined ? {} : { option }),
    ...(text === undefined ? {} : { text }),
  }
  return askServer(io).post('/api/asks/answer', { body, timeoutMs: answerMs })
}

/** Finds an ask by its number, or by the start or end of its id. */
async function findAsk(ledger: Ledger, word: string): Promise<Pending> {
  const all = await pendingAsks(ledger)
  const exact = all.filter(({ ask, number }) => ask.id === word || number === word)
  const fitting = exact.length > 0 ? exact : all.filter((each) => fits(each, word))
  if (fitting.length === 1) return fitting[0]!
  if (fitting.length > 1) {
    const lines = fitting.map(({ number, agent, ask }) => `${number}  ${agent}: ${oneLine(ask.title, 80)}`)
    throw new UsageError(
      `"${word}" matches ${fitting.length} requests`,
      ['Choose one:', ...lines].join('\n  '),
    )
  }
  const settled = await findSettled(ledger, word)
  if (settled) throw await answeredAlready(settled.ask, settled.answer)
  throw await fail('not_found', `No open request "${word}"`, 'List open requests: remora asks')
}

/** Short parts of an id, such as one digit, match too many asks. */
const least = 3

function fits(each: Pick<Pending, 'ask' | 'agent' | 'session'>, word: string): boolean {
  if (word.length < least) return false
  return each.ask.id.startsWith(word) || each.ask.id.endsWith(word) || getAskNumber(each).endsWith(word)
}

/** Sessions that are searched for an ask that is already answered. */
const recent = 10

/** Finds an answered ask, to report its answer. */
async function findSettled(ledger: Ledger, word: string): Promise<{ ask: Ask; answer: Answer } | undefined> {
  for (const { agent, session } of await ledger.sessions({ limit: recent, hidden: true, empty: true })) {
    for await (const { event } of askEvents(ledger, { agent, session })) {
      if (event.ask.id !== word && !fits({ agent, session, ask: event.ask }, word)) continue
      const found = await ledger.asks.find({ agent, session }, event.ask.id)
      if (found?.answer) return { ask: found.ask, answer: found.answer }
    }
  }
  return undefined
}

const words: Readonly<Record<string, AskOption['effect']>> = {
  allow: 'allow',
  yes: 'allow',
  deny: 'deny',
  no: 'deny',
  always: 'allow_always',
}

function choose(
  ask: Ask,
  decision: string | undefined,
  text: string | undefined,
): Pick<Answer, 'option' | 'text'> {
  const list = formatOptions(ask)
    .map((line) => `  ${line}`)
    .join('\n  ')
  if (text !== undefined && !ask.freeText)
    throw new UsageError('This request takes no free-text answer', `Options:\n  ${list}`)
  if (decision === undefined) {
    if (text !== undefined) return { text }
    throw new UsageError('The decision is missing', `One of:\n  ${list}`)
  }
  const option = optionFor(ask, decision, list)
  return { option: option.id, ...(text === undefined ? {} : { text }) }
}

function optionFor({ kind, options }: Ask, decision: string, list: string): AskOption {
  const byId = options.find(({ id }) => id === decision)
  if (byId) return byId
  const byPlace = /^[1-9]\d?$/.test(decision) ? options[Number(decision) - 1] : undefined
  if (byPlace) return byPlace
  const word = decision.toLowerCase()
  const effect = Object.hasOwn(words, word) ? words[word] : undefined
  const exact = options.filter((option) => option.effect === effect || option.label.toLowerCase() === word)
  // Trust has no "allow once", so allowing a folder trusts it.
  const trusts = kind === 'trust' && effect === 'allow' && exact.length === 0
  const fitting = trusts ? options.filter((option) => option.effect === 'allow_always') : exact
  if (fitting.length === 1) return fitting[0]!
  throw new UsageError(
    fitting.length === 0
      ? `This request has no option "${decision}"`
      : `"${decision}" matches several options`,
    `One of:\n  ${list}`,
  )
}

async function answeredAlready(ask: Ask, answer: Answer) {
  return fail(
    'conflict',
    `"${oneLine(ask.title, 80)}" is already answered: ${formatAnswer(ask, answer)}`,
    'The first answer wins. List open requests: remora asks',
  )
}
