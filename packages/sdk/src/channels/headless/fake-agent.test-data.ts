import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Event } from '@remora/protocol'
import { defineAgent } from '../../contract/agent.ts'
import type { Agent, HeadlessRequest } from '../../contract/agent.ts'
import { asString } from '../../events/fields.ts'
import { readRecord } from '../../events/read-record.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import type { RunOptions } from './options.ts'
import type { Run } from '../../runs/run.ts'
import { startRun } from './headless-run.ts'

/** What the fake CLI does, one step after the other; given to it as the prompt. */
export type Step =
  | { do: 'say'; text: string }
  | { do: 'line'; line: string }
  | { do: 'error'; text: string }
  | { do: 'tool'; id: string }
  | { do: 'sleep'; ms: number }
  | { do: 'hang' }
  /** As the first step: says nothing but some noise on standard error, for ever. */
  | { do: 'mute' }
  /** Starts a process in a session of its own, which outlives the CLI and notes its pid. */
  | { do: 'spawn' }
  | { do: 'flood'; megabytes: number }
  | { do: 'fail'; message: string; status?: number; before?: number }
  | { do: 'exit'; code: number }
  | { do: 'die' }
  /** Tells what the whole start cost. */
  | { do: 'cost'; tokens: number }
  /** Says the value of a variable, or of an argument, or what stands in a file. */
  | { do: 'tell'; variable: string }

/** An executable that does what its prompt says, for faults that a real CLI cannot be made to have. */
const program = `#!/usr/bin/env node
const fs = require('node:fs')
const { spawn } = require('node:child_process')
const write = (text) => new Promise((resolve) => process.stdout.write(text, resolve))
const out = (record) => write(JSON.stringify(record) + '\\n')
const note = (name, text) => fs.appendFileSync(__dirname + '/' + name, text + '\\n')
const forever = () => new Promise(() => setInterval(() => {}, 1000))
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
async function main() {
  const args = process.argv.slice(2)
  note('starts', JSON.stringify({ pid: process.pid, args }))
  const starts = fs.readFileSync(__dirname + '/starts', 'utf8').trim().split('\\n').length
  const resume = args[args.indexOf('--resume') + 1]
  if (args.includes('--resume') && resume === 'gone') { console.error('Error: no session gone'); process.exit(42) }
  const prompt = fs.readFileSync(0, 'utf8')
  const plan = fs.existsSync(__dirname + '/plan-' + starts) ? fs.readFileSync(__dirname + '/plan-' + starts, 'utf8') : prompt
  const steps = JSON.parse(plan)
  if (steps[0]?.do === 'mute') {
    console.error('some noise')
    await forever()
  }
  const chosen = args.includes('--session-id') ? args[args.indexOf('--session-id') + 1] : undefined
  if (chosen && fs.existsSync(__dirname + '/session ' + chosen)) { console.error('Error: session already in use'); process.exit(42) }
  if (chosen) note('session ' + chosen, '')
  await out({ type: 'init', session: args.includes('--resume') ? resume : (chosen ?? 'session-' + starts) })
  for (const step of steps) {
    if (step.do === 'say') await out({ type: 'say', text: step.text })
    if (step.do === 'line') await write(step.line + '\\n')
    if (step.do === 'error') fs.writeSync(2, step.text + '\\n')
    if (step.do === 'tool') await out({ type: 'tool', id: step.id })
    if (step.do === 'sleep') await sleep(step.ms)
    if (step.do === 'hang') await forever()
    if (step.do === 'spawn') {
      const child = spawn('sleep', ['60'], { detached: true, stdio: ['ignore', 'inherit', 'inherit'] })
      note('children', String(child.pid))
      child.unref()
    }
    if (step.do === 'flood')
      for (let i = 0; i < step.megabytes * 16; i++) {
        await out({ type: 'say', text: 'x'.repeat(65500) })
        note('written', String(i))
      }
    if (step.do === 'fail' && starts <= (step.before ?? 1000)) {
      await out({ type: 'end', ok: false, message: step.message, status: step.status })
      process.exit(1)
    }
    if (step.do === 'exit') process.exit(step.code)
    if (step.do === 'die') process.kill(process.pid, 'SIGKILL')
    if (step.do === 'cost') await out({ type: 'cost', tokens: step.tokens })
    if (step.do === 'tell') await out({ type: 'say', text: String(process.env[step.variable]) })
  }
  await out({ type: 'end', ok: true })
}
main()
`

export interface FakeCli extends AsyncDisposable {
  readonly agent: Agent
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** What the n-th start does instead of what its prompt says. */
  plan(start: number, steps: readonly Step[]): Promise<void>
  /** Lines that the program noted: its starts, children, what it has written. */
  notes(name: string): Promise<string[]>
}

export async function fakeCli(): Promise<FakeCli> {
  const folder = await mkdtemp(join(tmpdir(), 'remora-fake-'))
  const path = join(folder, 'fake.cjs')
  await writeFile(path, program)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'fake-cli', version: '1.0.0' }))
  await chmod(path, 0o755)
  return {
    agent,
    folder,
    env: { FAKE_CLI_PATH: path, HOME: folder, REMORA_HOME: join(folder, 'remora') },
    plan: (start, steps) => writeFile(join(folder, `plan-${start}`), JSON.stringify(steps)),
    notes: async (name) => {
      const text = await readFile(join(folder, name), 'utf8').catch(() => '')
      return text.split('\n').filter((line) => line !== '')
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

const agent = defineAgent({
  id: 'fake',
  title: 'Fake CLI',
  detection: {
    variable: 'FAKE_CLI_PATH',
    command: 'no-such-fake-cli',
    package: 'fake-cli',
    install: 'npm install -g fake',
  },
  features: () => ({
    interrupt: false,
    resume: true,
    fork: false,
    attach: false,
    statusLine: false,
    images: false,
    streaming: true,
    webSearch: false,
    thinking: false,
    slashCommands: false,
    models: [],
    effortLevels: [],
  }),
  headless: {
    keyVariable: 'FAKE_KEY',
    invocation(request: HeadlessRequest) {
      if (request.effort !== undefined)
        throw createUnsupportedError('Fake CLI', 'the option effort', 'Leave it out.')
      const args = [
        ...(request.resume === undefined ? [] : ['--resume', request.resume]),
        ...(request.sessionId === undefined ? [] : ['--session-id', request.sessionId]),
        ...(request.media ?? []).map((file) => file.path),
        ...(request.extraArgs ?? []),
      ]
      return { args, stdin: request.prompt }
    },
    reader(maker) {
      const run = `${maker.source}/${maker.started()}`
      let length = 0
      let segment = 0
      let end: Record<string, unknown> | undefined
      return {
        read: (line) =>
          readRecord(maker, line, (record) => {
            maker.next()
            if (record['type'] === 'init') {
              maker.session = String(record['session'])
              return [maker.make({ type: 'session', entity: maker.session, raw: record })]
            }
            if (record['type'] === 'say') {
              const text = String(record['text'])
              const offset = length
              length += text.length
              return [maker.make({ type: 'text', entity: `${run}/${segment}`, offset, text, raw: record })]
            }
            if (record['type'] === 'tool') {
              segment++
              length = 0
              return [
                maker.make({
                  type: 'tool_use',
                  entity: String(record['id']),
                  name: 'Bash',
                  input: {},
                  raw: record,
                }),
              ]
            }
            if (record['type'] === 'cost') {
              const usage = { inputTokens: Number(record['tokens']) }
              return [
                maker.make({
                  type: 'usage',
                  entity: run,
                  scope: 'run',
                  usage,
                  models: { m: usage },
                  costUsd: 1,
                }),
              ]
            }
            if (record['type'] === 'end') {
              end = record
              return []
            }
            return undefined
          }),
        end: () => ({
          ok: end?.['ok'] === true,
          ...(end && end['ok'] !== true
            ? { failure: { message: String(end['message']), status: end['status'] as number | undefined } }
            : {}),
          ...(asString(end?.['stop']) ? { stopReason: String(end?.['stop']) } : {}),
        }),
      }
    },
  },
})

/** Starts the fake CLI with these steps as its prompt. */
export function startFake(cli: FakeCli, steps: readonly Step[], options: Partial<RunOptions> = {}): Run {
  const { env, ...rest } = options
  return startRun(cli.agent, {
    prompt: JSON.stringify(steps),
    cwd: cli.folder,
    ...rest,
    env: { ...cli.env, ...env },
  })
}

export async function collect(run: Run): Promise<Event[]> {
  const events: Event[] = []
  for await (const event of run) events.push(event)
  return events
}

export const types = (events: readonly Event[]) => events.map(({ type }) => type)
