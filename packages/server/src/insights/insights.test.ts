import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { desires, inspect, paths, recoveries, stats } from '@remora/insights'
import type {
  InsightsSummary,
  PathDetail,
  PathInfo,
  TrendDay,
  UnaskedCalls,
  UsageReport,
} from '@remora/protocol/api'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Story } from '../../../ledger/src/contract/story.test-data.ts'
import { type TestServer, startTestServer } from '../http/server.test-data.ts'
import { fillLedger } from './failures.test-data.ts'
import { readCallPages } from './failures.ts'

let server: TestServer
let token: string
const secret = 'sk-ant-api03-abcdefghijklmnopqrstu'
const now = Date.now()

beforeAll(async () => {
  server = await startTestServer()
  token = (await server.pair()).token
  await fillLedger(server.ledger, { calls: 1_500, failed: 0.2, now })
  const story = new Story({ session: 'own', source: 'own' })
  const at = now - 60_000
  const run = (entity: string, command: string, error?: string) =>
    story.tell(
      { type: 'tool_use', entity, name: 'Bash', input: { command }, at },
      { type: 'tool_result', entity, status: error ? 'error' : 'success', content: error ?? 'ok', at },
    )
  await server.ledger.append([
    ...story.tell({ type: 'session', entity: 's', cwd: '/home/me/own', title: 'Mine', at }),
    ...story.tell({ type: 'message', entity: 'p', role: 'user', content: [], at }),
    ...run('a', `API_KEY=${secret} pip install x`, 'Exit code 127\nbash: line 1: pip: command not found'),
    ...run('b', `API_KEY=${secret} pip3 install x`),
    ...run('c', 'frobnicate', `Exit code 1\nthe key ${secret} is refused`),
    ...story.tell({
      type: 'usage',
      entity: 'm',
      scope: 'message',
      usage: { inputTokens: 1_000_000, outputTokens: 0 },
      models: { 'claude-opus-4-8': { inputTokens: 1_000_000 } },
      at,
    }),
    ...story.tell({
      type: 'usage',
      entity: 'm2',
      scope: 'message',
      usage: { inputTokens: 500 },
      models: { 'house-model': { inputTokens: 500 } },
      at,
    }),
  ])
})
afterAll(() => server.close())

const get = async <T>(path: string): Promise<T> => {
  const { status, json, text } = await server.call('GET', `/api/insights/${path}`, { token })
  expect(status, text).toBe(200)
  expect(text).not.toContain(secret)
  return json as T
}

describe('insights', () => {
  it('summarizes the same figures as the insights package', async () => {
    const calls = await server.ledger.calls()
    const failures = desires(calls)
    const expected = stats(calls, failures)
    const summary = await get<InsightsSummary>('summary')
    expect(summary).toMatchObject({
      calls: expected.calls,
      failed: expected.failed,
      sessions: expected.sessions,
      corrected: 0,
      paths: paths(failures).length,
      choices: { projects: ['/home/me/own', '/home/me/parser', '/home/me/shop', '/home/me/site'] },
    })
    expect(summary.failed).toBeGreaterThan(250)
    const byName = <T extends { name: string }>(all: readonly T[]) =>
      all.toSorted((one, other) => one.name.localeCompare(other.name))
    expect(byName(summary.agents)).toEqual(byName(expected.agents))
    expect(byName(summary.classes)).toEqual(
      byName(expected.classes.map(({ class: name, count }) => ({ name, count }))),
    )
    expect(summary.projects.reduce((sum, { failed }) => sum + failed, 0)).toBe(expected.failed)
  })

  it('filters by agent, folder and time like the ledger', async () => {
    for (const [query, filter] of [
      ['agent=claude', { agent: 'claude' }],
      ['cwd=/home/me/shop', { cwd: '/home/me/shop' }],
      ['cwd=/home/me/', { cwd: '/home/me/' }],
      ['cwd=/home/me/sho', { cwd: '/home/me/sho' }],
      [`since=${now - 7 * 86_400_000}`, { since: now - 7 * 86_400_000 }],
    ] as const) {
      const calls = await server.ledger.calls(filter)
      const expected = stats(calls, desires(calls))
      expect(await get(`summary?${query}`), query).toMatchObject({
        calls: expected.calls,
        failed: expected.failed,
        sessions: expected.sessions,
      })
    }
  })

  it('lists failures by day without gaps', async () => {
    const { days } = await get<{ days: TrendDay[] }>('trend?utcOffset=60')
    const failures = desires(await server.ledger.calls({ failed: true }))
    expect(days.reduce((sum, { failed }) => sum + failed, 0)).toBe(failures.length)
    const expected = new Map(inspect(failures, { utcOffset: 60 }).days.map(({ day, count }) => [day, count]))
    for (const { day, failed, classes } of days) {
      expect(failed, day).toBe(expected.get(day) ?? 0)
      expect(Object.values(classes).reduce((sum, each) => sum + each, 0)).toBe(failed)
    }
    for (const [index, { day }] of days.entries())
      if (index > 0) expect(Date.parse(day) - Date.parse(days[index - 1]!.day)).toBe(86_400_000)
  })

  it('ranks paths like the package, up to a limit', async () => {
    const all = paths(desires(await server.ledger.calls({ failed: true })))
    const answer = await get<{ paths: PathInfo[]; total: number }>('paths?limit=3')
    expect(answer.total).toBe(all.length)
    expect(answer.paths.map(({ count, sessions, trend }) => [count, sessions, trend])).toEqual(
      all.slice(0, 3).map(({ count, sessions, trend }) => [count, sessions, trend]),
    )
    const some = await get<{ paths: PathInfo[] }>('paths?class=unknown-tool')
    expect(new Set(some.paths.map((path) => path.class))).toEqual(new Set(['unknown-tool']))
    expect((await server.call('GET', '/api/insights/paths?limit=5000', { token })).status).toBe(400)
  })

  it('returns the details of a path with its fix, without secrets', async () => {
    const { paths: found } = await get<{ paths: PathInfo[] }>('paths?cwd=/home/me/own')
    const pip = found.find(({ name }) => name === 'Bash: missing-command pip')!
    const detail = await get<PathDetail>(`paths/${pip.id}?cwd=/home/me/own`)
    expect(detail).toMatchObject({
      name: 'Bash: missing-command pip',
      class: 'missing-command',
      detail: 'pip',
      count: 1,
      byAgent: [{ name: 'claude', count: 1 }],
      inputs: [{ name: 'API_KEY=[secret] pip install x', count: 1 }],
      latestSessions: [{ agent: 'claude', session: 'own', title: 'Mine', count: 1 }],
      recovered: 1,
      recoveries: [
        {
          attempts: 1,
          changes: [
            {
              field: 'command',
              from: 'API_KEY=[secret] pip install x',
              to: 'API_KEY=[secret] pip3 install x',
            },
          ],
        },
      ],
    })
    expect(detail.fixes[0]).toMatchObject({ kind: 'alias', paste: 'remora alias pip pip3 --replace' })
    // The sessions of the path have the same recoveries as all calls together.
    const calls = await server.ledger.calls()
    const own = recoveries(calls, desires(calls)).filter(({ pattern }) => pattern === pip.name)
    const everywhere = await get<PathDetail>(`paths/${pip.id}`)
    expect(everywhere.recoveries).toHaveLength(Math.min(5, own.length))
    const other = found.find(({ name }) => name.includes('frobnicate'))!
    expect(JSON.stringify(await get(`paths/${other.id}`))).toContain('the key [secret] is refused')
    expect(await server.call('GET', '/api/insights/paths/nothing', { token })).toMatchObject({
      status: 404,
      json: { error: { code: 'not_found' } },
    })
  })

  it('applies aliases and mappings, and ignores broken files', async () => {
    const { paths: found } = await get<{ paths: PathInfo[] }>('paths?cwd=/home/me/own')
    const pip = found.find(({ name }) => name === 'Bash: missing-command pip')!
    const file = (name: string) => join(server.context.remoraHome, name)
    await writeFile(file('aliases.json'), JSON.stringify([{ kind: 7 }, null, 'x']))
    await writeFile(file('mappings.json'), JSON.stringify([{ pattern: 'pip', doc: 'docs/setup.md' }, 7, {}]))
    await writeFile(file('pave.json'), '{')
    const { fixes } = await get<PathDetail>(`paths/${pip.id}`)
    expect(fixes[0]).toMatchObject({ kind: 'document', paste: '- Read docs/setup.md first.' })
  })

  it('reports cost only if it is known', async () => {
    const report = await get<UsageReport>('usage?cwd=/home/me/own')
    expect(report.total).toMatchObject({ tokens: 1_000_500, costUsd: 5, unpriced: true })
    expect(report.models).toMatchObject([
      { name: 'claude-opus-4-8', tokens: 1_000_000, costUsd: 5, unpriced: false },
      { name: 'house-model', tokens: 500, unpriced: true },
    ])
    expect(report.models[1]).not.toHaveProperty('costUsd')
    expect(report.unpriced).toEqual(['house-model'])
    expect(report.days).toMatchObject([{ models: { 'claude-opus-4-8': 1_000_000, 'house-model': 500 } }])
  })

  it('is for paired devices only, and rejects invalid filters', async () => {
    expect((await server.call('GET', '/api/insights/summary')).status).toBe(401)
    for (const query of ['since=x', 'agent=', 'utcOffset=99999'])
      expect((await server.call('GET', `/api/insights/trend?${query}`, { token })).status, query).toBe(400)
  })

  it('lists what ran without an answer, with masked secrets', async () => {
    const { ran, blocked, counts, levels, limitedTo } = await get<UnaskedCalls>('unasked?cwd=/home/me/own')
    expect({ counts, limitedTo }).toEqual({ counts: { ran: 3, blocked: 0, answered: 0 } })
    expect(levels.find(({ name }) => name === 'medium')).toEqual({ name: 'medium', count: 2 })
    expect(ran.map(({ text, reason, risks }) => [text, reason, risks[0]?.id])).toEqual([
      ['API_KEY=[secret] pip3 install x', 'unknown', 'packages'],
      ['API_KEY=[secret] pip install x', 'unknown', 'packages'],
      ['frobnicate', 'unknown', 'command'],
    ])
    expect(blocked).toEqual([])
    const all = await get<UnaskedCalls>('unasked?limit=2')
    expect([all.ran.length, all.limitedTo]).toEqual([2, 1000])
  })

  it('reads each call once in pages, also many with the same time', async () => {
    const story = new Story({ session: 'moment', source: 'moment' })
    const at = now - 90 * 86_400_000
    await server.ledger.append(
      Array.from({ length: 1_000 }, (_, index) =>
        story.tell({ type: 'tool_use', entity: `m${index}`, name: 'Bash', input: { command: 'ls' }, at }),
      ).flat(),
    )
    const ids: number[] = []
    for await (const page of readCallPages(server.ledger, {})) ids.push(...page.map(({ id }) => id))
    expect(ids.length).toBe(new Set(ids).size)
    expect(ids.length).toBe((await server.ledger.calls()).length)
  })

  it('includes new failures', async () => {
    const before = await get<InsightsSummary>('summary')
    const story = new Story({ session: 'later', source: 'later' })
    await server.ledger.append(
      story.tell(
        { type: 'tool_use', entity: 'x', name: 'Bash', input: { command: 'zork' } },
        { type: 'tool_result', entity: 'x', status: 'error', content: 'Exit code 1' },
      ),
    )
    await vi.waitFor(
      async () => expect((await get<InsightsSummary>('summary')).failed).toBe(before.failed + 1),
      { timeout: 60_000, interval: 200 },
    )
  })
})
