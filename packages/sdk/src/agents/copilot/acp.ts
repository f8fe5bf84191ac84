import type { AcpPart } from '../../contract/agent.ts'
import { requireMode } from '../../contract/modes.ts'
import { leadingSlash, wordJoiner } from '../../contract/prompt-escapes.ts'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { modes } from './modes.ts'
import { profile } from './profile.ts'
import { shellTool, toClaude } from './tools.ts'

/** Notices that Copilot sends as text of the model: a written file, a denied call, a retry. */
const remarks =
  /^Info: (?:(?<noise>(?:\/|[A-Z]:\\)[^\n]*|Operation cancelled by user)$|(?:Request failed|Response was interrupted) due to)/

/** How 1.0.89 and 1.0.102 word the errors of a turn, which ends as if it had succeeded. */
const failureText =
  /^Error: (?:Authentication failed with provider|Failed to get response from the AI model|No response was returned|\d{3} |.*\(HTTP \d{3}\))/

export const acp: AcpPart = {
  invocation(version, { mode, model } = {}) {
    const args = ['--acp']
    if (mode !== undefined && mode !== 'plan')
      args.push(...requireMode({ title: profile.title, modes }, mode, version).args)
    if (model !== undefined) args.push('--model', model)
    return { args }
  },
  escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: wordJoiner }],
  toClaude,
  nativeName,
  hostTool,
  quirks: () => ({ remarks, failureText }),
}

/** Copilot sets the protocol's kind, and the fields distinguish the tools of one kind. */
function nativeName(call: AgentRecord): string | undefined {
  const input = asRecord(call['rawInput']) ?? {}
  const title = asString(call['firstTitle']) ?? asString(call['title']) ?? ''
  switch (call['kind']) {
    case 'execute':
      return 'command' in input ? shellTool : undefined
    case 'edit':
      // The input of the request replaces that of the call.
      return 'file_text' in input || /^Creat(?:e file$|ing )/.test(title) ? 'create' : 'edit'
    case 'read':
      if ('path' in input && !('pattern' in input)) return 'view'
      return title.startsWith('Searching') ? 'grep' : 'glob'
    default:
      return readNameInTitle(call)
  }
}

/**
 * Copilot names the tool of a server in the title of the call, and without the server in the title of the request. Other
 * calls whose title is written by the model have the same title in both.
 */
function hostTool(server: string, request: AgentRecord, reported: AgentRecord): string | undefined {
  const asked = asRecord(request['toolCall'])
  const title = asString(asked?.['title'])
  const isServer = asked?.['kind'] === 'other' && reported['firstTitle'] === `${server}-${title}`
  return isServer ? title : undefined
}

/** The name of a tool is the title of its calls where Copilot has no other. */
function readNameInTitle(call: AgentRecord): string | undefined {
  const title = asString(call['firstTitle'])
  return title !== undefined && /^[\w-]+$/.test(title) ? title : undefined
}
