import { execFileSync } from 'node:child_process'
import { access, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CommandBody, type LiveInfo, RemoraError, fold, getMessageText } from '@remora/protocol'
import { type ScriptedModel, startScriptedModel } from '@remora/scripted-model'
import type { Agent, LiveFacts } from '@remora/sdk'
import type { DriverName } from '@remora/sdk/terminal'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Home,
  createHome,
  getFacts,
  listTestVersions,
  pinned,
  prepareTerminal,
} from '../../../../testkit/src/index.ts'
import { isAlive } from '../../../sdk/src/channels/terminal/process-list.ts'
import type { PendingAsk } from '../core/approvals.ts'
import { createLineLog } from '../core/log.ts'
import { type RunningServer, startServer } from '../start-server.ts'
import { amendSessions } from './amend-sessions.test-data.ts'
import { endTmux, describeFailure } from './live-failure.test-data.ts'
import { getCallStatus } from './get-call-status.test-data.ts'
import { testEscapes } from './live-escapes.test-data.ts'
import { testWindow } from './live-window.test-data.ts'

// Starting an agent takes seconds of processor time, which can be minutes on a busy machine. After one timeout the next
// ones are shorter.
const patienceMs = 300_000
const lessPatienceMs = 60_000

export interface LiveTestOptions {
  /** What holds the terminal. `npm run matrix` selects it with `REMORA_TERMINAL`. */
  readonly driver?: DriverName
  /** Only what depends on the driver: starting, prompts, answers, interrupting, a restart and a window. */
  readonly core?: boolean
}

const selectedDriver: DriverName = process.env['REMORA_TERMINAL'] === 'pty' ? 'pty' : 'tmux'

/** The contract of a live session on a terminal, tested with the real agent. @example testLive(gemini) */
export function testLive(agent: Agent, options: LiveTestOptions = {}): void {
  const { driver = selectedDriver, core = false } = options
  for (const version of listTestVersions(agent.id))
    testSession(agent, version, { driver, core }, getFacts(agent, version, 'terminal'))
}

function testSession(
  agent: Agent,
  version: string,
  { driver, core }: Required<LiveTestOptions>,
  options: LiveFacts,
): void {
  const agentId = agent.id
  // All tests use one agent, because starting it takes longest.
  const name = `${agentId} ${version} on a terminal ${driver === 'tmux' ? 'in tmux' : 'in a PTY host'}`
  describe(name, { shuffle: false, timeout: 2 * patienceMs }, () => {
    let model: ScriptedModel
    let home: Home
    let folder: string
    let server: RunningServer
    let info: LiveInfo
    let command: string
    let patience = patienceMs
    const logged: string[] = []
    let letGo = () => {}
    const seen = new Promise<void>((resolve) => (letGo = resolve))

    // No test depends on speed: one answer waits until it was read, another one never ends.
    const hold = (piece: string) =>
      piece.includes('"ten "') ? seen : piece.includes('"never "') ? new Promise<void>(() => {}) : undefined

    beforeAll(async () => {
      const cli = pinned(agentId, version)
      command = cli.path
      model = await startScriptedModel({ hold })
      home = await createHome(agentId, { version, model })
      await prepareTerminal(home)
      // Short, because the path of a socket is limited.
      folder = await mkdtemp('/tmp/rl-')
      server = await openServer()
    }, patienceMs)
    afterAll(async () => {
      await server.close()
      endTmux(join(folder, 'r', 'tmux.sock'))
      await home.remove()
      await model.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    }, patienceMs)

    const openServer = () =>
      startServer({
        remoraHome: join(folder, 'r'),
        env: { ...home.env, [agent.detection.variable]: command, TMUX_TMPDIR: folder, TMUX: undefined },
        home: home.path,
        version: '0.0.0',
        port: 0,
        terminalDriver: async () => driver,
        log: createLineLog((line) => logged.push(line)),
      })
    const live = () => server.context.live
    const now = () => live().find(info.id)!
    const key = () => ({ agent: agentId, session: now().session })
    const submit = (body: CommandBody) =>
      live().submit({ id: `${Math.random()}`, client: 'test', target: key(), body })
    /** Every prompt of the first conversation, in order. */
    const sent: string[] = []
    const prompt = (...lines: readonly string[]) => {
      const text = lines.join('\n')
      sent.push(text)
      return submit({ kind: 'prompt', content: [{ type: 'text', text }] })
    }
    const messages = async (session = now().session) => {
      const { events } = await server.context.ledger.read({
        session: { agent: agentId, session },
        limit: 5000,
      })
      return fold(events.map(({ event }) => event)).filter(({ context }) => !context)
    }
    const shownPrompts = async (session?: string) =>
      (await messages(session))
        .filter(({ role }) => role === 'user')
        .map((message) => getMessageText(message).trim())
        // Slash commands have no text, and each agent records shell commands in its own way, or not at all.
        .filter((text) => text !== '' && !text.includes('touch by-shell.txt'))
    const findCommand = async (id: string) =>
      (await server.context.ledger.commands.list({})).find((each) => each.id === id)!
    const done = async (body: CommandBody) => {
      const { id } = await submit(body)
      return until('the command is over', async () => {
        const found = await findCommand(id)
        return ['done', 'refused'].includes(found.state) ? found : undefined
      })
    }
    const exists = (name: string) =>
      access(join(home.cwd, name)).then(
        () => true,
        () => false,
      )
    const asked = () => until('it asks', async () => (await server.context.approvals.pending())[0])
    type Choice = (option: { effect: string; label: string }) => boolean
    const answer = async (choose: Choice, { ask, ...of }: PendingAsk) => {
      const option = ask.options.find(choose)
      expect(option, JSON.stringify(ask)).toBeDefined()
      const given = { ask: ask.id, option: option!.id, by: 'person' as const, digest: ask.digest }
      return { ask, answered: await server.context.approvals.answer(of, given) }
    }
    const decide = async (choose: Choice) => {
      const { ask, answered } = await answer(choose, await asked())
      expect(answered).toMatchObject({ won: true, effect: 'done' })
      return ask
    }
    const answered = async (text: string) =>
      until(`the transcript says ${text}`, async () => {
        for (const { agent: name, session } of await server.context.ledger.sessions({
          empty: true,
          hidden: true,
        })) {
          const { events } = await server.context.ledger.read({
            session: { agent: name, session },
            limit: 5000,
          })
          if (events.some(({ event }) => event.type === 'text' && event.text.includes(text))) return true
        }
        return false
      })
    const idle = () => until('it is idle', () => now().state === 'idle' && now().queued === 0)
    const screens = () =>
      live()
        .list()
        .map(({ id }) => live().terminal(id)?.screen())
        .map((screen) => `${screen?.title}\n${screen?.lines.join('\n')}`)
        .join('\n')

    async function until<T>(
      what: string,
      look: () => T | undefined | false | Promise<T | undefined | false>,
    ): Promise<T> {
      const deadline = Date.now() + patience
      for (;;) {
        const found = await look()
        if (found) return found
        if (Date.now() > deadline) {
          patience = lessPatienceMs
          throw new Error(`Timed out: ${what}\n${await describeFailure(server)}\n${logged.join('')}`)
        }
        await sleep(50)
      }
    }

    it('starts with a prompt and streams its answer', async () => {
      const frames: string[] = []
      const stop = server.context.live.on((change) => {
        if (change.type === 'frame' && change.frame.text) frames.push(change.frame.text)
      })
      const lines = ['one two three', 'four five six', 'seven eight nine', 'ten eleven twelve']
      sent.push(['SLOW 50', ...lines.map((line) => `SAY: ${line}`)].join('\n'))
      info = await live().start({ agent: agentId, cwd: home.cwd, prompt: sent[0]! })
      // The model sends the last line after the first ones were seen.
      await until('a part of the answer is shown', () =>
        frames.some((frame) => frame.includes('one')),
      ).finally(letGo)
      expect(frames.filter((frame) => frame.includes('twelve'))).toEqual([])
      await answered('ten eleven twelve')
      await idle()
      stop()
    })

    it('runs a command that was allowed', async () => {
      await prompt(options.run('touch allowed.txt'))
      const ask = await decide(({ effect }) => effect === 'allow')
      expect(ask).toMatchObject({ kind: 'permission', tool: 'Bash' })
      expect(JSON.stringify(ask)).toContain('touch allowed.txt')
      await until('the file exists', () => exists('allowed.txt'))
      await idle()
    })

    it('does not run a command that was denied', async () => {
      await prompt(options.run('touch denied.txt'))
      await decide(({ effect }) => effect === 'deny')
      await idle()
      expect(await exists('denied.txt')).toBe(false)
    })

    if (!core) testCommandsAndModes()

    it('is interrupted', async () => {
      await prompt('SLOW 50', `SAY: ${'word '.repeat(8)}`, 'SAY: and on', 'SAY: never said')
      await until('it works', () => now().state === 'working' && live().frame(info.id)?.text)
      expect(await done({ kind: 'cancel' })).toMatchObject({ state: 'done' })
      await idle()
      await until('the text that was shown is kept', async () =>
        getMessageText((await afterLastPrompt())[0]).includes('word'),
      )
    })

    if (!core) testLimitAndRecord()

    it('continues with the next server', async () => {
      const { pid } = live().terminal(info.id)!
      await server.close()
      server = await openServer()
      await idle()
      expect(live().terminal(info.id)!.pid).toBe(pid)
      await prompt('SAY: after the restart')
      await answered('after the restart')
      await idle()
    })

    if (driver === 'pty') testWindow(() => ({ terminal: live().terminal(info.id)!, until }))
    if (!core) testResuming()

    it('ends', async () => {
      const { pid } = live().terminal(info.id)!
      await submit({ kind: 'end' })
      await until('the end', () => now().state === 'ended')
      expect(isAlive(pid)).toBe(false)
      if (driver === 'pty') expect(await readdir(join(folder, 'r', 'terminals'))).toEqual([])
    })

    if (!core && driver === 'tmux') testAdopting()

    function testCommandsAndModes(): void {
      testEscapes(() => ({ model, prompt, done, exists, idle, until }))

      it('does not ask again for what was always allowed', async () => {
        await prompt(options.run(options.always ?? 'touch always.txt'))
        await decide(({ effect }) => effect === 'allow_always')
        // Some agents ask for confirmation, and show the first question again for a moment.
        await until('it is over', async () => {
          const [more] = await server.context.approvals.pending()
          if (more)
            await answer(({ effect }) => effect === 'allow' || effect === 'allow_always', more).catch(gone)
          return now().state === 'idle' && exists('always.txt')
        })
        await rm(join(home.cwd, 'always.txt'))
        await prompt(options.run(options.always ?? 'touch always.txt'))
        await until('the file exists again', () => exists('always.txt'))
        await idle()
        expect(await server.context.approvals.pending()).toEqual([])
        if (options.rules === undefined) return
        // Such a rule also applies in plan mode, which would not be read-only then.
        const refused = await done({ kind: 'mode', mode: 'plan' })
        expect(refused).toMatchObject({ state: 'refused', reason: expect.stringContaining(options.rules) })
        await rm(join(home.path, options.rules))
      })

      it.each(options.cannot)('offers the model no tool for a %s', () => {
        const tools = model.requests.flatMap((request) => request.tools)
        expect(tools.map((tool) => agent.tools?.[tool]?.claude)).not.toContain('AskUserQuestion')
      })

      it.each(options.cannot.includes('question') ? [] : [options.question!])(
        'asks a question of its own',
        async (question) => {
          const mode = options.questionMode
          if (mode !== undefined) expect(await done({ kind: 'mode', mode })).toMatchObject({ state: 'done' })
          await prompt(question)
          const ask = await decide(({ label }) => /Blue/.test(label))
          expect(ask).toMatchObject({ kind: 'question' })
          await until('it is over', async () => {
            const [more] = await server.context.approvals.pending()
            if (more) await answer(({ label }) => /submit|yes/i.test(label), more).catch(gone)
            return now().state === 'idle'
          })
          if (mode !== undefined) await done({ kind: 'mode', mode: 'default' })
        },
      )

      it('changes its mode, and refuses one that it cannot reach', async () => {
        for (const mode of options.modes) {
          const switched = await done({ kind: 'mode', mode })
          expect(switched, `${switched.reason}\n${screens()}`).toMatchObject({ state: 'done' })
          await until(`the mode is ${mode}`, () => now().mode === mode)
        }
        if (options.unreachable === undefined) return
        const refused = await done({ kind: 'mode', mode: options.unreachable })
        expect(refused).toMatchObject({ state: 'refused' })
        await idle()
      })

      it('changes its model', async () => {
        expect(await done({ kind: 'model', model: options.model.id })).toMatchObject({ state: 'done' })
        await until('the screen shows it', () => options.model.shown.test(screens()))
        if (options.missingModel !== undefined)
          expect(await done({ kind: 'model', model: options.missingModel })).toMatchObject({
            state: 'refused',
          })
        await idle()
      })
    }

    function testLimitAndRecord(): void {
      it('is rate limited', async () => {
        await prompt('FAULT: 429')
        const tries = () =>
          model.requests.filter(({ kind, prompt: got }) => kind === 'turn' && got?.includes('FAULT: 429'))
        await until('the model refuses', () => tries().length > (options.keepsRetrying ? 1 : 0))
        if (options.keepsRetrying) expect(await done({ kind: 'cancel' })).toMatchObject({ state: 'done' })
        await until('it gives up', () => ['idle', 'error'].includes(now().state) && now().queued === 0)
        await until('the prompt is kept', async () => (await shownPrompts()).includes('FAULT: 429'))
        expect((await shownPrompts()).filter((text) => text === 'FAULT: 429')).toHaveLength(1)
      })

      it('keeps every prompt and answer once and in order, whatever was interrupted, refused or rate limited', async () => {
        await prompt('SAY: after the interrupt')
        await answered('after the interrupt')
        await idle()
        await until(
          'the answer is last',
          async () => getMessageText((await afterLastPrompt())[0]) === 'after the interrupt',
        )
        expect(await shownPrompts()).toEqual(sent.map((text) => text.trim()))
        const texts = (await messages())
          .filter(({ role }) => role === 'assistant')
          .map((message) => getMessageText(message))
        for (const part of ['ten eleven', 'word', 'after the interrupt'])
          expect(
            texts.filter((text) => text.includes(part)),
            part,
          ).toHaveLength(1)
        const interrupted = (await messages()).find(
          ({ role, ...message }) => role === 'assistant' && getMessageText(message).includes('word'),
        )!
        const isPartial = interrupted.content.some((block) => block.type === 'text' && block.partial)
        expect(isPartial || interrupted.interrupted, 'the interrupted text is marked').toBe(true)
        expect(getCallStatus(await messages(), 'touch denied.txt')).toBe('denied')
        const hits = await server.context.ledger.search({ text: '"never said"' })
        expect(hits.map(({ kind }) => kind)).toContain('prompt')
      })
    }

    /** The answer to the last prompt. */
    async function afterLastPrompt() {
      const all = await messages()
      const said = all.slice(all.findLastIndex(({ role }) => role === 'user') + 1)
      return [said.find(({ role }) => role === 'assistant') ?? { content: [] }] as const
    }

    function testResuming(): void {
      it('resumes a session after its end', async () => {
        const { session } = now()
        await submit({ kind: 'end' })
        await until('the end', () => now().state === 'ended')
        if (options.beforeResume) await amendSessions(home, options.beforeResume)
        info = await live().start({
          agent: agentId,
          cwd: home.cwd,
          resume: session,
          prompt: 'SAY: back again',
        })
        await answered('back again')
        await idle()
        expect(now().session).toBe(session)
        await submit({ kind: 'end' })
        await until('the end', () => now().state === 'ended')
      })

      it('continues in a fork of a session, which stays unchanged', async () => {
        const { session } = now()
        info = await live().start({
          agent: agentId,
          cwd: home.cwd,
          resume: session,
          fork: true,
          prompt: 'SAY: in the copy',
        })
        await answered('in the copy')
        await idle()
        await until('it is another session', () => now().session !== session && now().session !== info.id)
        const { events } = await server.context.ledger.read({
          session: { agent: agentId, session },
          limit: 5000,
        })
        expect(JSON.stringify(events)).not.toContain('in the copy')
      })
    }

    function testAdopting(): void {
      it('is adopted in the tmux of a user', async () => {
        const own = (...args: readonly string[]) =>
          execFileSync('tmux', ['-u', '-f', '/dev/null', '-L', 'own', ...args], {
            env: { ...home.env, TMUX_TMPDIR: folder },
          }).toString()
        const invocation = agent.terminal!.invocation({}, home.version)
        // By the name that a user types, which a package manager links to the program.
        const program = join(folder, agent.detection.command)
        await symlink(command, program)
        own('new-session', '-d', '-x', '100', '-y', '30', '-c', home.cwd, '/bin/sh')
        const begin = async () => {
          own('send-keys', '-l', [program, ...invocation.args].map(quote).join(' '))
          own('send-keys', 'Enter')
          await adoptIt()
        }
        try {
          await begin()
          // OpenCode hangs at times. Remora restarts only its own agents; here the user is asked to restart it.
          while ((await begun()).state === 'error') {
            expect(now().detail).toMatch(/has shown nothing .* End it and start it again\.$/)
            await done({ kind: 'end' })
            own('respawn-pane', '-k', '-c', home.cwd, '/bin/sh')
            await begin()
          }
          await useIt()
          await clearIt()
          expect(own('display-message', '-p', '#{window_width}x#{window_height}').trim()).toBe('100x30')
          await live().release(info.id)
          expect(own('list-panes', '-F', '#{pane_dead}').trim()).toBe('0')
        } finally {
          own('kill-server')
        }
      })
    }

    async function adoptIt(): Promise<void> {
      const found = await until('it is found', async () => (await live().adoptable())[0])
      expect(found).toMatchObject({ cwd: home.cwd })
      expect(found.agent.id).toBe(agentId)
      info = await live().adopt(found)
      expect(info).toMatchObject({ adopted: true })
    }

    const begun = () => until('it is idle', () => ['idle', 'error'].includes(now().state) && now())

    async function useIt(): Promise<void> {
      await idle()
      await prompt(options.run('touch adopted.txt'))
      await decide(({ effect }) => effect === 'allow')
      await until('the file exists', () => exists('adopted.txt'))
      await idle()
      await until('its session is known', () => now().session !== info.id)
    }

    /** Earlier messages stay where they are. */
    async function clearIt(): Promise<void> {
      const { session } = now()
      const before = await shownPrompts(session)
      expect(before).not.toEqual([])
      const content = [{ type: 'text' as const, text: '/clear' }]
      expect(await done({ kind: 'prompt', content, promptKind: 'slash' })).toMatchObject({
        state: 'done',
      })
      await idle()
      expect(await shownPrompts(session)).toEqual(before)
    }
  })
}

/** Its dialog may close before it is answered. */
function gone(error: unknown): void {
  if (!RemoraError.is(error) || error.code !== 'conflict') throw error
}

/** One word for a POSIX shell. */
function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
