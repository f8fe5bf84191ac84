import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import { killTree } from '../../process/kill-tree.ts'
import { startTime } from '../../process/process-table.ts'
import type { Pane } from './pane.ts'
import { toKey, paste, pressKey } from './typing.ts'
import { within } from './within.ts'

const idleMs = 1_500
const drawsMs = 8_000
const tries = 4
const retryMs = 1_000
const leaveMs = 4_000
/** How long the agent may take to put an interrupted prompt back, and how long to delete it. */
const restoredMs = 500
const deleteMs = 10_000
/** How long tmux may take to answer before the agent is ended without it. */
const answerMs = 2_000
/** How long asking the agent to quit may take in total. */
const askMs = 15_000
/** How long the exit may take to show. */
const exitMs = 3_000

/**
 * Interrupts the agent. On a busy machine it may read several keys as another key or as none, so they are pressed again.
 * That happens only after it has drawn, and so has read the keys, since an extra key would mean something else.
 */
export async function interruptAgent(pane: Pane): Promise<void> {
  const hasDraft = pane.now.input !== ''
  const stopped = (withinMs: number) => pane.until((now) => now.state !== 'working', withinMs)
  const isOver = async (withinMs: number) => {
    if (!(await stopped(withinMs))) return false
    if (!hasDraft) await deleteRestored(pane)
    return true
  }
  for (let round = 0; round < tries; round++) {
    await pressInterrupt(pane, drawsMs)
    const pressed = performance.now()
    if (await isOver(idleMs)) return
    await waitUntilDrawn(pane, pressed + idleMs / 2, drawsMs)
    if (await isOver(250)) return
  }
  throw new RemoraError('unknown', `${pane.agent.title} works on, although it was told to stop`, {
    hint: 'Look at its terminal, or end it.',
  })
}

/** Deletes the interrupted prompt from the input line, where the next prompt would count it as a draft of the user. */
async function deleteRestored(pane: Pane): Promise<void> {
  const { deleteLine } = pane.part
  if (!deleteLine || !(await pane.until(({ input }) => Boolean(input), restoredMs))) return
  for (const end = performance.now() + deleteMs; pane.now.input && performance.now() < end;) {
    for (const _ of pane.now.input.split('\n')) for (const key of deleteLine) await pressKey(pane, toKey(key))
    await pane.quiet(60, 500)
    await pane.look()
  }
}

/** Waits after each key until the agent has read it. */
async function pressInterrupt(pane: Pane, withinMs: number): Promise<void> {
  for (const key of pane.part.interrupt) {
    const pressed = performance.now()
    await pressKey(pane, toKey(key))
    if (pane.now.state === 'working') await waitUntilDrawn(pane, pressed, withinMs)
    await pane.quiet(40, 300)
  }
}

/** Waits until the agent has drawn something after that time; a working agent draws all the time. */
export async function waitUntilDrawn(pane: Pane, after: number, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs
  while (pane.lastOutputAt < after && performance.now() < end && !pane.exited) await sleep(20)
}

/**
 * Asks the agent to quit, then kills it with everything that it started, and removes Remora's pane. Never waits long for
 * a tmux that does not answer; throws if the pane could not be removed.
 */
export async function endAgent(pane: Pane): Promise<void> {
  pane.expectExit()
  // An agent that was restarted has another process than before.
  const answers = await within(
    answerMs,
    pane.look().then(
      () => true,
      () => false,
    ),
  )
  const { pid, run } = pane.facts
  const root = pane.inhabitant ?? {
    pid,
    startTime: await startTime(pid),
    ...(run === undefined ? {} : { run }),
  }
  if (!pane.exited) {
    const left =
      answers === true &&
      (await within(
        askMs,
        askToQuit(pane).catch(() => false),
      )) === true
    if (!left) await killTree(root, { grace: 2_000 })
    else if (run !== undefined)
      return void (await Promise.all([killTree(root, { grace: 500 }), pane.remove()]))
  }
  if (run !== undefined) await pane.remove()
  for (const end = performance.now() + exitMs; !pane.exited && performance.now() < end;) await sleep(20)
}

async function askToQuit(pane: Pane): Promise<boolean> {
  const ready = async (): Promise<boolean> => {
    await pane.look()
    // A crashed agent has no input line.
    return pane.now.state === 'idle' || (pane.now.state === 'error' && pane.now.input !== undefined)
  }
  if (pane.now.state === 'working') {
    // An agent that does not stop is killed soon after.
    await pressInterrupt(pane, idleMs)
    await pane.until((now) => now.state !== 'working', idleMs)
  }
  if (!(await ready())) return false
  await paste(pane, pane.part.quit)
  await sleep(150)
  await pane.quiet(60, 1_000)
  // The first Enter may only select from a list of commands. Enter must not answer a dialog that has opened meanwhile.
  for (let round = 0; round < 3 && (await ready()); round++) {
    await pressKey(pane, { key: 'Enter' })
    if (await pane.until((now) => now.state === 'exited' || !now.input, retryMs)) break
  }
  return pane.until((now) => now.state === 'exited', leaveMs)
}
