import type { CDPSession, Page, Worker } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Answer, Ask } from '@remora/protocol'
import type { Notice } from '@remora/protocol/api'
import { createAskNotice, createBadgeNotice, createAskTag } from '../../../packages/server/src/push/notice.ts'
import { type WebStage, webStage } from './stage.test-data.ts'

let stage: WebStage
let page: Page
let worker: Worker
let cdp: CDPSession
let registrationId: string

beforeAll(async () => {
  stage = await webStage({ agents: ['fake'] })
  page = await stage.open({ worker: true, kept: true })
  const context = page.context()
  await context.grantPermissions(['notifications'])
  worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  cdp = await context.newCDPSession(page)
  cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    // Other tests use the same browser with their own registrations.
    const own = registrations.find(({ scopeURL, isDeleted }) => scopeURL.startsWith(stage.url) && !isDeleted)
    registrationId = own?.registrationId ?? registrationId
  })
  await cdp.send('ServiceWorker.enable')
  await stage.until('the registration', () => registrationId)
})
afterAll(() => stage[Symbol.asyncDispose]())
beforeEach(() => closeAll())

const options: Ask['options'] = [
  { id: 'yes', label: 'Yes', effect: 'allow' },
  { id: 'no', label: 'No', effect: 'deny' },
]

/** Pushes like the push service. */
const push = (data: string) =>
  cdp.send('ServiceWorker.deliverPushMessage', { origin: stage.url, registrationId, data })

/**
 * Pushes and waits until the notification is shown. Asking for notifications while one is being shown makes
 * Chromium drop it.
 */
async function deliver(data: string): Promise<void> {
  const before = await countShown()
  await push(data)
  await expect.poll(countShown).toBeGreaterThan(before)
}

type Counting = { shownCount?: number; registration: ServiceWorkerRegistration }

/** How many notifications the worker has shown since the first call. */
const countShown = () =>
  worker.evaluate(() => {
    const scope = globalThis as unknown as Counting
    if (scope.shownCount === undefined) {
      scope.shownCount = 0
      const show = scope.registration.showNotification.bind(scope.registration)
      scope.registration.showNotification = async (...what) => {
        await show(...what)
        scope.shownCount! += 1
      }
    }
    return scope.shownCount
  })

interface Shown {
  readonly title: string
  readonly body: string
  readonly tag: string
  readonly actions: { action: string; title: string }[]
}
const shown = (): Promise<Shown[]> =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready
    const all = await registration.getNotifications()
    return all.map((each) => {
      const { title, body, tag, actions = [] } = each as Notification & Partial<Shown>
      return {
        title,
        body,
        tag,
        actions: actions.map(({ action, title: label }) => ({ action, title: label })),
      }
    })
  })
const tags = async () => (await shown()).map(({ tag }) => tag)
const close = (tag: string) =>
  page.evaluate(async (which) => {
    const registration = await navigator.serviceWorker.ready
    for (const each of await registration.getNotifications({ tag: which })) each.close()
  }, tag)

/** A closed notification still exists for a moment. */
async function closeAll(): Promise<void> {
  for (const tag of await tags()) await close(tag)
  await expect.poll(tags).toEqual([])
}

/** Taps a notification through the browser's event. Resolves when the worker has finished. */
const tap = (tag: string, action: string) =>
  worker.evaluate(
    async ([which, chosen]) => {
      const scope = globalThis as unknown as {
        registration: { getNotifications(filter: object): Promise<Notification[]> }
        NotificationEvent: new (type: string, more: object) => Event
        dispatchEvent(event: Event): void
      }
      const [notification] = await scope.registration.getNotifications({ tag: which })
      const event = new scope.NotificationEvent('notificationclick', { notification, action: chosen })
      // Events created by a script offer no other way to wait.
      let done: Promise<unknown> = Promise.resolve()
      Object.defineProperty(event, 'waitUntil', { value: (work: Promise<unknown>) => (done = work) })
      scope.dispatchEvent(event)
      await done
    },
    [tag, action] as const,
  )

let count = 0
async function asked(): Promise<{
  key: { agent: string; session: string }
  ask: Ask
  tag: string
  answers: Answer[]
}> {
  const key = { agent: 'claude', session: `push-${++count}` }
  const ask: Ask = {
    id: `p-${count}`,
    digest: `d-${count}`,
    kind: 'permission',
    title: 'Run npm test?',
    body: 'npm test',
    options,
  }
  const answers: Answer[] = []
  await stage.server.context.approvals.open(key, ask, async (answer) => {
    answers.push(answer)
    return 'done'
  })
  return { key, ask, tag: createAskTag(key, ask.id), answers }
}

it('shows a request with its actions, and allows it from the notification', async () => {
  const { key, ask, tag, answers } = await asked()
  await deliver(JSON.stringify(createAskNotice(key, ask, undefined, 1)))
  await expect.poll(shown).toEqual([
    {
      title: 'claude: Run npm test?',
      body: 'Run npm test?',
      tag,
      actions: [
        { action: 'allow', title: 'Allow once' },
        { action: 'deny', title: 'Deny' },
      ],
    },
  ])
  await tap(tag, 'allow')
  expect(answers).toMatchObject([{ by: 'person', option: 'yes', digest: ask.digest }])
  await expect.poll(shown).toEqual([])
})

it('denies a request from the notification', async () => {
  const { key, ask, tag, answers } = await asked()
  await deliver(JSON.stringify(createAskNotice(key, ask, undefined, 1)))
  await expect.poll(tags).toEqual([tag])
  await tap(tag, 'deny')
  expect(answers).toMatchObject([{ option: 'no' }])
})

it('shows silently that another device answered, or that the request changed', async () => {
  const { key, ask, tag, answers } = await asked()
  await deliver(JSON.stringify(createAskNotice(key, ask, undefined, 1)))
  await expect.poll(tags).toEqual([tag])
  await stage.server.context.approvals.answer(key, {
    ask: ask.id,
    digest: ask.digest,
    option: 'no',
    by: 'person',
    device: 'Tablet (d-x)',
  })
  await tap(tag, 'allow')
  expect(answers).toHaveLength(1)
  await expect.poll(shown).toMatchObject([{ title: 'Answered elsewhere', tag }])
  await closeAll()

  const second = await asked()
  await deliver(JSON.stringify(createAskNotice(second.key, { ...second.ask, digest: 'old' }, undefined, 1)))
  await expect.poll(tags).toEqual([second.tag])
  await tap(second.tag, 'allow')
  expect(second.answers).toEqual([])
  await expect.poll(shown).toMatchObject([{ title: 'Answer not delivered' }])
  await stage.server.context.approvals.settle(second.key, second.ask.id, { by: 'cancel' })
})

it('opens the request in the open window', async () => {
  const { key, ask, tag } = await asked()
  await deliver(JSON.stringify(createAskNotice(key, ask, undefined, 1)))
  await expect.poll(tags).toEqual([tag])
  await tap(tag, '')
  await page.waitForURL(`**/session/claude/${key.session}`)
  await page.getByRole('alertdialog').getByText('Run npm test?').waitFor()
  await expect.poll(shown).toEqual([])
  await stage.server.context.approvals.settle(key, ask.id, { by: 'cancel' })
})

it('closes outdated notifications, and shows none for a badge update', async () => {
  const { key, ask, tag } = await asked()
  await deliver(JSON.stringify(createAskNotice(key, ask, undefined, 1)))
  await expect.poll(tags).toEqual([tag])
  await push(JSON.stringify(createBadgeNotice(0, [tag, 'another'])))
  await expect.poll(tags).toEqual([])
  await stage.server.context.approvals.settle(key, ask.id, { by: 'cancel' })
})

it('survives any push message', async () => {
  const long: Notice = { version: 1, type: 'done', badge: 1, title: 'x'.repeat(30_000) }
  const odd = [
    '',
    '\u0000',
    'not json',
    'null',
    '[[[',
    '{"version":1,"type":"ask","badge":"many","title":7,"actions":{"length":9},"session":[],"tag":{}}',
    JSON.stringify(long),
  ]
  for (const data of odd) {
    await closeAll()
    await deliver(data)
    // A partly valid message shows nothing that is unknown.
    const isKnown = data.startsWith('{"version":1,"type":"ask"')
    await expect
      .poll(async () => (await shown()).map(({ title, body }) => [title, body.length > 0]))
      .toEqual([['Remora', !isKnown]])
  }
  // A notice without a session opens the list.
  await tap((await tags())[0]!, '')
  await page.waitForURL(/\/$/)
  const { key, ask, tag } = await asked()
  await deliver(JSON.stringify(createAskNotice(key, ask, undefined, 1)))
  await expect.poll(tags).toContain(tag)
  await stage.server.context.approvals.settle(key, ask.id, { by: 'cancel' })
})
