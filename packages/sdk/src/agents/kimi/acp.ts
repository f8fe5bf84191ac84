import { parseJson } from '@remora/protocol/plain'
import type { AcpPart } from '../../contract/agent.ts'
import { requireMode } from '../../contract/modes.ts'
import { leadingSlash, wordJoiner } from '../../contract/prompt-escapes.ts'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import { modes } from './modes.ts'
import { findPlanObstacle } from './plan-obstacle.ts'
import { profile } from './profile.ts'
import { shellTool, toClaude, tools } from './tools.ts'

/** Notices about the context that Kimi sends as text of the model. */
const remarks =
  /^(?<noise>Compaction completed\.\n- Messages compacted: |Compacting conversation context|Compaction cancelled\.$|Compaction is blocked by the current turn)/

export const acp: AcpPart = {
  invocation(version, { mode } = {}) {
    const found = mode === undefined ? undefined : requireMode({ title: profile.title, modes }, mode, version)
    if (found?.id === 'acceptEdits')
      throw createUnsupportedError(profile.title, 'the mode acceptEdits over ACP', 'Use it with remora run.')
    return { args: ['acp'] }
  },
  escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: wordJoiner }],
  planObstacle: findPlanObstacle,
  toClaude,
  nativeName,
  readAskedInput,
  hostTool,
  quirks: () => ({ remarks, guessesMode: true }),
}

/** The title is the name of the tool until the call begins, and what the tool does then. */
function nativeName(call: AgentRecord): string | undefined {
  const title = asString(call['firstTitle']) ?? ''
  return Object.hasOwn(tools, title) || title.startsWith('mcp__') ? title : undefined
}

/**
 * A request names the tool and the beginning of what it does: the first fifty characters of a command, or the path of a
 * file. The whole input was sent before, as the text of a call that has not begun. It is not sent for the calls of
 * sub-agents, whose ids may be those of other calls. So the input counts only if it belongs to what the request shows.
 */
function readAskedInput(asked: AgentRecord, call: AgentRecord): unknown {
  const tool = asString(asked['title'])
  // A question is asked once its call has begun, and the request shows it.
  if (tool === 'AskUserQuestion' && call['rawInput'] !== undefined) return call['rawInput']
  if (tool === undefined || tool !== call['title'] || call['status'] === 'completed') return undefined
  const input = parseInput(listTexts(call).join(''))
  if (!input) return undefined
  const shown = asString(tool === shellTool ? input['command']?.toString().slice(0, 50) : input['path'])
  return listTexts(asked).some((text) => text.includes(shown ?? '')) ? input : undefined
}

function listTexts({ content }: AgentRecord): string[] {
  const entries = Array.isArray(content) ? (content as unknown[]) : []
  return entries.flatMap((entry) => asString(asRecord(asRecord(entry)?.['content'])?.['text']) ?? [])
}

function parseInput(text: string): AgentRecord | undefined {
  try {
    return asRecord(parseJson(text))
  } catch {
    return undefined
  }
}

/** Kimi itself writes the registered name of a tool into the title of a request. */
function hostTool(server: string, request: AgentRecord): string | undefined {
  const prefix = `mcp__${server}__`
  const title = asString(asRecord(request['toolCall'])?.['title'])
  return title?.startsWith(prefix) ? title.slice(prefix.length) : undefined
}
