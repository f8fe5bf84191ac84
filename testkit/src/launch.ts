import { setTimeout as sleep } from 'node:timers/promises'
import type { LoggedRequest, Scenario, ScriptedModel } from '@remora/scripted-model'
import { loadScenario, startScriptedModel } from '@remora/scripted-model'
import { RemoraError } from '@remora/protocol'
import { findAgent, lines as linesOf, spawnTree } from '@remora/sdk'
import type { Agent, Mode, Prepared, SpawnOptions } from '@remora/sdk'
import { getCli } from './clis.ts'
import { createHome } from './home.ts'
import type { Home } from './home.ts'

export interface LaunchOptions {
  /** One of the pinned versions, or any that npm has; the newest pinned one by default. */
  readonly version?: string
  /** A home made before, for a second turn in it; it stays afterwards. */
  readonly home?: Home
  /** The model that the given home talks to; it stays as well. */
  readonly model?: ScriptedModel
  readonly cwd?: string
  /** What the model says, by name or in full. */
  readonly scenario: string | Scenario
  /** The scenario's own by default, as is the mode. */
  readonly prompt?: string
  readonly mode?: Mode
  readonly resume?: string
  readonly extraArgs?: readonly string[]
  /** How long what the CLI leaves running may take to end by itself, such as a hook that it does not wait for. */
  readonly patience?: number
  readonly signal?: AbortSignal
}

/** A headless turn that is over. */
export interface Launched extends AsyncDisposable {
  readonly home: Home
  readonly command: readonly string[]
  readonly lines: readonly string[]
  readonly stderr: string
  readonly code: number | null
  /** What the model was asked. */
  readonly requests: readonly LoggedRequest[]
  files(): Promise<string[]>
  leftovers(): ReturnType<Home['leftovers']>
}

/**
 * Runs one headless turn of a real CLI against the scripted model, in a home of its own.
 *
 * @example
 * await using run = await launch('gemini', { version: '0.34.0', scenario: 'write-file' })
 * expect(await run.files()).toEqual(['note.txt'])
 */
export async function launch(agentId: string, options: LaunchOptions): Promise<Launched> {
  const agent = agentOf(agentId)
  const scenario =
    typeof options.scenario === 'string' ? await loadScenario(options.scenario) : options.scenario
  const cli = await getCli(agentId, options.version ?? options.home?.version, options.signal)
  const model = options.model ?? (await startScriptedModel({ scenario }))
  const home = options.home ?? (await createHome(agentId, { version: cli.version, model }))

  let prepared: Prepared | undefined
  const release = async () => {
    if (!options.home) await home.remove()
    if (!options.model) await model.close()
  }
  try {
    const mode = options.mode ?? scenario.mode
    const request = {
      ...home.headless,
      prompt: options.prompt ?? scenario.prompt,
      ...(mode ? { mode } : {}),
      ...(options.resume ? { resume: options.resume } : {}),
      ...(options.extraArgs ? { extraArgs: options.extraArgs } : {}),
    }
    const cwd = options.cwd ?? home.cwd
    const place = { env: home.env, home: home.path, cwd, version: cli.version }
    prepared = await agent.headless.prepare?.(request, place)
    const invocation = agent.headless.invocation(prepared?.request ?? request, cli.version)
    const args = [...invocation.args, ...(prepared?.args ?? [])]
    const run = await runToEnd(
      {
        command: cli.path,
        args,
        cwd,
        env: { ...home.env, ...invocation.env, ...prepared?.env },
        ...(invocation.stdin === undefined ? {} : { input: invocation.stdin }),
      },
      options.signal,
      () => untilNone(home.leftovers, options.patience ?? 0),
    )
    await prepared?.finish()
    return {
      home,
      command: [agent.detection.command, ...args],
      ...run,
      requests: model.requests,
      files: home.files,
      leftovers: home.leftovers,
      [Symbol.asyncDispose]: release,
    }
  } catch (error) {
    await prepared?.finish()
    await release()
    throw error
  }
}

/** Reads a process to its end, and takes with it what it left behind. @example await runToEnd({ command: 'tmux', args: ['-V'] }) */
export async function runToEnd(
  options: SpawnOptions,
  signal?: AbortSignal,
  ended: () => Promise<void> = async () => {},
): Promise<{ lines: string[]; stderr: string; code: number | null }> {
  signal?.throwIfAborted()
  const tree = await spawnTree(options)
  const stop = () => void tree.kill()
  signal?.addEventListener('abort', stop, { once: true })
  const output = Promise.all([collect(tree.stdout), collect(tree.stderr)])
  try {
    const exit = await tree.exited
    await ended()
    // A child that outlives its parent would hold the output open.
    await tree.kill()
    const [lines, stderr] = await output
    signal?.throwIfAborted()
    return { lines, stderr: stderr.join('\n'), code: exit.code }
  } finally {
    signal?.removeEventListener('abort', stop)
    await tree.kill()
  }
}

async function untilNone(look: Home['leftovers'], patience: number): Promise<void> {
  for (const end = Date.now() + patience; Date.now() < end && (await look()).length > 0;) await sleep(50)
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<string[]> {
  const lines: string[] = []
  for await (const line of linesOf(stream)) lines.push(line)
  return lines
}

function agentOf(id: string): Agent & { headless: NonNullable<Agent['headless']> } {
  const agent = findAgent(id)
  if (!agent?.headless) throw new RemoraError('unsupported', `"${id}" has no headless part`)
  return { ...agent, headless: agent.headless }
}
