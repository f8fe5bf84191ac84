import { chmod, mkdtemp, readFile, readdir, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { channels } from '@remora/protocol'
import { capabilities, detect, findAgent, getStartMode, modes } from '@remora/sdk'
import type { Agent } from '@remora/sdk'
import { loadScenario } from '@remora/scripted-model'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pinned, repository } from './clis.ts'
import { filesBelow, writeInto } from './home.ts'
import { isJoined } from './joined/turns.ts'
import { launch } from './launch.ts'
import { getSuiteFacts } from './suite-facts.ts'
import { listTestVersions } from './versions.ts'

/** Each part of an agent, and the suite that tests it. */
const suites = {
  headless: 'headless',
  acp: 'acp',
  hooks: 'hooks',
  transcripts: 'transcripts',
  terminal: 'live',
} as const

/**
 * What every agent has to do, tried with the real CLI. It fails if there is nothing to try: no pinned version, no
 * testkit, or no test file for a part that the agent has.
 *
 * @example testAgent(gemini)
 */
export function testAgent(agent: Agent): void {
  const versions = listTestVersions(agent.id)
  describe(`the contract of ${agent.title}`, () => {
    it('is registered under its id', () => {
      expect(findAgent(agent.id)).toBe(agent)
    })

    it('has a pinned version, and a part', () => {
      expect(versions, 'Pin the CLI in testkit/clis/package.json').not.toEqual([])
      expect(agent.testkit, 'Add testkit.ts to the folder of the agent').toBeDefined()
      expect(channels.filter((channel) => agent[channel] !== undefined)).not.toEqual([])
    })

    for (const version of versions) {
      describe(version, () => {
        testSuites(agent, version)
        testDetection(agent, version)
        testCapabilities(agent, version)
        if (agent.headless) testTurn(agent, version)
      })
    }
  })
}

function testSuites(agent: Agent, version: string): void {
  it('has facts and a test file for every part, and for no other', async () => {
    const facts = getSuiteFacts(agent, version)
    const folder = join(repository, 'packages', 'sdk', 'src', 'agents', agent.id)
    const files = await readdir(folder)
    for (const channel of channels) {
      const isPresent = agent[channel] !== undefined
      expect(facts[channel] !== undefined, `facts of ${channel}`).toBe(isPresent)
      const file = `${agent.id}.${suites[channel]}.real.test.ts`
      expect(files.includes(file), file).toBe(isPresent)
    }
    expect(facts.joined !== undefined, 'facts of joined').toBe(isJoined(agent))
    expect(files.includes(`${agent.id}.joined.real.test.ts`)).toBe(isJoined(agent))
    if (agent.terminal) expect(agent.testkit?.screen).toBeDefined()
  })
}

function testDetection(agent: Agent, version: string): void {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'remora-detect-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('is found by its variable', async () => {
    const { path } = pinned(agent.id, version)
    const found = await detect(agent, {
      env: { [agent.detection.variable]: path },
      home: folder,
      cwd: folder,
    })
    expect(found).toMatchObject({ installed: true, path, version, source: 'variable', problems: [] })
  })

  it('is found in PATH, through the link that npm makes', async () => {
    const link = join(folder, agent.detection.command)
    await symlink(pinned(agent.id, version).path, link)
    const found = await detect(agent, { env: { PATH: folder }, home: folder, cwd: folder })
    expect(found).toMatchObject({ installed: true, path: link, version, source: 'path', problems: [] })
  })

  it('is not started to tell its version', async () => {
    // The same package with a program that leaves a trace.
    const name = join('node_modules', agent.detection.package ?? agent.id)
    const program = join(folder, name, 'bin', agent.detection.command)
    await writeInto(
      folder,
      join(name, 'package.json'),
      await packageFile(await realpath(pinned(agent.id, version).path)),
    )
    await writeInto(dirname(program), agent.detection.command, `#!/bin/sh\ntouch '${folder}/started'\n`)
    await chmod(program, 0o755)
    const found = await detect(agent, {
      env: { [agent.detection.variable]: program },
      home: folder,
      cwd: folder,
    })
    expect(found).toMatchObject({ installed: true, version })
    expect(await filesBelow(folder)).not.toContain('started')
  })
}

function testCapabilities(agent: Agent, version: string): void {
  it('has a channel for every part, and the modes that we know', async () => {
    const found = capabilities(agent, version)
    expect(found.channels).toEqual(channels.filter((channel) => agent[channel] !== undefined))
    expect(modes).toEqual(expect.arrayContaining([...found.permissionModes]))
    const start = await getStartMode(agent, { env: {}, home: '/nowhere', cwd: '/nowhere', version })
    expect(found.permissionModes).toContain(start.mode)
    expect(found.planMode).toBe(found.permissionModes.includes('plan'))
    expect(found.permissionModeSwitch).toBe(agent.terminal?.modeSwitch ?? 'none')
  })

  it('has a command line for every mode, and for no other', () => {
    for (const mode of modes) {
      const build = () => agent.headless?.invocation({ prompt: 'hi', mode }, version)
      if (capabilities(agent, version).permissionModes.includes(mode))
        expect(build()?.args).toBeInstanceOf(Array)
      else expect(build).toThrow(expect.objectContaining({ code: 'unsupported' }))
    }
  })
}

function testTurn(agent: Agent, version: string): void {
  const { writeTool } = getSuiteFacts(agent, version)
  it('writes a file in one headless turn and leaves no process', async () => {
    const scenario = await loadScenario('write-file')
    await using run = await launch(agent.id, { version, scenario })

    expect(run.code, run.stderr).toBe(0)
    const turns = run.requests.filter((request) => request.kind === 'turn')
    expect(turns).toHaveLength(2)
    for (const turn of turns) {
      expect(turn.prompt).toBe(scenario.prompt)
      expect(turn.tools).toContain(writeTool)
    }
    expect(turns[0]?.toolResults).toEqual([])
    expect(turns[1]?.toolResults).toEqual([{ id: expect.any(String), content: expect.any(String) }])

    expect(await run.files()).toEqual(['note.txt'])
    expect(await readFile(join(run.home.cwd, 'note.txt'), 'utf8')).toBe('hello\nworld\n')

    // Every line is a record, and the last word of the model is among them.
    const records = run.lines.map((line): unknown => JSON.parse(line))
    expect(JSON.stringify(records)).toContain('is written.')
    expect(await run.leftovers()).toEqual([])
  })
}

/** The package.json above a program. */
async function packageFile(path: string): Promise<string> {
  const file = join(dirname(path), 'package.json')
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (dirname(path) === path) throw error
    return packageFile(dirname(path))
  })
}
