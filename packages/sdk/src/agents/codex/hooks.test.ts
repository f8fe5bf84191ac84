import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hooks } from './hooks.ts'
import { computeHookHash } from './hooks-trust.ts'

const command = ['/home/me/.remora/hooks/remora-hook', 'codex']
const ours = (events: readonly string[]) =>
  events.map((event) => ({ kind: 'record' as const, event, command }))

describe('the hooks file', () => {
  const place = { env: {}, home: '/home/me', cwd: '/w' }

  it('is one of two files of the user, one of a project, or a given one', async () => {
    const files = async (...args: Parameters<typeof hooks.targets>) =>
      (await hooks.targets(...args)).map(({ file }) => file)
    expect(await files(place, 'user')).toEqual(['/home/me/.codex/hooks.json', '/home/me/.codex/config.toml'])
    expect(await files({ ...place, env: { CODEX_HOME: '/c' } }, 'user')).toContain('/c/hooks.json')
    expect(await files(place, 'project')).toEqual(['/w/.codex/hooks.json'])
    expect(await files(place, { file: '/x.json' })).toEqual(['/x.json'])
  })

  it('has timeouts in seconds up to the limit of Codex, and no notify', async () => {
    const [target] = await hooks.targets(place, 'user')
    const text = target!.added('', ours(['Stop', 'SessionEnd', 'notify']))
    const line = '/home/me/.remora/hooks/remora-hook codex'
    expect(JSON.parse(text)).toEqual({
      hooks: {
        Stop: [{ hooks: [{ type: 'command', command: line, timeout: 5 }] }],
        SessionEnd: [{ hooks: [{ type: 'command', command: line, timeout: 3 }] }],
      },
    })
    expect(target!.removed(text, undefined, '')).toBe('')
  })

  it('has the hooks of Remora after others, which are trusted by index', async () => {
    const [target] = await hooks.targets(place, 'user')
    const before = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"beep"}]}]}}'
    const after = target!.added(before, ours(['Stop']))
    expect(target!.entries(after).map((entry) => entry.command)).toEqual(['beep', command.join(' ')])
    expect(target!.removed(after, 'record', before)).toBe(before)
  })

  it('keeps the index of a hook that was added later', async () => {
    const [target] = await hooks.targets(place, 'user')
    const beep = { hooks: [{ type: 'command', command: 'beep' }] }
    const pave = { hooks: [{ type: 'command', command: '/r/remora-pave.mjs codex' }] }
    const text = target!.added('', ours(['Stop', 'PreToolUse']))
    const { hooks: written } = JSON.parse(text) as { hooks: Record<string, object[]> }
    const touched = JSON.stringify({
      hooks: {
        Stop: [...written['Stop']!, beep],
        PreToolUse: [...written['PreToolUse']!, pave],
        SessionStart: [beep],
      },
    })
    expect(JSON.parse(target!.removed(touched, 'record', ''))).toEqual({
      hooks: { Stop: [{ hooks: [] }, beep], PreToolUse: [{ hooks: [] }, pave], SessionStart: [beep] },
    })
    expect(JSON.parse(target!.removed(touched))).toEqual({
      hooks: { Stop: [{ hooks: [] }, beep], SessionStart: [beep] },
    })
  })
})

// The values are from `hooks/list` of Codex 0.166.0.
it.each([
  ['Stop', { command: 'echo hi' }, 'f2aa169c7a1cf9b7cc9b61ce5ecec0315e0f7d13ac35935b1aa74440f9a839f8'],
  [
    'Stop',
    { command: 'echo hi', timeout: 3 },
    '6d0e81c1ce33e0e0c9bc46be818e3d0ec1347835441b83dd551f2fc43ce4473a',
  ],
  ['PreToolUse', { command: 'echo hi' }, 'c2ab198fe0750494126041254c4d031ad06f4b267edca02168d8a6745e4141c5'],
  [
    'SessionEnd',
    { command: 'echo hi', timeout: 30 },
    '823aeab1cf10994923a9a4c0236d0b3c702cfbafc61158f8adceebe65399f28d',
  ],
])('computes the hash of a hook for %s with %j', (event, handler, expected) => {
  expect(computeHookHash(event, handler)).toBe(`sha256:${expected}`)
})

describe('hook obstacles', () => {
  let home: string
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'remora-codex-'))
    await file('.codex/hooks.json', hooksText)
  })
  afterEach(() => rm(home, { recursive: true }))

  const hooksText = JSON.stringify({
    hooks: {
      Stop: [
        { hooks: [{ type: 'command', command: 'beep' }] },
        { hooks: [{ type: 'command', command: command.join(' '), timeout: 5 }] },
      ],
    },
  })
  const hash = computeHookHash('Stop', { command: command.join(' '), timeout: 5 })
  const state = (fields: string, folder = home) =>
    `[hooks.state."${folder}/.codex/hooks.json:stop:1:0"]\n${fields}\n`

  async function file(name: string, text: string): Promise<string> {
    const path = join(home, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
    return path
  }
  async function obstacles(config: string, name = '.codex/hooks.json', folder = home) {
    await file('.codex/config.toml', config)
    const place = { env: {}, home: folder, cwd: join(home, 'work') }
    return hooks.obstacles!(place, [join(folder, name), join(folder, '.codex/config.toml')])
  }
  const codes = async (...args: Parameters<typeof obstacles>) =>
    (await obstacles(...args)).map(({ code }) => code)

  it('include hooks that are not trusted in this form and at this index', async () => {
    expect(await obstacles('')).toEqual([
      {
        code: 'hooks_untrusted',
        message: expect.stringContaining('skips 1 of 1 hooks of Remora'),
        hint: expect.stringContaining('2. Trust all and continue'),
      },
    ])
    expect(await codes(state(`trusted_hash = "${hash}"`))).toEqual([])
    expect(await codes(state('trusted_hash = "sha256:1"'))).toEqual(['hooks_untrusted'])
    expect(await codes(state(`trusted_hash = "${hash}"`).replace(':1:0', ':0:0'))).toEqual([
      'hooks_untrusted',
    ])
    expect(await codes(state(`trusted_hash = "${hash}"\nenabled = false`))).toEqual(['hooks_off'])
  })

  it('do not include a folder that is a link', async () => {
    const link = `${home}-link`
    await symlink(home, link)
    try {
      expect(await codes(state(`trusted_hash = "${hash}"`), undefined, link)).toEqual([])
      expect(await codes(state(`trusted_hash = "${hash}"`, link), undefined, link)).toEqual([])
    } finally {
      await rm(link)
    }
  })

  it('include a notify program of the user', async () => {
    expect(await codes('notify = ["say"]\n')).toEqual(['hooks_untrusted', 'notify_taken'])
    expect(await codes(`notify = ["say"]\n${state(`trusted_hash = "${hash}"`)}`)).toEqual([])
    expect(await codes('notify = ["/r/remora-hook", "codex-notify"]\n')).toEqual(['hooks_untrusted'])
  })

  it('include hooks that are disabled', async () => {
    expect(await obstacles('[features]\nhooks = false\n')).toMatchObject([
      { code: 'hooks_off', message: expect.stringContaining('features.hooks is false') },
    ])
    expect(await codes('[features]\ncodex_hooks = false\n')).toEqual(['hooks_off'])
    await file('work/.codex/config.toml', '[features]\nhooks = true\n')
    expect(await codes('[features]\nhooks = false\n')).toEqual(['hooks_untrusted'])
  })

  it('include a comment, which Codex does not allow there', async () => {
    await file('.codex/hooks.json', `// mine\n${hooksText}`)
    expect(await codes('')).toEqual(['bad_settings'])
  })

  it('include a project that is not trusted', async () => {
    await file('work/.codex/hooks.json', hooksText)
    expect(await codes('', 'work/.codex/hooks.json')).toEqual(['hooks_untrusted', 'untrusted_folder'])
  })
})
