import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Scenario, startScriptedModel } from '@remora/scripted-model'
import { createHome, pinned } from '@remora/testkit'
import { type RunOptions, run } from '../../index.ts'
import { filesBelow } from './folder.test-data.ts'

/** A home, a model and a way to run the real CLI in them. */
export async function lab(version: string, scenario: Scenario) {
  const model = await startScriptedModel({ scenario })
  const home = await createHome('gemini', { version, model })
  const env = { ...home.env, GEMINI_CLI_PATH: pinned('gemini', version).path }
  return {
    model,
    home,
    env,
    folder: join(home.path, '.gemini'),
    extensions: join(home.path, '.gemini', 'extensions'),
    start: (options: Partial<RunOptions> = {}) =>
      run('gemini', { prompt: scenario.prompt, mode: scenario.mode, cwd: home.cwd, env, ...options }),
    /** The last request for an answer. */
    turn: () => model.requests.findLast((request) => request.kind === 'turn'),
    /** The files below the home that hold the text. */
    async holding(text: string): Promise<string[]> {
      const found: string[] = []
      for (const name of await filesBelow(home.path)) {
        if ((await readFile(join(home.path, name))).includes(text)) found.push(name)
      }
      return found
    },
    async [Symbol.asyncDispose]() {
      await model.close()
      await home.remove()
    },
  }
}

/** A scenario of one turn. */
export function oneTurn(...replies: Scenario['turns'][0]): Scenario {
  return {
    name: 'one-turn',
    title: 'One turn',
    prompt: 'Do it.',
    mode: 'bypassPermissions',
    turns: [replies],
  }
}
