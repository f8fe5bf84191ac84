import { readFileSync } from 'node:fs'
import type { CommandBody, LiveInfo } from '@remora/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isAlive } from '../../../sdk/src/channels/terminal/process-list.ts'
import { type Stage, openLiveStage } from './live.test-data.ts'

async function startIdle(): Promise<{ stage: Stage; info: LiveInfo; pid: number }> {
  const stage = await openLiveStage()
  onTestFinished(() => stage[Symbol.asyncDispose]())
  const info = await stage.start()
  await stage.until('it is idle', () => stage.server.context.live.find(info.id)?.state === 'idle')
  return { stage, info, pid: stage.server.context.live.terminal(info.id)!.pid }
}

/** Stops tmux until the returned function is called or the test ends. */
function stopTmux(stage: Stage): () => void {
  const pid = Number(stage.tmux('display-message', '-p', '#{pid}'))
  // A stopped tmux neither answers nor reaps its children.
  process.kill(pid, 'SIGSTOP')
  const resume = (): void => {
    if (readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') T ')) process.kill(pid, 'SIGCONT')
  }
  onTestFinished(resume)
  return resume
}

let count = 0
function submit(stage: Stage, { agent, session }: LiveInfo, body: CommandBody) {
  const target = { agent, session }
  return stage.server.context.live.submit({ id: `e${++count}`, client: 'test', target, body })
}

/** Measures how long after the end of its process a session is listed as ended. */
async function waitForEnd(stage: Stage, { id }: LiveInfo, pid: number): Promise<number> {
  let gone: number | undefined
  await stage.until('it ended', () => {
    if (!isAlive(pid)) gone ??= performance.now()
    return stage.server.context.live.find(id)?.state === 'ended'
  })
  return performance.now() - gone!
}

describe('the end of a session', { timeout: 120_000 }, () => {
  it('does not wait for a switch that has no effect', async () => {
    const { stage, info, pid } = await startIdle()
    await submit(stage, info, { kind: 'mode', mode: 'plan' })
    await submit(stage, info, { kind: 'model', model: 'unknown' })
    const { id, client } = await submit(stage, info, { kind: 'end' })
    await waitForEnd(stage, info, pid)
    expect(await stage.server.context.ledger.commands.find({ id, client })).toMatchObject({ state: 'done' })
  })

  it('does not wait for a tmux that does not answer, and logs what is left', async () => {
    const { stage, info, pid } = await startIdle()
    const resume = stopTmux(stage)
    await submit(stage, info, { kind: 'end' })
    expect(await waitForEnd(stage, info, pid)).toBeLessThan(10_000)
    await stage.until('it is logged', () => stage.logged.join('').includes('Cannot remove the terminal'))
    resume()
  })

  it('is noticed by the process when tmux does not answer', async () => {
    const { stage, info, pid } = await startIdle()
    const resume = stopTmux(stage)
    process.kill(pid, 'SIGKILL')
    expect(await waitForEnd(stage, info, pid)).toBeLessThan(20_000)
    resume()
  })
})
