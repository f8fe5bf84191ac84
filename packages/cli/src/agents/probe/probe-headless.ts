import type { Event } from '@remora/protocol/plain'
import { type ProbeVerdict, type RunOptions, capabilities, run } from '@remora/sdk'
import { probes } from './probe-scenarios.ts'
import { NotApplicable, type ProbeStage, checkMs, expect, remembers, runChecks } from './probe-stage.ts'

/** Probes runs of one prompt. A run cannot ask, so approvals do not apply. */
export function probeHeadless(stage: ProbeStage): Promise<ProbeVerdict[]> {
  const { agent, home, model, signal, sessions, version } = stage
  const { testkit } = agent
  const can = capabilities(agent, version)
  const start = (options: Pick<RunOptions, 'prompt' | 'mode' | 'resume'>) =>
    run(agent, {
      cwd: home.cwd,
      env: home.env,
      signal,
      timeouts: { total: checkMs },
      ...(testkit.home.headless?.skipTrust ? { skipTrust: true } : {}),
      extraArgs: [...(testkit.home.hookArguments ?? [])],
      ...options,
    })
  const runToEnd = async (options: Parameters<typeof start>[0], answer: string) => {
    const events: Event[] = []
    const running = start(options)
    for await (const event of running) events.push(event)
    const { ok, text, error, sessionId } = await running.result
    expect(ok, error?.message ?? 'The run failed')
    expect(text.includes(answer), `The answer was not read: ${JSON.stringify(text)}`)
    return { events, session: sessionId }
  }
  return runChecks(stage, 'headless', {
    text: async () => {
      const { session } = await runToEnd({ prompt: probes.text.prompt }, probes.text.answer)
      if (session) sessions.set('text', session)
    },
    tool: async () => {
      const mode = (['bypassPermissions', 'acceptEdits'] as const).find((each) =>
        can.permissionModes.includes(each),
      )
      const { prompt, answer, file } = probes.tool
      const { events, session } = await runToEnd({ prompt, ...(mode ? { mode } : {}) }, answer)
      if (session) sessions.set('tool', session)
      expect(await home.has(file), 'The tool did not run')
      expectCall(events, 'Bash')
    },
    approve: 'A headless run cannot ask',
    deny: 'A headless run cannot ask',
    interrupt: async () => {
      await using running = start({ prompt: probes.interrupt.prompt })
      const asked = model.waitFor(
        ({ kind, prompt }) => kind === 'turn' && prompt === probes.interrupt.prompt,
        signal,
      )
      const result = running.result
      await Promise.race([asked, result])
      await running.cancel()
      const { error } = await result
      expect(error?.code === 'aborted', `The run was not interrupted: ${error?.message ?? 'it ended'}`)
    },
    resume: async () => {
      const session = sessions.get('text')
      if (!can.resume) throw new NotApplicable('This version cannot resume')
      expect(session, 'The first run reported no session id')
      const { prompt, answer } = probes.resume
      await runToEnd({ prompt, resume: session }, answer)
      expect(remembers(model, prompt, probes.text.prompt), 'The resumed run does not know the first prompt')
    },
  })
}

/** Expects one successful call of a tool, by Claude's name of it. */
export function expectCall(events: readonly Event[], name: string): void {
  const call = events.find((event) => event.type === 'tool_use')
  expect(call, 'No tool call was read')
  expect(call.name === name, `The tool ${name} was read as ${call.name}`)
  const result = events.findLast((event) => event.type === 'tool_result')
  expect(result, 'No tool result was read')
  expect(result.status === 'success', `A successful call was read as ${result.status}`)
}
