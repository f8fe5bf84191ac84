import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Place } from '../../contract/agent.ts'
import { gemini } from './index.ts'

describe('health', () => {
  let home: string
  let cwd: string
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'remora-gemini-'))
    cwd = join(home, 'work')
    await mkdir(cwd)
  })
  afterEach(() => rm(home, { recursive: true, force: true }))

  async function file(path: string, content: unknown): Promise<void> {
    const full = join(home, path)
    await mkdir(dirname(full), { recursive: true })
    await writeFile(full, typeof content === 'string' ? content : JSON.stringify(content))
  }
  const check = (place: Partial<Place> = {}) =>
    gemini.health({ home, cwd, env: {}, version: '0.61.0', ...place })
  const codes = async (place?: Partial<Place>) => (await check(place)).map((problem) => problem.code)

  const calm = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    general: { sessionRetention: { enabled: false } },
  }
  const key = { GEMINI_API_KEY: 'fake', GEMINI_CLI_TRUST_WORKSPACE: 'true' }

  it('reports no problem for a good home', async () => {
    await file('.gemini/settings.json', calm)
    expect(await check({ env: key })).toEqual([])
  })

  it('reports every problem of an empty home', async () => {
    expect(await codes()).toEqual(['no_credentials', 'untrusted_folder', 'session_retention'])
  })

  it('moves with GEMINI_CLI_HOME', async () => {
    await file('moved/.gemini/settings.json', calm)
    expect(await codes({ env: { ...key, GEMINI_CLI_HOME: join(home, 'moved') } })).toEqual([])
    expect(await codes({ env: key })).toEqual(['session_retention'])
  })

  describe('credentials', () => {
    const problems = async (env: Record<string, string>, settings?: object) => {
      if (settings) await file('.gemini/settings.json', settings)
      const found = await check({ env: { GEMINI_CLI_TRUST_WORKSPACE: 'true', ...env } })
      return found.filter((problem) => problem.code === 'no_credentials' || problem.code === 'login_ended')
    }
    const selected = (selectedType: string) => ({ security: { auth: { selectedType } } })

    it.each<[string, Record<string, string>, string | undefined]>([
      ['a key', { GEMINI_API_KEY: 'x' }, undefined],
      [
        'Vertex by project',
        { GOOGLE_GENAI_USE_VERTEXAI: 'true', GOOGLE_CLOUD_PROJECT: 'p', GOOGLE_CLOUD_LOCATION: 'l' },
        undefined,
      ],
      ['Vertex by key', { GOOGLE_API_KEY: 'x' }, 'vertex-ai'],
      ['Code Assist', { GOOGLE_CLOUD_PROJECT: 'p' }, 'oauth-personal'],
      ['a gateway', { GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:1' }, undefined],
      ['Cloud Shell', { CLOUD_SHELL: 'true' }, undefined],
      ['default credentials', { GEMINI_CLI_USE_COMPUTE_ADC: 'true' }, undefined],
      ['a kind of the future', {}, 'something-new'],
    ])('accepts %s', async (_name, env, type) => {
      expect(await problems(env, type === undefined ? undefined : selected(type))).toEqual([])
    })

    it.each<[string, Record<string, string>, string, string]>([
      ['no key', {}, 'gemini-api-key', 'GEMINI_API_KEY is not set'],
      ['an empty key', { GEMINI_API_KEY: '' }, 'gemini-api-key', 'GEMINI_API_KEY is not set'],
      ['half of Vertex', { GOOGLE_CLOUD_PROJECT: 'p' }, 'vertex-ai', 'Vertex AI is selected'],
    ])('rejects %s', async (_name, env, type, message) => {
      expect(await problems(env, selected(type))).toEqual([
        {
          code: 'no_credentials',
          message: expect.stringContaining(message),
          hint: expect.stringContaining(`in ${home}/.gemini/settings.json, now "${type}"`),
        },
      ])
    })

    it('accepts a key that the CLI stores itself', async () => {
      await file('.gemini/gemini-credentials.json', '{}')
      expect(await problems({}, selected('gemini-api-key'))).toEqual([])
    })

    it.each(['work/.env', 'work/.gemini/.env', '.gemini/.env', '.env'])(
      'a key in %s will do',
      async (path) => {
        await file(path, '# mine\nexport GEMINI_API_KEY="abc"\n')
        expect(await problems({})).toEqual([])
      },
    )

    it.each(['GEMINI_API_KEY=\nOTHER=x\n', 'GEMINI_API_KEY= \r\nOTHER=x\r\n', 'GEMINI_API_KEY\n=x\n'])(
      'a key without a value, %j, will not',
      async (text) => {
        await file('work/.env', text)
        expect((await problems({})).map(({ code }) => code)).toEqual(['no_credentials'])
      },
    )

    it('names the setting to change, because the CLI ignores a key of another auth type', async () => {
      const [problem] = await problems({ GEMINI_API_KEY: 'x' }, selected('oauth-personal'))
      expect(problem).toMatchObject({
        code: 'login_ended',
        hint:
          `Change security.auth.selectedType in ${home}/.gemini/settings.json, now "oauth-personal", ` +
          'to "gemini-api-key" and set GEMINI_API_KEY (a key from https://aistudio.google.com/apikey); ' +
          'or to "vertex-ai" and set GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION, or GOOGLE_API_KEY; ' +
          'or keep it and set GOOGLE_CLOUD_PROJECT (Code Assist Standard or Enterprise).',
      })
      expect(await problems({ GEMINI_API_KEY: 'x' }, selected('gemini-api-key'))).toEqual([])
    })

    it('reports the end of personal login if it is selected or the only credential', async () => {
      const ended = [
        {
          code: 'login_ended',
          message: expect.stringMatching(/ended on 2026-06-18.*API key, Vertex AI and Code Assist work/),
          hint: expect.stringContaining('GEMINI_API_KEY'),
        },
      ]
      expect(await problems({ GOOGLE_GENAI_USE_GCA: 'true' })).toEqual(ended)
      await file('.gemini/oauth_creds.json', '{}')
      expect(await problems({})).toEqual(ended)
      expect(await problems({}, selected('oauth-personal'))).toEqual(ended)
    })
  })

  describe('trust', () => {
    const trust = async (rules: unknown, place: Partial<Place> = {}) => {
      await file('.gemini/settings.json', calm)
      await file('.gemini/trustedFolders.json', rules)
      return check({ env: { GEMINI_API_KEY: 'x' }, ...place })
    }

    it.each<[string, (cwd: string) => object, boolean]>([
      ['the folder', (path) => ({ [path]: 'TRUST_FOLDER' }), true],
      ['a folder above', (path) => ({ [dirname(path)]: 'TRUST_FOLDER' }), true],
      ['the parent of a sibling', (path) => ({ [join(dirname(path), 'sibling')]: 'TRUST_PARENT' }), true],
      ['a sibling', (path) => ({ [join(dirname(path), 'sibling')]: 'TRUST_FOLDER' }), false],
      ['a name that only begins alike', (path) => ({ [path.slice(0, -1)]: 'TRUST_FOLDER' }), false],
      ['above, but not here', (path) => ({ [dirname(path)]: 'TRUST_FOLDER', [path]: 'DO_NOT_TRUST' }), false],
    ])('%s', async (_name, rules, trusted) => {
      expect((await trust(rules(cwd))).map((problem) => problem.code)).toEqual(
        trusted ? [] : ['untrusted_folder'],
      )
    })

    it('follows links', async () => {
      await symlink(cwd, join(home, 'link'))
      expect(await trust({ [cwd]: 'TRUST_FOLDER' }, { cwd: join(home, 'link') })).toEqual([])
    })

    it('is not required if it is off, explicitly or by default', async () => {
      expect(await trust({}, { version: '0.27.4' })).toEqual([])
      await file('.gemini/settings.json', {
        ...calm,
        security: { ...calm.security, folderTrust: { enabled: false } },
      })
      expect(await check({ env: { GEMINI_API_KEY: 'x' } })).toEqual([])
    })

    it('uses the variable only in versions that support it', async () => {
      expect(await trust({}, { env: key, version: '0.34.0' })).toEqual([
        {
          code: 'untrusted_folder',
          message: `Gemini CLI does not trust ${cwd} yet: ${home}/.gemini/trustedFolders.json has no rule for it`,
          hint: 'Start gemini in that folder once and choose to trust it.',
        },
      ])
      const refused = await trust(
        { [cwd]: 'TRUST_FOLDER' },
        { env: { ...key, GEMINI_CLI_TRUST_WORKSPACE: 'false' } },
      )
      expect(refused.map((problem) => problem.code)).toEqual(['untrusted_folder'])
    })

    it('reports a broken file as a separate problem', async () => {
      expect(await trust('{"a": ')).toEqual([
        {
          code: 'bad_settings',
          message: expect.stringContaining('trustedFolders.json is malformed: line 1'),
          hint: expect.any(String),
        },
      ])
    })
  })

  it('names the file that disables hooks', async () => {
    await file('.gemini/settings.json', calm)
    await file('work/.gemini/settings.json', '{ "hooksConfig": { "enabled": false } } // off')
    expect(await check({ env: key })).toEqual([
      {
        code: 'hooks_off',
        message: `Gemini CLI runs no hooks: hooksConfig.enabled is false in ${cwd}/.gemini/settings.json`,
        hint: expect.stringContaining('"enabled": true'),
      },
    ])
    expect(await codes({ env: key, version: '0.25.0', cwd: home })).toEqual(['hooks_off'])
  })

  it('explains how to keep resumed sessions only if retention deletes them', async () => {
    await file('.gemini/settings.json', { security: calm.security })
    const problem = {
      code: 'session_retention',
      message: expect.stringContaining('deletes sessions that were resumed'),
      hint: `Run remora agents guard, which sets "general": {"sessionRetention": {"enabled": false}} in ${home}/.gemini/settings.json.`,
    }
    expect(await check({ env: key })).toEqual([problem])
    expect(await check({ env: key, version: '0.39.1' })).toEqual([problem])
    expect(await codes({ env: { GEMINI_API_KEY: 'x' }, version: '0.34.0' })).toEqual(['untrusted_folder'])
  })

  it.each([
    ['{ "security": ', 'line 1'],
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3'],
    ['[]', 'holds no object'],
    // Every version refuses to start with this file.
    ['{ "privacy": {}, }', 'line 1'],
  ])('reports a settings file %j', async (content, where) => {
    await file('.gemini/settings.json', content)
    const [first] = await check({ env: key })
    expect(first).toEqual({
      code: 'bad_settings',
      message: expect.stringContaining(where),
      hint: expect.stringContaining('Correct it'),
    })
  })

  it('reports a folder in place of the settings file', async () => {
    await mkdir(join(home, '.gemini/settings.json'), { recursive: true })
    const [first] = await check({ env: key })
    expect(first).toMatchObject({
      code: 'bad_settings',
      message: expect.stringContaining('cannot be read (EISDIR)'),
    })
  })

  it('accepts comments, a BOM and an empty file', async () => {
    await file('.gemini/settings.json', `\uFEFF// mine\n${JSON.stringify(calm)}`)
    expect(await check({ env: key })).toEqual([])
    await file('.gemini/settings.json', '')
    expect(await codes({ env: key })).toEqual(['session_retention'])
  })
})
