import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import { encodePrompt } from '../../contract/prompt-escapes.ts'
import { drawn } from './ending.ts'
import type { Pane } from './pane.ts'
import { shownCondition } from './shown-condition.ts'
import type { SendOptions, TerminalNow } from './terminal.ts'
import { inert, paste, pressKey, pressKeyIf } from './typing.ts'

// An Enter that comes in the same breath as a pasted text is a line end of it: measured with Gemini, which needs 60 ms.
const breathMs = 150
const startMs = 60_000
const shownMs = 5_000
const takenMs = 1_500
const settledMs = 500
/** How long it takes to read what was drawn. */
const drawnMs = 250
const tries = 4

/**
 * Pastes a text, presses Enter, and sees that it was taken. Text never runs as a command, whatever it starts with.
 *
 * @example await sendPrompt(pane, 'Hello')
 * @example await sendPrompt(pane, '/compact', { kind: 'slash' })
 */
export async function sendPrompt(
  pane: Pane,
  prompt: string,
  { kind = 'text', signal }: SendOptions = {},
): Promise<void> {
  const { title } = pane.agent
  const text = encodePrompt(inert(prompt), kind, { title, escapes: pane.part.escapes })
  if (text.trim() === '') throw new RemoraError('input', 'There is nothing to send')
  await pane.look()
  await pane.until((now) => now.state !== 'starting', startMs, signal)
  refuse(pane)
  signal?.throwIfAborted()
  if (pane.now.input) await refuseDraft(pane, pane.now.input)
  await leaveShell(pane)
  if (kind === 'shell') await enterShell(pane)
  let held = await put(pane, text)
  let pressed = false
  for (let round = 0; round < tries && !pane.exited && !asks(pane.now); round++) {
    if (!pressed && (await isLost(pane))) held = await put(pane, text)
    const screen = await pane.look()
    if (!screen || asks(pane.now)) break
    // In the wrong mode an Enter would run text as a command, or send a command as text.
    if (!pressed && (pane.now.shell === true) !== (kind === 'shell')) throw wrongMode(pane)
    // It was only slow.
    if (pressed && taken(pane.now, held) && (await isSure(pane, held))) return
    // It was there a moment ago: an Enter now would send nothing, and pass for sent.
    if (!pressed && held !== '' && isEmpty(pane.now)) continue
    // Whatever opens in this moment, an Enter would answer it: so the text must still be there.
    const condition = shownCondition(screen.screen.lines, [held])
    if (await pressKeyIf(pane, { key: 'Enter' }, condition)) {
      pressed = true
      const at = performance.now()
      const isTaken = (withinMs: number) => pane.until((now) => taken(now, held), withinMs)
      // One that has drawn nothing since has not read the key: a second one may then reach what the first one opens.
      if (!(await isTaken(takenMs))) await drawn(pane, at, shownMs)
      if ((await isTaken(drawnMs)) && (await isSure(pane, held))) return
    }
  }
  // What it asks now, it asks because of what it was told.
  if (pressed && asks(pane.now)) return
  refuse(pane)
  throw new RemoraError('unknown', `${pane.agent.title} did not take the text`, {
    hint: 'It may still stand in the input line of the terminal: look there before sending it again.',
  })
}

/** Pressing Enter on a dialog would answer it, so nothing is typed while one is open. */
function refuse(pane: Pane): void {
  const { now, agent } = pane
  if (now.state === 'exited') throw pane.ended()
  if (now.state === 'error' && now.input === undefined)
    throw new RemoraError('crashed', `${agent.title} takes nothing any more. ${now.error ?? ''}`.trimEnd(), {
      hint: 'End it, and resume its conversation.',
    })
  if (now.state !== 'asking') return
  throw new RemoraError(
    'conflict',
    `${agent.title} waits for an answer: ${now.ask?.title ?? 'a dialog is open'}`,
    {
      hint: 'Answer it first.',
    },
  )
}

/**
 * What somebody has begun to type must not be sent along, nor thrown away. But a CLI may show a proposal of its own
 * there, which gives way to the first letter: so one is typed, and taken back.
 */
async function refuseDraft(pane: Pane, input: string): Promise<void> {
  await pressKey(pane, { text: '.' })
  await pane.until((now) => now.input !== input, shownMs)
  const grown = pane.now.input
  await pressKey(pane, { key: 'BSpace' })
  await pane.until((now) => now.input !== grown, shownMs)
  if (grown === undefined || !grown.startsWith(input)) return
  throw new RemoraError('conflict', `Somebody is typing at the terminal of ${pane.agent.title}`, {
    hint: 'Send it when the input line there is empty.',
  })
}

/** A shell mode that was left on, at the terminal or by an earlier command, would run the text. */
async function leaveShell(pane: Pane): Promise<void> {
  if (!pane.now.shell) return
  await pressKey(pane, { key: 'Escape' })
  if (!(await pane.until((now) => !now.shell, shownMs))) throw wrongMode(pane)
}

/** By a typed key: not every CLI takes a pasted exclamation mark for it. */
async function enterShell(pane: Pane): Promise<void> {
  await pressKey(pane, { text: '!' })
  if (!(await pane.until((now) => now.shell === true, shownMs))) throw wrongMode(pane)
}

function wrongMode(pane: Pane): RemoraError {
  const { title } = pane.agent
  const mode = pane.now.shell ? 'is in shell mode' : 'is not in shell mode'
  return new RemoraError('unknown', `Not sent: the input line of ${title} ${mode}`, {
    hint: 'Look at its terminal, empty its input line, and send it again.',
  })
}

/** Pastes the text, and gives what the input line shows of it; nothing where it was not seen. */
async function put(pane: Pane, text: string): Promise<string> {
  const before = pane.now.input ?? ''
  await paste(pane, text)
  const pasted = performance.now()
  // A long text takes the CLI its time to show.
  const shown = await pane.until(
    (now) => now.state === 'exited' || differs(now.input ?? '', before),
    shownMs + text.length / 50,
  )
  await sleep(Math.max(0, pasted + breathMs - performance.now()))
  // A program that works draws all the time.
  await pane.quiet(60, 500)
  await pane.look()
  return shown ? (pane.now.input ?? '').trimEnd() : ''
}

/**
 * A CLI that draws its whole screen anew, as Gemini does when it has read an old conversation, throws away what came
 * just before. Keys are read in their order: a letter that is shown alone has overtaken no text.
 */
async function isLost(pane: Pane): Promise<boolean> {
  const shows = (line: string) => (now: TerminalNow) => now.state === 'idle' && now.input === line
  if (!shows('')(pane.now)) return false
  await pressKey(pane, { text: '.' })
  await pane.until((now) => !shows('')(now), shownMs)
  const overtook = shows('.')(pane.now)
  await pressKey(pane, { key: 'BSpace' })
  await pane.until((now) => !shows('.')(now), takenMs)
  return overtook && shows('')(pane.now)
}

function isEmpty(now: TerminalNow): boolean {
  return now.state === 'idle' && now.input === ''
}

function asks(now: TerminalNow): boolean {
  return now.state === 'asking'
}

function differs(input: string, before: string): boolean {
  return input !== '' && input !== before
}

/**
 * Sent when what stood in the line stands there no more; a text that waits for its turn has left the line as well. What
 * an Enter only made longer was not sent. Where the line was never seen, only that it works tells.
 */
function taken(now: TerminalNow, held: string): boolean {
  if (now.state === 'asking' || now.state === 'exited') return true
  if (held === '') return now.state === 'working'
  return !(now.input ?? '').startsWith(held)
}

/** One that does not work may have drawn half a screen, or an old one, and the text still be there when it is whole. */
async function isSure(pane: Pane, held: string): Promise<boolean> {
  if (held === '') return true
  const works = ({ state }: TerminalNow): boolean => state !== 'starting' && state !== 'idle'
  if (await pane.until((now) => works(now) || !taken(now, held), settledMs)) return taken(pane.now, held)
  await pane.quiet(150, 1_000)
  await pane.look()
  return taken(pane.now, held)
}
