import type { LiveInfo } from '@remora/protocol'
import { expect } from 'vitest'
import { createServerClient } from '../client.ts'
import type { FleetStage, Machine } from './fleet.test-data.ts'

/** Starts a session on the desktop, and waits until the laptop sees that it is ready. */
export async function startOnDesktop({ laptop, desktop, until }: FleetStage): Promise<LiveInfo> {
  const { id } = await desktop.start()
  return until('it is seen to be idle', () => {
    const info = laptop.live.find(id)
    return info?.state === 'idle' && info
  })
}

export function isDone(machine: Machine, id: string): () => boolean {
  return () => machine.states(id).at(-1) === 'done'
}

/** Controls a session of the desktop from the laptop. Returns the prompts that its agent got. */
export async function controlRemotely(stage: FleetStage): Promise<string[]> {
  const { laptop, desktop, until } = stage
  const info = await startOnDesktop(stage)
  expect(info.node).toEqual({ id: desktop.ledger.node, name: 'desktop' })
  expect(desktop.live.find(info.id)).not.toHaveProperty('node')
  expect(laptop.live.list().map(({ id }) => id)).toEqual([info.id])

  const ask = <T>(path: string): Promise<T> =>
    createServerClient({ remoraHome: laptop.remoraHome }).request<T>('GET', path)
  expect(await ask('/api/nodes')).toEqual({
    nodes: [
      { id: desktop.ledger.node, name: 'desktop', version: '0.0.0', silentMs: expect.any(Number), live: 1 },
      {
        id: laptop.ledger.node,
        name: 'laptop',
        version: '0.0.0',
        silentMs: expect.any(Number),
        live: 0,
        here: true,
      },
    ],
  })
  expect(await ask('/api/live?node=here')).toEqual({ live: [] })
  expect(await ask(`/api/live?node=${desktop.ledger.node}`)).toMatchObject({ live: [{ id: info.id }] })

  const first = await laptop.submit('one', info, 'hello there')
  expect(first.state).toBe('queued')
  // A repeated command, also from the other machine, has no effect.
  await Promise.all([laptop.submit('one', info, 'hello there'), desktop.submit('one', info, 'hello there')])
  await until('the prompt is done', isDone(laptop, 'one'))
  expect(laptop.states('one')).toEqual(expect.arrayContaining(['queued', 'done']))
  expect(await desktop.prompts()).toEqual(['hello there'])
  expect(await laptop.prompts()).toEqual([])

  const { session } = await until('its own id', () => {
    const found = laptop.live.find(info.id)
    return found?.session.startsWith('l-') ? undefined : found
  })
  expect(await ask(`/api/sessions?node=${desktop.ledger.node}`)).toMatchObject({
    sessions: [{ session, live: info.id, node: desktop.ledger.node }],
  })
  expect(await ask(`/api/sessions?node=${laptop.ledger.node}`)).toEqual({ sessions: [] })

  await until('it rests', () => laptop.live.find(info.id)?.state === 'idle')
  const strange = await laptop.submit('mode', laptop.live.find(info.id)!, { kind: 'mode', mode: 'strange' })
  expect(strange.state).toBe('queued')
  await until('there is no such mode', () => laptop.states('mode').at(-1) === 'refused')
  const reported = laptop.changes.findLast((each) => each.type === 'command' && each.command.id === 'mode')
  expect(reported).toMatchObject({
    command: { reason: expect.stringContaining('does not support the mode strange') as string },
  })

  await laptop.submit('slow', laptop.live.find(info.id)!, 'slow')
  await until('it works', async () => {
    const isTold = (await desktop.prompts()).includes('slow')
    return isTold && laptop.live.find(info.id)?.state === 'working'
  })
  const waiting = await laptop.submit('later', info, 'a prompt to withdraw')
  expect(waiting.state).toBe('queued')
  const edited = await laptop.live.edit(waiting, {
    kind: 'prompt',
    content: [{ type: 'text', text: 'other' }],
  })
  expect(edited.body).toEqual({ kind: 'prompt', content: [{ type: 'text', text: 'other' }] })
  expect((await laptop.live.withdraw(waiting)).state).toBe('withdrawn')
  await laptop.submit('stop', laptop.live.find(info.id)!, { kind: 'cancel' })
  await until('it stopped', isDone(laptop, 'stop'))
  await until('it is idle', () => laptop.live.find(info.id)?.state === 'idle')
  expect(await desktop.prompts()).toEqual(['hello there', 'slow'])

  await laptop.submit('end', laptop.live.find(info.id)!, { kind: 'end' })
  await until('it ended', () => laptop.live.find(info.id)?.state === 'ended')
  await until('the end is done', isDone(laptop, 'end'))
  const late = await laptop.submit('late', info, 'are you there?')
  expect(late).toMatchObject({ state: 'refused', reason: 'The session is not running' })
  return desktop.prompts()
}

/** Answers questions of the desktop's agent on the laptop and on both machines. Returns the choices. */
export async function answerRemotely(stage: FleetStage): Promise<number[]> {
  const { laptop, desktop, until } = stage
  const info = await startOnDesktop(stage)
  const rounds = 6
  await laptop.submit('ask', info, `ask word ${rounds}`)
  for (let round = rounds; round > 0; round--) {
    const asked = await until(`ask ${round}`, async () => {
      const [pending] = await laptop.server.context.approvals.pending()
      return (
        pending && (pending.ask.input as { command: string }).command === `touch word-${round}` && pending
      )
    })
    const { ask, ...key } = asked
    const given = { ask: ask.id, digest: ask.digest, by: 'person' as const }
    const results =
      round === rounds
        ? [await laptop.server.context.approvals.answer(key, { ...given, option: 'allow', device: 'laptop' })]
        : await Promise.all([
            laptop.server.context.approvals.answer(key, { ...given, option: 'allow', device: 'laptop' }),
            desktop.server.context.approvals.answer(key, { ...given, option: 'deny', device: 'desktop' }),
          ])
    expect(results.filter(({ won }) => won)).toHaveLength(1)
    for (const { answer } of results) expect(answer).toEqual(results[0]!.answer)
    const choice = results[0]!.answer.option === 'allow' ? 1 : 3
    const made = await until(`choice ${round}`, async () =>
      (await desktop.noted()).find(({ command }) => command === `touch word-${round}`),
    )
    expect(made.choice).toBe(choice)
  }
  await until('it is idle', () => laptop.live.find(info.id)?.state === 'idle')
  const audit = await laptop.ledger.audit.read({ limit: 1000 })
  expect(audit.filter(({ what }) => what === 'answer')).toHaveLength(rounds)
  expect(audit.filter(({ what }) => what === 'not carried')).toEqual([])
  return (await desktop.noted()).flatMap(({ choice }) => choice ?? [])
}
