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
/** Callbacks for the acknowledgements of commands that are not stored. */
const pendingAcks = new Map<string, (ack: Of<'ack'>) => void>()
/** Commands received since the queue was requested, because the response may be older. */
let recentCommands: Command[] | undefined
let openSession: SessionKey | undefined
const settledMs = 2_500
let markReady = (): void => {}

const connection = new Connection({
  url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/api/ws`,
  onState: (state) => {
    useConnection.setState({ state, since: Date.now() })
    if (state === 'online') local.write('paired', true)
    if (state !== 'online') {
      for (const wake of pendingAcks.values()) wake({ type: 'ack', id: '', error: noConnection() })
      pendingAcks.clear()
    }
  },
  onMessage: receive,
  isReady: new Promise((resolve) => {
    markReady = resolve
  }),
  isKnown: () => local.read<boolean>('paired') === true && !pairingCode.given,
  isPaired: () =>
    fetch('/api/me', { credentials: 'same-origin' }).then(({ status }) => {
      if (status >= 500) throw new Error('The server failed')
      return status !== 401
    }),
})

/** The connection to the server and its messages. */
export const client = {
  start(): void {
    unpaired.addEventListener('unpaired', () =>
      useConnection.setState({ state: 'unpaired', since: Date.now() }),
    )
    rateLimit.addEventListener('change', () => useConnection.setState({ isBusy: rateLimit.isSlow }))
    document.addEventListener('visibilitychange', sendOpenSession)
    connection.start()
  },
  /** The first screen is drawn, so messages may change it. */
  ready: () => markReady(),
  /** Reconnects, for example after pairing. */
  reconnect: () => connection.reconnect(),
  send: (message: ClientMessage) => connection.send(message),

  /** Keeps the messages of a session up to date until the returned function is called. */
  follow(key: SessionKey): () => void {
    const id = timelineId(key)
    const entry = followed.get(id) ?? { key, users: 0 }
    entry.users += 1
    followed.set(id, entry)
    if (entry.users === 1) {
      void showKept(key)
      requestMessages(key)
    }
    return () => {
      entry.users -= 1
      if (entry.users > 0) return
      followed.delete(id)
      connection.send({ type: 'unsubscribe', id: followId(key) })
    }
  },

  /** Reports the open session, about which no notifications are sent. */
  setOpenSession(key: SessionKey | undefined): void {
    openSession = key
    sendOpenSession()
  },

  /** Sends a prompt. It is stored until the server acknowledges it. */
  prompt(target: SessionKey, body: Extract<CommandBody, { kind: 'prompt' }>): string {
    const unsent = { id: crypto.randomUUID(), target, body, at: Date.now() }
    keepUnsent(unsent)
    connection.send({ type: 'command', id: unsent.id, target, body })
    return unsent.id
  },

  /** Sends any other command, which is not stored. Rejects if it is refused. */
  command(target: SessionKey, body: Exclude<CommandBody, { kind: 'prompt' }>): Promise<Of<'ack'>> {
    return request({ type: 'command', id: crypto.randomUUID(), target, body })
  },

  /** Changes a queued prompt, or withdraws it. */
  edit(
    { id, client }: Pick<Command, 'id' | 'client'>,
    body?: Extract<CommandBody, { kind: 'prompt' }>,
  ): Promise<Of<'ack'>> {
    const change = body ? { body } : { withdraw: true as const }
    return request({ type: 'edit', id: crypto.randomUUID(), command: id, client, ...change })
  },

  /** Subscribes to the screen of a terminal until the returned function is called. */
  screen(live: string, show: Screen): () => void {
    const users = screens.get(live) ?? new Set()
    screens.set(live, users.add(show))
    connection.send({ type: 'screen', live, on: true })
    return () => {
      users.delete(show)
      if (users.size > 0) return
      screens.delete(live)
      connection.send({ type: 'screen', live, on: false })
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
    pendingAcks.set(message.id, settle)
    if (connection.send(message)) return
    pendingAcks.delete(message.id)
    settle({ type: 'ack', id: message.id, error: noConnection() })
  })
}

function noConnection() {
  return { code: 'network', message: words.connection.none }
}

function sendOpenSession(): void {
  const isSeen = document.visibilityState === 'visible'
  connection.send({ type: 'looking', session: isSeen ? openSession : undefined })
}

function followId(key: SessionKey): string {
  return `f:${timelineId(key)}`.slice(0, 100)
}

function requestMessages(key: SessionKey, isReset = false): void {
  const { cursor } = getTimeline(key)
  connection.send({
    type: 'follow',
    id: followId(key),
    session: key,
    cursor: isReset ? undefined : cursor,
  })
}

function receive(message: ServerMessage): void {
  switch (message.type) {
    case 'hello':
      return onHello(message)
    case 'messages':
      return onMessages(message)
    case 'live':
      return useLive.setState(({ live }) => ({ live: new Map(live).set(message.live.id, message.live) }))
    case 'frame':
      return useLive.setState(({ frames }) => ({
        frames: new Map(frames).set(message.frame.live, message.frame),
      }))
    case 'ask':
      return onAsk(message)
    case 'settled':
      return onSettled(message)
    case 'command':
      return onCommand(message.command)
    case 'ack':
      return onAck(message)
    case 'screen':
      for (const show of screens.get(message.live) ?? []) show(message)
      return
    case 'error':
      return toast(message.message, { kind: 'bad', hint: message.hint })
    default:
  }
}

function onHello({ live, asks, client: id, version, person, role }: Of<'hello'>): void {
  useConnection.setState({ client: id, version, person, role })
  local.write('role', role)
  useLive.setState({
    live: new Map(live.map((each) => [each.id, each])),
    asks: asks.map(({ agent, session, ask: each }) => ({ agent, session, ask: each })),
    frames: new Map(),
  })
  for (const { key } of followed.values()) requestMessages(key)
  for (const name of screens.keys()) connection.send({ type: 'screen', live: name, on: true })
  for (const { id: command, target, body } of useOutbox.getState().unsent)
    connection.send({ type: 'command', id: command, target, body })
  sendOpenSession()
  void loadQueue()
}

async function loadQueue(): Promise<void> {
  const since: Command[] = (recentCommands = [])
  try {
    const lists = await Promise.all(
      (['queued', 'sent'] as const).map((state) => api.get('/api/commands', { query: { state } })),
    )
    // A newer connection has its own request.
    if (recentCommands !== since) return
    useLive.setState({ commands: toQueue([...lists.flatMap(({ commands }) => commands), ...since]) })
  } catch {
    // The next connection retries.
  } finally {
    if (recentCommands === since) recentCommands = undefined
  }
}

function onMessages(frame: Of<'messages'>): void {
  const entry = [...followed.values()].find(({ key }) => followId(key) === frame.id)
  if (entry && !takeMessages(entry.key, frame)) requestMessages(entry.key, true)
}

function onAsk({ agent, session, ask: each }: Of<'ask'>): void {
  useLive.setState(({ asks }) => ({
    asks: [
      ...asks.filter((other) => !(isSame(other, { agent, session }) && other.ask.id === each.id)),
      { agent, session, ask: each },
    ],
  }))
}

/** A settled request is shown for a moment before it is removed. */
function onSettled({ agent, session, answer }: Of<'settled'>): void {
  const isSameAsk = (other: { agent: string; session: string; ask: { id: string } }): boolean =>
    isSame(other, { agent, session }) && other.ask.id === answer.ask
  useLive.setState(({ asks }) => ({
    asks: asks.map((each) => (isSameAsk(each) ? { ...each, settled: answer } : each)),
  }))
  setTimeout(
    () =>
      useLive.setState(({ asks }) => ({ asks: asks.filter((each) => !(isSameAsk(each) && each.settled)) })),
    settledMs,
  )
}

function onCommand(command: Command): void {
  const isMine = command.client === useConnection.getState().client
  if (command.body.kind !== 'prompt') {
    // A caller that still waits for the acknowledgement reports the error itself.
    if (isMine && command.state === 'refused' && !pendingAcks.has(command.id))
      toast(words.status.refused, { kind: 'bad', hint: command.reason })
    return
  }
  if (isMine) forgetUnsent(command.id)
  recentCommands?.push(command)
  useLive.setState(({ commands }) => {
    const next = new Map(commands)
    if (command.state === 'queued' || command.state === 'sent') next.set(commandKey(command), command)
    else next.delete(commandKey(command))
    return { commands: next }
  })
  if (command.state === 'refused' && isMine) returnToDraft(command, command.reason)
}

function onAck(ack: Of<'ack'>): void {
  const wake = pendingAcks.get(ack.id)
  if (wake) {
    pendingAcks.delete(ack.id)
    return wake(ack)
  }
  const unsent = forgetUnsent(ack.id)
  if (unsent && ack.error) returnToDraft(unsent, ack.error.message)
}

/** Adds a prompt that the agent did not receive to the draft of its session. */
function returnToDraft({ target, body }: Pick<Command, 'target' | 'body'>, reason: string | undefined): void {
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
  const isInDraft = text === '' || draft.text.includes(text)
  writeDraft(target, {
    text: isInDraft ? draft.text : [text, draft.text].filter(Boolean).join('\n'),
    files: [...(draft.files ?? []), ...files],
  })
  dispatchEvent(new CustomEvent('remora:draft', { detail: target }))
}
