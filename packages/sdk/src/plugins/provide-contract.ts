import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'

/** What a plugin imports. It gets the contract of the Remora that loads it, and never a copy of its own. */
const contractModule = '@remora/sdk/agent'

type NextResolve = (specifier: string, context: object) => object
type Resolve = (specifier: string, context: object, next: NextResolve) => object

let isProvided = false

/** Lets plugins import `@remora/sdk/agent`, also from the bundled command, in which that package is no folder. */
export function provideContract(): void {
  if (isProvided) return
  const url = findContract()
  if (url === undefined) return
  isProvided = true
  const { registerHooks } = nodeModule as { registerHooks?: (hooks: { resolve: Resolve }) => unknown }
  if (registerHooks)
    registerHooks({
      resolve: (specifier, context, next) =>
        specifier === contractModule ? { url, shortCircuit: true } : next(specifier, context),
    })
  else nodeModule.register(`data:text/javascript,${encodeURIComponent(writeHooks(url))}`)
}

/** The same for Node.js before 22.15, where hooks run in their own thread. */
function writeHooks(url: string): string {
  return `export async function resolve(specifier, context, next) {
  if (specifier === ${JSON.stringify(contractModule)}) return { url: ${JSON.stringify(url)}, shortCircuit: true }
  return next(specifier, context)
}`
}

/** The compiled entry point: in the folder of the bundled command, or in this package, also if its sources run. */
function findContract(): string | undefined {
  return ['./agent.js', '../agent.js', '../../dist/agent.js']
    .map((path) => new URL(path, import.meta.url))
    .find((url) => existsSync(url))?.href
}
