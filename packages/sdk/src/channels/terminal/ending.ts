import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import { killTree } from '../../process/kill-tree.ts'
import { startTime } from '../../process/process-table.ts'
import type { Pane } from './pane.ts'
import { runTmux } from './run-tmux.ts'
import { keyOf, paste, pressKey } from './typing.ts'

const idleMs = 1_500
const drawsMs = 8_000
const tries = 4
const againMs = 1_000
const leaveMs = 4_000

/**
 * Breaks off what the agent does. On a busy machine keys that come together are another key to it, or none, so they are
 * pressed again: but only if it has drawn since, and read what was pressed, for what is one too many means something else.
 */
export async function interruptAgent(pane: Pane): Promise<void> {
  const stopped = (withinMs: number) => pane.until((now) => now.state !== 'working', withinMs)
  for (let round = 0; round < tries; round++) {
    await pressInterrupt(pane, drawsMs)
    const pressed = performance.now()
    if (await stopped(idleMs)) return
    await drawn(pane, pressed + idleMs / 2, drawsMs)
    if (await stopped(250)) return
  }
  throw new RemoraError('unknown', `${pane.agent.title} works on, although it was told to stop`, {
    hint: 'Look at its terminal, or end it.',
  })
}

/** Where several keys are wanted, each is read before the next one comes. */
async function pressInterrupt(pane: Pane, withinMs: number): Promise<void> {
  for (const key of pane.part.interrupt) {
    const pressed = performance.now()
    await pressKey(pane, keyOf(key))
    if (pane.now.state === 'working') await drawn(pane, pressed, withinMs)
    await pane.quiet(40, 300)
  }
}

/** Waits until it has drawn something after that moment: one that works does so all the time. */
export async function drawn(pane: Pane, after: number, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs
  while (pane.heardAt < after && performance.now() < end && !pane.exited) await sleep(20)
}

/** Asks the agent to leave, then ends it with everything that it started, and takes our pane away. */
export async function endAgent(pane: Pane): Promise<void> {
  // One that was started again has another process than before.
  await pane.look().catch(() => undefined)
  const { pid, run } = pane.facts
  const root = pane.inhabitant ?? {
    pid,
    startTime: await startTime(pid),
    ...(run === undefined ? {} : { run }),
  }
  if (!pane.exited) {
    // A tmux that does not answer must not keep us from ending what runs in it.
    const left = await askToLeave(pane).catch(() => false)
    if (!left || run !== undefined) await killTree(root, { grace: left ? 500 : 2_000 })
  }
  if (run !== undefined) await killSession(pane)
  await pane.until((now) => now.state === 'exited', 3_000).catch(() => {})
}

/** By a tmux of its own: the pane may be dead to us already. Only if it is still the one that we mean. */
async function killSession({ address: { socket, pane }, facts }: Pane): Promise<void> {
  const text = await runTmux({
    socket,
    commands: [['display-message', '-p', '-t', pane, '#{pane_id} #{session_id} #{@remora-run}']],
  }).catch(() => '')
  if (text.trim() !== `${pane} ${facts.session} ${facts.run}`) return
  await runTmux({ socket, commands: [['kill-session', '-t', facts.session]] }).catch(() => {})
}

async function askToLeave(pane: Pane): Promise<boolean> {
  const ready = async (): Promise<boolean> => {
    await pane.look()
    // One that has crashed has no line to type into.
    return pane.now.state === 'idle' || (pane.now.state === 'error' && pane.now.input !== undefined)
  }
  if (pane.now.state === 'working') {
    // One that does not stop is ended all the same, and soon.
    await pressInterrupt(pane, idleMs)
    await pane.until((now) => now.state !== 'working', idleMs)
  }
  if (!(await ready())) return false
  await paste(pane, pane.part.quit)
  await sleep(150)
  await pane.quiet(60, 1_000)
  // The first Enter may only choose from a list of commands. A dialog that has opened meanwhile would be answered by it.
  for (let round = 0; round < 3 && (await ready()); round++) {
    await pressKey(pane, { key: 'Enter' })
    if (await pane.until((now) => now.state === 'exited' || !now.input, againMs)) break
  }
  return pane.until((now) => now.state === 'exited', leaveMs)
}
