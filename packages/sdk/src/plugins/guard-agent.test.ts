import { expect, it } from 'vitest'
import { createAcpAgent } from '../channels/acp/command-agent.ts'
import { startRun } from '../channels/headless/headless-run.ts'
import { PayloadReader } from '../channels/hooks/read-payload.ts'
import { readScreen } from '../channels/terminal/reading.ts'
import { type Agent, capabilities } from '../contract/agent.ts'
import { EventMaker } from '../events/event-maker.ts'
import { guardAgent } from './guard-agent.ts'

const place = { env: {}, home: '/home/me', cwd: '/work' }
const screen = { title: '', lines: ['$ '], columns: 80, cursor: { x: 0, y: 0 } }

function fail(): never {
  throw new Error('oops')
}

/** An agent whose every function throws. */
const hostile: Agent = guardAgent({
  ...createAcpAgent({ id: 'mine', title: 'Mine', command: 'mine' }),
  features: fail,
  health: fail,
  getContextWindow: fail,
  headless: { invocation: fail, reader: fail },
  hooks: { events: ['Stop'], defaultEvents: [], gates: [], targets: fail, reader: () => ({ read: fail }) },
  transcripts: {
    root: fail,
    isSession: fail,
    isOwnRecord: fail,
    format: fail,
    resume: fail,
    reader: () => ({ read: fail, state: fail, flush: fail }),
  },
  terminal: {
    invocation: fail,
    choosesSession: fail,
    read: fail,
    switchMode: fail,
    switchModel: fail,
    mention: fail,
    modeSwitch: 'cycle',
    interrupt: [],
    quit: '',
  },
  commands: { own: [], written: fail },
  tools: { run: { claude: 'Bash', kind: 'execute', readOnly: false, toInput: fail } },
})

it('keeps lists of agents and sessions working', async () => {
  expect(capabilities(hostile)).toMatchObject({
    planMode: false,
    channels: expect.arrayContaining(['acp']) as string[],
  })
  expect(await hostile.health?.(place)).toMatchObject([
    { code: 'plugin_failed', message: 'The plugin of Mine failed in health: oops' },
  ])
  expect(hostile.getContextWindow?.('m')).toBeUndefined()
  expect(await hostile.commands?.written(place)).toEqual([])
  const { transcripts } = hostile
  expect(transcripts?.isSession('a')).toBe(false)
  expect(transcripts?.isOwnRecord({})).toBe(false)
  expect(transcripts?.root(place)).not.toBe('')
  expect(hostile.tools?.['run']?.toInput?.({ a: 1 })).toEqual({ a: 1 })
})

it('names the plugin where only its own session fails', async () => {
  const message = 'The plugin of Mine failed in headless.invocation: oops'
  const run = startRun(hostile, { prompt: 'Hello', env: { MINE_CLI_PATH: process.execPath } })
  expect(await run.result).toMatchObject({ ok: false, error: { message } })
})

it('shows a screen that cannot be read as an error, and not as a dialog', () => {
  const error = 'The plugin of Mine failed in terminal.read: oops'
  expect(readScreen(hostile.terminal!, screen)).toEqual({ state: 'error', error })
  const terminal = { ...hostile.terminal!, read: () => ({ state: 'asking', ask: { kind: 1 } }) as never }
  const { state } = readScreen(guardAgent({ ...hostile, terminal }).terminal!, screen)
  expect(state).toBe('error')
})

it('stores a payload that the reader cannot read', () => {
  const read = new PayloadReader(hostile).read('{"session_id":"s"}', { key: 'k', at: 1 })
  expect(read?.events.map(({ type }) => type)).toEqual(['session', 'unknown'])
})

it('refuses events that Remora could not store', () => {
  const reader = guardAgent({
    ...hostile,
    transcripts: {
      ...hostile.transcripts!,
      reader: () => ({ read: () => [{ type: 'text' }] as never, state: () => 0 }),
    },
  }).transcripts!.reader!(new EventMaker({ agent: 'mine', channel: 'transcripts', source: 's' }), {
    path: '/a',
  })
  expect(() => reader.read({})).toThrow('The plugin of Mine failed in transcripts.reader.read')
})
