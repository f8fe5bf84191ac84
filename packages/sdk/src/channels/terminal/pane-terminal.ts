import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import type { Agent, Place } from '../../contract/agent.ts'
import { refusePlan, toModeName } from '../../contract/modes.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import { answerAsk } from './answer-ask.ts'
import { endAgent, interruptAgent } from './ending.ts'
import { type Inhabitant, Pane } from './pane.ts'
import { sendPrompt } from './send-prompt.ts'
import { switchTo } from './switching.ts'
import type { PaneAddress, Terminal } from './terminal.ts'
import { checkKey, pressKey } from './typing.ts'

/** How long ending an agent waits for a running action. */
const turnMs = 2_000

/** Opens a pane as a `Terminal`. Actions that write to it run one after another. */
export async function openTerminal(
  agent: Agent,
  address: PaneAddress,
  { inhabitant, place }: { readonly inhabitant?: Inhabitant; readonly place?: Place } = {},
): Promise<Terminal> {
  const pane = await Pane.open(agent, address, inhabitant)
  let turn: Promise<unknown> = Promise.resolve()
  let ending: Promise<void> | undefined
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work).catch(async (error: unknown) => {
      // The connection to tmux is lost, perhaps because the pane has ended.
      await pane.settled()
      if (pane.exited && RemoraError.is(error) && error.code === 'unknown') throw pane.ended(error)
      throw error
    })
    turn = result.catch(() => {})
    return result
  }
  const alive = (): void => {
    if (pane.exited) throw pane.ended()
  }
  const detach = (): Promise<void> => pane.close()

  return {
    agent,
    address,
    get pid() {
      return inhabitant?.pid ?? pane.facts.pid
    },
    get now() {
      return pane.now
    },
    screen: () => pane.screen(),
    serialized: () => pane.serialized(),
    watch: (signal) => pane.latest.watch(signal),
    output: (signal) => pane.taps.open(signal),
    refresh: async () => {
      await pane.lookDrawn()
      return pane.now
    },
    send: (text, options) => inTurn(() => sendPrompt(pane, text, options)),
    answer: (digest, choice) => inTurn(() => answerAsk(pane, digest, choice)),
    interrupt: () =>
      inTurn(async () => {
        alive()
        await interruptAgent(pane)
      }),
    setMode: (mode) =>
      inTurn(async () => {
        const name = toModeName(agent, mode, place?.version)
        if (name === 'plan') await checkPlan(pane, place)
        await switchTo(pane, `the mode ${mode}`, (screen, step) => pane.part.switchMode(name, screen, step))
      }),
    setModel: (model) =>
      inTurn(() =>
        switchTo(pane, `the model ${model}`, (screen, step) => pane.part.switchModel(model, screen, step)),
      ),
    press: (...keys) =>
      inTurn(async () => {
        alive()
        // Check all keys before the first is pressed.
        for (const key of keys) checkKey(key)
        for (const key of keys) await pressKey(pane, key)
      }),
    resize: (columns, rows) => inTurn(() => resize(pane, columns, rows)),
    // Waits only briefly for a running action, which may wait for a tmux that does not answer.
    end: () => {
      const before = Promise.race([turn, sleep(turnMs, undefined, { ref: false })])
      ending ??= before.then(async () => {
        try {
          await endAgent(pane)
        } finally {
          await detach()
        }
      })
      turn = ending.catch(() => {})
      return ending
    },
    detach,
    [Symbol.asyncDispose]: detach,
  }
}

/** Plan mode can only be kept read-only in terminals that Remora started. */
async function checkPlan({ agent, part, inhabitant }: Pane, place: Place | undefined): Promise<void> {
  if (inhabitant)
    throw createUnsupportedError(
      agent.title,
      'plan mode in a terminal that Remora did not start',
      `Start it with: remora new ${agent.id} --mode plan`,
    )
  if (place) refusePlan(await part.planObstacle?.(place))
}

async function resize(pane: Pane, columns: number, rows: number): Promise<void> {
  if (pane.facts.run === undefined) {
    throw new RemoraError('unsupported', 'The window is not ours, so its size is not changed')
  }
  if (!fits(columns, 20, 1_000) || !fits(rows, 5, 500)) {
    throw new RemoraError('input', `A terminal cannot have the size ${columns}x${rows}`)
  }
  await pane.act((driver) => driver.resize(columns, rows))
  await pane.look()
}

function fits(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most
}
