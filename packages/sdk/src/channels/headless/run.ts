import { randomUUID } from 'node:crypto'
import type { Agent } from '../../contract/agent.ts'
import { BatchedRun, type Run } from '../../runs/run.ts'
import { Stop } from '../../runs/stop.ts'
import { HeadlessRun } from './headless-run.ts'
import { type RunOptions, checkOptions } from './options.ts'

/**
 * Runs an agent once. An agent's failure is an event and a result that is not ok; only a caller's mistake throws.
 *
 * @example
 * const run = startRun(gemini, { prompt: 'What is in this folder?' })
 * for await (const event of run) if (event.type === 'text') process.stdout.write(event.text)
 * const { ok, usage } = await run.result
 */
export function startRun(agent: Agent, options: RunOptions): Run {
  checkOptions(options)
  const id = randomUUID()
  const stop = new Stop()
  return new BatchedRun(id, stop, new HeadlessRun(id, agent, options, stop).batches())
}
