import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { CommandHint, FileHint } from '@remora/protocol/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Story } from '../../../ledger/src/contract/story.test-data.ts'
import { type ServerClient, createServerClient } from '../client.ts'
import { rankPaths, scorePath } from '../files/find-paths.ts'
import { readAcpStatus } from '../live/acp-status.ts'
import type { RunningServer } from '../start-server.ts'
import { startServerIn } from './whole-server.test-data.ts'

let folder: string
let project: string
let server: RunningServer
let client: ServerClient
const story = new Story()

beforeAll(async () => {
  folder = realpathSync(mkdtempSync('/tmp/rd-'))
  project = join(folder, 'project')
  const files = [
    'project/src/parser.ts',
    'project/src/deep/parse-words.ts',
    'project/README.md',
    'project/.env',
    'project/keys/id_rsa',
    'project/ignored/out.js',
    'project/node_modules/x/index.js',
    '.ssh/config',
    'outside.ts',
  ]
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), '')
  }
  writeFileSync(join(project, '.gitignore'), 'ignored/\nnode_modules/\n')
  symlinkSync(join(folder, '.ssh'), join(project, 'linked'))
  mkdirSync(join(folder, '.claude/commands'), { recursive: true })
  writeFileSync(join(folder, '.claude/commands/compact.md'), '---\ndescription: My own\n---\n')
  server = await startServerIn(folder)
  await server.context.ledger.append([
    ...story.tell({ type: 'session', entity: 's', cwd: project, model: 'opus', title: 'A title' }),
    ...story.prompt('Where is the parser?'),
  ])
  client = createServerClient({ remoraHome: join(folder, 'r') })
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const find = async (text: string): Promise<string[]> => {
  const { files } = await client.request<{ files: FileHint[] }>('GET', '/api/sessions/claude/one/files', {
    query: { text },
  })
  return files.map(({ path, folder: isFolder }) => (isFolder ? `${path}/` : path))
}

describe('files of a session', () => {
  it('are found without git, except links and files that may hold keys', async () => {
    expect(await find('')).toEqual([
      'src/',
      'ignored/',
      'README.md',
      '.gitignore',
      'src/deep/',
      'src/parser.ts',
      'ignored/out.js',
      'src/deep/parse-words.ts',
    ])
    expect(await find('id_rsa')).toEqual([])
    expect(await find('.env')).toEqual([])
    expect(await find('config')).toEqual([])
    expect(await find('outside')).toEqual([])
  })

  it('are the files that git lists in a repository', async () => {
    const repository = join(folder, 'repository')
    mkdirSync(join(repository, 'built'), { recursive: true })
    writeFileSync(join(repository, 'a.ts'), '')
    writeFileSync(join(repository, 'built/a.js'), '')
    writeFileSync(join(repository, '.env'), '')
    writeFileSync(join(repository, '.gitignore'), 'built/\n')
    execFileSync('git', ['init', '--quiet', '-b', 'trunk'], { cwd: repository })
    execFileSync('git', ['add', '--force', '.env'], { cwd: repository })
    await server.context.ledger.append(
      new Story({ session: 'two', source: 'two' }).tell({ type: 'session', entity: 's', cwd: repository }),
    )
    const { files } = await client.request<{ files: FileHint[] }>('GET', '/api/sessions/claude/two/files')
    expect(files.map(({ path }) => path)).toEqual(['a.ts', '.gitignore'])
    expect(await client.request('GET', '/api/sessions/claude/two/place')).toEqual({
      cwd: repository,
      branch: 'trunk',
    })
  })

  it('are ranked by their own names', () => {
    expect(rankPaths(['src/deep/parse-words.ts', 'src/parser.ts', 'lib/sparse.ts'], 'parse', 9)).toEqual([
      'src/parser.ts',
      'src/deep/parse-words.ts',
      'lib/sparse.ts',
    ])
    expect(rankPaths(['src/parser.ts', 'x.md'], 'prsr', 9)).toEqual(['src/parser.ts'])
    expect(scorePath('abc', 'acb')).toBeUndefined()
  })
})

describe('commands of a session', () => {
  it('are the built-in ones, overridden by custom ones', async () => {
    const { commands } = await client.request<{ commands: CommandHint[] }>(
      'GET',
      '/api/sessions/claude/one/commands',
    )
    expect(commands.find(({ name }) => name === 'clear')).toMatchObject({ from: 'agent' })
    expect(commands.filter(({ name }) => name === 'compact')).toEqual([
      { name: 'compact', description: 'My own', from: 'user' },
    ])
  })

  it('are read incrementally', async () => {
    const { ledger } = server.context
    const key = { agent: 'claude', session: 'one' }
    expect(await readAcpStatus(ledger, key)).not.toHaveProperty('commands')
    await ledger.append(
      story.tell({ type: 'status', entity: 'one', status: 'commands', value: [{ name: 'x' }] }),
    )
    expect(await readAcpStatus(ledger, key)).toMatchObject({ commands: [{ name: 'x' }] })
  })
})

it('reports the context window only if it is certain', async () => {
  const path = '/api/sessions/claude/one/context'
  expect(await client.request('GET', path, { query: { model: 'claude-opus-4-8' } })).toEqual({
    size: 1_000_000,
  })
  expect(await client.request('GET', path, { query: { model: 'claude-sonnet-4-6' } })).toEqual({})
  expect(await client.request('GET', path)).toEqual({})
})

it('rejects a fork without a session', async () => {
  await expect(
    client.request('POST', '/api/live', { body: { agent: 'claude', cwd: project, fork: true } }),
  ).rejects.toMatchObject({ code: 'usage' })
})
