import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type Scenario, type ScriptedModel, startScriptedModel } from '@remora/scripted-model'
import { type Home, createHome, pinned, repository } from '../../../../testkit/src/index.ts'

/** A shell with installed agents, and their scripted model. */
export interface World extends AsyncDisposable {
  readonly home: Home
  readonly model: ScriptedModel
  remora(words: readonly string[], options?: Options): Promise<Ended>
  example(name: string, words: readonly string[]): Promise<Ended>
}

export interface Options {
  readonly input?: string
  /** Called with all of standard output so far. */
  readonly watch?: (out: string, child: ReturnType<typeof spawn>) => void
  /** Called with all of standard error so far. */
  readonly watchErrors?: (err: string, child: ReturnType<typeof spawn>) => void
}

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** @example await using world = await createWorld(['gemini', 'claude']) */
export async function createWorld(agents: readonly string[], scenario?: Scenario): Promise<World> {
  const model = await startScriptedModel(scenario ? { scenario } : {})
  const homes = await Promise.all(agents.map((agent) => createHome(agent, { model })))
  const [home] = homes
  // All agents share the first home; the others only provide the variables for the model.
  const env = {
    ...Object.assign({}, ...homes.map((each) => each.env)),
    ...home!.env,
    ...Object.fromEntries(agents.map((agent) => [`${agent.toUpperCase()}_CLI_PATH`, pinned(agent).path])),
  } as Record<string, string>

  const start = (words: readonly string[], { input, watch, watchErrors }: Options = {}): Promise<Ended> => {
    const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), ...words], {
      env,
      cwd: home!.cwd,
    })
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      watch?.(out, child)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text
      watchErrors?.(err, child)
    })
    child.stdin.on('error', () => {})
    child.stdin.end(input ?? '')
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => resolve({ code, out, err }))
    })
  }

  return {
    home: home!,
    model,
    remora: (words, options) => start([join(repository, 'packages/cli/src/bin.ts'), ...words], options),
    example: (name, words) => start([join(repository, 'examples', `${name}.ts`), ...words]),
    async [Symbol.asyncDispose]() {
      await Promise.all(homes.map((each) => each.remove()))
      await model.close()
    },
  }
}
