import { readFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Answer, Ask, AskBroker } from '@remora/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { relayed } from './relay.test-data.ts'
import type { CancelSource, RelayOptions } from './relay.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remora-relay-asks-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Another client, which answers when the test decides. */
function elsewhere() {
  const seen: { ask: Ask; session: string; signal: AbortSignal }[] = []
  let decide: ((answer: Answer) => void) | undefined
  const broker: AskBroker = {
    ask: (ask, { session, signal }) =>
      new Promise((resolve, reject) => {
        seen.push({ ask, session, signal })
        decide = resolve
        signal.addEventListener('abort', () => reject(new Error('too late')))
      }),
  }
  const answer = (option?: string): Answer => {
    const { ask } = seen.at(-1)!
    return {
      ask: ask.id,
      ...(option === undefined ? {} : { option }),
      by: option === undefined ? 'cancel' : 'person',
      device: 'phone',
      digest: ask.digest,
    }
  }
  return { seen, broker, answer, decide: (option?: string) => decide!(answer(option)) }
}

/** The replies that the agent got. */
async function replies(record: string) {
  const lines = (await readFile(record, 'utf8')).split('\n').filter(Boolean)
  return lines
    .map((line) => JSON.parse(line) as { id: unknown; method?: string })
    .filter(({ method }) => !method)
}

async function asking(
  broker: AskBroker,
  words = 'tool execute rm -r build',
  more: Partial<RelayOptions> = {},
) {
  const record = join(folder, 'got')
  const stage = relayed({ record }, { asks: broker, ...more })
  const session = await stage.editor.open()
  const turn = stage.editor.prompt(session, words)
  const request = await stage.editor.asked()
  return { ...stage, session, turn, request, record, [Symbol.asyncDispose]: stage[Symbol.asyncDispose] }
}

const answers = (stage: { events: readonly { type: string }[] }) =>
  stage.events.flatMap((event) =>
    event.type === 'answer' ? [(event as unknown as { answer: Answer }).answer] : [],
  )

it('lets the editor answer, and reports the answer to other clients', async () => {
  const { broker, seen } = elsewhere()
  await using stage = await asking(broker)
  const { editor, request, session } = stage
  expect(seen).toMatchObject([{ session, ask: { title: 'rm -r build', kind: 'permission' } }])
  editor.reply(request['id'], 'proceed_once')
  expect(await stage.turn).toMatchObject({ result: { stopReason: 'end_turn' } })
  const [{ ask, signal }] = seen as [(typeof seen)[0]]
  const answer = { ask: ask.id, option: 'proceed_once', by: 'person', device: 'editor', digest: ask.digest }
  expect(signal.reason).toEqual(answer)
  expect(answers(stage)).toEqual([answer])
  expect(await replies(stage.record)).toHaveLength(1)
  expect(editor.messages.map(({ method }) => method)).not.toContain('$/cancel_request')
})

it('sends an answer from elsewhere to the agent at once, notifies the editor, and drops its late reply', async () => {
  const { broker, decide, answer } = elsewhere()
  await using stage = await asking(broker)
  const { editor, request, session, events } = stage
  decide('proceed_always')
  expect(await stage.turn).toMatchObject({ result: { stopReason: 'end_turn' } })
  const [cancel, update] = editor.messages.slice(editor.messages.indexOf(request) + 1)
  expect(cancel).toEqual({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: request['id'] } })
  expect(update).toEqual({
    jsonrpc: '2.0',
    method: 'session/update',
    params: {
      sessionId: session,
      update: { sessionUpdate: 'tool_call_update', toolCallId: 'call-1', status: 'in_progress' },
    },
  })
  editor.reply(request['id'], 'cancel')
  await editor.prompt(session, 'say still there')
  expect(await replies(stage.record)).toEqual([
    {
      jsonrpc: '2.0',
      id: request['id'],
      result: { outcome: { outcome: 'selected', optionId: 'proceed_always' } },
    },
  ])
  expect(answers(stage)).toEqual([answer('proceed_always')])
  // The late reply of the editor is kept as well.
  const late = events.find((event) => event.type === 'status' && event.detail === 'late answer of the editor')
  expect(late?.raw).toMatchObject({ id: request['id'], result: { outcome: { optionId: 'cancel' } } })
})

it('withdraws the card of a call that was denied or withdrawn elsewhere', async () => {
  for (const option of ['cancel', undefined]) {
    const { broker, decide } = elsewhere()
    await using stage = await asking(broker)
    decide(option)
    await stage.turn
    const updates = stage.editor.messages.map(({ params }) => (params as { update?: object })?.update)
    expect(updates).toContainEqual({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'call-1',
      status: 'failed',
    })
    const status = option === undefined ? 'cancelled' : 'denied'
    expect(stage.events).toContainEqual(expect.objectContaining({ type: 'tool_result', status }))
    await rm(stage.record)
  }
})

it('keeps an answer that was given elsewhere before the editor replied', async () => {
  const { broker, answer } = elsewhere()
  // Like the ledger: it should record the editor's answer but already has another one.
  const asks: AskBroker = {
    ask: (ask, about) => broker.ask(ask, about).catch(() => answer('cancel')),
  }
  await using stage = await asking(asks)
  const { editor, request } = stage
  editor.reply(request['id'], 'proceed_once')
  await stage.turn
  expect(await replies(stage.record)).toMatchObject([{ result: { outcome: { optionId: 'cancel' } } }])
  expect(answers(stage)).toEqual([answer('cancel')])
  expect(editor.messages.map(({ method }) => method)).not.toContain('$/cancel_request')
})

it('leaves the decision to the editor without a broker', async () => {
  await using stage = await asking({ ask: () => Promise.reject(new Error('no ledger')) })
  stage.editor.reply(stage.request['id'], 'proceed_once')
  expect(await stage.turn).toMatchObject({ result: { stopReason: 'end_turn' } })
  expect(stage.logged).toEqual(['remora: Only the editor can answer: no ledger\n'])
  expect(await replies(stage.record)).toHaveLength(1)
})

it('forwards a cancel of the turn and its permission by the editor', async () => {
  const { broker, seen } = elsewhere()
  await using stage = await asking(broker)
  const { editor, session, request } = stage
  editor.write({ method: 'session/cancel', params: { sessionId: session } })
  editor.write({ id: request['id'], result: { outcome: { outcome: 'cancelled' } } })
  expect(await stage.turn).toMatchObject({ result: { stopReason: 'cancelled' } })
  expect(seen[0]!.signal.reason).toMatchObject({ by: 'cancel' })
})

it('withdraws open asks when the agent ends', async () => {
  const { broker, seen } = elsewhere()
  await using stage = await asking(broker)
  stage.stop.abort()
  expect(await stage.done).toMatchObject({ by: 'signal' })
  expect(seen[0]!.signal.reason).toMatchObject({ code: 'aborted' })
})

it('keeps several asks apart', async () => {
  const { broker, decide, seen } = elsewhere()
  await using stage = await asking(broker, 'tool execute one\ntool execute two')
  decide('proceed_once')
  const second = await stage.editor.asked(2)
  stage.editor.reply(second['id'], 'cancel')
  await stage.turn
  expect(new Set(seen.map(({ ask }) => ask.id)).size).toBe(2)
  expect(answers(stage)).toMatchObject([
    { option: 'proceed_once', device: 'phone' },
    { option: 'cancel', device: 'editor' },
  ])
})

it('cancels a turn for another client, and all asks in it', async () => {
  const { broker, seen } = elsewhere()
  let target: Parameters<CancelSource['follow']>[0] | undefined
  const cancels: CancelSource = { follow: async (given) => void (target = given) }
  await using stage = await asking(broker, undefined, { cancels })
  const { editor, session, request } = stage
  expect(target!.agent).toBe('fake')
  expect([target!.has(session), target!.has('another')]).toEqual([true, false])
  expect(await target!.cancel(session)).toBe(true)
  expect(await stage.turn).toMatchObject({ result: { stopReason: 'cancelled' } })
  expect(seen[0]!.signal.reason).toMatchObject({ by: 'cancel' })
  expect(editor.messages.find(({ method }) => method === '$/cancel_request')).toMatchObject({
    params: { requestId: request['id'] },
  })
  expect(await replies(stage.record)).toMatchObject([{ result: { outcome: { outcome: 'cancelled' } } }])
  // There is nothing left to cancel.
  expect(await target!.cancel(session)).toBe(false)
})
