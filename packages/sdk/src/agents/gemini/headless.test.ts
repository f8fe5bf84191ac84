import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HeadlessRequest, Place } from '../../contract/agent.ts'
import { writeInto } from './folder.test-data.ts'
import { headless } from './headless.ts'
import { allowRule } from './policy.ts'

let home = ''
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-gemini-test-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const place = (version = '0.61.0'): Place => ({ env: {}, home, cwd: home, version })
const args = (request: Partial<HeadlessRequest>, version = '0.61.0') =>
  headless.invocation({ prompt: 'hi', ...request }, version).args

describe('the command line', () => {
  it('has the prompt on stdin and not in its arguments', () => {
    const { args: given, stdin } = headless.invocation({ prompt: '/secret' }, '0.61.0')
    expect(stdin).toBe('/secret')
    expect(given).toEqual(['--output-format', 'stream-json'])
  })

  it.each([
    [{ mode: 'acceptEdits' }, ['--approval-mode', 'auto_edit']],
    [{ model: 'flash' }, ['--model', 'flash']],
    [{ sessionId: 'a' }, ['--session-id', 'a']],
    [{ resume: 'latest' }, ['--resume', 'latest']],
    [{ skipTrust: true }, ['--skip-trust']],
    [{ extraArgs: ['--debug'] }, ['--debug']],
  ] as const)('%j', (request, expected) => {
    expect(args(request).slice(2)).toEqual(expected)
  })

  it.each([
    ['effort', { effort: 'high' }, '0.61.0'],
    ['sessionId', { sessionId: 'a' }, '0.40.0'],
    ['skipTrust', { skipTrust: true }, '0.39.0'],
    ['mode plan', { mode: 'plan' }, '0.32.1'],
    ['resume', { resume: 'a' }, '0.13.0'],
  ] as const)(
    'refuses %s where the version lacks it, before anything is prepared',
    async (option, request, version) => {
      const refused = expect.objectContaining({
        code: 'unsupported',
        message: expect.stringContaining(option) as string,
      }) as Error
      expect(() => args(request, version)).toThrow(refused)
      await expect(headless.prepare!({ prompt: 'hi', ...request }, place(version))).rejects.toThrow(refused)
      expect(await readdir(home)).toEqual([])
    },
  )

  it('refuses a prompt that the CLI would cut off', () => {
    const limit = 8 * 1024 * 1024
    expect(() => args({ prompt: 'é'.repeat(limit / 2) })).not.toThrow()
    expect(() => args({ prompt: 'é'.repeat(limit / 2) + 'x' })).toThrow(
      expect.objectContaining({ code: 'input' }) as Error,
    )
  })
})

describe('preparing a run', () => {
  it('writes nothing for a plain prompt', async () => {
    const prepared = await headless.prepare!({ prompt: 'hi' }, place())
    expect(prepared).toMatchObject({ request: { prompt: 'hi' }, args: [], env: {} })
    expect(await prepared.finish()).toEqual([])
    expect(await readdir(home)).toEqual([])
  })

  it('writes a system prompt to a file and removes it afterwards', async () => {
    const prepared = await headless.prepare!({ prompt: 'hi', systemPrompt: 'Be brief.' }, place())
    const file = prepared.env!['GEMINI_SYSTEM_MD']!
    expect(await readFile(file, 'utf8')).toBe('Be brief.')
    await prepared.finish()
    await expect(readFile(file)).rejects.toThrow('ENOENT')
  })

  it('copies media to names that need no escaping', async () => {
    const path = join(home, 'a b (1).png')
    await writeFile(path, 'bytes')
    const media = [{ path, kind: 'image', mediaType: 'image/png' }] as const
    const prepared = await headless.prepare!({ prompt: 'What is this?', media }, place())
    const [, reference = ''] = /^What is this\?\n\n@(\S+)$/.exec(prepared.request.prompt) ?? []
    expect(reference).toMatch(/0-a_b__1_\.png$/)
    expect(await readFile(reference, 'utf8')).toBe('bytes')
    expect(prepared.args).toContain('--include-directories')
    await prepared.finish()
    await expect(readFile(reference)).rejects.toThrow('ENOENT')
  })

  it('passes the user’s own policies beside the rules of the run', async () => {
    await writeInto(home, '.gemini/policies/own.toml', '')
    const prepared = await headless.prepare!({ prompt: 'hi', allow: ['write_file'] }, place())
    expect(prepared.args).toEqual([
      '--policy',
      join(home, '.gemini/policies'),
      '--policy',
      expect.any(String),
    ])
    await prepared.finish()
    const old = await headless.prepare!({ prompt: 'hi', allow: ['write_file'] }, place('0.27.4'))
    expect(old.args).toEqual([])
    expect(args({ allow: ['write_file'] }, '0.27.4')).toEqual(
      expect.arrayContaining(['--allowed-tools', 'write_file']),
    )
    await old.finish()
  })

  it('writes rules as TOML', () => {
    expect(allowRule('run_shell_command(git "log")')).toBe(
      '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "git \\"log\\""\ndecision = "allow"\npriority = 1\n',
    )
  })
})
