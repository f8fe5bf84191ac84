import type { Ledger } from '@remora/ledger'
import type { Event } from '@remora/protocol'

/** Text for paragraphs of different lengths, the same each time. */
const sentence =
  'The parser reads a line, keeps what it does not know, and hands the rest to the fold, which joins what belongs together.'

/**
 * Writes a session with this many messages to the ledger like a transcript: prompt, Markdown answer, tool call and
 * result, repeated.
 */
export async function writeLongSession(ledger: Ledger, session: string, messages: number): Promise<void> {
  const began = Date.now() - messages * 1_000
  let batch: Event[] = []
  for (let turn = 0; turn * 2 < messages; turn++) {
    batch.push(...turnEvents(session, turn, began + turn * 2_000))
    if (batch.length < 2_000) continue
    await ledger.append([{ events: batch }])
    batch = []
  }
  await ledger.append([{ events: batch }])
}

function turnEvents(session: string, turn: number, at: number): Event[] {
  const common = (entity: string, key: string) => ({
    agent: 'gemini',
    session,
    entity,
    at,
    origin: { channel: 'transcripts' as const, source: `/long/${session}.jsonl`, key: `${turn}:${key}` },
  })
  const begin: Event[] =
    turn === 0
      ? [{ type: 'session', ...common('session', 's'), cwd: '/long', title: 'A long conversation' }]
      : []
  return [
    ...begin,
    {
      type: 'message',
      ...common(`prompt-${turn}`, 'p'),
      role: 'user',
      content: [{ type: 'text', text: `Question ${turn}: ${sentence.slice(0, 20 + ((turn * 37) % 90))}` }],
    },
    {
      type: 'text',
      ...common(`text-${turn}`, 't'),
      message: `m-${turn}`,
      offset: 0,
      final: true,
      text: answer(turn),
    },
    {
      type: 'tool_use',
      ...common(`call-${turn}`, 'u'),
      message: `m-${turn}`,
      name: turn % 3 === 0 ? 'Read' : 'Bash',
      input:
        turn % 3 === 0
          ? { file_path: `/long/src/file-${turn}.ts` }
          : { command: `npm test -- --run case-${turn}` },
    },
    {
      type: 'tool_result',
      ...common(`call-${turn}`, 'r'),
      status: turn % 11 === 0 ? 'error' : 'success',
      content: Array.from({ length: 1 + (turn % 30) }, (_, line) => `line ${line} of ${turn}`).join('\n'),
    },
  ] as Event[]
}

function answer(turn: number): string {
  const paragraphs = Array.from({ length: 1 + (turn % 4) }, () => sentence.repeat(1 + (turn % 3)))
  const code =
    turn % 5 === 0
      ? ['```ts\nconst answer = (turn: number) => turn * 2\nconsole.log(answer(' + turn + '))\n```']
      : []
  return [`Answer ${turn}, with **weight** and \`code\`.`, ...paragraphs, ...code, '- first\n- second'].join(
    '\n\n',
  )
}
