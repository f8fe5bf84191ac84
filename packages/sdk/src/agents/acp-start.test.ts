import { describe, expect, it } from 'vitest'
import { acp as claude } from './claude/acp.ts'
import { acp as codex } from './codex/acp.ts'
import { acp as gemini } from './gemini/acp.ts'
import { acp as opencode } from './opencode/acp.ts'

describe('what an ACP agent is started with', () => {
  it('is an argument or a variable where there is one', () => {
    const start = { mode: 'acceptEdits', model: 'flash' } as const
    expect(gemini.invocation('0.61.0', start).args).toEqual([
      '--acp',
      '--approval-mode',
      'auto_edit',
      '--model',
      'flash',
    ])
    expect(codex.invocation(undefined, { model: 'gpt-5.4' }).args).toEqual(['-c', 'model="gpt-5.4"'])
    expect(opencode.invocation(undefined, { mode: 'acceptEdits' })).toEqual({
      args: ['acp'],
      env: { OPENCODE_PERMISSION: '{"edit":"allow"}' },
    })
  })

  it.each([
    ['Claude Code does not support the mode plan', () => claude.invocation(undefined, { mode: 'plan' })],
    ['Claude Code does not support a model', () => claude.invocation(undefined, { model: 'opus' })],
    ['Codex does not support the mode', () => codex.invocation(undefined, { mode: 'acceptEdits' })],
    ['OpenCode does not support a model', () => opencode.invocation(undefined, { model: 'a/b' })],
    [
      'OpenCode does not support the mode',
      () => opencode.invocation(undefined, { mode: 'bypassPermissions' }),
    ],
    ['Gemini CLI 0.27.4 does not support', () => gemini.invocation('0.27.4', { mode: 'plan' })],
  ])('is refused where there is none: %s', (message, start) => {
    expect(start).toThrow(
      expect.objectContaining({ code: 'unsupported', message: expect.stringContaining(message) }),
    )
  })
})

describe('what an agent puts among the words of the model', () => {
  const mode = (text: string) => gemini.quirks!(undefined).remarks!.exec(text)?.groups?.['mode']

  it('is told from them', () => {
    expect(mode('[MODE_UPDATE] autoEdit')).toBe('autoEdit')
    expect(mode('[MODE_UPDATE] is what the CLI writes')).toBeUndefined()
    expect(mode('It says [MODE_UPDATE] plan')).toBeUndefined()
  })
})
