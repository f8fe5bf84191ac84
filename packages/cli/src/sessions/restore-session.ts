import { resolve } from 'node:path'
import { type Restored, restoreSession } from '@remora/intake'
import type { Agent } from '@remora/sdk'
import { findSession } from '../args/find-session.ts'
import { UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { getAgentPlace } from '../detection/agent-place.ts'
import { pickAgent } from '../detection/survey.ts'
import { withLedger } from '../ledger/with-ledger.ts'
import { shellLine, shellWord } from '../output/shell-word.ts'

/** Writes a session back to its CLI's folder, and prints how to resume it. */
export async function restore({ values, positionals }: Input, io: Io): Promise<number> {
  const named = typeof values['agent'] === 'string' ? values['agent'] : undefined
  const [word = ''] = positionals
  // The latest session most likely still exists, so an id is required.
  if (word === 'latest')
    throw new UsageError('remora sessions restore needs a session id', 'List them: remora sessions')
  return withLedger(io, async (ledger) => {
    const entry = await findSession(ledger, word, io, named)
    const agent = pickAgent(entry.agent)
    const { env, home, version } = await getAgentPlace(agent, io)
    const cwd = typeof values['cwd'] === 'string' ? { cwd: resolve(io.cwd, values['cwd']) } : {}
    const restored = await restoreSession(ledger, entry, { env, home, version, ...cwd })
    const command = formatResumeCommand(agent, restored)
    if (values['json']) io.out(`${JSON.stringify({ ...restored, command }, null, 2)}\n`)
    else io.out(formatRestored(agent, restored, command))
    return 0
  })
}

function formatRestored(
  agent: Agent,
  { session, files, setAside, intact }: Restored,
  command: string,
): string {
  const resumeHint = `Resume: remora resume ${session}\n    or: ${command}\n`
  if (intact !== undefined)
    return `Nothing to restore: ${agent.title} still has it in ${intact}\n${resumeHint}`
  return [
    `Restored for ${agent.title}\n`,
    ...files.map((path) => `  wrote ${path}\n`),
    ...setAside.map((path) => `  kept the damaged file as ${path}\n`),
    resumeHint,
  ].join('')
}

function formatResumeCommand(agent: Agent, { session, cwd }: Restored): string {
  const line = shellLine([agent.detection.command, ...agent.transcripts!.resume(session).args])
  return cwd === undefined ? line : `cd ${shellWord(cwd)} && ${line}`
}
