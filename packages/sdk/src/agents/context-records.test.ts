import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Message, fold, getMessageText } from '@remora/protocol'
import { describe, expect, it } from 'vitest'
import type { Agent } from '../contract/agent.ts'
import { builtInAgents } from './built-in.ts'
import { readUserMessage } from './codex/user-message.ts'
import { codex } from './codex/index.ts'
import { gemini } from './gemini/index.ts'
import { TestDatabase, readDump, readChanges, withTimes } from './opencode/database.test-data.ts'
import { opencode } from './opencode/index.ts'
import { transcriptEvents } from './transcripts.test-data.ts'

/** How texts begin that a CLI writes in the user's name: environment, reminders, caveats, reports. */
const notTyped =
  /^\s*(?:<[a-z]+(?:[_-][a-z]+)+[ >]|<INSTRUCTIONS>|<permissions instructions>|# AGENTS\.md instructions|\[Request interrupted|Caveat: |System: )/

/** Every session file among an agent's fixtures. */
function listFiles(agent: Agent): string[] {
  return ['fixtures', 'sessions/fixtures']
    .map((folder) => fileURLToPath(new URL(`./${agent.id}/${folder}/`, import.meta.url)))
    .filter(existsSync)
    .flatMap((root) =>
      readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((file) => /(?:^|\/)(?:(?:acp-)?session[\d-]*|rollout-.*|[\da-f-]{36})\.jsonl?$/.test(file))
        .map((file) => join(root, file)),
    )
}

async function readMessages(agent: Agent, file: string): Promise<Message[]> {
  if (agent !== opencode) return fold(await transcriptEvents(agent, file))
  using database = new TestDatabase(withTimes(readDump(new URL(`file://${file}`))))
  return fold(readChanges(database.rows).events)
}

describe.each(
  builtInAgents.filter(({ transcripts }) => transcripts).map((agent) => [agent.title, agent] as const),
)('%s', (_, agent) => {
  it('never reads a context record as text of the user', async () => {
    const files = listFiles(agent)
    expect(files.length).toBeGreaterThan(10)
    let contexts = 0
    for (const file of files) {
      const messages = (await readMessages(agent, file)).filter(({ role }) => role === 'user')
      contexts += messages.filter(({ context }) => context).length
      const typed = messages.filter(({ context }) => !context).map((message) => getMessageText(message))
      expect(
        typed.filter((text) => notTyped.test(text)),
        file,
      ).toEqual([])
    }
    // OpenCode and Claude keep their context apart from the user's messages in most sessions.
    if (agent === gemini || agent === codex) expect(contexts).toBeGreaterThan(10)
  })
})

it('reads the record that Codex 0.169.0 writes after a cancel as context', () => {
  const text =
    '<turn_aborted>\nThe user interrupted the previous turn on purpose. Any running unified exec processes may still be running in the background. If any tools/commands were aborted, they may have partially executed.\n</turn_aborted>'
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }
  expect(readUserMessage(item).from).toBe('context')
})
