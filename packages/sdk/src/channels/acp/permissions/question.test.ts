import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findAgent } from '../../../agents/registry.ts'
import type { AcpPart } from '../../../contract/agent.ts'
import { asRecord } from '../../../events/fields.ts'
import type { AgentRecord } from '../../../events/read-record.ts'
import { readPermission } from '../reading/permission.ts'
import { AcpCalls } from '../reading/tool-calls.ts'
import { readQuestion } from './question.ts'
import { questionWith } from './question.test-data.ts'
import { ruleFor } from './match.ts'

const cwd = '/home/user/work'
const call = { name: 'tool', native: 'tool', input: {} }
const { agent, session, ask } = questionWith()
const about = { agent, session, cwd, ask, call }
const asking = (toolCall: object, more = {}) => readQuestion({ toolCall }, { ...about, ...more })

describe('recorded permission requests', () => {
  const agents = new URL('../../../agents/', import.meta.url)
  const recorded = (scenario: string) =>
    readdirSync(agents).flatMap((name) => {
      const folder = new URL(`${name}/fixtures/`, agents)
      return (existsSync(folder) ? readdirSync(folder) : [])
        .map((version) => ({
          name: `${name} ${version}`,
          acp: findAgent(name)?.acp,
          url: new URL(`${version}/${scenario}/acp.jsonl`, folder),
        }))
        .filter(({ url }) => existsSync(url))
    })

  /** Reads the recording up to its permission request and converts it like the channel. */
  function questionIn(url: URL, acp: AcpPart | undefined) {
    const calls = new AcpCalls((name, input) => ({ name, input }))
    for (const line of readFileSync(url, 'utf8').trim().split('\n')) {
      const { message } = JSON.parse(line) as { message: { method?: string; params: AgentRecord } }
      const update = asRecord(message.params?.['update'])
      if (update?.['toolCallId'] !== undefined) calls.update(update)
      if (message.method !== 'session/request_permission') continue
      const { ask } = readPermission(message.params, 'ask')
      const toolCall = asRecord(message.params['toolCall']) ?? {}
      const rawInput = acp?.readAskedInput?.(toolCall, calls.find(ask.toolUse ?? '')?.reported ?? {})
      calls.update(rawInput === undefined ? toolCall : { ...toolCall, rawInput, content: undefined })
      const known = calls.find(ask.toolUse ?? '')
      return readQuestion(message.params, { ...about, ask, call: known ?? call, known: known?.reported })
    }
    throw new Error(`${url.pathname} has no question`)
  }

  it.each(recorded('write-file'))('$name: the path of a change', async ({ url, acp }) => {
    const question = questionIn(url, acp)
    expect(question.paths.map((path) => resolve(cwd, path))).toEqual([`${cwd}/note.txt`])
    expect(question.kind).toBe('edit')
    expect(question.command).toBeUndefined()
    expect(await ruleFor([{ decide: 'allow', kind: 'edit', path: '*.txt' }], question)).toBeDefined()
  })

  it.each(recorded('shell'))('$name: the command and nothing but the command', async ({ url, acp }) => {
    const question = questionIn(url, acp)
    expect(question.command).toBe('touch made.txt && echo shell-out')
    expect(question.kind).toBe('execute')
    expect(question.paths).toEqual([])
    expect(await ruleFor([{ decide: 'allow', command: 'touch *' }], question)).toBeUndefined()
    expect(await ruleFor([{ decide: 'deny', command: 'echo *' }], question)).toBeDefined()
  })

  it('has recordings of several agents', () => {
    expect(recorded('shell').length).toBeGreaterThanOrEqual(6)
  })
})

describe('the command of a question', () => {
  it.each([
    [{ rawInput: { command: ['git', 'commit', '-m', 'a; b'] } }, "git commit -m 'a; b'"],
    [{ rawInput: { command: ['bash', '-lc', 'npm test'] } }, 'npm test'],
    [{ rawInput: { command: ['bash', '-lc', 'npm test', 'x'] } }, "bash -lc 'npm test' x"],
    [{ rawInput: { cmd: 'ls' } }, 'ls'],
    [{ kind: 'execute', title: '`ls -l`' }, 'ls -l'],
    [{ kind: 'execute', title: 'ls -l', rawInput: {} }, 'ls -l'],
    [{ kind: 'execute', title: 'ls [in sub] (Lists) [background]' }, 'ls'],
    [{ kind: 'execute', title: 'ls [a]' }, 'ls [a]'],
    [{ kind: 'execute', title: ' ' }, undefined],
    [{ kind: 'edit', title: 'ls' }, undefined],
    // Input of the agent itself is never cut.
    [{ kind: 'execute', title: 'x', rawInput: { command: 'ls [in a] (b)' } }, 'ls [in a] (b)'],
  ])('%j: %s', (toolCall, command) => {
    expect(asking(toolCall).command).toBe(command)
  })

  it.each([
    // A command that hides its second half in an apparent description.
    'npm test "x [current working directory /w] (" ; id # ) [in y] (Runs)',
    'npm test [current working directory /w] (x; id) [in y] (Runs the tests)',
    'npm test [current working directory /w] (Runs) ; id',
    "npm test ' [in a] (' ; id ; : ') [current working directory /w] (b)",
    'npm test [current working directory /w] ($(id))',
    'npm test \\" [in a] (b)',
  ])('is not fooled by %s', async (title) => {
    const question = asking({ kind: 'execute', title })
    expect(await ruleFor([{ decide: 'allow', command: 'npm test' }], question)).toBeUndefined()
    if (title.includes('id'))
      expect(await ruleFor([{ decide: 'allow', command: 'npm *' }], question)).toBeUndefined()
  })
})

describe('the paths of a question', () => {
  it('finds them in all fields, each once', () => {
    const known = {
      kind: 'move',
      locations: [{ path: `${cwd}/a` }],
      rawInput: { paths: ['b', 'c'], source: 'file:///home/user/work/d%20e' },
    }
    const toolCall = {
      locations: [{ path: `${cwd}/a`, line: 1 }, null],
      rawInput: { filePath: 'f', path: '', changes: { g: { move_path: 'h' } } },
      content: [{ type: 'diff', path: 'i/j' }, { type: 'content' }],
    }
    const question = asking(toolCall, { known, call: { ...call, input: { file_path: 'f' } } })
    const found = [`${cwd}/a`, 'f', 'g', 'h', 'b', 'c', `${cwd}/d e`, 'i/j']
    expect(question.paths.toSorted()).toEqual(found.toSorted())
    expect(question.kind).toBe('move')
  })

  it('counts the folder of a command only if it is another one', () => {
    const run = (folder: string) =>
      asking({ kind: 'execute', rawInput: { command: 'ls', cwd: folder } }).paths
    expect(run(cwd)).toEqual([])
    expect(run('.')).toEqual([])
    expect(run('/etc')).toEqual(['/etc'])
  })

  it('ignores invalid values', () => {
    for (const toolCall of [
      undefined,
      null,
      7,
      { locations: 3, rawInput: 'x', content: 'y', kind: 4, title: 5 },
    ])
      expect(readQuestion({ toolCall }, about)).toMatchObject({ paths: [] })
  })
})

describe('a host tool', () => {
  it('is recognized only if it is neither a command nor a change', () => {
    expect(asking({ kind: 'other' }, { host: true }).host).toBe(true)
    expect(asking({}, { host: true }).host).toBe(true)
    expect(asking({ kind: 'execute', title: 'clock' }, { host: true }).host).toBeUndefined()
    expect(asking({}, { host: true, call: { ...call, name: 'Write' } }).host).toBeUndefined()
    expect(asking({}, {}).host).toBeUndefined()
  })
})
