import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { type Terminal, startTerminal } from '@remora/sdk/terminal'
import type { Stage } from './worker.ts'

const turnMs = 60_000

/** Sends every attempt to a terminal in plan mode, and denies what it asks. Returns the titles of what was asked. */
export async function driveTerminal({ agent, home, model, env, prompts }: Stage): Promise<string[]> {
  const asked: string[] = []
  const socket = join(home.path, 'tmp', 'tmux')
  const terminal = await startTerminal(agent, { cwd: home.cwd, env, socket, name: 'plan', mode: 'plan' })
  try {
    await settle(terminal, asked)
    for (const prompt of prompts) {
      await terminal.send(prompt)
      await model.waitFor((request) => request.kind === 'turn' && request.prompt?.includes(prompt) === true)
      await settle(terminal, asked)
    }
    return asked
  } finally {
    await terminal.end()
  }
}

/** Waits until the terminal is idle, and denies every dialog until then. */
async function settle(terminal: Terminal, asked: string[]): Promise<void> {
  const deadline = Date.now() + turnMs
  for (let idle = 0; idle < 3;) {
    if (Date.now() > deadline) throw new Error(`Not idle:\n${terminal.screen().lines.join('\n')}`)
    const { state, ask } = await terminal.refresh()
    if (state === 'exited') throw new Error('The agent has ended')
    if (ask) {
      asked.push(ask.title)
      const no = ask.options.find(({ effect }) => effect === 'deny')
      if (no) await terminal.answer(ask.digest, { option: no.id })
      else await terminal.press({ key: 'Escape' })
    }
    // Between two calls of a turn the screen may look idle for a moment.
    idle = state === 'idle' && !ask ? idle + 1 : 0
    await sleep(150)
  }
}
