// Keeps an agent connected for several prompts, and offers it a tool of this program.
//   npx tsx examples/session.ts [agent] [prompt…]
import { connect, tool } from '@remora/sdk'
import { z } from 'zod'

const [agent = 'gemini', ...given] = process.argv.slice(2)
const prompts = given.length > 0 ? given : ['Which year is it? Use the clock.', 'And which one comes next?']

const clock = tool({
  name: 'clock',
  description: 'Returns the current time',
  input: z.object({ zone: z.string().default('UTC') }),
  run: ({ zone }) => new Date().toLocaleString('en-GB', { timeZone: zone }),
})

// Everything else needs permission, which is always denied here.
await using connection = await connect(agent, { permissions: 'deny' })
const session = await connection.open({ cwd: process.cwd(), tools: [clock] })
for (const prompt of prompts) {
  const run = session.prompt(prompt, { deadline: 120_000 })
  for await (const event of run) if (event.type === 'tool_use') console.log(`[${event.name}]`)
  const { ok, text, error } = await run.result
  console.log(ok ? text : `${error?.code}: ${error?.message}`)
  if (!ok) process.exitCode = 1
}
