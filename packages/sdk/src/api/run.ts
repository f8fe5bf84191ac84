import type { Agent } from '../contract/agent.ts'
import type { RunOptions } from '../channels/headless/options.ts'
import { startRun } from '../channels/headless/headless-run.ts'
import { checkModeWord } from '../contract/modes.ts'
import { getAgent } from '../agents/registry.ts'
import type { Run } from '../runs/run.ts'
import { startAcpRun } from './acp-run.ts'

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
  const chosen = typeof agent === 'string' ? getAgent(agent) : agent
  if (options.mode !== undefined) checkModeWord(chosen, options.mode)
  // An agent that is known only by its ACP command has no command line for a single prompt.
  return chosen.acp && !chosen.headless ? startAcpRun(chosen, options) : startRun(chosen, options)
}
