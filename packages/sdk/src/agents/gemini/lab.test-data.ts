import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Scenario, startScriptedModel } from '@remora/scripted-model'
import { createHome, pinned } from '@remora/testkit'
import { type RunOptions, run } from '../../index.ts'
import { filesBelow } from './folder.test-data.ts'

/** A home, a model and a function that runs the real CLI in them. */
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
    /** The last request to the model. */
    turn: () => model.requests.findLast((request) => request.kind === 'turn'),
    /** Lists the files below the home that contain the text. */
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

/** The CLI without Remora. */
export async function raw(
  place: Pick<Awaited<ReturnType<typeof lab>>, 'env' | 'home'>,
  args: readonly string[],
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [place.env.GEMINI_CLI_PATH, ...args, '-o', 'stream-json'], {
    cwd: place.home.cwd,
    env: place.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output }
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
