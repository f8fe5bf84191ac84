import { stripVTControlCharacters } from 'node:util'
import type { Ask } from '@remora/protocol/plain'
import { createColors } from 'picocolors'
import { expect, it } from 'vitest'
import { deceptions, unmark, unseen } from '../../../protocol/src/request/deceptions.test-data.ts'
import { personAsks } from '../run/chat/person-asks.ts'
import { formatPending } from './list-asks.ts'

const plainColors = createColors(false)
const toPending = (ask: Ask) => ({ agent: 'claude', session: 's-1', ask, number: '4821', waited: true })
/** Without the bars before lines of content. */
const unframe = (text: string): string => unmark(text.replaceAll(/\n +│ /g, '\n'))

it.each(deceptions)('remora asks lists all of $name, or does not offer to allow it', ({ ask, runs }) => {
  const listed = formatPending(toPending(ask), plainColors)
  expect(listed.replaceAll('\n', '')).not.toMatch(unseen)
  const isCut = /\n +\([\d,]+ more characters: remora asks 4821\)\n(?! *│)/.test(listed)
  const offers = listed.includes('\n      Answer: remora answer 4821')
  expect(offers).toBe(!isCut)
  if (offers) expect(unframe(listed)).toContain(runs)
})

it.each(deceptions)('remora asks <number> shows all of $name', ({ ask, runs }) => {
  const whole = formatPending(toPending(ask), plainColors, Infinity)
  expect(whole.replaceAll('\n', '')).not.toMatch(unseen)
  expect(whole).toContain('\n      Answer: remora answer 4821')
  expect(unframe(whole)).toContain(runs)
})

it.each(deceptions)('remora chat shows all of $name before it asks', async ({ ask, runs }) => {
  let shown = ''
  const broker = personAsks(
    {
      write: (text) => (shown += text),
      answer: async () => 'n',
      getInput: () => undefined,
      shown: async () => {},
    },
    plainColors,
  )
  await broker.ask(ask, { agent: 'claude', session: 's-1', signal: new AbortController().signal })
  expect(stripVTControlCharacters(shown)).toBe(shown)
  expect(shown.replaceAll('\n', '')).not.toMatch(unseen)
  expect(unframe(shown)).toContain(runs)
})
