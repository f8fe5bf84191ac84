import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PersonRole } from '@remora/protocol'
import { type AgentInfo, api } from '@remora/protocol/api'
import {
  type AddedPlugin,
  contractVersion,
  hashFolder,
  loadAddedAgents,
  removeAddedAgent,
  saveAddedAgent,
} from '@remora/sdk/plugins'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServerIn } from '../http/whole-server.test-data.ts'
import type { RunningServer } from '../start-server.ts'

const name = 'remora-agent-mine'
const brand = { hue: { light: '#112233', dark: '#ddeeff' }, icon: { path: 'M1 1h22v22H1z', stroke: 2 } }
let folder: string
let remoraHome: string
let server: RunningServer

beforeAll(async () => {
  folder = mkdtempSync('/tmp/rp-')
  remoraHome = join(folder, 'r')
  server = await startServerIn(folder)
})
afterAll(async () => {
  await server.close()
  // The registry is shared by all tests of this process.
  await removeAddedAgent(remoraHome, 'mine')
  await loadAddedAgents(remoraHome)
  rmSync(folder, { recursive: true, force: true })
})

/** Writes a package with an agent, and returns the path of its module. */
function writePackage(parent: string): string {
  const path = join(parent, 'node_modules', name)
  mkdirSync(path, { recursive: true })
  const manifest = { name, version: '1.0.0', type: 'module', remora: { contract: contractVersion } }
  writeFileSync(join(path, 'package.json'), JSON.stringify(manifest))
  const off = [
    'interrupt',
    'resume',
    'fork',
    'attach',
    'statusLine',
    'images',
    'streaming',
    'webSearch',
    'thinking',
    'slashCommands',
  ]
  const features = {
    models: [],
    effortLevels: [],
    ...Object.fromEntries(off.map((key) => [key, false])),
  }
  writeFileSync(
    join(path, 'index.js'),
    `export default {
  id: 'mine', title: 'Mine', brand: ${JSON.stringify(brand)},
  detection: { variable: 'MINE_CLI_PATH', command: 'mine', install: 'npm install -g mine' },
  features: () => (${JSON.stringify(features)}),
  acp: { invocation: () => ({ args: [] }), modes: {}, toClaude: (name, input) => ({ name, input }) },
}\n`,
  )
  return join(path, 'index.js')
}

async function pair(role: PersonRole): Promise<string> {
  const { people, pairing } = server.listening
  const { person } = await people.enrol(`the ${role}`, role, 'test')
  const { code } = pairing.create(person.name)
  const { json } = await call('POST', '/api/pair', undefined, { code, name: 'phone', token: true })
  return json['token'] as string
}

async function call(method: string, path: string, token: string | undefined, body?: unknown) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}

async function listAgents(token: string): Promise<AgentInfo[]> {
  return (await call('GET', '/api/agents', token)).json['agents'] as AgentInfo[]
}

it.each(['owner', 'member', 'viewer'] as const)('cannot be added by a phone of an %s', async (role) => {
  const path = writePackage(join(folder, 'elsewhere'))
  const token = await pair(role)
  const entry = { kind: 'plugin', id: 'mine', package: name, source: path }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    for (const address of ['/api/agents', '/api/agents/mine', '/api/plugins'])
      expect([404, 405], `${method} ${address}`).toContain((await call(method, address, token, entry)).status)
  for (const agent of [path, join(folder, 'elsewhere'), name, 'mine'])
    expect((await call('POST', '/api/live', token, { agent, cwd: folder })).status).toBe(
      role === 'viewer' ? 403 : 404,
    )
  expect((await listAgents(token)).map(({ id }) => id)).not.toContain('mine')
  expect(existsSync(join(remoraHome, 'agents.json'))).toBe(false)
  // A new route that adds agents must not come unnoticed.
  const routes = Object.values(api).filter(({ path: each }) => /\/agents|plugin/.test(each))
  expect(routes.map(({ method, path: each }) => `${method} ${each}`)).toEqual(['get /api/agents'])
})

it('shows an added agent with its color and icon, and does not load changed files', async () => {
  const token = await pair('owner')
  const installed = join(remoraHome, 'plugins', 'mine', 'one')
  const module = writePackage(installed)
  const entry: AddedPlugin = {
    kind: 'plugin',
    id: 'mine',
    title: 'Mine',
    package: name,
    version: '1.0.0',
    source: 'elsewhere',
    integrity: (await hashFolder(installed)).integrity,
    folder: 'plugins/mine/one',
    addedAt: 1,
  }
  await saveAddedAgent(remoraHome, entry)
  const find = async () => (await listAgents(token)).find(({ id }) => id === 'mine')
  expect(await find()).toMatchObject({
    title: 'Mine',
    brand,
    channels: ['acp'],
    problems: [{ code: 'agent_missing' }],
  })

  appendFileSync(module, '// changed\n')
  // A server that starts again checks the files again, as does one whose entry has changed.
  await saveAddedAgent(remoraHome, { ...entry, addedAt: 2 })
  expect(await find()).toMatchObject({
    title: 'Mine',
    installed: false,
    channels: [],
    problems: [
      { code: 'plugin_changed', hint: expect.stringContaining('remora agents trust mine') as string },
    ],
  })
  const { status, json } = await call('POST', '/api/live', token, { agent: 'mine', cwd: folder })
  expect([status, JSON.stringify(json)]).toEqual([
    expect.any(Number),
    expect.stringContaining('have changed'),
  ])
  expect(status).toBeGreaterThanOrEqual(400)

  await removeAddedAgent(remoraHome, 'mine')
  expect(await find()).toBeUndefined()
})
