import type { Event } from '@remora/protocol'
import { expect, it } from 'vitest'
import { collect, fakeCli, startFake } from './fake-agent.test-data.ts'

it('keeps lines that are nested too deeply, or make the reader throw, as text', async () => {
  await using cli = await fakeCli()
  const deep = '['.repeat(20_000) + ']'.repeat(20_000)
  const { headless } = cli.agent
  const reader: NonNullable<typeof headless>['reader'] = (maker, request) => {
    const inner = headless!.reader!(maker, request)
    const read = (line: string): Event[] => {
      if (line === 'throw') throw new TypeError('No such thing')
      return inner.read(line)
    }
    return { read, end: (exit, stderr) => inner.end(exit, stderr) }
  }
  const clumsy = { ...cli, agent: { ...cli.agent, headless: { ...headless!, reader } } }
  const run = startFake(clumsy, [
    { do: 'line', line: deep },
    { do: 'line', line: 'throw' },
    { do: 'say', text: 'done' },
  ])
  const events = await collect(run)
  expect(events.flatMap((event) => (event.type === 'unknown' ? [[event.what, event.raw]] : []))).toEqual([
    ['too deep', deep],
    ['unreadable', 'throw'],
  ])
  expect(await run.result).toMatchObject({ ok: true, text: 'done' })
})
