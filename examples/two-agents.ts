// Asks two agents the same question in parallel, then resumes the first with the other's answer.
//   npx tsx examples/two-agents.ts [agent] [agent] [prompt]
import { run } from '@remora/sdk'

const [first = 'gemini', second = 'claude', prompt = 'Which file here matters most, and why?'] =
  process.argv.slice(2)

const [one, other] = await Promise.all(
  [first, second].map((agent) => run(agent, { prompt, mode: 'plan' }).result),
)

for (const [agent, result] of [[first, one] as const, [second, other] as const])
  console.log(`${agent}: ${result?.ok ? result.text : result?.error?.message}\n`)

if (one?.ok && other?.ok) {
  const verdict = await run(first, {
    prompt: `Another agent answered as below. Where do you disagree?\n\n${other.text}`,
    mode: 'plan',
    resume: one.sessionId,
  }).result
  console.log(`${first}, on ${second}: ${verdict.text}`)
  process.exitCode = verdict.ok ? 0 : 1
} else process.exitCode = 1
