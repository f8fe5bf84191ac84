import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLedger } from '@remora/ledger'
import type { AskBroker, Event } from '@remora/protocol/plain'
import { type ConnectOptions, connect } from '@remora/sdk'
import { createColors } from 'picocolors'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fakeAgent } from '../../../../sdk/src/channels/acp/fake-agent/command.test-data.ts'
import { PersonPrinter } from '../printing/person-printer.ts'
import { HeldCalls } from './held-calls.ts'
import { AgentCommands, slashCommand } from './slash-commands.ts'
import { Talk, type TalkStyle } from './talk.ts'

const modes = {
  currentModeId: 'default',
  availableModes: [
    { id: 'default', name: 'Default' },
    { id: 'plan', name: 'Plan' },
  ],
}

/** A conversation with the fake agent; `screen` has the output. */
async function talking(
  behaviour: Record<string, unknown> = {},
  options: ConnectOptions = {},
  style: Partial<TalkStyle> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'remora-chat-'))
  const connection = await connect(fakeAgent(behaviour), { permissions: 'auto', ...options })
  const session = await connection.open({ cwd: folder })
  let screen = ''
  const write = (text: string): void => void (screen += text)
  const paint = createColors(false)
  const talk = new Talk(
    connection,
    session,
    { out: write, err: write },
    { paint, thinking: false, json: false, terminal: true, ...style },
  )
  const ledger = await openLedger({ file: join(folder, 'ledger.db') })
  onTestFinished(async () => {
    await connection.close()
    await ledger.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const commands = new AgentCommands()
  let left = false
  const slash = (text: string) =>
    slashCommand(text, {
      talk,
      ledger,
      paint,
      commands,
      say: (words) => write(`${words}\n`),
      leave: () => void (left = true),
    })
  return { talk, slash, commands, session, screen: () => screen, left: () => left }
}

describe('a turn', () => {
  it('prints text, tools and usage', async () => {
    const { talk, screen } = await talking()
    await talk.turn(
      'think\nsay Hello.\ntool-plain execute make\ntool-failed read a.txt\nsay Bye.\nusage 1200',
    )
    expect(screen()).toMatch(
      /^Hello\.\n▸ .*make ✓\n▸ Read.* ✗ It did not work\nBye\.\n2 tool calls · 1,060 in · 100 out · \d+\.\d s\n$/,
    )
  })

  it('prints thinking if enabled', async () => {
    const { talk, screen } = await talking({}, {}, { thinking: true })
    await talk.turn('think then say')
    expect(screen()).toMatch(/Planning[\s\S]*I have thought about it\n/)
  })

  it('prints a question after the preceding text', async () => {
    const put: { talk?: Talk } = {}
    const asks: AskBroker = {
      async ask(ask) {
        await put.talk!.reached(ask.id)
        put.talk!.aside(`? ${JSON.stringify(put.talk!.getInput(ask.toolUse!))}\n`)
        return { ask: ask.id, option: 'proceed_once', by: 'person', digest: ask.digest }
      },
    }
    const { talk, screen } = await talking({}, { asks, permissions: 'ask' })
    put.talk = talk
    await talk.turn('say First.\ntool execute make')
    expect(screen()).toMatch(
      /^First\.\n▸ .*make\n\? \{"command":"make"\}\nchose proceed_once;\n✓ .*make\n1 tool call/,
    )
  })

  it('prints a call in one line, also if its input arrives later', () => {
    let screen = ''
    const write = (text: string): void => void (screen += text)
    const calls = new HeldCalls(
      new PersonPrinter(
        { out: write, err: write },
        {
          paint: createColors(false),
          cwd: '/',
          thinking: false,
          text: true,
          terminal: true,
          wholeLines: false,
        },
      ),
    )
    const emit = (fields: object): void =>
      calls.event({ agent: 'a', session: 's', at: 0, entity: 'call', ...fields } as Event)
    emit({ type: 'tool_use', name: 'Bash', input: {} })
    emit({ type: 'status', status: 'working' })
    expect(screen).toBe('')
    emit({ type: 'tool_use', name: 'Bash', input: { command: 'make' } })
    emit({ type: 'tool_result', status: 'success' })
    expect(screen).toBe('▸ Bash make ✓\n')
    emit({ type: 'tool_use', name: 'Bash', input: { command: 'make' } })
    emit({ type: 'tool_use', name: 'Read', input: { file_path: '/a' }, entity: 'other' })
    emit({ type: 'text', text: 'Done.', offset: 0, entity: 'text' })
    expect(screen).toBe('▸ Bash make ✓\n▸ Read a\nDone.')
  })

  it('can be interrupted, and the next one works', async () => {
    const { talk, screen } = await talking()
    const turn = talk.turn('say Waiting.\nwait')
    await expect.poll(screen, { timeout: 60_000 }).toBe('Waiting.')
    expect(talk.working).toBe(true)
    await talk.cancel()
    await turn
    expect(talk.working).toBe(false)
    expect(screen()).toBe('Waiting.\nStopped.\n')
    await talk.turn('say Again.')
    expect(screen()).toContain('Stopped.\nAgain.\n')
  })

  it('reports a failure in two lines', async () => {
    const { talk, screen } = await talking()
    const { error } = await talk.turn('die 3')
    expect(error).toMatchObject({ code: 'crashed' })
    expect(screen()).toMatch(/^I die\nremora: .+\n {2}.+\n$/)
  })

  it('knows whether the session can be resumed', async () => {
    const { talk, screen } = await talking()
    expect(talk.answered).toBe(false)
    // The form in which Gemini wraps an error of its model.
    await talk.turn('error 401')
    expect(talk.answered).toBe(false)
    expect(screen()).toMatch(/^remora: .+\n {2}.+\n$/)
    await talk.turn('say Hello.')
    expect(talk.answered).toBe(true)
    await talk.turn('error 401')
    expect(talk.answered).toBe(true)
  })

  it('prints one JSON event per line', async () => {
    const { talk, screen } = await talking({}, {}, { json: true, terminal: false })
    await talk.turn('say Hello.')
    const types = screen()
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type)
    expect(types).toContain('text')
    expect(types.at(-1)).toBe('done')
  })
})

describe('slash commands', () => {
  it('list modes with the current one marked, and change it', async () => {
    const { slash, screen, session } = await talking({ modes })
    await slash('/mode')
    expect(screen()).toBe('● default  Default\n  plan     Plan\nChange it: /mode <mode>\n')
    await slash('/mode plan')
    expect(session.modes.current).toBe('plan')
    expect(screen()).toMatch(/The mode is now Plan\.\n$/)
    await slash('/mode fast')
    expect(screen()).toMatch(/offers no mode "fast"\n {2}It offers: default, plan\n$/)
    await slash('/model')
    expect(screen()).toMatch(/The agent does not list its models\. Change it: \/model <model>\n$/)
    await slash('/model fast')
    expect(screen()).toMatch(/does not know session\/set_model\n$/)
  })

  it('are sent to the agent only if the agent announced them', async () => {
    const { slash, commands, screen } = await talking()
    expect(await slash('/memory show')).toBe(true)
    expect(screen()).toBe('Unknown command /memory. See /help\n')
    commands.set([{ name: 'memory show', description: 'Shows it' }, { name: 'help' }, null, 'x'])
    expect(await slash('/memory show')).toBe(false)
    await slash('/hlep')
    expect(screen()).toMatch(/Unknown command \/hlep\. Did you mean \/help\?\n$/)
    await slash('/help')
    expect(screen()).toMatch(/\/mode .*\n[\s\S]*Commands of the agent:\n {2}\/memory\n/)
  })

  it('end the chat, and print a hint for other input', async () => {
    const { slash, screen, left } = await talking()
    await slash('/cancel')
    await slash('/sessions')
    expect(screen()).toBe('No turn is running.\nNo sessions yet.\n')
    expect(left()).toBe(false)
    await slash('/exit')
    expect(left()).toBe(true)
  })
})
