import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CommandStore, type Ledger, openLedger } from '@remora/ledger'
import { type Command, type CommandBody, RemoraError } from '@remora/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type CommandDriver, CommandExecutor, recoverSent } from './command-executor.ts'
import { getPromptText } from './prompt-parts.ts'

const key = { agent: 'gemini', session: 'one' }

let folder = ''
let ledger: Ledger
let moved: string[]
let errors: number
/** What happens to the next moves: they fail before or after the ledger has stored them. */
let faults: ('before' | 'after')[]
/** What the agent got. */
let log: string[]
/** Prompts are refused when the agent is not ready. */
let isReady: boolean
let executor: CommandExecutor
const over = new AbortController()

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'remora-executor-'))
  ledger = await openLedger({ file: join(folder, 'ledger.db') })
  moved = []
  errors = 0
  faults = []
  log = []
  isReady = true
  const move: CommandStore['move'] = async (...args) => {
    const fault = faults.shift()
    if (fault === 'before') throw new Error('unavailable')
    const result = await ledger.commands.move(...args)
    if (fault === 'after') throw new Error('unavailable')
    return result
  }
  const driver: CommandDriver = {
    choose: (queued) => queued.find(({ body }) => body.kind !== 'prompt' || isReady),
    beforePrompt: async () => {},
    async prompt(command, body) {
      log.push(getPromptText(body.content))
      await executor.settle(command, 'done')
    },
    cancelsInBackground: false,
    async cancel() {
      log.push('cancel')
    },
    async setMode() {
      throw new RemoraError('unsupported', 'No such mode', { hint: 'Use plan' })
    },
    setModel: async () => {},
    end: async () => 'later',
  }
  executor = new CommandExecutor(
    {
      ledger: { commands: { ...ledger.commands, move } },
      key: () => key,
      signal: over.signal,
      retryDelay: () => sleep(5),
      onMoved: ({ state }) => moved.push(state),
      onSettleError: () => errors++,
    },
    driver,
  )
})
afterEach(async () => {
  await ledger.close()
  rmSync(folder, { recursive: true, force: true })
})

let count = 0
function submit(body: CommandBody): Promise<Command> {
  const id = String(++count)
  return ledger.commands.submit({ id, client: 'phone', target: key, body, state: 'queued', at: count })
}
const submitPrompt = (text: string) => submit({ kind: 'prompt', content: [{ type: 'text', text }] })
const listStates = async () => (await ledger.commands.list()).map(({ state }) => state)

it('runs a command once that it took although the move failed', async () => {
  await submitPrompt('hello')
  faults = ['after']
  await expect(executor.check()).rejects.toThrow('unavailable')
  expect(log).toEqual([])
  await executor.check()
  await executor.check()
  expect(log).toEqual(['hello'])
  expect(await listStates()).toEqual(['done'])
})

it('takes a command again when the move failed before', async () => {
  await submitPrompt('hello')
  faults = ['before']
  await expect(executor.check()).rejects.toThrow('unavailable')
  await executor.check()
  expect(log).toEqual(['hello'])
  expect(await listStates()).toEqual(['done'])
})

it('records a result as soon as the ledger is available, and reports it once', async () => {
  const command = await submitPrompt('hello')
  await ledger.commands.move(command, 'queued', 'sent')
  faults = ['before', 'before', 'after']
  await executor.settle(command, 'done')
  expect(await listStates()).toEqual(['done'])
  expect(moved).toEqual(['done'])
  expect(errors).toBe(3)
})

it('runs prompts in order, and other commands while the agent is not ready', async () => {
  isReady = false
  await submitPrompt('one')
  await submitPrompt('two')
  await submit({ kind: 'cancel' })
  await executor.check()
  expect(log).toEqual(['cancel'])
  isReady = true
  await executor.check()
  expect(log).toEqual(['cancel', 'one', 'two'])
})

it('repeats the check for a command that is submitted during it', async () => {
  await submitPrompt('one')
  const checking = executor.check()
  await submitPrompt('two')
  await Promise.all([checking, executor.check()])
  expect(log).toEqual(['one', 'two'])
})

it('refuses a command with the message and the hint of its error', async () => {
  await submit({ kind: 'mode', mode: 'unknown' })
  await executor.check()
  expect(await ledger.commands.list()).toMatchObject([{ state: 'refused', reason: 'No such mode. Use plan' }])
})

it('repeats interrupted commands that are safe to repeat, and returns prompts', async () => {
  for (const body of [{ kind: 'cancel' }, { kind: 'model', model: 'pro' }] as const)
    await ledger.commands.move(await submit(body), 'queued', 'sent')
  const prompt = await submitPrompt('hello')
  await ledger.commands.move(prompt, 'queued', 'sent')
  const prompts = await recoverSent({
    ledger,
    key,
    move: (...args) => executor.move(...args),
    isRepeatable: ({ body }) => body.kind !== 'cancel',
  })
  expect(prompts.map(({ id }) => id)).toEqual([prompt.id])
  expect(await listStates()).toEqual(['refused', 'queued', 'sent'])
})
