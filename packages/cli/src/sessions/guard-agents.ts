import { type Agent, agents } from '@remora/sdk'
import type { GuardRecord } from '@remora/sdk/hooks'
import { canAsk, readYes } from '../command/confirm.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { getAgentPlace } from '../detection/agent-place.ts'
import { pickAgent } from '../detection/survey.ts'
import { guardedPath } from '../home/remora-home.ts'
import { editUserFile } from '../home/user-file.ts'
import { colors } from '../output/colors.ts'

type Guard = NonNullable<Awaited<ReturnType<NonNullable<NonNullable<Agent['transcripts']>['guard']>>>>

/** Shows which agents delete sessions, and turns that off after confirmation. */
export async function guardAgents(input: Input, io: Io): Promise<number> {
  const { values, positionals } = input
  const chosen = (positionals.length === 0 ? agents() : positionals.map(pickAgent)).filter(
    (agent) => agent.transcripts?.guard,
  )
  const rest = positionals.map(pickAgent).filter((agent) => !agent.transcripts?.guard)
  for (const agent of rest)
    if (!values['json']) io.out(`- ${agent.title} has no automatic session deletion\n`)
  const found: { agent: Agent; guard: Guard | undefined; done: boolean }[] = []
  for (const agent of chosen) {
    const guard = await agent.transcripts!.guard!(await getAgentPlace(agent, io))
    found.push({ agent, guard, done: guard === undefined })
  }
  const paint = await colors(input, io)
  for (const entry of found) {
    const { agent, guard } = entry
    if (!guard) {
      if (!values['json']) io.out(`${paint.green('✓')} ${agent.title} does not delete sessions\n`)
      continue
    }
    if (!values['json']) {
      io.out(`${paint.yellow('!')} ${guard.problem.message}\n`)
      io.out(`  Change in ${guard.file}: ${guard.change}\n`)
    }
    if (!values['yes'] && (values['json'] || !(await agreed(io)))) continue
    const { applyGuard } = await import('@remora/sdk/hooks')
    const record = await applyGuard(agent.id, guard)
    await editUserFile<GuardRecord[]>(guardedPath(io), [], (records) => [...records, record])
    entry.done = true
    if (!values['json']) io.out(`${paint.green('✓')} Changed ${guard.file}\n`)
  }
  if (values['json']) io.out(`${JSON.stringify(found.map(asJson), null, 2)}\n`)
  else printRest(found, io)
  return found.every(({ done }) => done) ? 0 : 1
}

function printRest(found: readonly { readonly done: boolean }[], io: Io): void {
  if (found.some(({ done }) => !done))
    io.out('Nothing changed. To make the changes: remora agents guard --yes\n')
  else io.out('Automatic deletion is off. To keep a copy of all sessions: remora import\n')
}

function asJson({ agent, guard, done }: { agent: Agent; guard: Guard | undefined; done: boolean }): object {
  const about = guard ? { file: guard.file, change: guard.change, problem: guard.problem } : {}
  return { agent: agent.id, guarded: done, ...about }
}

/** Without a terminal, the answer is no. */
async function agreed(io: Io): Promise<boolean> {
  if (!io.terminal || !canAsk(io)) return false
  io.out('  Make this change? [y/N] ')
  return readYes(io)
}
