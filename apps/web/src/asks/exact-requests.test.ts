import type { Ask } from '@remora/protocol'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { deceptions, unmark, unseen } from '../../../../packages/protocol/src/request/deceptions.test-data.ts'
import { toNotification } from '../worker/notification.ts'
import { AskContent } from './ask-content.tsx'

/** The text of the dialog, with marks in brackets. */
function render(ask: Ask): string {
  const html = renderToStaticMarkup(
    createElement(AskContent, { pending: { agent: 'claude', session: 's-1', ask } }),
  )
  return html
    .replaceAll(/<mark[^>]*>(.*?)<\/mark>/gu, (_, mark: string) => (mark === '⇥' ? mark : `⟨${mark}⟩`))
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&')
}

it.each(deceptions)('the dialog shows all of $name, or cannot allow it', ({ ask, runs }) => {
  const shown = render(ask)
  expect(shown.replaceAll('\n', '')).not.toMatch(unseen)
  // The dialog cannot allow anything while this button is shown: see ask-content.real.test.ts.
  if (!shown.includes('Show all')) expect(unmark(shown)).toContain(runs)
  else expect(runs.length).toBeGreaterThan(20_000)
})

it('a notification that cannot allow offers to open the request', () => {
  const notice = {
    version: 1 as const,
    type: 'ask' as const,
    badge: 1,
    session: { agent: 'claude', session: 's-1' },
    ask: { id: 'a', digest: 'd' },
    actions: [{ action: 'deny' as const, title: 'Deny', option: 'no' }],
  }
  const actions = toNotification(notice, 2)?.options.actions
  expect(actions?.map(({ title }) => title)).toEqual(['Deny', 'Open to review'])
})
