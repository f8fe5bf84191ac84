import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Event } from '@remora/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Place } from '../../contract/agent.ts'
import { readTranscript } from '../../channels/transcripts/read-transcript.ts'
import { filesBelow, writeInto } from './folder.test-data.ts'
import { gemini } from './index.ts'
import { restore } from './restore-transcript.ts'
import { readSessionFile } from './session-files.ts'
import { hashProject } from './session-place.ts'

const id = '247a8d8a-4b48-46e2-b7fd-0b932556739a'
const began = '2026-01-01T00:00:00.000Z'
const name = 'session-2026-01-01T00-00-247a8d8a.jsonl'
const stubName = 'session-2026-01-01T00-07-247a8d8a.jsonl'
const header = { sessionId: id, projectHash: 'p', startTime: began, lastUpdated: began, kind: 'main' }
const context = { id: 'c', timestamp: began, type: 'user', content: [{ text: '<session_context>\nToday' }] }
const user = (text: string) => ({ id: `u-${text}`, timestamp: began, type: 'user', content: [{ text }] })
const answer = (text: string, more: object = {}) => ({
  id: `g-${text}`,
  timestamp: began,
  type: 'gemini',
  content: text,
  ...more,
})
const start = [header, { $set: { messages: [context] } }]
const lines = (...records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')

let place: Place
let chats = ''
beforeEach(async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'remora-restore-')))
  place = { env: {}, home, cwd: join(home, 'work'), version: '0.61.0' }
  chats = join(home, '.gemini', 'tmp', 'work', 'chats')
  await writeInto(home, 'work/.keep', '')
  // With retention off nothing is added.
  await settings({ general: { sessionRetention: { enabled: false } } })
})
afterEach(() => rm(place.home, { recursive: true, force: true }))

const settings = (value: object) => writeInto(place.home, '.gemini/settings.json', JSON.stringify(value))

/** Reads the events of the existing files, as an import does. */
async function readEvents(...names: string[]): Promise<Event[]> {
  const events: Event[] = []
  for (const each of names)
    for await (const batch of readTranscript(gemini, join(chats, each)))
      for (const record of batch.records) events.push(...record.events)
  return events
}

/** Reads files with these records, deletes them, and returns the files that a restore would write. */
async function lost(files: Record<string, string>) {
  for (const [each, text] of Object.entries(files)) await writeInto(chats, each, text)
  const events = await readEvents(...Object.keys(files))
  await rm(join(place.home, '.gemini', 'tmp'), { recursive: true })
  return events
}
const records = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object)

describe('restoring a missing session', () => {
  it('writes it unchanged, but without the records of CLI starts', async () => {
    const events = await lost({ [name]: lines(...start, user('One'), answer('First')) })
    const restored = await restore(place, { session: id, cwd: place.cwd, events })
    expect(restored).toEqual({
      files: [
        { path: join(chats, name), text: lines(header, context, user('One'), answer('First')) },
        { path: join(chats, '..', '.project_root'), text: place.cwd },
      ],
      damaged: [],
      cwd: place.cwd,
    })
  })

  it('ignores the starts of later resumes and keeps the last state of each message', async () => {
    const call = { toolCalls: [{ id: 't', name: 'glob', args: {}, status: 'success', timestamp: began }] }
    const later = [{ ...header, startTime: '2026-01-01T00:07:00.000Z' }, ...start.slice(1)]
    const events = await lost({
      [name]: lines(...start, user('One'), answer('First'), answer('First', call), ...later, user('Two'), {
        $set: { summary: 'A talk', lastUpdated: '2026-01-01T00:08:00.000Z' },
      }),
      [stubName]: lines(...later),
    })
    const { files } = await restore(place, { session: id, cwd: place.cwd, events })
    expect(files[0]!.path).toBe(join(chats, name))
    expect(records(files[0]!.text)).toEqual([
      header,
      context,
      user('One'),
      answer('First', call),
      user('Two'),
      { $set: { lastUpdated: '2026-01-01T00:08:00.000Z', summary: 'A talk' } },
    ])
  })

  it('does not restore rewound messages', async () => {
    const events = await lost({
      [name]: lines(
        ...start,
        user('One'),
        answer('First'),
        user('Wrong'),
        { $rewindTo: 'u-Wrong' },
        user('Two'),
        { $set: { messages: [context, user('One'), user('Three')] } },
        user('Four'),
      ),
    })
    const { files } = await restore(place, { session: id, cwd: place.cwd, events })
    expect(records(files[0]!.text).slice(1)).toEqual([context, user('One'), user('Three'), user('Four')])
  })

  it('restores its sub-agents', async () => {
    const subagent = lines({ ...header, sessionId: 'helper', kind: 'subagent' }, user('Look'), answer('Seen'))
    const events = await lost({
      [name]: lines(...start, user('One'), answer('First')),
      [`${id}/helper.jsonl`]: subagent,
    })
    const { files } = await restore(place, { session: id, cwd: place.cwd, events })
    expect(files[1]).toEqual({ path: join(chats, id, 'helper.jsonl'), text: subagent })
  })

  it('prevents deletion by age at the next start', async () => {
    await settings({})
    const events = await lost({ [name]: lines(...start, user('One'), answer('First')) })
    const { files } = await restore(place, { session: id, cwd: place.cwd, events })
    await writeInto(chats, name, files[0]!.text)
    const file = await readSessionFile(join(chats, name))
    expect(file).toMatchObject({ id, spoken: true, startTime: Date.parse(began) })
    expect(file!.lastUpdated).toBeGreaterThan(Date.now() - 60_000)
  })

  it('uses a file name of an earlier minute, so that a load does not write into it', async () => {
    const now = new Date().toISOString()
    const events = await lost({ [name]: lines({ ...header, startTime: now }, user('One')) })
    const { files } = await restore(place, { session: id, cwd: place.cwd, events })
    const [, minute = ''] = /session-(.{16})/.exec(files[0]!.path) ?? []
    expect(minute < now.slice(0, 16).replace(':', '-')).toBe(true)
  })

  it('replaces a damaged header', async () => {
    await writeInto(chats, name, lines(user('One')))
    const events = (await readEvents(name)).map((event) => ({ ...event, session: id }))
    await rm(chats, { recursive: true })
    const { files } = await restore(place, { session: id, cwd: place.cwd, events })
    expect(records(files[0]!.text)[0]).toEqual({
      sessionId: id,
      projectHash: hashProject(place.cwd),
      startTime: began,
      kind: 'main',
    })
  })

  it('fails if the ledger has none of its messages', async () => {
    const events = await lost({ [name]: lines(...start) })
    const restored = restore(place, { session: id, cwd: place.cwd, events })
    await expect(restored).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('restoring an existing session', () => {
  it('leaves it unchanged', async () => {
    await writeInto(chats, name, lines(...start, user('One')))
    await writeInto(chats, '../.project_root', place.cwd)
    const events = await readEvents(name)
    expect(await restore(place, { session: id, cwd: place.cwd, events })).toEqual({
      files: [],
      damaged: [],
      intact: join(chats, name),
      cwd: place.cwd,
    })
  })

  it('repairs one that the CLI finds empty and moves stubs aside', async () => {
    await writeInto(chats, name, lines(...start, user('One'), answer('First'), ...start))
    await writeInto(chats, stubName, lines(...start))
    await writeInto(chats, '../.project_root', place.cwd)
    const events = await readEvents(name, stubName)
    const { files, damaged, intact } = await restore(place, { session: id, cwd: place.cwd, events })
    expect(intact).toBeUndefined()
    expect(damaged).toEqual([join(chats, name), join(chats, stubName)])
    expect(files).toEqual([
      { path: join(chats, name), text: lines(header, context, user('One'), answer('First')) },
    ])
  })
})

describe('a document of an old version', () => {
  const document = (...messages: object[]) => JSON.stringify({ ...header, messages }, undefined, 2)
  const old = name.replace('.jsonl', '.json')

  it('becomes lines for a new version and stays a document for an old one', async () => {
    const events = await lost({ [old]: document(user('One'), answer('First')) })
    const newest = await restore(place, { session: id, cwd: place.cwd, events })
    expect(newest.files[0]).toEqual({
      path: join(chats, name),
      text: lines(header, user('One'), answer('First')),
    })
    const same = await restore({ ...place, version: '0.34.0' }, { session: id, cwd: place.cwd, events })
    expect(same.files[0]).toEqual({ path: join(chats, old), text: document(user('One'), answer('First')) })
    const oldest = await restore({ ...place, version: '0.27.4' }, { session: id, cwd: place.cwd, events })
    const folder = join(place.home, '.gemini', 'tmp', hashProject(place.cwd), 'chats')
    expect(oldest.files.map(({ path }) => path)).toEqual([join(folder, old)])
  })

  it('drops messages that were rewound between two reads', async () => {
    await writeInto(chats, old, document(user('One'), answer('First'), user('Wrong')))
    const events = await readEvents(old)
    await writeInto(chats, old, document(user('One'), answer('First'), user('Two')))
    events.push(...(await readEvents(old)))
    await rm(chats, { recursive: true })
    const { files } = await restore(place, { session: id, cwd: place.cwd, events })
    expect(records(files[0]!.text).slice(1)).toEqual([user('One'), answer('First'), user('Two')])
  })
})

describe('the folder of a project', () => {
  const findFolder = async () => {
    const events = await lost({
      [name]: lines({ ...header, projectHash: hashProject(place.cwd) }, user('One')),
    })
    return async () => {
      const { files } = await restore(place, { session: id, cwd: place.cwd, events })
      return files.map(({ path }) => path.slice(join(place.home, '.gemini', 'tmp').length + 1))
    }
  }
  const put = (file: string, text: string) => writeInto(place.home, `.gemini/${file}`, text)

  it('is the registered one', async () => {
    const restored = await findFolder()
    await put('projects.json', JSON.stringify({ projects: { [place.cwd]: 'mine' } }))
    expect(await restored()).toEqual([`mine/chats/${name}`, 'mine/.project_root'])
  })

  it('is the one with its marker if the registry is missing or wrong', async () => {
    const restored = await findFolder()
    await put('history/mine/.project_root', place.cwd)
    expect(await restored()).toEqual([`mine/chats/${name}`, 'mine/.project_root'])
    await put('projects.json', JSON.stringify({ projects: { [place.cwd]: 'other' } }))
    await put('tmp/other/.project_root', '/another/project')
    expect(await restored()).toEqual([`mine/chats/${name}`, 'mine/.project_root'])
  })

  it('is a new one with an unused name', async () => {
    const restored = await findFolder()
    await put('projects.json', JSON.stringify({ projects: { '/a/work': 'work' } }))
    await put('history/work-1/.project_root', '/b/work')
    expect(await restored()).toEqual([`work-2/chats/${name}`, 'work-2/.project_root'])
  })

  it('is that of an old version until the CLI migrates it', async () => {
    const restored = await findFolder()
    const hash = hashProject(place.cwd)
    await put(`tmp/${hash}/logs.json`, '[]')
    await put('tmp/work/.project_root', place.cwd)
    expect(await restored()).toEqual([`${hash}/chats/${name}`])
    await put('tmp/work/logs.json', '[]')
    expect(await restored()).toEqual([`work/chats/${name}`])
  })

  it('is found by its hash if the session does not name its folder', async () => {
    const events = await lost({
      [name]: lines({ ...header, projectHash: hashProject(place.cwd) }, user('One')),
    })
    const { cwd } = await restore(place, { session: id, events })
    expect(cwd).toBe(place.cwd)
    const elsewhere = { ...place, cwd: place.home }
    await expect(restore(elsewhere, { session: id, events })).rejects.toMatchObject({
      code: 'not_found',
      hint: expect.stringContaining('--cwd') as string,
    })
    await put('projects.json', JSON.stringify({ projects: { [place.cwd]: 'work' } }))
    expect((await restore(elsewhere, { session: id, events })).cwd).toBe(place.cwd)
    expect(await filesBelow(chats)).toEqual([])
  })
})
