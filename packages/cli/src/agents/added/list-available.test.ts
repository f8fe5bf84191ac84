import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type RequestListener, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { parse } from '../../args/parse.ts'
import { main } from '../../main.ts'
import type { AvailableAgent } from './list-available.ts'
import { add } from './verbs.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-available-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

async function available(source: string, ...options: string[]) {
  let [out, err] = ['', '']
  const code = await main(['agents', 'available', source, ...options], {
    env: { PATH: '', HOME: home },
    cwd: home,
    home,
    platform: 'linux',
    terminal: false,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
  })
  return { code, out, err }
}

const archive = { archive: 'https://example.com/two.tar.gz', cmd: './two', args: ['acp'] }
const registry = {
  version: '1.0.0',
  agents: [
    {
      id: 'one',
      name: "One's Agent",
      version: '1.2.3',
      description: 'Does one thing',
      distribution: { npx: { package: '@example/one@1.2.3', args: ['--acp'], env: { MODE: 'a b' } } },
    },
    {
      id: 'two',
      name: 'two',
      version: '2.0.0',
      distribution: { binary: { 'linux-x86_64': archive, 'linux-aarch64': archive } },
    },
    { id: 'three', name: 'Three', distribution: { uvx: { package: 'three==3.0.0' } } },
    { id: 'other-machine', distribution: { binary: { 'darwin-x86_64': archive } } },
    {
      id: 'gemini',
      name: 'Gemini CLI',
      distribution: { npx: { package: '@google/gemini-cli', args: ['--acp'] } },
    },
    { id: 'odd', name: 'a\nb', distribution: { npx: { package: '--option' }, uvx: [] } },
    { id: '--env', name: 'Bad' },
    null,
  ],
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/registry.json`
}

it('lists agents with the command that adds each', async () => {
  await writeFile(join(home, 'registry.json'), JSON.stringify(registry))
  const { code, out, err } = await available('registry.json')
  expect(code).toBe(0)
  expect(out).toBe(`One's Agent 1.2.3 (one)
  Does one thing
  remora agents add --acp one --title 'One'\\''s Agent' --env 'MODE=a b' -- npx -y @example/one@1.2.3 --acp

two 2.0.0
  Download and unpack https://example.com/two.tar.gz, then run there:
  remora agents add --acp two -- ./two acp

Three (three)
  remora agents add --acp three --title Three -- uvx three==3.0.0

other-machine
  No program for linux-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.

Gemini CLI (gemini)
  Remora already has an agent "gemini".

odd
  No program for linux-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.

`)
  expect(err).toBe('Skipped 2 invalid entries.\n')
  const list = JSON.parse((await available('registry.json', '--json')).out) as AvailableAgent[]
  expect(list.map(({ id, known }) => [id, known])).toEqual([
    ['one', false],
    ['two', false],
    ['three', false],
    ['other-machine', false],
    ['gemini', true],
    ['odd', false],
  ])
  // The printed command line is one that the command accepts.
  const { values, lists, rest } = parse(add, list[0]!.command!.slice(3))
  expect({ ...values, ...lists, rest }).toMatchObject({
    acp: 'one',
    title: "One's Agent",
    env: ['MODE=a b'],
    rest: ['npx', '-y', '@example/one@1.2.3', '--acp'],
  })
})

it('fetches only a URL that the user gives', async () => {
  let requests = 0
  const url = await serve((_, response) => {
    requests++
    response.end(JSON.stringify(registry))
  })
  await available('registry.json')
  expect(requests).toBe(0)
  expect((await available(url)).out).toContain('One')
  expect(requests).toBe(1)
})

it.each([
  [
    'an error of the server',
    (_, response) => response.writeHead(404).end(),
    'The server answered 404 Not Found',
  ],
  ['no JSON', (_, response) => response.end('<html>'), 'is not JSON'],
  ['other JSON', (_, response) => response.end('[]'), 'has no list of agents'],
  ['a large file', (_, response) => response.end(Buffer.alloc(6 * 1024 * 1024, ' ')), 'larger than 5 MB'],
  [
    'a cut answer',
    (_, response) => response.writeHead(200, { 'content-length': 9 }).destroy(),
    'Cannot fetch',
  ],
  [
    'a redirect to http',
    (_, response) => response.writeHead(302, { location: 'http://127.0.0.2:9/' }).end(),
    'Cannot fetch',
  ],
] satisfies [string, RequestListener, string][])('explains %s', async (_, listener, message) => {
  const { code, err } = await available(await serve(listener))
  expect(code).toBe(1)
  expect(err).toContain(message)
})

it('explains a source that it cannot read', async () => {
  expect(await available('http://example.com/registry.json')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Use https') as string,
  })
  expect(await available('missing.json')).toMatchObject({
    code: 1,
    err: expect.stringContaining('ENOENT') as string,
  })
  await writeFile(join(home, 'empty.json'), '{"agents":[]}')
  expect((await available('empty.json')).out).toBe('The registry lists no agents.\n')
})
