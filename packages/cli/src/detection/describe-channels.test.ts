import { expect, it } from 'vitest'
import { describeChannels, describeWrapper } from './describe-channels.ts'

const wrapper = {
  name: 'codex-acp',
  package: '@zed-industries/codex-acp',
  path: '/home/me/bin/codex-acp',
  version: '0.16.0',
  drives: { own: false, version: '0.137.0' },
  install: 'npm install -g @zed-industries/codex-acp',
  advice: null,
}

it('describes the agent behind a wrapper', () => {
  expect(describeWrapper(wrapper, 'Codex')).toBe(
    'ACP through codex-acp 0.16.0, with a Codex 0.137.0 of its own  /home/me/bin/codex-acp',
  )
  expect(describeWrapper({ ...wrapper, drives: { own: true, version: '0.166.0' } }, 'Codex')).toBe(
    'ACP through codex-acp 0.16.0, which drives your Codex 0.166.0  /home/me/bin/codex-acp',
  )
  expect(describeWrapper({ ...wrapper, version: null, drives: { own: false, version: null } }, 'Codex')).toBe(
    'ACP through codex-acp, with a Codex of its own  /home/me/bin/codex-acp',
  )
})

it('prints the install command', () => {
  const missing = { ...wrapper, path: null, version: null, drives: null }
  expect(describeWrapper(missing, 'Codex')).toBe(
    'ACP needs codex-acp: npm install -g @zed-industries/codex-acp',
  )
  expect(describeChannels({ channels: ['acp', 'hooks'], wrapper: missing })).toBe(
    'acp (needs codex-acp), hooks',
  )
})

it('lists it with the channels', () => {
  const channels = ['headless', 'acp', 'hooks'] as const
  expect(describeChannels({ channels, wrapper })).toBe('headless, acp (codex-acp 0.16.0), hooks')
  expect(describeChannels({ channels, wrapper: null })).toBe('headless, acp, hooks')
})
