import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Event, type Message, fold } from '@remora/protocol'
import { findAgent } from '../../../../packages/sdk/src/index.ts'
import { transcriptEvents } from '../../../../packages/sdk/src/agents/transcripts.test-data.ts'
import {
  TestDatabase,
  readDump,
  readChanges,
  withTimes,
} from '../../../../packages/sdk/src/agents/opencode/database.test-data.ts'
import { hookReader } from '../../../../packages/sdk/src/agents/kiro/hook-payload.ts'
import { EventMaker } from '../../../../packages/sdk/src/events/event-maker.ts'

export interface RecordedMessages {
  readonly name: string
  readonly agent: string
  readonly events: readonly Event[]
  readonly messages: readonly Message[]
}

const agents = new URL('../../../../packages/sdk/src/agents/', import.meta.url)

/** The messages of every recorded session of every agent. */
export async function recordedMessages(): Promise<RecordedMessages[]> {
  const all: RecordedMessages[] = [kiroSession()]
  for (const agent of ['gemini', 'claude', 'codex', 'opencode'])
    for (const place of ['fixtures/', 'sessions/fixtures/']) {
      const root = new URL(`${agent}/${place}`, agents)
      if (!existsSync(root)) continue
      for (const version of readdirSync(root))
        for (const scenario of readdirSync(new URL(`${version}/`, root))) {
          const folder = new URL(`${version}/${scenario}/`, root)
          const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
            /(?:^|\/)(?:acp-)?(?:session|rollout|agent|0000).*\.jsonl?$/.test(file),
          )
          for (const file of files) {
            if (file.endsWith('.meta.json')) continue
            const events = await readEvents(agent, new URL(file, folder))
            const name = [agent, version, scenario, file].join(' ')
            all.push({ name, agent, events, messages: fold(events) })
          }
        }
    }
  return all
}

async function readEvents(agent: string, file: URL): Promise<Event[]> {
  if (agent !== 'opencode') return transcriptEvents(findAgent(agent)!, fileURLToPath(file))
  using database = new TestDatabase(withTimes(readDump(file)))
  return readChanges(database.rows).events
}

/** Kiro is recorded by its hooks only. */
function kiroSession(): RecordedMessages {
  const maker = new EventMaker({ agent: 'kiro', channel: 'hooks', source: 'hooks' })
  const reader = hookReader(maker)
  const lines = readFileSync(new URL('kiro/fixtures/documented/hooks.jsonl', agents), 'utf8')
    .trim()
    .split('\n')
  const events = lines.flatMap((line, index) => {
    maker.next(Date.UTC(2026, 0, 1) + index, String(index))
    return reader.read(JSON.parse(line) as Parameters<typeof reader.read>[0]) ?? []
  })
  return { name: 'kiro hooks', agent: 'kiro', events, messages: fold(events) }
}
