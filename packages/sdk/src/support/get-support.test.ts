import { describeSupport } from '@remora/protocol'
import { expect, it } from 'vitest'
import { createAcpAgent } from '../channels/acp/command-agent.ts'
import { claude } from '../agents/claude/index.ts'
import { getSupport } from './get-support.ts'
import type { ProbeReport } from './probe-report.ts'

const range = { oldest: '2.1.197', newest: '2.1.326' }
const agent = {
  ...claude,
  tested: { headless: range, acp: range, hooks: range, transcripts: range, terminal: range },
}
const title = agent.title

function toProbe(version: string, verdict: 'passed' | 'failed'): ProbeReport {
  const [text, approve] = (['text', 'approve'] as const).map((check) => ({
    channel: 'terminal' as const,
    check,
    verdict,
  }))
  return { agent: 'claude', version, at: 0, seconds: 1, verdicts: [text!, approve!] }
}

it('says nothing about a version in the tested range', () => {
  for (const version of ['2.1.197', '2.1.250', '2.1.326']) {
    const support = getSupport(agent, version)!
    expect(new Set(Object.values(support.channels))).toEqual(new Set(['tested']))
    expect(describeSupport(support, { title })).toBeUndefined()
  }
})

it('names a version outside of the tested range, and what a probe found about it', () => {
  const channels = ['terminal']
  const describe = (version: string, probe?: ProbeReport) =>
    describeSupport(getSupport(agent, version, probe)!, { title, channels })
  expect(describe('2.1.400')).toBe('Claude Code 2.1.400: newer than the tested 2.1.326 (terminal untested)')
  expect(describe('2.1.20')).toBe('Claude Code 2.1.20: older than the tested 2.1.197 (terminal untested)')
  expect(describe('2.1.400', toProbe('2.1.400', 'passed'))).toBeUndefined()
  expect(getSupport(agent, '2.1.400', toProbe('2.1.400', 'passed'))?.channels).toMatchObject({
    terminal: 'probed',
    acp: 'untested',
  })
  expect(describe('2.1.400', toProbe('2.1.400', 'failed'))).toBe(
    'Claude Code 2.1.400: newer than the tested 2.1.326 (terminal failed in its probe)',
  )
})

it('believes a failed probe more than the tested range, and ignores that of another version', () => {
  const failed = toProbe('2.1.326', 'failed')
  expect(getSupport(agent, '2.1.326', failed)?.channels['terminal']).toBe('failed')
  expect(describeSupport(getSupport(agent, '2.1.326', failed)!, { title })).toBe(
    'Claude Code 2.1.326: terminal failed in its probe',
  )
  expect(getSupport(agent, '2.1.300', failed)?.channels['terminal']).toBe('tested')
})

it('names nothing for an agent without a tested range, and nothing without a version', () => {
  const own = createAcpAgent({ id: 'mine', title: 'Mine', command: 'mine' })
  expect(describeSupport(getSupport(own, '1.0.0')!, { title: 'Mine' })).toBeUndefined()
  expect(getSupport(agent, undefined)).toBeUndefined()
})
