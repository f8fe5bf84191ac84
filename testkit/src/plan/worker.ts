// Runs one cell of the plan table as the user of this process, and prints its outcome as one line of JSON.
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ScriptedModel, startScriptedModel } from '@remora/scripted-model'
import { type AskBroker, RemoraError } from '@remora/protocol'
import { type Agent, connect, findAgent, run } from '@remora/sdk'
import { pinned } from '../clis.ts'
import { type Home, createHome, filesBelow } from '../home.ts'
import { getWrapper, installWrapper } from '../wrappers.ts'
import { listAttempts, marker, toScenarios } from './attempts.ts'
import type { PlanCell, PlanOutcome } from './cell.ts'
import { allowEverything } from './hostile-settings.ts'
import { driveTerminal } from './drive-terminal.ts'

export interface Stage {
  readonly agent: Agent
  readonly home: Home
  readonly model: ScriptedModel
  readonly env: Readonly<Record<string, string | undefined>>
  readonly prompts: readonly string[]
}

async function runCell(cell: PlanCell): Promise<PlanOutcome> {
  const outside = await mkdtemp(join(await realpath(tmpdir()), 'remora-outside-'))
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const attempts = listAttempts({ outside, port: (server.address() as AddressInfo).port })
  const model = await startScriptedModel({ scenarios: toScenarios(attempts) })
  const home = await createHome(cell.agent, { version: cell.version, model })
  try {
    const agent = findAgent(cell.agent)!
    await allowEverything(home, cell.channel)
    await writeFile(join(home.cwd, 'note.txt'), `${marker}\n`)
    await writeFile(join(home.path, '.bashrc'), '')
    await mkdir(join(home.cwd, 'src'))
    const wrapper = cell.wrapper === undefined ? undefined : getWrapper(agent, cell.wrapper)
    // Claude Code trusts root less than others unless it is in a sandbox.
    const { IS_SANDBOX: _, ...rest } = home.env
    const env = {
      ...rest,
      ...(wrapper ? { PATH: await installWrapper(home, wrapper) } : {}),
      [agent.detection.variable]: pinned(cell.agent, cell.version).path,
    }
    const stage = {
      agent,
      home,
      model,
      env,
      prompts: attempts.map((_tool, index) => `SCENARIO: attempt-${index}`),
    }
    const before = await snapshot(home, outside)
    const asked: string[] = []
    let refused: string | undefined
    try {
      if (cell.channel === 'headless') await runHeadless(stage)
      else if (cell.channel === 'acp') await runAcp(stage, cell)
      else asked.push(...(await driveTerminal(stage)))
    } catch (error) {
      if (!RemoraError.is(error) || error.code !== 'unsupported') throw error
      refused = error.message
    }
    const after = await snapshot(home, outside)
    const results = model.requests.flatMap(({ toolResults }) => toolResults.map(({ content }) => content))
    const names = new Set([...before.keys(), ...after.keys()])
    return {
      changes: [...names].filter((name) => before.get(name) !== after.get(name)).toSorted(),
      connections,
      read: results.some((content) => content.includes(marker)),
      asked,
      attempts: new Set(results).size,
      ...(refused === undefined ? {} : { refused }),
    }
  } finally {
    await home.remove()
    await model.close()
    server.close()
    await rm(outside, { recursive: true, force: true })
  }
}

async function runHeadless({ agent, home, env }: Stage): Promise<void> {
  const result = await run(agent, {
    ...(home.headless.skipTrust ? { skipTrust: true } : {}),
    prompt: 'SCENARIO: attempts',
    cwd: home.cwd,
    mode: 'plan',
    env: { ...hide(), ...env },
  }).result
  if (result.error?.code === 'unsupported') throw new RemoraError('unsupported', result.error.message)
}

async function runAcp({ agent, home, env, prompts }: Stage, { permissions }: PlanCell): Promise<void> {
  const asks: AskBroker = {
    // A person who allows everything, except to leave plan mode.
    ask: async (ask, { call }) => {
      const leaves = call?.kind === 'switch_mode' || call?.name === 'ExitPlanMode'
      const option = ask.options.find(({ effect }) => effect === (leaves ? 'deny' : 'allow'))
      return { ask: ask.id, digest: ask.digest, by: 'person', ...(option ? { option: option.id } : {}) }
    },
  }
  await using connection = await connect(agent, {
    cwd: home.cwd,
    startupTimeout: 50_000,
    ...(permissions === 'ask' ? { asks } : { permissions: permissions === 'allow' ? 'auto' : 'deny' }),
    env: { ...hide(), ...env },
  })
  await using session = await connection.open({ cwd: home.cwd, mode: 'plan' })
  for (const prompt of prompts) await session.prompt(prompt).result
}

/** Nothing of this process's own environment reaches the agent. */
function hide(): Record<string, undefined> {
  return Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]))
}

/** Digests of all files that are not the agent's own state. */
async function snapshot(home: Home, outside: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const [label, folder] of [
    ['project', home.cwd],
    ['outside', outside],
  ] as const)
    for (const name of await filesBelow(folder))
      found.set(
        `${label}/${name}`,
        createHash('sha256')
          .update(await readFile(join(folder, name)))
          .digest('hex'),
      )
  found.set('home/.bashrc', await readFile(join(home.path, '.bashrc'), 'utf8').catch(() => 'removed'))
  return found
}

const outcome = await runCell(JSON.parse(process.argv[2]!) as PlanCell)
process.stdout.write(`\nOUTCOME ${JSON.stringify(outcome)}\n`)
// A CLI may leave a socket of its own open.
process.exit(0)
