import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { RemoraError } from '@remora/protocol'
import { findNodeFor, getSuiteFacts, listPinnedAgents, listTestVersions, pinned } from '@remora/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { modes } from '../contract/agent.ts'
import type { Agent, HeadlessRequest } from '../contract/agent.ts'
import { detect } from '../detect/detect.ts'
import { spawnTree } from '../process/spawn-tree.ts'

const clis = listPinnedAgents().flatMap((agent) =>
  listTestVersions(agent.id).map((version) => ({
    agent,
    id: agent.id,
    version,
    path: pinned(agent.id, version).path,
    // Some CLIs need a newer Node than these tests.
    programs: [dirname(findNodeFor(agent.detection.minimumNode)), process.env['PATH']].join(delimiter),
    helps: getSuiteFacts(agent, version).helps ?? [[]],
  })),
)

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-flags-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

describe.each(clis)('$id at $version', ({ agent, path, programs, version, helps }) => {
  it('is found with its version', async () => {
    const env = { PATH: programs, [agent.detection.variable]: path }
    const found = await detect(agent, { home, cwd: home, env })
    expect(found).toMatchObject({ installed: true, version, source: 'variable', problems: [] })
  })

  it('knows every flag that we would pass', async () => {
    const help = (await Promise.all(helps.map((words) => readHelp(path, words, programs)))).join('\n')
    const flags = everyArgument(agent, version)
      .filter((argument) => /^--?[a-z]/.test(argument))
      .map((argument) => argument.split('=', 1)[0]!)
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

async function readHelp(command: string, words: readonly string[], programs: string): Promise<string> {
  const env = { PATH: programs, HOME: home, GEMINI_CLI_NO_RELAUNCH: 'true', COLUMNS: '200' }
  const tree = await spawnTree({ command, args: [...words, '--help'], cwd: home, env })
  try {
    const [out, err] = await Promise.all([text(tree.stdout), text(tree.stderr)])
    return out + err
  } finally {
    await tree.kill()
  }
}
