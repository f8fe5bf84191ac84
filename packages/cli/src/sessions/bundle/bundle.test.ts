import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { secrets as shapes } from '../../../../protocol/src/secrets.test-data.ts'
import { TestHome, edit, hello } from '../home.test-data.ts'
import { fill, recordedWire, wireEvents } from '../trace/wired.test-data.ts'
import { Redactor } from './redact.ts'

let home: TestHome
beforeEach(() => void (home = new TestHome()))
afterEach(() => home[Symbol.dispose]())

const secrets = Object.values(shapes)
/** Secrets that are recognized by the preceding text, and the part that must be removed. */
const labelled = [
  [`Authorization: Bearer ${'abc.def-'.repeat(3)}`, 'abc.def-'],
  [`Authorization: Basic ${'dXNlcjpw'.repeat(3)}`, 'dXNlcjpw'],
  ['postgres://me:hunter2-hunter2@localhost/db', 'hunter2'],
  [`aws_secret_access_key = ${'wJalr/+9'.repeat(5)}`, 'wJalr/+9'],
] as const
const gone = [...secrets.map((secret) => secret.slice(-12)), ...labelled.map(([, part]) => part)]
const everything = [...secrets, ...labelled.map(([text]) => text)]

const sessionId = 'dddd1111-0000-4000-8000-000000000004'

/** A conversation with secrets in every place that can contain text. */
function plantedWire() {
  const text = everything.join('\n')
  const update = (fields: object) => ({
    from: 'agent' as const,
    message: { method: 'session/update', params: { sessionId, update: fields } },
  })
  const chunks = everything.flatMap((secret) => {
    const half = Math.floor(secret.length / 2)
    return [' ', secret.slice(0, half), secret.slice(half), '\n']
  })
  const chunk = (sessionUpdate: string) => (piece: string) =>
    update({ sessionUpdate, content: { type: 'text', text: piece } })
  return [
    {
      from: 'client' as const,
      message: {
        id: 1,
        method: 'session/new',
        params: {
          cwd: join(home.path, 'app'),
          mcpServers: [
            { name: 'a', command: 'a', args: [secrets[0]], env: [{ name: 'A', value: 'plain-but-private' }] },
            { name: 'b', url: 'http://b', headers: [{ name: 'X', value: 'plain-but-private' }] },
          ],
        },
      },
    },
    { from: 'agent' as const, message: { id: 1, result: { sessionId } } },
    {
      from: 'client' as const,
      message: { id: 2, method: 'session/prompt', params: { sessionId, prompt: [{ type: 'text', text }] } },
    },
    ...chunks.map(chunk('agent_thought_chunk')),
    update({
      sessionUpdate: 'tool_call',
      toolCallId: 'call',
      title: `cat ${home.path}/.env`,
      kind: 'execute',
      status: 'completed',
      rawInput: { command: text, [secrets[5]!]: 1, env: { TOKEN: 'plain-but-private' } },
      content: [{ type: 'content', content: { type: 'text', text: JSON.stringify({ text }) } }],
    }),
    update({ sessionUpdate: 'news_of_tomorrow', text, image: 'iVBORw0K'.repeat(1000) }),
    ...chunks.map(chunk('agent_message_chunk')),
    { from: 'agent' as const, message: { id: 2, error: { code: 1, message: text } } },
  ]
}

function contents(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )
}

describe('remora bundle', () => {
  it('contains no known secret in any file', async () => {
    const wire = plantedWire()
    await fill(home.path, wireEvents('gemini', wire))
    const env = {
      PATH: join(home.path, 'bin'),
      HOME: home.path,
      MY_API_KEY: 'shapeless-secret-value',
      GEMINI_CLI_PATH: '/nowhere/gemini',
    }
    await home.remora(['name', sessionId, `Named ${secrets[1]} shapeless-secret-value`])
    const packed = await home.remora(['bundle', sessionId, '--folder', '--output', 'report', '--json'], {
      env,
    })
    expect(packed).toMatchObject({ code: 0, err: '' })
    const files = contents(join(home.path, 'report'))
    expect(Object.keys(files).sort()).toEqual(
      ['README.txt', 'conversation.md', 'doctor.json', 'events.jsonl', 'versions.json', 'wire.jsonl'].sort(),
    )
    for (const [name, text] of Object.entries(files)) {
      for (const part of [...gone, 'plain-but-private', 'shapeless-secret-value', home.path, 'iVBORw0K'])
        expect(
          text.includes(part)
            ? `${text.slice(text.indexOf(part) - 80, text.indexOf(part) + 20)} in ${name}`
            : '',
        ).toBe('')
    }
    // The rest remains: every message, with the text around the secrets.
    expect(files['wire.jsonl']!.trimEnd().split('\n')).toHaveLength(wire.length)
    expect(files['wire.jsonl']).toContain('"cwd":"~/app"')
    expect(files['wire.jsonl']).toContain('"name":"A","value":"[removed]"')
    expect(files['conversation.md']).toContain('Authorization: Bearer [secret]')
    expect(files['events.jsonl']).toContain('"what":')
    const { removed } = packed.json<{ removed: Record<string, number> }>()
    expect(removed['secrets']).toBeGreaterThan(everything.length * 4)
    expect(removed).toMatchObject({ environment: expect.any(Number), attachments: expect.any(Number) })
    expect(files['README.txt']).toContain(`${removed['environment']} variable or header values`)
  })

  it('packs events, versions and doctor output', async () => {
    const wire = recordedWire('gemini', '0.61.0', 'write-file')
    await fill(home.path, wireEvents('gemini', wire))
    const { code, out } = await home.remora(['bundle', 'latest', '--output', 'report.tar.gz'])
    expect(code).toBe(0)
    expect(out).toMatch(
      /^✓ Packed .* in ~\/report\.tar\.gz\n {4}README\.txt {2,}\d+ B\n {4}events\.jsonl {2,}\d/,
    )
    const file = join(home.path, 'report.tar.gz')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    // Read by another program than ours.
    execFileSync('tar', ['-xzf', file, '-C', home.path])
    const [folder] = readdirSync(home.path).filter((name) => name.startsWith('remora-gemini-'))
    const files = contents(join(home.path, folder!))
    expect(
      files['wire.jsonl']!.trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toEqual(wire.map((message) => expect.objectContaining({ from: message.from })))
    expect(JSON.parse(files['versions.json']!)).toMatchObject({
      remora: expect.any(String),
      node: process.versions.node,
      agent: { id: 'gemini', installed: null },
      session: ['0.61.0'],
    })
    expect(JSON.parse(files['doctor.json']!)).toMatchObject([{ id: 'gemini', installed: false }])
    expect(files['conversation.md']).toContain('## You')
  })

  it('is reproducible and overwrites nothing', async () => {
    await home.add(edit)
    const pack = (...words: string[]) => home.remora(['bundle', edit.id, ...words])
    expect((await pack('--output', 'a.tar.gz')).code).toBe(0)
    expect((await pack('--output', 'b.tar.gz')).code).toBe(0)
    expect(readFileSync(join(home.path, 'a.tar.gz'))).toEqual(readFileSync(join(home.path, 'b.tar.gz')))
    writeFileSync(join(home.path, 'a.tar.gz'), 'mine')
    const refused = await pack('--output', 'a.tar.gz')
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.err).toMatch(
      /a\.tar\.gz already exists\n {2}Choose another name with --output, or add --force\n$/,
    )
    expect(readFileSync(join(home.path, 'a.tar.gz'), 'utf8')).toBe('mine')
    expect((await pack('--output', 'a.tar.gz', '--force')).code).toBe(0)
    expect(readFileSync(join(home.path, 'a.tar.gz'))).toEqual(readFileSync(join(home.path, 'b.tar.gz')))
    mkdirSync(join(home.path, 'taken'))
    expect((await pack('--folder', '--output', 'taken')).code).toBe(1)
  })

  it('reports a missing output folder', async () => {
    await home.add(edit)
    const pack = (output: string) => home.remora(['bundle', edit.id, '--output', output])
    const hint = '  Create it, or choose another path with --output\n'
    const missing = await pack('x/y/z.tar.gz')
    expect(missing).toMatchObject({ code: 1, out: '' })
    expect(missing.err).toBe(`remora: The folder ${join(home.path, 'x/y')} does not exist\n${hint}`)
    writeFileSync(join(home.path, 'file'), '')
    expect((await pack('file/z.tar.gz')).err).toBe(
      `remora: ${join(home.path, 'file')} is not a folder\n${hint}`,
    )
  })

  it('keeps transcript records of a session without ACP', async () => {
    await home.add(hello)
    const { out } = await home.remora(['bundle', hello.id, '--folder', '--output', 'report'])
    expect(out).not.toContain('wire.jsonl')
    const files = contents(join(home.path, 'report'))
    expect(files['README.txt']).not.toContain('wire.jsonl')
    expect(files['events.jsonl']).toContain('"raw":{"parentUuid":null')
  })

  it('contains the version of the ACP wrapper', async () => {
    await fill(home.path, wireEvents('claude', recordedWire('claude', '2.1.197', 'hello')))
    const bin = join(home.path, 'bin')
    const name = '@zed-industries/claude-code-acp'
    home.write(join(bin, 'package.json'), JSON.stringify({ name, version: '9.8.7' }))
    home.write(join(bin, 'claude-code-acp'), '#!/bin/sh\n')
    chmodSync(join(bin, 'claude-code-acp'), 0o755)
    await home.remora(['bundle', 'latest', '--folder', '--output', 'report'])
    const versions = JSON.parse(contents(join(home.path, 'report'))['versions.json']!) as object
    expect(versions).toMatchObject({
      wrapper: { command: 'claude-code-acp', package: name, version: '9.8.7' },
    })
  })
})

describe('redaction', () => {
  const redactor = (more: object = {}) => new Redactor({ home: '/home/me', env: {}, ...more })

  it('removes home folders in every spelling', () => {
    const about = redactor()
    expect(about.text('/home/me/app and /home/me, not /home/mellow')).toBe('~/app and ~, not /home/[user]')
    expect(about.text('"\\/home\\/me\\/app"')).toBe('"~\\/app"')
    expect(about.text('/Users/jane.doe/app')).toBe('/Users/[user]/app')
    expect(redactor({ home: 'C:\\Users\\me' }).text('C:\\\\Users\\\\me\\\\app c:/users/me/app')).toBe(
      '~\\\\app ~/app',
    )
    expect(about.removed).toMatchObject({ homePaths: 3, names: 2 })
  })

  it('removes the names of the user and of the machine', () => {
    const about = redactor({ user: 'jane', host: 'janes-laptop' })
    expect(about.text('jane@janes-laptop: -home-Jane-app, janet')).toBe(
      '[user]@[host]: -home-[user]-app, janet',
    )
    expect(redactor({ user: 'root', host: 'localhost' }).text('root of localhost')).toBe('root of localhost')
  })

  it('keeps chunks separate if that is safe', () => {
    const about = redactor()
    expect(about.texts(['see /home/me/a', ' and ', '/home/me/b'])).toEqual(['see ~/a', ' and ', '~/b'])
    expect(about.texts(['see /home/', 'me/a'])).toEqual(['see ~/a', ''])
    expect(about.removed.homePaths).toBe(3)
  })
})
