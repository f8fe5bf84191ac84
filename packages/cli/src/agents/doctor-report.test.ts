import picocolors from 'picocolors'
import { expect, it } from 'vitest'
import type { Finding } from '../detection/survey.ts'
import { formatBriefReport } from './doctor-report.ts'

const paint = picocolors.createColors(false)

it.each([
  ['✓', []],
  ['✓', ['tmux_missing']],
  ['!', ['sessions_deleted']],
  ['!', ['tmux_missing', 'sessions_deleted']],
  ['!', ['no_credentials']],
])('marks an agent with %s, as doctor does, for the problems %j', (mark, codes) => {
  const problems = codes.map((code) => ({ code, message: code, hint: '' }))
  const finding = { id: 'gemini', title: 'Gemini CLI', installed: true, version: '1', problems }
  expect(formatBriefReport([finding as unknown as Finding], paint)[0]).toMatch(
    new RegExp(`^${mark} Gemini CLI 1 `),
  )
})
