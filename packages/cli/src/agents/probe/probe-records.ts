import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fold } from '@remora/protocol/fold'
import { type Event, getMessageText } from '@remora/protocol/plain'
import type { ProbeVerdict } from '@remora/sdk'
import { PayloadReader, installHooks, scanSpool } from '@remora/sdk/hooks'
import { sessions as transcripts } from '@remora/sdk/transcripts'
import { expectCall } from './probe-headless.ts'
import type { ProbeHome } from './probe-home.ts'
import { probes } from './probe-scenarios.ts'
import { NotApplicable, type ProbeStage, expect, runChecks, waitFor } from './probe-stage.ts'

/** How long a CLI may take to write its session after a turn. */
const writingMs = 15_000

/** Installs Remora's hooks in the isolated home. Returns a function that checks what they reported. */
export async function prepareHooks(stage: ProbeStage): Promise<() => Promise<ProbeVerdict[]>> {
  const { agent, home, version, signal, sessions } = stage
  const { hooks } = agent
  if (!hooks) return async () => []
  const remoraHome = join(home.path, 'tmp', 'remora')
  // A program for the end of a turn is not a hook and reports nothing else.
  const events = hooks.events.filter((event) => event !== 'notify')
  const installing = installHooks(agent, {
    place: { env: home.env, home: home.path, cwd: home.cwd, version },
    remoraHome,
    events,
  })
  const error = await installing.then(
    () => undefined,
    (cause: unknown) => cause as Error,
  )
  const read = async (session: string | undefined): Promise<Event[]> => {
    const reader = new PayloadReader(agent)
    const found: Event[] = []
    for (const { file, id, at } of scanSpool(remoraHome).entries) {
      const payload = reader.read(await readFile(file, 'utf8'), { key: id, at })
      found.push(...(payload?.events ?? []))
    }
    return found.filter((event) => session === undefined || event.session === session)
  }
  return () =>
    runChecks(stage, 'hooks', {
      text: async () => {
        if (error) throw error
        await waitFor(
          'The hooks reported nothing',
          async () => (await read(sessions.get('text'))).length > 0,
          signal,
          writingMs,
        )
      },
      tool: async () => {
        const session = sessions.get('tool')
        if (session === undefined) throw new NotApplicable('No call was made')
        await waitFor(
          'The hooks reported no tool result',
          async () => (await read(session)).some(({ type }) => type === 'tool_result'),
          signal,
          writingMs,
        )
        expectCall(await read(session), 'Bash')
      },
      approve: 'Hooks that wait for a decision need the server',
      deny: 'Hooks that wait for a decision need the server',
      interrupt: 'Hooks only report',
      resume: 'Hooks only report',
    })
}

/** Checks what the CLI has written about the sessions of the other channels; approvals are in the live home. */
export function probeTranscripts(stage: ProbeStage, live: ProbeHome): Promise<ProbeVerdict[]> {
  const { signal, sessions } = stage
  const events = async (name: 'text' | 'tool' | 'approvals'): Promise<Event[]> => {
    const session = sessions.get(name)
    if (session === undefined) throw new NotApplicable('No session to read')
    const { path, env } = name === 'approvals' ? live : stage.home
    return transcripts.events(session, { home: path, env })
  }
  const until = (otherwise: string, matches: () => Promise<boolean>) =>
    waitFor(otherwise, matches, signal, writingMs)
  const hasText = async (name: 'text' | 'approvals', text: string): Promise<boolean> =>
    fold(await events(name)).some((message) => getMessageText(message).includes(text))
  return runChecks(stage, 'transcripts', {
    text: async () => {
      await until('The prompt was not read', () => hasText('text', probes.text.prompt))
      await until('The answer was not read', () => hasText('text', probes.text.answer))
    },
    tool: async () => {
      await until('No tool result was read', async () =>
        (await events('tool')).some(({ type }) => type === 'tool_result'),
      )
      expectCall(await events('tool'), 'Bash')
    },
    approve: 'Covered by tool',
    deny: async () => {
      const findCall = async () =>
        (await events('approvals')).find(
          (event) => event.type === 'tool_use' && JSON.stringify(event.input).includes(probes.deny.file),
        )
      const call = await waitFor('The denied call was not read', findCall, signal, writingMs)
      const results = (await events('approvals')).filter(
        (event) => event.type === 'tool_result' && event.entity === call.entity,
      )
      const isSuccess = results.some((event) => event.type === 'tool_result' && event.status === 'success')
      expect(!isSuccess, 'The denied call was read as a success')
    },
    interrupt: async () => {
      await until('The interrupted prompt was not read', () => hasText('approvals', probes.interrupt.prompt))
    },
    resume: async () => {
      await until('The resumed prompt was not read', () => hasText('text', probes.resume.prompt))
    },
  })
}
