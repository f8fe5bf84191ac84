import { RemoraError } from '@remora/protocol/plain'
import type { Agent } from '../contract/agent.ts'
import type { RunOptions } from '../channels/headless/options.ts'
import { startRun } from '../channels/headless/headless-run.ts'
import { agents, findAgent } from '../agents/registry.ts'
import type { Run } from '../runs/run.ts'

/**
 * Runs an agent once, and gives what it does as events and what came of it as a result. An agent's failure is an
 * event and a result that is not ok; only a caller's mistake throws.
 *
 * @example
 * const running = run('gemini', { prompt: 'What is in this folder?' })
 * for await (const event of running) if (event.type === 'text') process.stdout.write(event.text)
 * const { ok, text, usage } = await running.result
 */
export function run(agent: Agent | string, options: RunOptions): Run {
  if (typeof agent !== 'string') return startRun(agent, options)
  const found = findAgent(agent)
  if (found) return startRun(found, options)
  throw new RemoraError('usage', `There is no agent "${agent}"`, {
    hint: `Known agents: ${agents()
      .map(({ id }) => id)
      .join(', ')}`,
  })
}
