// Prints events while an agent works. Leaving the loop, or Ctrl+C, ends the agent and its processes.
//   npx tsx examples/stream.ts [agent] [prompt]
import { run } from '@remora/sdk'

const [agent = 'gemini', prompt = 'Write a haiku about the sea into sea.txt.'] = process.argv.slice(2)
const stop = new AbortController()
process.once('SIGINT', () => stop.abort())

const running = run(agent, {
  prompt,
  mode: 'acceptEdits',
  timeouts: { startup: 60_000 },
  signal: stop.signal,
})

for await (const event of running) {
  if (event.type === 'text') process.stdout.write(event.text)
  else if (event.type === 'tool_use') console.log(`\n[${event.name}] ${JSON.stringify(event.input)}`)
  else if (event.type === 'tool_result') console.log(`[${event.status}]`)
  else if (event.type === 'status') console.error(`(${event.status}: ${event.detail ?? ''})`)
  else if (event.type === 'error') console.error(`${event.severity}: ${event.message}`)
}

const { ok, sessionId, durationMs } = await running.result
console.log(`\nSession ${sessionId}, ${(durationMs / 1000).toFixed(1)} s`)
process.exitCode = ok ? 0 : 1
