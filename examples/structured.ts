// Requests structured data: the answer is validated against a schema, with one retry.
//   npx tsx examples/structured.ts [agent] [prompt]
import { run } from '@remora/sdk'

const [agent = 'gemini', prompt = 'Name a city and how many people live there.'] = process.argv.slice(2)

interface City {
  readonly name: string
  readonly population: number
}

const { ok, data, error } = await run(agent, {
  prompt,
  mode: 'plan',
  output: {
    type: 'object',
    properties: { name: { type: 'string' }, population: { type: 'integer', minimum: 1 } },
    required: ['name', 'population'],
  },
}).result

if (ok) {
  const { name, population } = data as City
  console.log(`${name}: ${population.toLocaleString('en-US')}`)
} else console.error(`${error?.code}: ${error?.message}`)
process.exitCode = ok ? 0 : 1
