import { appendFile, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Place } from '../../contract/agent.ts'
import { acpOutputs } from './acp-outputs.ts'
import { writeInto } from './folder.test-data.ts'

const session = '00000001-0000-4000-8000-000000000000'
const fixture = (name: string) => readFile(join(import.meta.dirname, 'fixtures', name), 'utf8')

let place: Place
let chats = ''
beforeEach(async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'remora-outputs-')))
  place = { env: {}, home, cwd: join(home, 'work'), version: '0.61.0' }
  chats = join(home, '.gemini', 'tmp', 'work', 'chats')
  await writeInto(home, 'work/.keep', '')
  await writeInto(home, '.gemini/projects.json', JSON.stringify({ projects: { [place.cwd]: 'work' } }))
})
afterEach(() => rm(place.home, { recursive: true, force: true }))

describe('acpOutputs', () => {
  it.each([
    ['0.61.0', 'jsonl', 'run_shell_command__run_shell_command_1767225600001_0'],
    ['0.34.0', 'json', 'run_shell_command-1767225600001'],
  ])('finds the output of a command in a file of %s', async (version, ending, call) => {
    const text = await fixture(`${version}/shell/acp-session.${ending}`)
    await writeInto(chats, `session-2026-01-01T00-00-00000001.${ending}`, text)
    const outputs = await acpOutputs(place, session, [call, 'another'])
    expect([...outputs.keys()]).toEqual([call])
    expect(outputs.get(call)).toEqual({
      content: expect.stringMatching(/Output: shell-out\nProcess Group PGID: \d+/) as string,
      status: 'success',
    })
  })

  it('returns the last output of a call, also from a rewritten history', async () => {
    const name = 'session-2026-01-01T00-00-00000001.jsonl'
    const result = (output: string) => [{ functionResponse: { id: 'a', response: { output } } }]
    const lines = (...records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')
    const answer = (output?: string) => ({
      id: 'g',
      type: 'gemini',
      toolCalls: [
        { id: 'a', name: 'read_file', ...(output === undefined ? {} : { result: result(output) }) },
      ],
    })
    await writeInto(chats, name, lines({ sessionId: session }, answer(), answer('early'), answer('late')))
    expect(await acpOutputs(place, session, ['a'])).toEqual(new Map([['a', { content: 'late' }]]))
    await appendFile(join(chats, name), lines({ $set: { messages: [answer('rewritten')] } }))
    expect(await acpOutputs(place, session, ['a'])).toEqual(new Map([['a', { content: 'rewritten' }]]))
    await appendFile(join(chats, name), lines({ id: 'u', type: 'user', content: result('alone') }))
    expect(await acpOutputs(place, session, ['a'])).toEqual(new Map([['a', { content: 'alone' }]]))
    // A running call and a half-written line have no output.
    await appendFile(join(chats, name), `${lines(answer())}{"id":"u","content":[{"id":"a"`)
    expect(await acpOutputs(place, session, ['a'])).toEqual(new Map([['a', { content: 'alone' }]]))
  })

  it('returns nothing for a session without a file', async () => {
    expect(await acpOutputs(place, session, ['a'])).toEqual(new Map())
  })
})
