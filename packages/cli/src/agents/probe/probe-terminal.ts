import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import type { AskOption } from '@remora/protocol/plain'
import type { ProbeVerdict } from '@remora/sdk'
import {
  type DriverName,
  type Terminal,
  type TerminalNow,
  checkTmux,
  startTerminal,
} from '@remora/sdk/terminal'
import { sessions as transcripts } from '@remora/sdk/transcripts'
import { probes } from './probe-scenarios.ts'
import {
  NotApplicable,
  type ProbeStage,
  Stuck,
  expect,
  remembers,
  runChecks,
  waitFor,
} from './probe-stage.ts'

/** As for a new session. */
function chooseDriver(): Promise<DriverName> {
  return checkTmux().then(
    () => 'tmux',
    () => 'pty',
  )
}

/** Probes the agent on a terminal: what Remora reads on its screen, and what it types. */
export async function probeTerminal(stage: ProbeStage): Promise<ProbeVerdict[]> {
  const { agent, home, model, signal, version, sessions } = stage
  const { terminal: part } = agent
  if (!part) return []
  let terminal: Terminal | undefined
  let session: string | undefined
  const start = async (resume?: string) => {
    const sessionId = resume === undefined && part.choosesSession(version) ? randomUUID() : undefined
    if (sessionId !== undefined) session = sessionId
    terminal = await startTerminal(agent, {
      cwd: home.cwd,
      env: home.env,
      driver: await chooseDriver(),
      socket: join(home.path, 'tmp', 'tmux'),
      name: 'probe',
      command: stage.path,
      version,
      mode: 'default',
      signal,
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(resume === undefined ? {} : { resume }),
    })
  }
  const until = (otherwise: string, matches: (now: TerminalNow) => boolean) =>
    watchScreen(terminal, otherwise, matches, stage)
  const idle = () => until('The terminal did not become idle', ({ state }) => state === 'idle')
  const send = async (prompt: string) => {
    await idle()
    await terminal!.send(prompt, { signal })
  }
  const answer = async (check: 'approve' | 'deny', effect: AskOption['effect']) => {
    await send(probes[check].prompt)
    const { ask } = await until('No approval dialog was recognized', (now) => now.ask?.kind === 'permission')
    const option = ask?.options.find((each) => each.effect === effect)
    if (!ask || !option) throw new Stuck(`The dialog has no option to ${effect}: ${ask?.title}`)
    const outcome = await terminal!.answer(ask.digest, { option: option.id })
    if (outcome !== 'done') throw new Stuck('The dialog did not take the answer')
    return ask
  }
  try {
    return await runChecks(stage, 'terminal', {
      text: async () => {
        await start()
        await send(probes.text.prompt)
        await until('The answer was not read from the screen', ({ state, text }) =>
          Boolean(state === 'idle' && text?.includes(probes.text.answer)),
        )
        session ??= (await transcripts.list({ agent: agent.id, home: home.path, env: home.env, limit: 1 }))[0]
          ?.id
      },
      tool: 'Covered by approve',
      approve: async () => {
        const ask = await answer('approve', 'allow')
        await waitFor('The approved command did not run', () => home.has(probes.approve.file), signal)
        await idle()
        expect(ask.tool === 'Bash', `The dialog of a shell command was read as ${ask.tool ?? 'no tool'}`)
      },
      deny: async () => {
        await answer('deny', 'deny')
        await idle()
        expect(!(await home.has(probes.deny.file)), 'The denied command ran')
        if (session !== undefined) sessions.set('approvals', session)
      },
      interrupt: async () => {
        await send(probes.interrupt.prompt)
        await until('The screen does not show that the agent works', ({ state }) => state === 'working')
        await waitFor(
          'The model was not asked',
          () =>
            model.requests.some(
              ({ kind, prompt }) => kind === 'turn' && prompt?.includes(probes.interrupt.prompt),
            ),
          signal,
        )
        await terminal!.interrupt()
        await until(
          'The turn did not stop after the interrupt',
          ({ state }) => state === 'idle' || state === 'error',
        )
      },
      resume: async () => {
        if (session === undefined) throw new NotApplicable('The session id is not known')
        await terminal!.end()
        await start(session)
        await send(probes.resume.prompt)
        await waitFor(
          'The resumed session does not know the first prompt',
          () => remembers(model, probes.resume.prompt, probes.text.prompt),
          signal,
        )
        await idle()
      },
    })
  } finally {
    await terminal?.end()
  }
}

/** Waits for a state of the screen. Gives up early if the screen stays the same. */
async function watchScreen(
  terminal: Terminal | undefined,
  otherwise: string,
  matches: (now: TerminalNow) => boolean,
  { signal, stalledMs, limitMs }: Pick<ProbeStage, 'signal' | 'stalledMs' | 'limitMs'>,
): Promise<TerminalNow> {
  if (!terminal) throw new Stuck('The terminal was not started')
  let before = ''
  let changedAt = Date.now()
  for (const end = Date.now() + limitMs; ;) {
    const now = await terminal.refresh()
    if (matches(now)) return now
    if (now.state === 'exited') throw new Stuck(`${otherwise}: the agent has ended`)
    const shown = terminal.screen().lines.join('\n').trim()
    if (shown !== before) [before, changedAt] = [shown, Date.now()]
    const isStalled = shown !== '' && Date.now() - changedAt > stalledMs
    if (isStalled || Date.now() > end) throw new Stuck(`${otherwise}. ${describeScreen(now, shown)}`)
    await sleep(100, undefined, { signal })
  }
}

function describeScreen({ state, ask }: TerminalNow, shown: string): string {
  if (ask) return `It was read as a ${ask.kind}: ${ask.title}`
  const line = shown.split('\n').find((row) => /\p{L}{3}/u.test(row)) ?? 'nothing'
  return `It was read as ${state}, and shows: ${line.trim()}`
}
