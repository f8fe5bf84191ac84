import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { RemoraError } from '@remora/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { modes } from '../contract/agent.ts'
import type { Agent, HeadlessRequest } from '../contract/agent.ts'
import { detect } from '../detect/detect.ts'
import { spawnTree } from '../process/spawn-tree.ts'
import { findAgent } from './registry.ts'

const pinned = fileURLToPath(new URL('../../../../testkit/clis/node_modules/', import.meta.url))

// A CLI, where its pinned executable is, its version, and which of its helps tell about headless runs.
const clis = [
  ['gemini', 'gemini-0.61.0/bundle/gemini.js', '0.61.0', [[]]],
  ['gemini', 'gemini-0.34.0/dist/index.js', '0.34.0', [[]]],
  ['gemini', 'gemini-0.27.4/dist/index.js', '0.27.4', [[]]],
  ['claude', '.bin/claude', '2.1.197', [[]]],
  ['codex', '.bin/codex', '0.166.0', [['exec'], [], ['resume']]],
  ['opencode', '.bin/opencode', '1.18.33', [['run'], []]],
] as const

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-flags-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

describe.each(clis)('%s at %s', (id, path, version, helps) => {
  const agent = findAgent(id) as Agent

  it('is found with its version', async () => {
    const env = { PATH: process.env['PATH'], [agent.detection.variable]: join(pinned, path) }
    const found = await detect(agent, { home, cwd: home, env })
    expect(found).toMatchObject({ installed: true, version, source: 'variable', problems: [] })
  })

  it('knows every flag that we would pass', async () => {
    const help = (await Promise.all(helps.map((words) => readHelp(join(pinned, path), words)))).join('\n')
    const flags = everyArgument(agent, version).filter((argument) => /^--?[a-z]/.test(argument))
    expect(flags.length).toBeGreaterThan(2)
    const unknown = flags.filter((flag) => !new RegExp(`(^|[\\s,])${flag}(?![\\w-])`, 'm').test(help))
    expect(unknown).toEqual([])
  })
})

/** All arguments of all invocations that the version does not refuse. */
function everyArgument(agent: Agent, version: string): string[] {
  const requests: Partial<HeadlessRequest>[] = [
    ...modes.map((mode) => ({ mode })),
    { model: 'm' },
    { resume: 'id' },
    { sessionId: 'id' },
    { skipTrust: true },
  ]
  return requests.flatMap((request) => [
    ...unlessRefused(() => agent.headless?.invocation({ prompt: '', ...request }, version).args),
    ...unlessRefused(() => agent.terminal?.invocation(request, version).args),
  ])
}

function unlessRefused(build: () => readonly string[] | undefined): readonly string[] {
  try {
    return build() ?? []
  } catch (error) {
    if (RemoraError.is(error) && error.code === 'unsupported') return []
    throw error
  }
}

async function readHelp(command: string, words: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: home, GEMINI_CLI_NO_RELAUNCH: 'true', COLUMNS: '200' }
  const tree = await spawnTree({ command, args: [...words, '--help'], cwd: home, env })
  try {
    const [out, err] = await Promise.all([text(tree.stdout), text(tree.stderr)])
    return out + err
  } finally {
    await tree.kill()
  }
}
