import {
  type Answer,
  type Ask,
  type AskBroker,
  type AskOption,
  formatMarked,
  formatRequest,
} from '@remora/protocol/plain'
import type { Colors } from '../../output/colors.ts'
import { oneLine } from '../../output/one-line.ts'

/** Where a question is shown and answered. */
export interface AskScreen {
  write(text: string): void
  /** Reads the next line; rejects when the signal aborts. */
  answer(prompt: string, signal: AbortSignal): Promise<string>
  /** Details of a call that the ask does not show. */
  getInput(toolUse: string): unknown
  /** Settles when everything before this ask is on the screen. */
  shown(ask: Ask): Promise<void>
}

const shortcuts = { y: 'allow', n: 'deny', a: 'allow_always' } as const

/** Asks the user at the terminal, one question at a time. */
export function personAsks(screen: AskScreen, paint: Colors): AskBroker {
  let last: Promise<unknown> = Promise.resolve()
  return {
    ask(ask, { signal }) {
      const mine = last.then(
        () => put(ask, signal, screen, paint),
        () => put(ask, signal, screen, paint),
      )
      last = mine.catch(() => {})
      return mine
    },
  }
}

async function put(ask: Ask, signal: AbortSignal, screen: AskScreen, paint: Colors): Promise<Answer> {
  signal.throwIfAborted()
  await screen.shown(ask)
  screen.write(question(ask, screen.getInput(ask.toolUse ?? ''), paint))
  const prompt = ask.options.length === 0 ? 'Your answer' : `Your choice (${getKeys(ask.options).join(', ')})`
  for (;;) {
    const line = await screen.answer(paint.yellow(`${prompt} › `), signal).catch((reason: unknown) => {
      screen.write(`${paint.dim(ending(ask, reason))}\n`)
      throw reason
    })
    const chosen = choose(ask, line.trim())
    if (chosen) return { ask: ask.id, ...chosen, by: 'person', digest: ask.digest }
    screen.write(`${paint.dim(`Type one of: ${getKeys(ask.options).join(', ')}`)}\n`)
  }
}

/** Formats the full request, because the user must see all of what is approved. */
function question(ask: Ask, input: unknown, paint: Colors): string {
  const [title = '', ...lines] = formatRequest({ ...ask, input: ask.input ?? input }).text.split('\n')
  const options = ask.options.map((option, index) => {
    const key = getKey(option, ask.options)
    const label = formatMarked(option.label, 'line')
    return `  ${paint.bold(String(index + 1))}  ${label}${key ? paint.dim(` (${key})`) : ''}`
  })
  return [
    `${paint.yellow('?')} ${paint.bold(title)}`,
    ...lines.map((line) => `    ${painted(line, paint)}`),
    ...options,
    '',
  ].join('\n')
}

function painted(line: string, paint: Colors): string {
  if (/^│ ?\+/.test(line)) return paint.green(line)
  return /^│ ?-/.test(line) ? paint.red(line) : line
}

function choose(ask: Ask, word: string): Pick<Answer, 'option' | 'text'> | undefined {
  const { options } = ask
  const byNumber = /^\d+$/.test(word) ? options[Number(word) - 1] : undefined
  const byKey = options.find((option) => getKey(option, options) === word.toLowerCase())
  const option = byNumber ?? byKey ?? options.find(({ id }) => id === word)
  if (option) return { option: option.id }
  return word !== '' && (ask.freeText || options.length === 0) ? { text: word } : undefined
}

/** The key of an option. Only the first option of a kind has one. */
function getKey(option: AskOption, options: readonly AskOption[]): string | undefined {
  const [key] =
    Object.entries(shortcuts).find(
      ([, effect]) => effect === option.effect && options.find((each) => each.effect === effect) === option,
    ) ?? []
  return key
}

function getKeys(options: readonly AskOption[]): string[] {
  const numbers = options.length > 1 ? [`1-${options.length}`] : ['1']
  const letters = options.flatMap((option) => getKey(option, options) ?? [])
  return [...numbers, ...letters.toSorted((left, right) => order.indexOf(left) - order.indexOf(right))]
}

const order = ['y', 'n', 'a']

/** Why a question no longer needs an answer. */
function ending(ask: Ask, reason: unknown): string {
  const answer = reason as Partial<Answer> | null | undefined
  if (typeof answer !== 'object' || answer?.ask !== ask.id) return 'Withdrawn.'
  const label = ask.options.find(({ id }) => id === answer.option)?.label ?? answer.text ?? ''
  return `Answered elsewhere: ${oneLine(label, 60)}`
}
