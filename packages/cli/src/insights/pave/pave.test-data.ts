import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { TestHome } from '../../sessions/home.test-data.ts'

/** A home that goes with its test, and the rules that the hook would read there. */
export function makeHome() {
  const home = new TestHome()
  onTestFinished(() => home[Symbol.dispose]())
  const rules = () =>
    JSON.parse(readFileSync(join(home.state, 'hooks/pave-rules.json'), 'utf8')) as {
      agents: Record<string, { edits: { from: string }[] }>
    }
  return { home, rules }
}
