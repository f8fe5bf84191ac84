import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openLedger } from '@remora/ledger'
import type { Event, Message } from '@remora/protocol'
import { fold } from '@remora/protocol/fold'
import { loadScenario, startScriptedModel } from '@remora/scripted-model'
import { findAgent, lines } from '@remora/sdk'
import { expect, it } from 'vitest'
import { createHome, installWrapper, pinned, repository } from '../../../../testkit/src/index.ts'
import { type WireRecord, createAcpClient } from '../../../../testkit/src/recorder/acp-client.ts'
import { acpReader } from '../../../sdk/src/channels/acp/reading/read-update.ts'
import { EventMaker } from '../../../sdk/src/events/event-maker.ts'

/** Starting an agent takes seconds of CPU time, which can take minutes on a busy machine. */
const timeoutMs = 600_000

/** Starts an agent behind `remora acp`, an editor that is connected to it, and other terminals. */
async function stage({ answers, agent = 'gemini' }: { answers: boolean; agent?: string }) {
  const model = await startScriptedModel({ scenario: await loadScenario('write-file') })
  const home = await createHome(agent, { model })
  const [wrapper] = findAgent(agent)!.acp!.wrappers ?? []
  const env = {
    ...home.env,
    [`${agent.toUpperCase()}_CLI_PATH`]: pinned(agent).path,
    ...(wrapper ? { PATH: await installWrapper(home, wrapper) } : {}),
  }
  const start = (words: readonly string[]) =>
    spawn(
      process.execPath,
      ['--import', import.meta.resolve('tsx'), join(repository, 'packages/cli/src/bin.ts'), ...words],
      { env, cwd: home.cwd },
    )
  const child = start(['acp', agent])
  const stderr = text(child.stderr)
  const asked: WireRecord['message'][] = []
  const client = createAcpClient(child.stdin, answers ? child.stdout : holding(child.stdout, asked))
  await client.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  })
  const { sessionId } = (await client.request('session/new', { cwd: home.cwd, mcpServers: [] })) as {
    sessionId: string
  }
  return {
    client,
    asked,
    home,
    sessionId,
    prompt: (words: string) =>
      client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: words }] }),
    send: (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    /** Another process. */
    async remora(words: readonly string[]) {
      const other = start(words)
      other.stdin.end()
      const [out, err, [code]] = await Promise.all([
        text(other.stdout),
        text(other.stderr),
        once(other, 'close'),
      ])
      return { code: code as number, out, err }
    },
    /** Disconnects the editor. */
    async end() {
      child.stdin.end()
      // Not `exit`, because its last output may arrive later.
      const [code] = (await once(child, 'close')) as [number]
      return { code, stderr: await stderr }
    },
    async events(): Promise<Event[]> {
      const ledger = await openLedger({ file: join(home.path, '.remora', 'ledger.db') })
      try {
        const { events } = await ledger.read({
          session: { agent, session: sessionId },
          limit: 10_000,
        })
        return events.map(({ event }) => event)
      } finally {
        await ledger.close()
      }
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      await home.remove()
      await model.close()
    },
  }
}

/** Withholds permission requests from the editor's client, which would answer them immediately. */
async function* holding(
  output: AsyncIterable<Uint8Array>,
  asked: WireRecord['message'][],
): AsyncGenerator<Uint8Array> {
  for await (const line of lines(output)) {
    if (line.includes('"session/request_permission"')) asked.push(JSON.parse(line) as WireRecord['message'])
    else yield Buffer.from(`${line}\n`)
  }
}

/** The readable content, without ids that differ between connections. */
function getContent(messages: readonly Message[]) {
  return messages.map(({ role, content }) => ({
    role,
    content: content.map((block) =>
      block.type === 'text'
        ? block.text
        : block.type === 'tool_use'
          ? [block.name, block.input]
          : block.type === 'tool_result'
            ? [block.status, block.content]
            : block.type,
    ),
  }))
}

/** The content that the editor received, read by the same reader. */
function readEditorContent(wire: readonly WireRecord[], agent = 'gemini') {
  const maker = new EventMaker({ agent, channel: 'acp', source: 'editor' })
  const part = findAgent(agent)!.acp!
  const { toClaude, quirks } = { ...part, ...part.wrappers?.[0]?.part }
  const reader = acpReader(maker, toClaude, quirks?.(undefined))
  return getContent(fold(wire.flatMap((record) => reader.read(record) ?? [])))
}

it(
  'passes Gemini on to an editor that decides, and the ledger has what the editor saw',
  async () => {
    await using world = await stage({ answers: true })
    expect(await world.prompt('Write the note')).toMatchObject({ stopReason: 'end_turn' })
    expect(await readFile(join(world.home.cwd, 'note.txt'), 'utf8')).toBe('hello\nworld\n')
    expect(await world.end()).toMatchObject({ code: 0 })
    const events = await world.events()
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'answer',
        answer: expect.objectContaining({ option: 'proceed_once', by: 'person', device: 'editor' }),
      }),
    )
    const stored = getContent(fold(events))
    expect(stored).toEqual(readEditorContent(world.client.wire))
    expect(stored.flatMap(({ content }) => content)).toContainEqual([
      'Write',
      expect.objectContaining({ content: 'hello\nworld\n' }),
    ])
    // Every wire message is stored once.
    const keys = events.flatMap(({ raw, origin }) => (raw === undefined ? [] : [parseInt(origin.key)]))
    const numbers = keys.filter((key) => !Number.isNaN(key)).toSorted((a, b) => a - b)
    expect(numbers).toEqual(world.client.wire.map((_, index) => index + 1))
    expect(await world.home.leftovers()).toEqual([])
  },
  timeoutMs,
)

it.each(['claude', 'codex', 'opencode'])(
  'passes %s on, and leaves nothing behind',
  async (agent) => {
    await using world = await stage({ answers: true, agent })
    expect(await world.prompt('Write the note')).toMatchObject({ stopReason: 'end_turn' })
    expect(await world.end()).toMatchObject({ code: 0 })
    const stored = getContent(fold(await world.events()))
    expect(stored).toEqual(readEditorContent(world.client.wire, agent))
    expect(stored[0]).toEqual({ role: 'user', content: ['Write the note'] })
    expect(await world.home.leftovers()).toEqual([])
  },
  timeoutMs,
)

it(
  'lets another process decide, notifies the editor, and drops its late answer',
  async () => {
    await using world = await stage({ answers: false })
    const turn = world.prompt('Write the note')
    const waiting = async () =>
      JSON.parse((await world.remora(['asks', '--json'])).out) as { number: string; title: string }[]
    await expect.poll(waiting, { timeout: 240_000 }).toHaveLength(1)
    const [{ number, title }] = (await waiting()) as [{ number: string; title: string }]
    expect(title).toBe('Writing to note.txt')
    await expect.poll(() => world.asked).toHaveLength(1)
    expect(await world.remora(['answer', number, 'allow'])).toMatchObject({ code: 0 })
    expect(await turn).toMatchObject({ stopReason: 'end_turn' })
    expect(await readFile(join(world.home.cwd, 'note.txt'), 'utf8')).toBe('hello\nworld\n')

    const [request] = world.asked as [{ id: number; params: { toolCall: { toolCallId: string } } }]
    const received = world.client.wire.map(({ message }) => message)
    expect(received).toContainEqual({
      jsonrpc: '2.0',
      method: '$/cancel_request',
      params: { requestId: request.id },
    })
    expect(received).toContainEqual(
      expect.objectContaining({
        params: {
          sessionId: world.sessionId,
          update: {
            sessionUpdate: 'tool_call_update',
            toolCallId: request.params.toolCall.toolCallId,
            status: 'in_progress',
          },
        },
      }),
    )
    world.send({ id: request.id, result: { outcome: { outcome: 'selected', optionId: 'cancel' } } })
    expect(await world.remora(['answer', number, 'deny'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/is already answered: Allow \(by .+, remora answer\)/),
    })
    expect(await world.end()).toMatchObject({ code: 0 })
    const events = await world.events()
    expect(events.filter(({ type }) => type === 'answer')).toMatchObject([
      { answer: { option: 'proceed_once', device: 'remora answer' } },
    ])
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'status', detail: 'late answer of the editor' }),
    )
    expect(getContent(fold(events))).toEqual(readEditorContent(world.client.wire))
    expect(await world.home.leftovers()).toEqual([])
  },
  timeoutMs,
)
