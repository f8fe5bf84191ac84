import type { ClientMessage, Command, CommandBody, ServerMessage } from '@remora/protocol'
import { api, ApiError, type SessionKey, unpaired } from '../wire/api.ts'
import { Connection } from '../wire/connection.ts'
import { rateLimit } from '../wire/fetch-with-retry.ts'
import { words } from '../words/index.ts'
import { useConnection } from './connection.ts'
import { pairingCode } from '../pair/pairing-code.ts'
import { type DraftFile, readDraft, writeDraft } from './drafts.ts'
import { local } from './local.ts'
import { commandKey, isSame, toQueue, useLive } from './live.ts'
import { forgetUnsent, keepUnsent, useOutbox } from './outbox.ts'
import { showKept, takeMessages, timelineId, getTimeline } from './timeline.ts'
import { toast, toastError } from './toasts.ts'

type Of<T extends ServerMessage['type']> = Extract<ServerMessage, { type: T }>
type Screen = (message: Of<'screen'>) => void

const followed = new Map<string, { key: SessionKey; users: number }>()
const screens = new Map<string, Set<Screen>>()
/** Those who wait for what became of a command that is not kept. */
const waiting = new Map<string, (ack: Of<'ack'>) => void>()
/** What was heard of commands since the queue was asked for: its answer may be older. */
let heard: Command[] | undefined
let looking: SessionKey | undefined
const settledMs = 2_500
let isDrawn = (): void => {}

const connection = new Connection({
  url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/api/ws`,
  onState: (state) => {
    useConnection.setState({ state, since: Date.now() })
    if (state === 'online') local.write('paired', true)
    if (state !== 'online') {
      for (const wake of waiting.values()) wake({ type: 'ack', id: '', error: noConnection() })
      waiting.clear()
    }
  },
  onMessage: hear,
  isReady: new Promise((resolve) => {
    isDrawn = resolve
  }),
  isKnown: () => local.read<boolean>('paired') === true && !pairingCode.given,
  isPaired: () =>
    fetch('/api/me', { credentials: 'same-origin' }).then(({ status }) => {
      if (status >= 500) throw new Error('The server failed')
      return status !== 401
    }),
})

/** The one line to the server, and what is said over it. */
export const client = {
  start(): void {
    unpaired.addEventListener('unpaired', () =>
      useConnection.setState({ state: 'unpaired', since: Date.now() }),
    )
    rateLimit.addEventListener('change', () => useConnection.setState({ isBusy: rateLimit.isSlow }))
    document.addEventListener('visibilitychange', tellLooking)
    connection.start()
  },
  /** The first screen stands: from now on it may change. */
  ready: () => isDrawn(),
  /** Connects anew, as after pairing. */
  again: () => connection.again(),
  say: (message: ClientMessage) => connection.say(message),

  /** Keeps the messages of a session up to date until what it returns is called. */
  follow(key: SessionKey): () => void {
    const id = timelineId(key)
    const entry = followed.get(id) ?? { key, users: 0 }
    entry.users += 1
    followed.set(id, entry)
    if (entry.users === 1) {
      void showKept(key)
      ask(key)
    }
    return () => {
      entry.users -= 1
      if (entry.users > 0) return
      followed.delete(id)
      connection.say({ type: 'unsubscribe', id: followId(key) })
    }
  },

  /** Tells which session a person has in sight: no notification comes for that one. */
  look(key: SessionKey | undefined): void {
    looking = key
    tellLooking()
  },

  /** A prompt: kept until the server has it, and sent once. */
  prompt(target: SessionKey, body: Extract<CommandBody, { kind: 'prompt' }>): string {
    const unsent = { id: crypto.randomUUID(), target, body, at: Date.now() }
    keepUnsent(unsent)
    connection.say({ type: 'command', id: unsent.id, target, body })
    return unsent.id
  },

  /** Anything else counts now or not at all. Resolves with what became of it; rejects where it was refused. */
  command(target: SessionKey, body: Exclude<CommandBody, { kind: 'prompt' }>): Promise<Of<'ack'>> {
    return request({ type: 'command', id: crypto.randomUUID(), target, body })
  },

  /** Other words for a prompt that waits, or none: then it is taken back. */
  edit(
    { id, client }: Pick<Command, 'id' | 'client'>,
    body?: Extract<CommandBody, { kind: 'prompt' }>,
  ): Promise<Of<'ack'>> {
    const change = body ? { body } : { withdraw: true as const }
    return request({ type: 'edit', id: crypto.randomUUID(), command: id, client, ...change })
  },

  /** The screen of a terminal, until what it returns is called. */
  screen(live: string, show: Screen): () => void {
    const users = screens.get(live) ?? new Set()
    screens.set(live, users.add(show))
    connection.say({ type: 'screen', live, on: true })
    return () => {
      users.delete(show)
      if (users.size > 0) return
      screens.delete(live)
      connection.say({ type: 'screen', live, on: false })
    }
  },
}

function request(message: Extract<ClientMessage, { type: 'command' | 'edit' }>): Promise<Of<'ack'>> {
  return new Promise((resolve, reject) => {
    const settle = (ack: Of<'ack'>): void => {
      const { error } = ack
      if (error && !ack.answer) reject(new ApiError(409, error.code, error.message, error.hint))
      else resolve(ack)
    }
    waiting.set(message.id, settle)
    if (connection.say(message)) return
    waiting.delete(message.id)
    settle({ type: 'ack', id: message.id, error: noConnection() })
  })
}

function noConnection() {
  return { code: 'network', message: words.connection.none }
}

function tellLooking(): void {
  const isSeen = document.visibilityState === 'visible'
  connection.say({ type: 'looking', ...(looking && isSeen ? { session: looking } : {}) })
}

function followId(key: SessionKey): string {
  return `f:${timelineId(key)}`.slice(0, 100)
}

function ask(key: SessionKey, isAnew = false): void {
  const { cursor } = getTimeline(key)
  connection.say({
    type: 'follow',
    id: followId(key),
    session: key,
    ...(cursor && !isAnew ? { cursor } : {}),
  })
}

function hear(message: ServerMessage): void {
  switch (message.type) {
    case 'hello':
      return greeted(message)
    case 'messages':
      return messagesCame(message)
    case 'live':
      return useLive.setState(({ live }) => ({ live: new Map(live).set(message.live.id, message.live) }))
    case 'frame':
      return useLive.setState(({ frames }) => ({
        frames: new Map(frames).set(message.frame.live, message.frame),
      }))
    case 'ask':
      return asked(message)
    case 'settled':
      return settled(message)
    case 'command':
      return moved(message.command)
    case 'ack':
      return acknowledged(message)
    case 'screen':
      for (const show of screens.get(message.live) ?? []) show(message)
      return
    case 'error':
      return toast(message.message, { kind: 'bad', hint: message.hint })
    default:
  }
}

function greeted({ live, asks, client: id, version, person, role }: Of<'hello'>): void {
  useConnection.setState({ client: id, version, person, role })
  local.write('role', role)
  useLive.setState({
    live: new Map(live.map((each) => [each.id, each])),
    asks: asks.map(({ agent, session, ask: each }) => ({ agent, session, ask: each })),
    frames: new Map(),
  })
  for (const { key } of followed.values()) ask(key)
  for (const name of screens.keys()) connection.say({ type: 'screen', live: name, on: true })
  for (const { id: command, target, body } of useOutbox.getState().unsent)
    connection.say({ type: 'command', id: command, target, body })
  tellLooking()
  void loadQueue()
}

async function loadQueue(): Promise<void> {
  const since: Command[] = (heard = [])
  try {
    const lists = await Promise.all(
      (['queued', 'sent'] as const).map((state) => api.get('/api/commands', { query: { state } })),
    )
    // Another connection has asked for itself.
    if (heard !== since) return
    useLive.setState({ commands: toQueue([...lists.flatMap(({ commands }) => commands), ...since]) })
  } catch {
    // The next connection asks again.
  } finally {
    if (heard === since) heard = undefined
  }
}

function messagesCame(frame: Of<'messages'>): void {
  const entry = [...followed.values()].find(({ key }) => followId(key) === frame.id)
  if (entry && !takeMessages(entry.key, frame)) ask(entry.key, true)
}

function asked({ agent, session, ask: each }: Of<'ask'>): void {
  useLive.setState(({ asks }) => ({
    asks: [
      ...asks.filter((other) => !(isSame(other, { agent, session }) && other.ask.id === each.id)),
      { agent, session, ask: each },
    ],
  }))
}

/** Shown for a moment, so that nobody wonders where it went. */
function settled({ agent, session, answer }: Of<'settled'>): void {
  const isIt = (other: { agent: string; session: string; ask: { id: string } }): boolean =>
    isSame(other, { agent, session }) && other.ask.id === answer.ask
  useLive.setState(({ asks }) => ({
    asks: asks.map((each) => (isIt(each) ? { ...each, settled: answer } : each)),
  }))
  setTimeout(
    () => useLive.setState(({ asks }) => ({ asks: asks.filter((each) => !(isIt(each) && each.settled)) })),
    settledMs,
  )
}

function moved(command: Command): void {
  const isMine = command.client === useConnection.getState().client
  if (command.body.kind !== 'prompt') {
    // Who still waits for its answer tells it himself.
    if (isMine && command.state === 'refused' && !waiting.has(command.id))
      toast(words.status.refused, { kind: 'bad', hint: command.reason })
    return
  }
  if (isMine) forgetUnsent(command.id)
  heard?.push(command)
  useLive.setState(({ commands }) => {
    const next = new Map(commands)
    if (command.state === 'queued' || command.state === 'sent') next.set(commandKey(command), command)
    else next.delete(commandKey(command))
    return { commands: next }
  })
  if (command.state === 'refused' && isMine) giveBack(command, command.reason)
}

function acknowledged(ack: Of<'ack'>): void {
  const wake = waiting.get(ack.id)
  if (wake) {
    waiting.delete(ack.id)
    return wake(ack)
  }
  const unsent = forgetUnsent(ack.id)
  if (unsent && ack.error) giveBack(unsent, ack.error.message)
}

/** Words that the agent did not get are not lost: they go back to where they were written. */
function giveBack({ target, body }: Pick<Command, 'target' | 'body'>, reason: string | undefined): void {
  toastError(new ApiError(409, 'conflict', reason ?? words.app.failed))
  if (body.kind !== 'prompt') return
  const text = body.content
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('\n')
    .trim()
  const draft = readDraft(target)
  const files = body.content.flatMap((block) =>
    (block.type === 'image' || block.type === 'document') && block.source.type === 'file'
      ? [{ name: block.name ?? block.type, block: block as DraftFile['block'] }]
      : [],
  )
  const isThere = text === '' || draft.text.includes(text)
  writeDraft(target, {
    text: isThere ? draft.text : [text, draft.text].filter(Boolean).join('\n'),
    files: [...(draft.files ?? []), ...files],
  })
  dispatchEvent(new CustomEvent('remora:draft', { detail: target }))
}
