import { createInterface } from 'node:readline'
import { type AskBroker, formatExact } from '@remora/protocol/plain'
import { exitCode } from '../../command/errors.ts'
import { stopCode } from '../../output/write-all.ts'
import type { Setting } from './chat-with-agent.ts'
import { slashCommand } from './slash-commands.ts'

/** Reads one prompt per line from standard input and answers each before the next. Stops at the first failure. */
export async function inPipe(setting: Setting, asks: AskBroker): Promise<number> {
  const { io, signal, style } = setting
  // If both streams are shown together, a notice gets its own line.
  let inLine = false
  const out = (text: string): void => {
    inLine = !text.endsWith('\n')
    io.out(text)
  }
  const announce = (text: string): void => io.err(`${inLine ? '\n' : ''}${text}`)
  const talk = await setting.start(announced(asks, announce), { ...io, out }, signal)
  const place = {
    ...setting,
    talk,
    paint: style.paint,
    say: (text: string) => io.err(`${text}\n`),
    leave: () => void (left = true),
  }
  let left = false
  const stop = (): void => void talk.cancel()
  signal.addEventListener('abort', stop)
  let code = 0
  const lines = createInterface({ input: process.stdin, signal })
  try {
    for await (const line of lines) {
      // Lines read before the stop signal still arrive, but no turn may start after it.
      if (signal.aborted) break
      const text = line.trim()
      if (text === '') continue
      const isSlash = text.startsWith('/')
      if (isSlash && (await slashCommand(text, place))) {
        if (left) break
        continue
      }
      // Only commands that the agent has announced reach this point with a slash.
      const { error } = await talk.turn(text, isSlash ? 'slash' : 'text')
      if (signal.aborted) break
      if (!error) continue
      code = exitCode(error.code)
      break
    }
  } finally {
    signal.removeEventListener('abort', stop)
    lines.close()
    process.stdin.destroy()
  }
  const next = setting.resumeLine(talk)
  if (next !== undefined && !style.json && signal.reason !== 'EPIPE')
    io.err(`${style.paint.dim(`Resume: ${next}`)}\n`)
  return signal.aborted ? stopCode(signal) : code
}

/** Without a terminal, prints how to answer. */
function announced(asks: AskBroker, announce: (text: string) => void): AskBroker {
  return {
    ask(ask, about) {
      const { text } = formatExact(ask.title, { layout: 'line', limit: 200 })
      announce(`Waiting for approval: ${text}\n  Answer in another terminal: remora asks\n`)
      return asks.ask(ask, about)
    },
  }
}
