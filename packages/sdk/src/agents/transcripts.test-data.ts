import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Event } from '@remora/protocol'
import type { Agent, Place } from '../contract/agent.ts'
import { readTranscript } from '../channels/transcripts/read-transcript.ts'
import type { Recording } from './streams.test-data.ts'

/** A session file that a real CLI wrote, and what the model had been told to say. */
export interface RecordedSession {
  readonly version: string
  readonly scenario: string
  /** What the CLI ran as: headless, or in ACP. */
  readonly way: 'headless' | 'acp'
  readonly path: string
  /** Where it lay, from the root of the agent's transcripts. */
  readonly place: string
  readonly script: Recording['script']
}

/** The session files among an agent's fixtures. @example recordedSessions(import.meta.url) */
export function recordedSessions(test: string): RecordedSession[] {
  const root = fileURLToPath(new URL('fixtures/', test))
  return readdirSync(root).flatMap((version) =>
    readdirSync(join(root, version)).flatMap((scenario) => {
      const folder = join(root, version, scenario)
      const { sessions = [] } = JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8')) as {
        sessions?: string[]
      }
      return (['headless', 'acp'] as const).flatMap((way) => {
        const stem = way === 'acp' ? 'acp-session' : 'session'
        const path = ['.jsonl', '.json'].map((end) => join(folder, stem + end)).find(existsSync)
        if (path === undefined) return []
        return [{ version, scenario, way, path, place: sessions[0] ?? '', script: findScript(scenario) }]
      })
    }),
  )
}

function findScript(scenario: string): Recording['script'] {
  const url = new URL(`../../../scripted-model/scenarios/${scenario}.json`, import.meta.url)
  return JSON.parse(readFileSync(url, 'utf8')) as Recording['script']
}

/** Every event of a transcript, each checked against the schema. */
export async function transcriptEvents(agent: Agent, path: string): Promise<Event[]> {
  const events: Event[] = []
  for await (const { records } of readTranscript(agent, path))
    for (const record of records) events.push(...record.events.map((event) => Event.parse(event)))
  return events
}

/** What the model was told to say in all turns. */
export function wholeScript({ script }: Pick<RecordedSession, 'script'>) {
  const replies = script.turns.flat()
  return {
    words: replies.flatMap(({ text: words }) => (words === undefined ? [] : [[words].flat().join('')])),
    tools: replies.flatMap(({ tools = [] }) => tools.map(({ name }) => name)),
    thoughts: replies.flatMap(({ thoughts = [] }) => thoughts.map(({ subject }) => subject)),
  }
}

/** A home in which the files lie where the CLI had put them. */
export function homeWith(agent: Agent, sessions: readonly Pick<RecordedSession, 'path' | 'place'>[]) {
  const home = mkdtempSync(join(tmpdir(), 'remora-sessions-'))
  const place: Place = { env: {}, home, cwd: home }
  const root = agent.transcripts!.root(place)
  const files = sessions.map(({ path, place: name }) => {
    const file = join(root, name)
    mkdirSync(dirname(file), { recursive: true })
    copyFileSync(path, file)
    return file
  })
  return { home, place, root, files, [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }) }
}
