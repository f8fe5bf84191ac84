import type { Command, CommandBody } from '@remora/protocol'
import type { ScriptedModel } from '@remora/scripted-model'
import { expect, it } from 'vitest'

export interface EscapeStage {
  readonly model: ScriptedModel
  prompt(text: string): Promise<unknown>
  done(body: CommandBody): Promise<Command>
  exists(file: string): Promise<boolean>
  idle(): Promise<unknown>
  until(what: string, look: () => boolean | Promise<boolean>): Promise<unknown>
}

/** Texts that a real CLI would run as commands. The last one opens a shell mode. */
const texts = ['!touch escaped.txt', ' !touch escaped.txt', '/clear', '  /clear', 'exit', '#note', '!']

/** A word joiner or a braille blank is the one character that may be added. */
function isSame(got: string | undefined, text: string): boolean {
  return got?.replace(/^[\u2060\u2800]/, '').trim() === text.trim()
}

/** Text reaches the model as text, and commands run if the sender marks them as commands. */
export function testEscapes(stage: () => EscapeStage): void {
  it('takes text that looks like a command as text, unless the sender marks it as a command', async () => {
    const { model, prompt, done, exists, idle, until } = stage()
    const receives = async (text: string, isReceived = isSame): Promise<void> => {
      const before = model.requests.length
      await prompt(text)
      await until(`the model receives ${JSON.stringify(text)}`, () =>
        model.requests
          .slice(before)
          .some(({ kind, prompt: got }) => kind === 'turn' && isReceived(got, text)),
      )
      await idle()
    }
    for (const text of texts) await receives(text)
    expect(await exists('escaped.txt')).toBe(false)
    const content = [{ type: 'text' as const, text: 'touch by-shell.txt' }]
    expect(await done({ kind: 'prompt', content, promptKind: 'shell' })).toMatchObject({ state: 'done' })
    await until('the shell command has run', () => exists('by-shell.txt'))
    await idle()
    // Gemini adds the output of the shell command before the text.
    await receives('touch escaped.txt', (got, text) => isSame(got?.split('\n').at(-1), text))
    expect(await exists('escaped.txt')).toBe(false)
  })
}
