import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { TestHome } from '../../sessions/home.test-data.ts'

/** Creates a home that is removed with its test, and a function that reads the rules of its hook. */
export function makeHome() {
  const home = new TestHome()
  onTestFinished(() => home[Symbol.dispose]())
  const rules = () =>
    JSON.parse(readFileSync(join(home.state, 'hooks/pave-rules.json'), 'utf8')) as {
      agents: Record<string, { edits: { from: string }[] }>
    }
  return { home, rules }
}
