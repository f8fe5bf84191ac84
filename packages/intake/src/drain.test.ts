import { existsSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scanSpool, createSpool, writeToSpool, spoolFolder } from '@remora/sdk/hooks'
import { expect, it, vi } from 'vitest'
import { home, ledger, useHome } from './home.test-data.ts'
import { drainSpool, follow } from './index.ts'

useHome()

const drain = (more: { wait?: boolean; signal?: AbortSignal } = {}) =>
  drainSpool(ledger, { remoraHome: home, ...more })
const put = (payload: object, agent = 'gemini') => writeToSpool(home, agent, JSON.stringify(payload))
const files = () =>
  readdirSync(spoolFolder(home), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
const types = async () => (await ledger.read()).events.map(({ event }) => event.type)
const tool = (event: string, more: object = {}) => ({
  hook_event_name: event,
  session_id: 's',
  cwd: '/w',
  tool_name: 'glob',
  ...more,
})
const nothing = { entries: 0, events: 0, damaged: [], unreadable: [], refused: 0, abandoned: 0 }

it('stores each payload once, and empties the spool', async () => {
  put(tool('BeforeTool'))
  put(tool('AfterTool', { tool_response: { llmContent: 'a' } }))
  expect(await drain()).toEqual({ ...nothing, entries: 2, events: 3 })
  expect(await types()).toEqual(['session', 'tool_use', 'tool_result'])
  expect(files()).toEqual([])
  expect(await drain()).toEqual(nothing)
  const { events } = await ledger.read({ records: true })
  expect(events[1]?.record).toBe(JSON.stringify(tool('BeforeTool')))
  expect((await ledger.session({ agent: 'gemini', session: 's' }))?.cwd).toBe('/w')
})

it('remembers running calls between two drains', async () => {
  put(tool('BeforeTool'))
  await drain()
  put(tool('AfterTool'))
  put(tool('AfterTool'))
  await drain()
  expect(await types()).toEqual(['session', 'tool_use', 'tool_result', 'tool_use', 'tool_result'])
})

it('does not store payloads twice that a crash left in the spool', async () => {
  put(tool('BeforeTool'))
  const [entry] = scanSpool(home).entries
  const again = () => {
    writeFileSync(entry!.file, JSON.stringify(tool('BeforeTool')))
    const seconds = entry!.at / 1000
    utimesSync(entry!.file, seconds, seconds)
    writeFileSync(`${entry!.file}.ready`, '')
  }
  // A time that utimes can set exactly.
  utimesSync(entry!.file, 1_800_000_000, 1_800_000_000)
  Object.assign(entry!, { at: 1_800_000_000_000 })
  await drain()
  again()
  expect(await drain()).toEqual(nothing)
  expect(files()).toEqual([])
  // Killed between the mark and the payload.
  again()
  rmSync(`${entry!.file}.ready`)
  expect(await drain()).toEqual(nothing)
  expect(files()).toEqual([])
  // Even without the remembered entry.
  await ledger.append([], { marks: { 'spool:drained': undefined } })
  again()
  expect(await drain()).toMatchObject({ entries: 1, events: 0 })
  expect(await types()).toEqual(['session', 'tool_use'])
})

it('stores a later payload of the same name', async () => {
  put(tool('AfterTool'))
  await drain()
  put(tool('AfterTool'))
  expect(scanSpool(home).entries[0]?.file).toContain(`gemini.${process.pid}.0`)
  expect(await drain()).toMatchObject({ entries: 1, events: 2 })
})

it('moves damaged payloads away, and reads the rest', async () => {
  writeToSpool(home, 'gemini', '{"hook_event_name":"Befo')
  put({ hook_event_name: 'SessionStart' }, 'stranger')
  put(tool('AfterTool'))
  const { damaged, ...report } = await drain()
  expect(report).toMatchObject({ entries: 1, events: 3 })
  expect(damaged.map((file) => readFileSync(file, 'utf8')).toSorted()).toEqual([
    '{"hook_event_name":"Befo',
    '{"hook_event_name":"SessionStart"}',
  ])
  expect(damaged.every((file) => file.startsWith(join(spoolFolder(home), 'bad')))).toBe(true)
  expect(await drain()).toEqual(nothing)
  expect(files()).toHaveLength(2)
})

it('stores a payload that is nested too deeply as text, in its session', async () => {
  const deep = `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`
  const text = JSON.stringify(tool('BeforeTool')).replace('{', `{"extra":${deep},`)
  writeToSpool(home, 'gemini', text)
  put(tool('BeforeTool'))
  expect(await drain()).toMatchObject({ entries: 2, damaged: [], unreadable: [] })
  const stored = (await ledger.read()).events.map(({ event }) => event)
  expect(stored.filter(({ type }) => type === 'unknown')).toMatchObject([
    { session: 's', what: 'too deep', raw: text },
  ])
})

it('continues after a payload that cannot be moved', async () => {
  createSpool(home)
  writeFileSync(join(spoolFolder(home), 'bad'), 'in the way')
  writeToSpool(home, 'gemini', 'no payload')
  put(tool('AfterTool'))
  expect(await drain()).toMatchObject({ entries: 1, unreadable: [expect.any(String)] })
  expect(scanSpool(home).entries).toHaveLength(1)
})

it('keeps at most a hundred damaged payloads', async () => {
  for (let round = 0; round < 3; round++) {
    for (let count = 0; count < 40; count++) writeToSpool(home, 'gemini', `damaged ${round} ${count}`)
    await drain()
  }
  const kept = readdirSync(join(spoolFolder(home), 'bad'))
  expect(kept).toHaveLength(100)
  const words = kept.map((name) => readFileSync(join(spoolFolder(home), 'bad', name), 'utf8'))
  expect(words).toContain('damaged 2 39')
  expect(words).not.toContain('damaged 0 0')
})

it('counts dropped payloads, and removes incomplete ones', async () => {
  createSpool(home)
  writeFileSync(join(spoolFolder(home), 'refused'), '\n\n')
  const left = (name: string, text: string, hours: number) => {
    const file = join(spoolFolder(home), '1', name)
    writeFileSync(file, text)
    const seconds = Date.now() / 1000 - hours * 3600
    utimesSync(file, seconds, seconds)
    return file
  }
  const old = left('gemini.1.0', '{"half', 2)
  const empty = left('gemini.1.1', '', 2)
  const orphan = left('gemini.1.2.ready', '', 0)
  const young = left('gemini.1.3', '{"half', 0.5)
  expect(await drain()).toEqual({ ...nothing, refused: 2, abandoned: 1 })
  expect([old, empty, orphan, young].map((file) => existsSync(file))).toEqual([false, false, false, true])
  writeFileSync(join(spoolFolder(home), 'refused'), '\n\n\n')
  expect(await drain()).toEqual({ ...nothing, refused: 1 })
  expect(await drain()).toEqual(nothing)
})

it('drains more than one batch in order', async () => {
  createSpool(home)
  for (let count = 0; count < 450; count++) {
    const file = join(spoolFolder(home), `${count % 64}`, `gemini.${count}.0`)
    writeFileSync(
      file,
      JSON.stringify({ hook_event_name: 'BeforeAgent', session_id: 's', prompt: `${count}` }),
    )
    utimesSync(file, 1000 + count, 1000 + count)
    writeFileSync(`${file}.ready`, '')
  }
  const progress: number[] = []
  await drainSpool(ledger, { remoraHome: home, onProgress: ({ entries }) => progress.push(entries) })
  expect(progress).toEqual([200, 400, 450])
  const { events } = await ledger.read({ limit: 1000 })
  const prompts = events.flatMap(({ event }) => (event.type === 'message' ? [event.content] : []))
  expect(prompts.map((content) => content?.[0])).toEqual(
    Array.from({ length: 450 }, (_, count) => ({ type: 'text', text: `${count}` })),
  )
})

it('returns or waits if another process drains, but not for a dead one', async () => {
  put(tool('AfterTool'))
  const holder = { what: 'another', pid: process.ppid, host: (await import('node:os')).hostname() }
  const taken = await ledger.leases.take('spool', holder, 60_000)
  expect(await drain()).toEqual({ ...nothing, heldBy: holder })
  const waiting = drain({ wait: true })
  if (!('heldBy' in taken)) await ledger.leases.release(taken)
  expect(await waiting).toMatchObject({ entries: 1 })
  put(tool('AfterTool'))
  await ledger.leases.take('spool', { ...holder, pid: 2 ** 22 + 1 }, 60_000)
  expect(await drain()).toMatchObject({ entries: 1 })
})

it('stops on abort', async () => {
  put(tool('AfterTool'))
  await expect(drain({ signal: AbortSignal.abort() })).rejects.toThrow()
  expect(scanSpool(home).entries).toHaveLength(1)
  expect(await drain()).toMatchObject({ entries: 1 })
})

it('reads the spool while it follows', async () => {
  put(tool('BeforeTool'))
  const stop = new AbortController()
  const reported: number[] = []
  let ready = false
  const following = follow(ledger, {
    remoraHome: home,
    home: join(home, 'empty'),
    env: {},
    signal: stop.signal,
    onReady: () => (ready = true),
    onSpool: ({ entries }) => reported.push(entries),
  })
  await vi.waitFor(() => expect(ready).toBe(true), 25_000)
  expect(await types()).toEqual(['session', 'tool_use'])
  put(tool('AfterTool'))
  await vi.waitFor(async () => expect(await types()).toHaveLength(3), 25_000)
  expect(files()).toEqual([])
  stop.abort()
  await following
  expect(reported).toEqual([1, 1])
})
