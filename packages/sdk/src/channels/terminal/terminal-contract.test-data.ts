import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { attachTerminal } from './attach-terminal.ts'
import { fakeAgent } from './fake-agent.test-data.ts'
import { isAlive } from './process-list.ts'
import { type Place, type drivers, eventually, terminalPlace, until } from './terminal.test-data.ts'

/** What a terminal promises, whatever holds it. @example testTerminal('pty') */
export function testTerminal(driver: (typeof drivers)[number]): void {
  // Every test starts a program in a terminal, which takes its time on a busy machine.
  vi.setConfig({ testTimeout: 90_000 })

  let place: Place
  beforeEach(async () => {
    place = await terminalPlace(driver)
  })
  afterEach(() => place.close())

  const prompts = async (): Promise<unknown[]> =>
    (await place.noted()).flatMap((entry) => ('prompt' in entry ? [entry['prompt']] : []))
  const shellCommands = async (): Promise<unknown[]> =>
    (await place.noted()).flatMap((entry) => ('shell' in entry ? [entry['shell']] : []))
  const answers = async (): Promise<unknown[]> =>
    (await place.noted()).flatMap((entry) => ('answer' in entry ? [entry['text'] ?? entry['answer']] : []))

  describe('startTerminal', () => {
    it('passes the folder, arguments and environment, and nothing of ours', async () => {
      process.env['REMORA_LEAK'] = 'x'
      const words = [
        'a;b',
        ';',
        '#{pane_id}',
        '$HOME',
        '~',
        '#(touch pwned)',
        'a\nb',
        '"\'',
        '',
        'é😀',
        '%if',
        '-x',
      ]
      const terminal = await place.start({ extraArgs: words, name: 'a.b:c #(touch pwned) ;' })
      const [started] = await place.noted()
      expect(started?.['started']).toEqual(words)
      expect(started?.['cwd']).toBe(place.folder)
      const env = started?.['env'] as Record<string, string>
      const given = 'COLORTERM FAKE_LOG FROM_AGENT HOME LANG PATH PWD REMORA_RUN'.split(' ')
      const byDriver = {
        tmux: 'SHELL TERM TERM_PROGRAM TERM_PROGRAM_VERSION TMUX TMUX_PANE'.split(' '),
        pty: ['TERM'],
      }
      expect(Object.keys(env).toSorted()).toEqual([...given, ...byDriver[driver]].toSorted())
      expect(env['PWD']).toBe(place.folder)
      expect(terminal.screen().lines).toHaveLength(40)
      expect(terminal.screen().columns).toBe(120)
      expect(terminal.screen().title).toBe('◇ Ready')
      expect(terminal.serialized()).toContain('FAKE')
      expect(terminal.now).toEqual({ state: 'idle', mode: 'default', model: 'small', input: '' })
      delete process.env['REMORA_LEAK']
    })

    it('reports how the agent ended', async () => {
      const terminal = await place.start()
      await terminal.send('exit 7').catch(() => {})
      expect(await until(terminal, (now) => now.state === 'exited')).toEqual({
        state: 'exited',
        exit: { code: 7 },
      })
      await expect(terminal.send('more')).rejects.toMatchObject({ code: 'not_found' })
      const again = await attachTerminal(fakeAgent, terminal.address)
      expect(again.now).toEqual({ state: 'exited', exit: { code: 7 } })
      await again.end()
      await expect.poll(() => place.left(), { timeout: 30_000 }).toEqual([])
    })
  })

  describe('send', () => {
    it('sends any text unchanged, in order', async () => {
      const terminal = await place.start()
      const texts = [
        'Hello',
        'two\nlines',
        'ten\n'.repeat(10).trim(),
        'Grüße 😀 日本',
        '; kill-server ; #{pane_id} $(touch pwned) `touch pwned` "\' \\ ~ %1 -x',
        '-l',
        'x'.repeat(100_000),
      ]
      for (const text of texts) await terminal.send(text)
      expect(await prompts()).toEqual(texts)
      if (driver === 'tmux') expect(place.tmux('list-buffers')).toBe('')
    })

    it('never runs text as a shell command or slash command', async () => {
      const terminal = await place.start()
      const texts = [
        '!touch pwned',
        '!',
        '/model large',
        '/quit',
        '/',
        ' !touch pwned',
        '\n/quit',
        'a\n!touch pwned',
      ]
      for (const text of texts) await terminal.send(text)
      expect(await prompts()).toEqual(texts.map((text) => text.trim()))
      expect(await shellCommands()).toEqual([])
      expect(terminal.now.model).toBe('small')
    })

    it('refuses text that no prefix can escape', async () => {
      const terminal = await place.start()
      await expect(terminal.send('quit')).rejects.toMatchObject({ code: 'unsupported' })
      expect(await prompts()).toEqual([])
    })

    it('runs shell commands and slash commands that are sent as such', async () => {
      const terminal = await place.start()
      await terminal.send('!first', { kind: 'shell' })
      await terminal.send('second', { kind: 'shell' })
      await terminal.send('/model large', { kind: 'slash' })
      expect(await shellCommands()).toEqual(['first', 'second'])
      await until(terminal, (now) => now.model === 'large')
    })

    it('leaves a shell mode that was left on before it sends text', async () => {
      const terminal = await place.start()
      await terminal.press({ text: '!' })
      await until(terminal, (now) => now.shell === true)
      await terminal.send('touch pwned')
      expect(await shellCommands()).toEqual([])
      expect(await prompts()).toEqual(['touch pwned'])
    })

    it('leaves a shell mode whose completions are open', async () => {
      const terminal = await place.start()
      await terminal.press({ text: '!' })
      await until(terminal, (now) => now.shell === true)
      await terminal.press({ key: 'Tab' })
      await terminal.send('touch pwned')
      expect(await shellCommands()).toEqual([])
      expect(await prompts()).toEqual(['touch pwned'])
    })

    it('removes control characters', async () => {
      const terminal = await place.start()
      await terminal.send('a\u001B[201~\rb\u0003\u0004\u0000\u001B]2;pwned\u0007\u009Bc')
      expect(await prompts()).toEqual(['a[201~\nb]2;pwnedc'])
      expect(terminal.screen().title).not.toContain('pwned')
      await expect(terminal.send('\u001B \n')).rejects.toMatchObject({ code: 'input' })
    })

    it('fails if the agent does not accept a text', async () => {
      const terminal = await place.start()
      await terminal.send('deaf')
      await expect(terminal.send('hello')).rejects.toMatchObject({ code: 'unknown', hint: /input line/ })
      expect(await prompts()).toEqual(['deaf'])
    })

    it('neither sends nor deletes a draft of the user', async () => {
      const terminal = await place.start()
      await terminal.press({ text: 'my dra' })
      await until(terminal, (now) => now.input === 'my dra')
      await expect(terminal.send('hello')).rejects.toMatchObject({ code: 'conflict' })
      await until(terminal, (now) => now.input === 'my dra')
      await terminal.press({ text: 'ft' }, { key: 'Enter' })
      await until(terminal, (now) => now.input === '')
      await terminal.send('hello')
      expect(await prompts()).toEqual(['my draft', 'hello'])
    })

    it('ignores a suggestion of the CLI in its input line', async () => {
      const terminal = await place.start({ extraArgs: ['--proposal'] })
      expect(terminal.now.input).toBe('Try this')
      await terminal.send('hello')
      expect(await prompts()).toEqual(['hello'])
    })

    it.each(['--forgetful', '--wiping'])('pastes a text again that the CLI has lost: %s', async (fault) => {
      const terminal = await place.start({ extraArgs: [fault] })
      await terminal.send('hello')
      expect(await prompts()).toEqual(['hello'])
    })

    it('presses Enter once, although the CLI is slow', async () => {
      const terminal = await place.start({ extraArgs: ['--slow'] })
      await terminal.send('ask ls')
      await until(terminal, (now) => now.state === 'asking')
      // A second one would have answered.
      expect((await place.noted()).filter((entry) => 'answer' in entry || 'stray' in entry)).toEqual([])
      expect(await prompts()).toEqual(['ask ls'])
    })

    it('runs actions one after another', async () => {
      const terminal = await place.start()
      await Promise.all(['one', 'two', 'three'].map((text) => terminal.send(text)))
      expect(await prompts()).toEqual(['one', 'two', 'three'])
    })
  })

  describe('answer', () => {
    it('presses the key of the shown option once', async () => {
      const terminal = await place.start()
      await terminal.send('ask rm -rf /')
      const { ask } = await until(terminal, (now) => now.state === 'asking')
      expect(ask).toMatchObject({ title: 'Shell', body: 'rm -rf /' })
      await expect(terminal.send('no')).rejects.toMatchObject({ code: 'conflict' })
      await expect(terminal.setMode('plan')).rejects.toMatchObject({ code: 'conflict' })
      await expect(terminal.answer(ask!.digest, { option: '9' })).rejects.toMatchObject({ code: 'input' })
      const outcomes = await Promise.all([
        terminal.answer('0'.repeat(64), { option: '1' }),
        terminal.answer(ask!.digest, { option: '3' }),
        terminal.answer(ask!.digest, { option: '1' }),
        terminal.answer(ask!.digest, { text: 'words' }),
      ])
      expect(outcomes).toEqual(['gone', 'done', 'gone', 'gone'])
      expect(await answers()).toEqual(['3'])
      expect(terminal.now.state).toBe('idle')
    })

    it('answers a dialog that is hidden for a moment while the screen is redrawn', async () => {
      const terminal = await place.start({ extraArgs: ['--redrawing'] })
      for (let round = 0; round < 8; round++) {
        await terminal.send(`ask round ${round}`)
        const { ask } = await until(terminal, (now) => now.ask?.body === `round ${round}`)
        expect(await terminal.answer(ask!.digest, { option: '3' })).toBe('done')
      }
      expect((await place.noted()).filter(({ answer }) => answer === '3')).toHaveLength(8)
      expect((await place.noted()).filter(({ stray }) => stray)).toEqual([])
    })

    it('answers a dialog that drops keys right after it was drawn', async () => {
      const terminal = await place.start({ extraArgs: ['--hesitant'] })
      await terminal.send('ask x')
      const { ask } = await until(terminal, (now) => now.state === 'asking')
      expect(await terminal.answer(ask!.digest, { option: '3' })).toBe('done')
      expect(await answers()).toEqual(['3'])
    })

    it('types free text', async () => {
      const terminal = await place.start()
      await terminal.send('ask ls')
      const { ask } = await until(terminal, (now) => now.state === 'asking')
      expect(await terminal.answer(ask!.digest, { text: 'use #{x} ; find' })).toBe('done')
      expect(await answers()).toEqual(['use #{x} ; find'])
    })

    it('presses nothing for another ask, or after an answer at the keyboard', async () => {
      const terminal = await place.start()
      await terminal.send('ask one')
      const { ask } = await until(terminal, (now) => now.state === 'asking')
      await place.type(terminal, '3')
      expect(await terminal.answer(ask!.digest, { option: '1' })).toBe('gone')
      await until(terminal, (now) => now.state === 'idle' && now.input === '')
      await terminal.send('ask two')
      await until(terminal, (now) => now.ask?.body === 'two')
      expect(await terminal.answer(ask!.digest, { option: '1' })).toBe('gone')
      expect(await answers()).toEqual(['3'])
      expect((await place.noted()).filter((entry) => 'stray' in entry)).toEqual([])
    })

    it.runIf(driver === 'tmux')('reaches the agent while the user scrolls back', async () => {
      const terminal = await place.start()
      await terminal.send('ask ls')
      const { ask } = await until(terminal, (now) => now.state === 'asking')
      place.tmux('copy-mode', '-t', terminal.address.pane)
      expect(await terminal.answer(ask!.digest, { option: '2' })).toBe('done')
      expect(await answers()).toEqual(['2'])
    })
  })

  describe('a running agent', () => {
    it('is interrupted, and switches mode and model if it can', async () => {
      const terminal = await place.start()
      await terminal.send('long')
      expect(terminal.now).toMatchObject({ state: 'working', subject: 'Planning' })
      await terminal.interrupt()
      expect(terminal.now.state).toBe('idle')
      await terminal.setMode('acceptEdits')
      expect(terminal.now.mode).toBe('acceptEdits')
      await terminal.setModel('big #{x}')
      expect(terminal.now.model).toBe('big #{x}')
      await expect(terminal.setMode('bypassPermissions')).rejects.toMatchObject({ code: 'unsupported' })
    })

    it('has an empty input after an interrupt, also if it puts the prompt back', async () => {
      const terminal = await place.start({ extraArgs: ['--restoring'] })
      await terminal.send('long one\nand two')
      await terminal.interrupt()
      expect(terminal.now).toMatchObject({ state: 'idle', input: '' })
      await terminal.send('next')
      expect((await place.noted()).map(({ prompt }) => prompt)).toContain('next')
    })

    it('keeps a draft of the user when it is interrupted', async () => {
      const terminal = await place.start({ extraArgs: ['--restoring'] })
      await terminal.send('long')
      await terminal.press({ text: 'my draft' })
      await until(terminal, ({ input }) => input === 'my draft')
      await terminal.interrupt()
      expect(terminal.now).toMatchObject({ state: 'idle', input: 'my draft' })
    })

    it('switches the mode also if a key was lost', async () => {
      const terminal = await place.start({ extraArgs: ['--drowsy'] })
      await terminal.setMode('plan')
      expect(terminal.now.mode).toBe('plan')
    })

    it('takes keys by name and text, and no others', async () => {
      const terminal = await place.start()
      await terminal.press({ text: 'a;b #{x} Enter' }, { key: ';' }, { key: 'Enter' })
      await eventually(async () => (await prompts())[0])
      expect(await prompts()).toEqual(['a;b #{x} Enter;'])
      for (const key of ['kill-server', 'Enter ; kill-server', '', 'User1', 'C-', 'MouseDown1Pane']) {
        await expect(terminal.press({ key: 'x' }, { key })).rejects.toMatchObject({ code: 'input' })
      }
      expect((await terminal.refresh()).input).toBe('')
    })

    it('is resized by us and by a user who attaches', async () => {
      const terminal = await place.start()
      await terminal.resize(90, 30)
      await eventually(async () => (terminal.screen().lines.length === 30 ? true : undefined))
      expect(terminal.screen().columns).toBe(90)
      if (driver === 'tmux')
        expect(place.tmux('show-options', '-w', '-v', '-t', terminal.address.pane, 'window-size')).toBe(
          'latest',
        )
      await expect(terminal.resize(0, 0)).rejects.toMatchObject({ code: 'input' })
      await place.attachWindow(terminal, 100, 33)
      await eventually(async () => (terminal.screen().lines.length === 33 ? true : undefined))
      expect(terminal.screen().columns).toBe(100)
      await eventually(async () => terminal.screen().lines[0] === 'FAKE' || undefined)
    })

    it('reports the dialog of a resized window only after the agent has drawn it again', async () => {
      const terminal = await place.start()
      await terminal.send(`ask ${'a long command '.repeat(6)}`)
      const { ask: before } = await until(terminal, ({ state }) => state === 'asking')
      process.kill(terminal.pid, 'SIGSTOP')
      // tmux has read all earlier output after two round trips.
      await terminal.refresh()
      await terminal.refresh()
      await terminal.resize(60, 30)
      await eventually(async () => terminal.screen().columns === 60 || undefined)
      expect(terminal.now.ask).toEqual(before)
      const refreshed = terminal.refresh()
      process.kill(terminal.pid, 'SIGCONT')
      const { ask: after } = await refreshed
      expect(after?.title).toBe(before?.title)
      expect(after?.digest).not.toBe(before?.digest)
      expect(await terminal.answer(after!.digest, { option: '1' })).toBe('done')
    })

    it('ends with everything that it started', async () => {
      const terminal = await place.start()
      const { pid } = terminal
      await terminal.end()
      expect((await prompts()).at(-1)).toBe('/quit')
      expect(isAlive(pid)).toBe(false)
      const stubborn = await place.start()
      await stubborn.send('deaf')
      await stubborn.end()
      expect(isAlive(stubborn.pid)).toBe(false)
      await expect.poll(() => place.left(), { timeout: 30_000 }).toEqual([])
    })
  })
}
