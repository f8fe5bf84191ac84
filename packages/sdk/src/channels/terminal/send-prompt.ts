import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import { encodePrompt } from '../../contract/prompt-escapes.ts'
import { waitUntilDrawn } from './ending.ts'
import type { Pane } from './pane.ts'
import { toShownPatterns } from './shown-condition.ts'
import type { SendOptions, TerminalNow } from './terminal.ts'
import { removeControls, paste, pressKey, toKey } from './typing.ts'

// An Enter right after a pasted text becomes part of it. Measured with Gemini, which needs 60 ms.
const afterPasteMs = 150
const startMs = 60_000
const shownMs = 5_000
const takenMs = 1_500
const settledMs = 500
/** How long it takes to read the drawn screen. */
const drawnMs = 250
const tries = 4

/**
 * Pastes a text, presses Enter, and checks that it was sent. Text never runs as a command, whatever it starts with.
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
  const text = encodePrompt(removeControls(prompt), kind, { title, escapes: pane.part.escapes })
  if (text.trim() === '') throw new RemoraError('input', 'There is nothing to send')
  await pane.look()
  await pane.until((now) => now.state !== 'starting', startMs, signal)
  checkReady(pane)
  signal?.throwIfAborted()
  if (pane.now.input) await refuseDraft(pane, pane.now.input)
  await leaveShell(pane)
  if (kind === 'shell') await enterShell(pane)
  let shownText = await pasteText(pane, text)
  if (kind === 'slash') await closeCompletions(pane)
  let pressed = false
  for (let round = 0; round < tries && !pane.exited && !isAsking(pane.now); round++) {
    if (!pressed && (await isLost(pane))) shownText = await pasteText(pane, text)
    const screen = await pane.look()
    if (!screen || isAsking(pane.now)) break
    // In the wrong mode an Enter would run text as a command, or send a command as text.
    if (!pressed && (pane.now.shell === true) !== (kind === 'shell')) throw createModeError(pane)
    // The agent was only slow.
    if (pressed && wasTaken(pane.now, shownText) && (await isSure(pane, shownText))) return
    // The text has disappeared: an Enter would send nothing, and look like success.
    if (!pressed && shownText !== '' && isEmpty(pane.now)) continue
    // Enter would answer a dialog that opens now, so it is pressed only while the text is shown.
    const patterns = toShownPatterns(screen.screen.lines, [shownText])
    if (await pane.act((driver) => driver.pressIf({ key: 'Enter' }, patterns))) {
      pressed = true
      const at = performance.now()
      const isTaken = (withinMs: number) => pane.until((now) => wasTaken(now, shownText), withinMs)
      // An agent that has drawn nothing has not read the key; a second Enter could reach a dialog that the first one opens.
      if (!(await isTaken(takenMs))) await waitUntilDrawn(pane, at, shownMs)
      if ((await isTaken(drawnMs)) && (await isSure(pane, shownText))) return
    }
  }
  // An ask after the Enter is a result of the prompt.
  if (pressed && isAsking(pane.now)) return
  checkReady(pane)
  throw new RemoraError('unknown', `${pane.agent.title} did not take the text`, {
    hint: 'It may still stand in the input line of the terminal: look there before sending it again.',
  })
}

/** Pressing Enter on a dialog would answer it, so nothing is typed while one is open. */
function checkReady(pane: Pane): void {
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
 * A draft of the user must neither be sent nor deleted. But a CLI may show a suggestion in its input, which disappears with
 * the first character: so one is typed and deleted again.
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

/** A shell mode that is still on would run the text as a command. */
async function leaveShell(pane: Pane): Promise<void> {
  // The first Escape may only close a list of completions, as in Gemini.
  for (let round = 0; round < 2; round++) {
    if (!pane.now.shell) return
    await pressKey(pane, { key: 'Escape' })
    if (await pane.until((now) => !now.shell, shownMs / 2)) return
  }
  throw createModeError(pane)
}

/** Types the key, since not every CLI accepts a pasted exclamation mark. */
async function enterShell(pane: Pane): Promise<void> {
  await pressKey(pane, { text: '!' })
  if (!(await pane.until((now) => now.shell === true, shownMs))) throw createModeError(pane)
}

function createModeError(pane: Pane): RemoraError {
  const { title } = pane.agent
  const mode = pane.now.shell ? 'is in shell mode' : 'is not in shell mode'
  return new RemoraError('unknown', `Not sent: the input line of ${title} ${mode}`, {
    hint: 'Look at its terminal, empty its input line, and send it again.',
  })
}

async function closeCompletions(pane: Pane): Promise<void> {
  for (const key of pane.part.closeCompletions ?? []) await pressKey(pane, toKey(key))
  await pane.quiet(60, 500)
}

/** Pastes the text, and returns what the input line shows of it; empty if it did not appear. */
async function pasteText(pane: Pane, text: string): Promise<string> {
  const before = pane.now.input ?? ''
  await paste(pane, text)
  const pasted = performance.now()
  // The CLI takes longer to show a long text.
  const shown = await pane.until(
    (now) => now.state === 'exited' || differs(now.input ?? '', before),
    shownMs + text.length / 50,
  )
  await sleep(Math.max(0, pasted + afterPasteMs - performance.now()))
  // A working agent draws all the time.
  await pane.quiet(60, 500)
  await pane.look()
  return shown ? (pane.now.input ?? '').trimEnd() : ''
}

/**
 * A CLI may drop input when it redraws its whole screen, as Gemini does after it has loaded a conversation. Keys are read
 * in order, so if a typed character appears alone, the text before it was lost.
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

function isAsking(now: TerminalNow): boolean {
  return now.state === 'asking'
}

function differs(input: string, before: string): boolean {
  return input !== '' && input !== before
}

/**
 * A text was sent when the input line no longer starts with it, also if the CLI queued it. If the text never appeared in the
 * input line, it was sent if the agent is working.
 */
function wasTaken(now: TerminalNow, shownText: string): boolean {
  if (now.state === 'asking' || now.state === 'exited') return true
  if (shownText === '') return now.state === 'working'
  return !(now.input ?? '').startsWith(shownText)
}

/** Checks again for an agent that is not working, since it may have drawn only a part of its screen. */
async function isSure(pane: Pane, shownText: string): Promise<boolean> {
  if (shownText === '') return true
  const works = ({ state }: TerminalNow): boolean => state !== 'starting' && state !== 'idle'
  if (await pane.until((now) => works(now) || !wasTaken(now, shownText), settledMs))
    return wasTaken(pane.now, shownText)
  await pane.quiet(150, 1_000)
  await pane.look()
  return wasTaken(pane.now, shownText)
}
