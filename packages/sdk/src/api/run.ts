import type { Agent } from '../contract/agent.ts'
import type { RunOptions } from '../channels/headless/options.ts'
import { startRun } from '../channels/headless/headless-run.ts'
import { getAgent } from '../agents/registry.ts'
import type { Run } from '../runs/run.ts'

/**
 * Runs an agent once, and returns its events and a result. A failure of the agent is an event and a result that is not ok;
 * only invalid options throw.
 *
 * @example
 * const running = run('gemini', { prompt: 'What is in this folder?' })
 * for await (const event of running) if (event.type === 'text') process.stdout.write(event.text)
 * const { ok, text, usage } = await running.result
 */
export function run(agent: Agent | string, options: RunOptions): Run {
  return startRun(typeof agent === 'string' ? getAgent(agent) : agent, options)
}
