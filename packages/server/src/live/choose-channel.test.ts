import { RemoraError } from '@remora/protocol'
import { findAgent } from '@remora/sdk'
import { afterEach, expect, it, vi } from 'vitest'
import { chooseChannel } from './choose-channel.ts'

const claude = findAgent('claude')!
const gemini = findAgent('gemini')!
const kiro = findAgent('kiro')!
const missing = (message: string) => new RemoraError('agent_missing', message, { hint: 'Install it.' })

const { platform } = process
afterEach(() => {
  vi.unstubAllEnvs()
  Object.defineProperty(process, 'platform', { value: platform })
})

it('uses tmux where it is installed, and else a PTY host', async () => {
  expect(await chooseChannel(claude, {})).toMatchObject({ channel: 'terminal', driver: 'tmux' })
  vi.stubEnv('PATH', '/nowhere')
  expect(await chooseChannel(claude, {})).toMatchObject({ channel: 'terminal', driver: 'pty' })
  const request = { channel: 'terminal' } as const
  expect(await chooseChannel(claude, request)).toMatchObject({ channel: 'terminal', driver: 'pty' })
  const { acp: _, ...alone } = claude
  expect(await chooseChannel(alone, {})).toMatchObject({ channel: 'terminal', driver: 'pty' })
})

it('uses what the request or the settings choose', async () => {
  expect(await chooseChannel(claude, {}, 'pty')).toMatchObject({ channel: 'terminal', driver: 'pty' })
  expect(await chooseChannel(claude, { terminal: 'tmux' }, 'pty')).toMatchObject({ driver: 'tmux' })
  expect((await chooseChannel(kiro, {}, 'pty')).channel).toBe('acp')
  expect((await chooseChannel(claude, { channel: 'acp' }, 'pty')).channel).toBe('acp')
})

it('uses ACP without any terminal, and explains what to install if that fails too', async () => {
  vi.stubEnv('PATH', '/nowhere')
  // No PTY host was ever tried there.
  Object.defineProperty(process, 'platform', { value: 'win32' })
  const { channel, explain } = await chooseChannel(claude, {})
  expect(channel).toBe('acp')
  expect(explain(missing('The ACP wrapper of Claude Code is not installed'))).toMatchObject({
    code: 'agent_missing',
    message: 'Claude Code needs tmux for a terminal, or its ACP wrapper, and there is neither',
    hint: expect.stringMatching(/apt install tmux.* Or the wrapper: Install it\.$/),
  })
  const other = new RemoraError('crashed', 'It fell over')
  expect(explain(other)).toBe(other)
  // tmux does not help an agent that speaks ACP itself.
  const alone = missing('Gemini CLI is not installed')
  expect((await chooseChannel(gemini, {})).explain(alone)).toBe(alone)

  // tmux is checked again for each session.
  vi.unstubAllEnvs()
  expect((await chooseChannel(claude, {})).channel).toBe('terminal')
})

it('uses the requested channel, and ACP for agents without a terminal', async () => {
  expect((await chooseChannel(claude, { channel: 'acp' })).channel).toBe('acp')
  expect((await chooseChannel(kiro, {})).channel).toBe('acp')
})
