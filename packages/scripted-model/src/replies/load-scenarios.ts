import { readdir, readFile } from 'node:fs/promises'
import { checkScenario } from './check-scenario.ts'
import type { Scenario } from './scenario.ts'

const folder = new URL('../../scenarios/', import.meta.url)

/** The shipped scenarios, by name. @example for (const { name, title } of await loadScenarios()) console.log(name, title) */
export async function loadScenarios(): Promise<Scenario[]> {
  return Promise.all((await names()).map(read))
}

/** One shipped scenario. @example const hello = await loadScenario('hello') */
export async function loadScenario(name: string): Promise<Scenario> {
  const known = await names()
  if (!known.includes(name)) throw new Error(`No scenario is called ${name}. There are: ${known.join(', ')}.`)
  return read(name)
}

async function names(): Promise<string[]> {
  const files = await readdir(folder)
  return files
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .toSorted()
}

async function read(name: string): Promise<Scenario> {
  const file = `${name}.json`
  const text = await readFile(new URL(file, folder), 'utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Error(`scenarios/${file} is not JSON.`, { cause })
  }
  const scenario = checkScenario(value, `scenarios/${file}`)
  if (scenario.name !== name)
    throw new Error(`scenarios/${file}: name must be "${name}", as the file is called.`)
  return scenario
}
