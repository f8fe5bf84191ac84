import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Event } from '@remora/protocol'
import { connect } from '../../api/connect.ts'
import { fakeAgent } from './fake-agent/command.test-data.ts'
import type { ConnectOptions, OpenOptions, PromptOptions } from './options.ts'

/** A session with the fake agent in its own folder, and its cleanup. */
export async function talk(
  options: ConnectOptions = {},
  open: Partial<OpenOptions> = {},
  behaviour: Readonly<Record<string, unknown>> = {},
) {
  const cwd = await mkdtemp(join(tmpdir(), 'remora-acp-'))
  const connection = await connect(fakeAgent(behaviour), options)
  const dispose = async (): Promise<void> => {
    await connection.close()
    await rm(cwd, { recursive: true, force: true })
  }
  try {
    const session = await connection.open({ cwd, structuredOutput: false, ...open })
    return {
      cwd,
      connection,
      session,
      say: (words: string, how: PromptOptions = {}) => session.prompt(words, how).result,
      [Symbol.asyncDispose]: dispose,
    }
  } catch (error) {
    await dispose()
    throw error
  }
}

export async function collectEvents(run: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = []
  for await (const event of run) events.push(event)
  return events
}
