import type { AskBroker, AskOption, Event } from '@remora/protocol/plain'
import { type Connection, type ProbeVerdict, type Session, connect } from '@remora/sdk'
import { expectCall } from './probe-headless.ts'
import { probes } from './probe-scenarios.ts'
import {
  NotApplicable,
  type ProbeStage,
  Stuck,
  expect,
  remembers,
  runChecks,
  withinCheck,
} from './probe-stage.ts'

/** Probes a session over ACP, with the user's wrapper if the agent needs one. */
export async function probeAcp(stage: ProbeStage): Promise<ProbeVerdict[]> {
  const { agent, home, model, signal } = stage
  let effect: AskOption['effect'] = 'deny'
  const asked: AskOption['effect'][][] = []
  const asks: AskBroker = {
    ask: async (ask) => {
      asked.push(ask.options.map((option) => option.effect))
      const option = ask.options.find((each) => each.effect === effect)
      return { ask: ask.id, digest: ask.digest, by: 'person', ...(option ? { option: option.id } : {}) }
    },
  }
  let connection: Connection | undefined
  let session: Session | undefined
  const open = async (resume?: string) => {
    connection = await connect(agent, { cwd: home.cwd, env: home.env, asks, startupTimeout: 120_000, signal })
    session = await withinCheck(
      connection.open({ cwd: home.cwd, ...(resume === undefined ? {} : { resume }) }),
      'The session was not opened in time',
      signal,
    )
    return session
  }
  const say = async (prompt: string) => {
    const current = session
    if (!current) throw new Stuck('There is no session')
    const events: Event[] = []
    const running = current.prompt(prompt)
    const work = (async () => {
      for await (const event of running) events.push(event)
      return running.result
    })()
    const result = await withinCheck(work, 'The turn did not end in time', signal)
    return { events, result }
  }
  const request = async (check: 'approve' | 'deny') => {
    asked.length = 0
    effect = check === 'approve' ? 'allow' : 'deny'
    const { events, result } = await say(probes[check].prompt)
    expect(asked.length > 0, 'The agent asked for no approval')
    expect(asked[0]?.includes(effect), `The approval request has no option to ${effect}`)
    return { events, result }
  }
  try {
    return await runChecks(stage, 'acp', {
      text: async () => {
        await open()
        const { result } = await say(probes.text.prompt)
        expect(result.ok, result.error?.message ?? 'The turn failed')
        expect(
          result.text.includes(probes.text.answer),
          `The answer was not read: ${JSON.stringify(result.text)}`,
        )
      },
      tool: async () => {
        effect = 'allow'
        const { events, result } = await say(probes.write.prompt)
        expect(result.ok, result.error?.message ?? 'The turn failed')
        expect(await home.has(probes.write.file), 'The tool wrote no file')
        expectCall(events, 'Write')
      },
      approve: async () => {
        await request('approve')
        expect(await home.has(probes.approve.file), 'The approved command did not run')
      },
      deny: async () => {
        await request('deny')
        expect(!(await home.has(probes.deny.file)), 'The denied command ran')
        if (session) stage.sessions.set('approvals', session.id)
      },
      interrupt: async () => {
        expect(session, 'There is no session')
        const running = session.prompt(probes.interrupt.prompt)
        const { result } = running
        const isTurn = ({ kind, prompt }: { kind: string; prompt?: string }) =>
          kind === 'turn' && prompt?.includes(probes.interrupt.prompt) === true
        await withinCheck(
          Promise.race([model.waitFor(isTurn, signal), result]),
          'The turn did not start',
          signal,
        )
        await session.cancel()
        const { stopReason } = await withinCheck(result, 'The turn did not stop after the interrupt', signal)
        expect(stopReason === 'cancelled', `The interrupted turn ended as ${String(stopReason)}`)
      },
      resume: async () => {
        const id = session?.id
        expect(connection && id, 'There is no session')
        if (connection.capabilities['loadSession'] !== true)
          throw new NotApplicable('This agent cannot resume over ACP')
        await connection.close()
        await open(id)
        const { result } = await say(probes.resume.prompt)
        expect(result.ok, result.error?.message ?? 'The turn failed')
        expect(
          remembers(model, probes.resume.prompt, probes.text.prompt),
          'The resumed session does not know the first prompt',
        )
      },
    })
  } finally {
    await connection?.close()
  }
}
