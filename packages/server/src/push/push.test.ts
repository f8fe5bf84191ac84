import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionKey } from '@remora/ledger'
import type { Ask } from '@remora/protocol'
import { describe, expect, it, vi } from 'vitest'
import { type TestContext, createContext } from '../files/context.test-data.ts'
import { Presence } from '../ws/presence.ts'
import { checkEndpoint, isPublicAddress } from './endpoint.ts'
import { Notifier } from './notifier.ts'
import { type PushService, startPushService } from './push-service.test-data.ts'
import { createPushRoutes } from '../http/routes/push.ts'
import { Notice } from '@remora/protocol/api'
import { deceptions, unmark, unseen } from '../../../protocol/src/request/deceptions.test-data.ts'
import { createAskNotice } from './notice.ts'

const key = { agent: 'gemini', session: 's-1' }

const ask = (id = 'ask-1'): Ask => ({
  id,
  kind: 'permission',
  title: 'Run a command?',
  body: `curl -H 'Authorization: Bearer abcdefghijklmnopqrstuvwx' ${'x'.repeat(1_000)}`,
  options: [
    { id: 'once', label: 'Allow once', effect: 'allow' },
    { id: 'always', label: 'Always', effect: 'allow_always' },
    { id: 'no', label: 'No', effect: 'deny' },
  ],
  digest: `digest of ${id}`,
})

const sending = { allowLoopback: true, retryDelaysMs: [10, 10] }

async function startNotifier(test: TestContext, presence = new Presence()) {
  return Notifier.start(test.context, presence, { settleMs: 20, gatherMs: 10, sending })
}

/** Waits for this many notices. */
async function waitForNotices(service: PushService, count: number): Promise<PushService['received']> {
  await vi.waitFor(() => expect(service.received.length).toBeGreaterThanOrEqual(count), { timeout: 60_000 })
  return service.received
}

/** Waits long enough for a notice that must not be sent. */
const waitForNothing = (notifier: Notifier) =>
  new Promise((resolve) => setTimeout(resolve, 150)).then(() => notifier.idle())

describe('push', () => {
  it('sends a short notice of an ask, with its digest and without secrets', async () => {
    await using test = await createContext()
    await using service = await startPushService()
    const notifier = await startNotifier(test)
    await notifier.subscribers.add('phone', service.subscription)
    test.live({ id: 'l-1', ...key, state: 'asking', cwd: '/x/project' })
    await test.ask(key, ask())
    const [{ notice, headers } = {} as never] = await waitForNotices(service, 1)
    expect(notice).toMatchObject({
      type: 'ask',
      badge: 1,
      title: 'gemini · project: Run a command?',
      session: key,
      ask: { id: 'ask-1', digest: 'digest of ask-1' },
      // The command is cut and has a secret, so there is no Allow button.
      actions: [{ action: 'deny', title: 'Deny', option: 'no' }],
    })
    expect(notice.body).not.toContain('abcdefghijklmnop')
    expect(notice.body!.length).toBeLessThanOrEqual(240)
    expect(headers).toMatchObject({ urgency: 'high', 'content-encoding': 'aes128gcm', ttl: '3600' })
    expect(headers.authorization).toMatch(/^vapid t=.+, k=/)
    expect(headers.authorization).toContain(notifier.publicKey)
    expect(headers['topic']).toMatch(/^[\w-]{1,32}$/)

    // A device that may not answer gets a notice without buttons.
    notifier.setAnswerCheck((device) => device !== 'phone')
    await test.ask(key, ask('ask-2'))
    const [, { notice: plain } = {} as never] = await waitForNotices(service, 2)
    expect(plain).toMatchObject({ type: 'ask', ask: { id: 'ask-2' } })
    expect(plain).not.toHaveProperty('actions')
    await test.settle(key, 'ask-2')
    await waitForNotices(service, 3)
    service.received.splice(1)

    // A restarted server does not announce the open ask again.
    const again = await startNotifier(test)
    await test.ask(key, ask())
    await waitForNothing(again)
    expect(service.received).toHaveLength(1)

    // The answer lowers the badge silently and names the notice to remove.
    await test.settle(key, 'ask-1')
    const [, { notice: over } = {} as never] = await waitForNotices(service, 2)
    expect(over).toEqual({ version: 1, type: 'badge', badge: 0, settled: [notice.tag] })
    expect(service.received[1]!.headers['urgency']).toBe('low')
  })

  it('sends done and error once a session has settled, and counts unseen sessions', async () => {
    await using test = await createContext()
    await using service = await startPushService()
    const presence = new Presence()
    const notifier = await startNotifier(test, presence)
    await notifier.subscribers.add('phone', service.subscription)
    test.live({ id: 'l-1', ...key, state: 'working', title: 'Fix the login' })
    test.frame('l-1', 'All tests pass now. The key sk-ant-api03-abcdefghijklmnop is gone.')
    // The session is idle between two steps.
    test.live({ id: 'l-1', state: 'idle' })
    test.live({ id: 'l-1', state: 'working' })
    test.live({ id: 'l-1', state: 'idle' })
    const [{ notice } = {} as never] = await waitForNotices(service, 1)
    expect(notice).toMatchObject({
      type: 'done',
      badge: 1,
      title: 'gemini · Fix the login finished',
      body: 'All tests pass now. The key [secret] is gone.',
    })
    test.live({ id: 'l-2', agent: 'codex', session: 's-2', state: 'working' })
    test.live({ id: 'l-2', state: 'error', detail: 'The model is overloaded' })
    const error = (await waitForNotices(service, 2))[1]!.notice
    expect(error).toMatchObject({ type: 'error', badge: 2, body: 'The model is overloaded' })

    // A session with a queued prompt continues by itself.
    test.live({ id: 'l-1', state: 'working' })
    test.live({ id: 'l-1', state: 'idle', queued: 1 })
    await waitForNothing(notifier)
    expect(service.received).toHaveLength(2)

    // A turn may be shorter than the interval between two state changes.
    test.live({ id: 'l-3', session: 's-3', state: 'idle', since: 1_000 })
    test.live({ id: 'l-3', since: 2_000 })
    expect((await waitForNotices(service, 3))[2]!.notice).toMatchObject({ type: 'done', badge: 3 })
    presence.setView({ client: 'phone' }, { agent: 'gemini', session: 's-3' })
    await waitForNotices(service, 4)
    service.received.splice(2)

    presence.setView({ client: 'phone' }, key)
    const badge = (await waitForNotices(service, 3))[2]!.notice
    expect(badge).toMatchObject({ type: 'badge', badge: 1, settled: [notice.tag] })
    // The count survives a restart.
    const again = await startNotifier(test, presence)
    expect(await again.countBadge()).toBe(1)
  })

  it('sends nothing for viewed sessions, for reviews, or against the preferences of a device', async () => {
    await using test = await createContext()
    await using service = await startPushService()
    const presence = new Presence()
    const notifier = await startNotifier(test, presence)
    await notifier.subscribers.add('phone', service.subscription)
    const viewer = { client: 'laptop' }
    presence.setView(viewer, key)
    test.live({ id: 'l-1', ...key, state: 'working' })
    await test.ask(key, ask())
    test.live({ id: 'l-1', state: 'idle' })
    await waitForNothing(notifier)
    expect(service.requests).toBe(0)

    const child: SessionKey = { agent: 'claude', session: 'child' }
    test.live({ id: 'l-2', ...child, state: 'working', reviews: { ...key, review: 'r-1' } })
    await test.ask(child, ask('ask-child'))
    test.live({ id: 'l-2', state: 'idle' })
    await waitForNothing(notifier)
    expect(service.requests).toBe(0)
    // The ask of a review does not count.
    expect(await notifier.countBadge()).toBe(1)

    presence.setView(viewer, undefined)
    await notifier.subscribers.setPreferences('phone', { done: false })
    test.live({ id: 'l-1', state: 'working' })
    test.live({ id: 'l-1', state: 'idle' })
    await waitForNothing(notifier)
    expect(service.requests).toBe(0)
    await test.ask(key, ask('ask-2'))
    const [{ notice } = {} as never] = await waitForNotices(service, 1)
    expect(notice).toMatchObject({ type: 'ask', badge: 3 })
  })

  it('removes expired subscriptions, retries transient failures, and gives up after the last retry', async () => {
    await using test = await createContext()
    await using service = await startPushService()
    await using dead = await startPushService()
    const notifier = await startNotifier(test)
    await notifier.subscribers.add('phone', service.subscription)
    await notifier.subscribers.add('old phone', dead.subscription)
    service.answers.push(503, 429)
    dead.answers.push(410)
    await test.ask(key, ask())
    await waitForNotices(service, 1)
    await notifier.idle()
    expect([service.requests, dead.requests]).toEqual([3, 1])
    expect((await notifier.subscribers.all()).map(({ device }) => device)).toEqual(['phone'])

    service.answers.push(500, 500, 500)
    await test.ask(key, ask('ask-2'))
    await vi.waitFor(() => expect(service.requests).toBe(6), 60_000)
    await notifier.idle()
    expect(await notifier.subscribers.get('phone')).toMatchObject({ failures: 1 })
    expect(test.logged.join()).toContain('Cannot send a notification')
    service.answers.push(403)
    await test.ask(key, ask('ask-3'))
    await vi.waitFor(() => expect(service.requests).toBe(7), 60_000)
    await notifier.idle()
    expect(await notifier.subscribers.get('phone')).toMatchObject({ failures: 2 })
    await test.ask(key, ask('ask-4'))
    await waitForNotices(service, 2)
    await notifier.idle()
    expect(await notifier.subscribers.get('phone')).toMatchObject({ failures: 0 })
  })

  it('keeps one subscription for each device, managed by the push routes', async () => {
    await using test = await createContext()
    await using service = await startPushService()
    const notifier = await startNotifier(test)
    const routes = createPushRoutes(test.context, notifier)
    const call = (method: string, path: string, body?: object) =>
      test.request(routes, `/api/push${path}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) })
    expect((await call('GET', '')).body).toEqual({
      publicKey: notifier.publicKey,
      subscribed: false,
      badge: 0,
    })
    expect((await call('PATCH', '/preferences', { done: false })).status).toBe(404)
    const { status, body } = await call('POST', '/subscribe', {
      subscription: { ...service.subscription, expirationTime: null },
    })
    expect([status, body]).toEqual([
      200,
      { preferences: { ask: true, done: true, error: true, badge: true } },
    ])
    expect((await call('PATCH', '/preferences', { done: false })).body.preferences).toMatchObject({
      done: false,
      ask: true,
    })
    expect((await call('POST', '/test')).body).toEqual({ sent: true })
    expect(service.received[0]!.notice).toMatchObject({ title: 'Remora' })
    // The same browser, paired again.
    await notifier.subscribers.add('other', service.subscription)
    expect((await notifier.subscribers.all()).map(({ device }) => device)).toEqual(['other'])
    expect((await call('POST', '/unsubscribe')).status).toBe(204)
    expect(
      (await call('POST', '/subscribe', { subscription: { endpoint: 'x', keys: { p256dh: '!', auth: '' } } }))
        .status,
    ).toBe(400)

    const file = join(test.context.remoraHome, 'vapid.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await startNotifier(test)).publicKey).toBe(notifier.publicKey)
  })

  it('sends only to public hosts over TLS', async () => {
    expect(checkEndpoint('https://fcm.googleapis.com/fcm/send/abc').hostname).toBe('fcm.googleapis.com')
    for (const endpoint of [
      'http://fcm.googleapis.com/x',
      'https://127.0.0.1/x',
      'https://2130706433/x',
      'https://0x7f.1/x',
      'https://[::1]/x',
      'https://[::ffff:127.0.0.1]/x',
      'https://[fd00::1]/x',
      'https://10.0.0.1/x',
      'https://192.168.1.1/x',
      'https://169.254.169.254/latest/meta-data',
      'https://100.64.0.1/x',
      'https://localhost/x',
      'https://localhost./x',
      'https://LOCALHOST./x',
      'https://localhost../x',
      'https://x.localhost./x',
      'https://localhost.localdomain/x',
      'https://printer./x',
      'https://127.0.0.1./x',
      'https://127.1/x',
      'https://0177.0.0.1/x',
      'https://[::ffff:7f00:1]/x',
      'https://[::7f00:1]/x',
      'https://[0:0:0:0:0:0:0:1]/x',
      'https://[64:ff9b::7f00:1]/x',
      'https://[fe80::1]/x',
      'https://printer/x',
      'https://router.local/x',
      'https://metadata.google.internal/x',
      'https://user:pass@example.com/x',
      'https://example.com:8443/x',
      'file:///etc/passwd',
      'gopher://example.com/',
      'not a url',
      `https://example.com/${'x'.repeat(3_000)}`,
    ])
      expect(() => checkEndpoint(endpoint), endpoint).toThrow('push service')
    expect(checkEndpoint('https://FCM.googleapis.com./x').hostname).toBe('fcm.googleapis.com.')
    for (const address of ['8.8.8.8', '2a00:1450:4001::1']) expect(isPublicAddress(address)).toBe(true)

    // Without the option for tests, nothing is sent to loopback, even for a stored subscription.
    await using test = await createContext()
    await using service = await startPushService()
    const notifier = await Notifier.start(test.context, new Presence(), { sending: { retryDelaysMs: [] } })
    await expect(notifier.subscribers.add('phone', service.subscription)).rejects.toMatchObject({
      code: 'usage',
    })
    await test.context.store.collection('push').put('phone', {
      ...service.subscription,
      device: 'phone',
      preferences: { ask: true },
      at: 0,
      failures: 0,
    })
    await test.ask(key, ask())
    await waitForNothing(notifier)
    expect(service.requests).toBe(0)
  })
})

it.each(deceptions)('shows all of $name, or has no Allow button', ({ ask, runs }) => {
  const notice = Notice.parse(createAskNotice(key, ask, undefined, 1))
  const shown = `${notice.title}\n${notice.body}`
  expect(shown.replace('\n', '')).not.toMatch(unseen)
  const actions = (notice.actions ?? []).map(({ action }) => action)
  expect(actions).toContain('deny')
  if (actions.includes('allow')) expect(unmark(shown)).toContain(runs)
  else expect(shown).toMatch(/…(?:\n|$)/)
})

it('has an Allow button when it shows the request completely', () => {
  const ask = deceptions[0]!.ask
  const short = { ...ask, input: { command: 'npm test' } }
  const notice = createAskNotice(key, short, undefined, 1)
  expect(notice).toMatchObject({ title: 'gemini: Run it?', body: 'Command: npm test' })
  expect(notice.actions?.map(({ action }) => action)).toEqual(['allow', 'deny'])
})

it('has no Allow button when a secret or a long session title hides a part', () => {
  const ask = deceptions[0]!.ask
  const secret = { ...ask, input: { command: 'curl -H "x: sk-ant-api03-abcdefghijklmnopqrstu"' } }
  const masked = createAskNotice(key, secret, undefined, 1)
  expect(masked.body).toContain('[secret]')
  expect(masked.actions?.map(({ action }) => action)).toEqual(['deny'])
  const live = { title: `${'long '.repeat(50)}\u202E`, cwd: '/x' } as Parameters<typeof createAskNotice>[2]
  const { title, actions } = createAskNotice(
    key,
    { ...ask, title: 'rm -rf build', input: undefined },
    live,
    1,
  )
  expect(title).toMatch(/^gemini · long .*…: rm -rf build$/)
  expect(title).not.toMatch(unseen)
  expect(actions?.map(({ action }) => action)).toEqual(['allow', 'deny'])
})
