// Runs an agent once and prints its answer.
//   npx tsx examples/ask.ts [agent] [prompt]
import { run } from '@remora/sdk'

const [agent = 'gemini', prompt = 'What is in this folder? One sentence.'] = process.argv.slice(2)

const { ok, text, error, usage } = await run(agent, { prompt }).result

if (ok) console.log(`${text}\n\n${usage.totalTokens ?? '?'} tokens`)
else console.error(`${error?.code}: ${error?.message}\n${error?.hint ?? ''}`)
process.exitCode = ok ? 0 : 1
