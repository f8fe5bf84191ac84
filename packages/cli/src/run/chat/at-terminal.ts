import { ledgerAsks, raceAsks } from '@remora/intake'
import { type AskBroker, type PromptKind, findMode } from '@remora/protocol/plain'
import type { AuthMethod, RunFailure, RunResult } from '@remora/sdk'
import { headline } from '../../args/find-session.ts'
import { exitCode } from '../../command/errors.ts'
import { plural } from '../../output/format-number.ts'
import { homePath } from '../../output/home-path.ts'
import { oneLine } from '../../output/one-line.ts'
import type { Writer } from '../printing/printer.ts'
import type { Setting } from './chat-with-agent.ts'
import { personAsks } from './person-asks.ts'
import { formatMethods } from './sign-in.ts'
import { slashCommand } from './slash-commands.ts'
import type { Talk } from './talk.ts'
import { Terminal } from './terminal.ts'

/** A second Ctrl+C within this time leaves the chat. */
const twiceMs = 2_000

/** Delay before the progress note. */
const longMs = 4_000
const waiting =
  'Still starting. Some agents damage a session when it is resumed in the minute it\nstarted, so Remora waits for that minute to pass.'

/** Runs the chat on a terminal until the user leaves. */
export async function atTerminal(setting: Setting): Promise<number> {
  const chat = new Chat(setting)
  try {
    return await chat.run()
  } finally {
    chat.close()
  }
}

interface Prompt {
  readonly text: string
  readonly kind: PromptKind
}

class Chat {
  readonly #setting: Setting
  readonly #terminal: Terminal
  readonly #queue: Prompt[] = []
  #talk: Talk | undefined
  /** Receives the next line if it answers a question. */
  #answer: ((line: string) => void) | undefined
  #interruptedAt = 0
  #leave!: (code: number) => void
  readonly #left: Promise<number>

  constructor(setting: Setting) {
    this.#setting = setting
    this.#left = new Promise((resolve) => (this.#leave = resolve))
    this.#terminal = new Terminal(process.stdin, process.stdout, {
      line: (text) => this.#line(text),
      interrupt: (line) => this.#interrupt(line),
      end: () => this.#leave(0),
    })
  }

  async run(): Promise<number> {
    const { signal, style, io, ledger } = this.#setting
    const { dim } = style.paint
    const gone = (): void => this.#leave(signal.reason === 'SIGHUP' ? 0 : 130)
    if (signal.aborted) return 130
    signal.addEventListener('abort', gone)
    this.#terminal.prompt = dim('Starting… ')
    this.#terminal.show()
    const screen = {
      write: (text: string) => this.#talk!.aside(text),
      answer: (prompt: string, over: AbortSignal) => this.#ask(prompt, over),
      getInput: (toolUse: string) => this.#talk!.getInput(toolUse),
      shown: ({ id }: { id: string }) => this.#talk!.reached(id),
    }
    const asks = raceAsks(personAsks(screen, style.paint), ledgerAsks(ledger))
    const write = (text: string): void => this.#terminal.write(text)
    const talk = await this.#start(asks, { out: write, err: write })
    if (typeof talk === 'number') return talk
    this.#talk = talk
    this.#terminal.write(`${heading(talk, io.home, style.paint)}\n${await this.#before(talk)}\n`)
    this.#idle()
    const code = await this.#left
    // A user who leaves does not wait for the end of the turn.
    if (code !== 130) await talk.cancel()
    const next = this.#setting.resumeLine(talk)
    if (next !== undefined) this.#terminal.write(`${dim(`Resume later: ${next}`)}\n`)
    signal.removeEventListener('abort', gone)
    return code
  }

  close(): void {
    this.#terminal.close()
  }

  /** The agent, or the exit code if the user left while it started. */
  async #start(asks: AskBroker, writer: Writer): Promise<Talk | number> {
    const { signal, input } = this.#setting
    const stop = new AbortController()
    const over = AbortSignal.any([signal, stop.signal])
    const started = this.#setting.start(asks, writer, over, (methods, reason) =>
      this.#askSignIn(methods, reason, over),
    )
    const resumed = input.values['resume'] !== undefined
    const timer = setTimeout(() => resumed && this.#note(waiting), longMs)
    try {
      const talk = await Promise.race([started, this.#left])
      if (typeof talk !== 'number') return talk
      stop.abort()
      await started.catch(() => {})
      return talk
    } finally {
      clearTimeout(timer)
    }
  }

  /** Offers the sign-in methods of an agent that demands one. An empty line declines. */
  async #askSignIn(
    methods: readonly AuthMethod[],
    reason: string,
    over: AbortSignal,
  ): Promise<AuthMethod | undefined> {
    this.#terminal.write(`${oneLine(reason, 400)}\nSign in to continue:\n${formatMethods(methods)}`)
    const range = methods.length === 1 ? '1' : `1-${methods.length}`
    for (;;) {
      const answer = (await this.#ask(`Your choice (${range}, Enter to quit) › `, over)).trim()
      if (answer === '') return undefined
      const method = /^\d+$/.test(answer) ? methods[Number(answer) - 1] : undefined
      if (!method) continue
      this.#note(`Signing in: ${oneLine(method.name, 60)}…`)
      return method
    }
  }

  /** Prints the title of a resumed session. */
  async #before({ connection, session }: Talk): Promise<string> {
    const { input, ledger, style } = this.#setting
    if (input.values['resume'] === undefined) return ''
    const entry = await ledger.session({ agent: connection.agent, session: session.id })
    if (!entry || entry.messages === 0) return ''
    const about = `${plural(entry.messages, 'message')} so far, started with: ${headline(entry)}`
    return `${style.paint.dim(oneLine(about, 79))}\n`
  }

  #line(text: string): void {
    this.#interruptedAt = 0
    if (this.#answer) {
      this.#terminal.forgetLine(text)
      return this.#answer(text)
    }
    const line = text.trim()
    if (line === '' || !this.#talk) return
    if (line.startsWith('/')) this.#slash(line).catch((error: unknown) => this.#fail(error))
    else this.#send({ text, kind: 'text' })
  }

  #send(prompt: Prompt): void {
    const talk = this.#talk!
    if (!talk.working && this.#queue.length === 0) return void this.#turn(talk, prompt)
    this.#queue.push(prompt)
    const waiting = this.#queue.length === 1 ? '' : ` ${plural(this.#queue.length, 'prompt')} queued.`
    this.#note(`Queued: sent after this turn.${waiting}`)
  }

  async #slash(text: string): Promise<void> {
    const { paint } = this.#setting.style
    const place = {
      ...this.#setting,
      talk: this.#talk!,
      paint,
      say: (words: string) => this.#talk!.aside(`${words}\n${this.#talk!.working ? '' : '\n'}`),
      leave: () => this.#leave(0),
    }
    // Only commands that the agent has announced are sent to it.
    if (!(await slashCommand(text, place))) this.#send({ text, kind: 'slash' })
  }

  async #turn(talk: Talk, { text, kind }: Prompt): Promise<void> {
    const { paint } = this.#setting.style
    this.#terminal.prompt = paint.dim('… ')
    let result: RunResult
    try {
      result = await talk.turn(text, kind)
    } catch (error) {
      this.#fail(error)
      return
    }
    this.#terminal.write('\n')
    if (result.error?.code === 'crashed' && !(await this.#restart(talk))) return
    const next = this.#queue.shift()
    if (next === undefined) return this.#idle()
    this.#terminal.write(`${paint.bold('›')} ${next.text}\n`)
    await this.#turn(talk, next)
  }

  /** Restarts an agent that exited, once. It can load the session. */
  async #restart(talk: Talk): Promise<boolean> {
    this.#note('Restarting the agent…')
    try {
      await talk.connection.restart()
      return true
    } catch (error) {
      this.#fail(error)
      return false
    }
  }

  #fail(error: unknown): void {
    const { code, message, hint } = error as Partial<RunFailure> & Error
    this.#terminal.write(`remora: ${oneLine(message, 400)}\n${hint ? `  ${oneLine(hint, 400)}\n` : ''}`)
    this.#leave(code === undefined ? 1 : exitCode(code))
  }

  #interrupt(line: string): void {
    const talk = this.#talk
    const now = Date.now()
    const again = now - this.#interruptedAt < twiceMs
    this.#interruptedAt = now
    if (talk?.working) {
      if (again) return this.#leave(130)
      this.#queue.length = 0
      this.#note('Stopping. Press Ctrl+C again to quit.')
      void talk.cancel()
    } else if (line === '' || again || !talk) this.#leave(talk ? 0 : 130)
  }

  /** Asks a question on the input line. A prompt that was being typed is restored afterwards. */
  #ask(prompt: string, over: AbortSignal): Promise<string> {
    const kept = this.#terminal.line
    this.#terminal.replaceLine('')
    this.#terminal.prompt = prompt
    return new Promise((resolve, reject) => {
      const end = (): void => {
        over.removeEventListener('abort', abort)
        this.#answer = undefined
        this.#terminal.prompt = this.#setting.style.paint.dim('… ')
        this.#terminal.replaceLine(kept)
      }
      const abort = (): void => {
        end()
        reject(over.reason as Error)
      }
      this.#answer = (line) => {
        end()
        resolve(line)
      }
      over.addEventListener('abort', abort)
      if (over.aborted) abort()
    })
  }

  #note(text: string): void {
    const words = `${this.#setting.style.paint.dim(text)}\n`
    if (this.#talk) this.#talk.aside(words)
    else this.#terminal.write(words)
  }

  #idle(): void {
    this.#terminal.prompt = `${this.#setting.style.paint.bold('›')} `
    this.#terminal.show()
  }
}

/** The agent's name, mode and model, and how to use the chat. */
function heading({ connection, session }: Talk, home: string, paint: Setting['style']['paint']): string {
  const { title, name, version } = connection.info
  const who = oneLine(`${title ?? name ?? connection.agent} ${version ?? ''}`, 60)
  const about = [
    homePath(session.cwd, home),
    session.mode === undefined
      ? ''
      : `mode ${oneLine(findMode(session.permissionModes, session.mode)?.label ?? session.mode, 40)}`,
    session.models.current === undefined ? '' : `model ${oneLine(session.models.current, 40)}`,
  ].filter((part) => part !== '')
  return [
    `${paint.bold(who)} ${paint.dim(`· ${about.join(' · ')}`)}`,
    paint.dim('/help: list commands, Ctrl+C: stop the turn, Ctrl+D: quit'),
  ].join('\n')
}
