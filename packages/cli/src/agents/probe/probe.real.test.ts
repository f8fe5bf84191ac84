import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { type Agent, agents, findAgent } from '@remora/sdk'
import { afterAll, expect, it } from 'vitest'
import { pinned, pinnedVersions } from '../../../../../testkit/src/index.ts'
import type { Io } from '../../command/io.ts'
import { probeAgent } from './probe-agent.ts'

// Short, because the path of a socket is limited.
const temporary = mkdtempSync('/tmp/rp-')
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

const io: Io = {
  // None of these may reach the agent.
  env: {
    PATH: process.env['PATH'],
    HOME: '/nowhere',
    TMPDIR: temporary,
    OPENAI_API_KEY: 'mine',
    HTTPS_PROXY: 'http://127.0.0.1:9',
  },
  cwd: '/nowhere',
  home: '/nowhere',
  platform: process.platform,
  terminal: false,
  out: () => {},
  err: () => {},
}
const signal = new AbortController().signal
const begin = (): void => {}

function find(id: string) {
  const { path, version } = pinned(id)
  return { path, version, wrapper: null, problems: [] }
}

const listHomes = () => readdirSync(temporary)

// A probe is the same for every agent, and some take a minute to start; the matrix probes all of them.
const pins = agents().filter(({ id, testkit }) => testkit && pinnedVersions(id).length > 0)
const probed = process.env['REMORA_MATRIX'] === undefined ? pins.slice(0, 3) : pins

it.each(probed.map(({ id }) => id))(
  'finds nothing wrong with the newest pinned version of %s',
  async (id) => {
    const channels = ['headless', 'hooks', 'transcripts'] as const
    const report = await probeAgent(findAgent(id)!, find(id), { signal, begin, channels }, io)
    expect(report.verdicts.filter(({ verdict }) => verdict === 'failed')).toEqual([])
    expect(report.verdicts.filter(({ verdict }) => verdict === 'passed').length).toBeGreaterThanOrEqual(6)
    expect(report).toMatchObject({ agent: id, version: pinned(id).version })
    expect(listHomes()).toEqual([])
  },
  900_000,
)

it('reports a definition whose dialogs do not match the screen', async () => {
  const claude = findAgent('claude')!
  const broken: Agent = {
    ...claude,
    terminal: {
      ...claude.terminal!,
      read: (screen) => {
        const { ask, ...rest } = claude.terminal!.read(screen)
        return ask ? { ...rest, state: 'working' } : rest
      },
    },
  }
  const options = { signal, begin, channels: ['terminal'] as const, stalledMs: 15_000, limitMs: 40_000 }
  const { verdicts } = await probeAgent(broken, find('claude'), options, io)
  expect(verdicts.map(({ check, verdict }) => `${check}: ${verdict}`)).toEqual([
    'text: passed',
    'tool: none',
    'approve: failed',
    'deny: none',
    'interrupt: none',
    'resume: none',
  ])
  expect(verdicts[2]!.why).toMatch(/^No approval dialog was recognized\. It was read as working/)
  expect(listHomes()).toEqual([])
}, 900_000)

it('cleans up when it is stopped', async () => {
  const stop = new AbortController()
  const probing = probeAgent(
    findAgent('claude')!,
    find('claude'),
    { signal: stop.signal, begin: (_channel, check) => check === 'tool' && stop.abort('SIGINT') },
    io,
  )
  await expect(probing).rejects.toBe('SIGINT')
  expect(listHomes()).toEqual([])
}, 900_000)
