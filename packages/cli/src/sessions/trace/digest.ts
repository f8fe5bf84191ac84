import { mask } from '@remora/ledger'
import { plural, wholeNumber } from '../../output/format-number.ts'
import { oneLine } from '../../output/one-line.ts'
import type { Exchange } from './exchange.ts'
import { type Fields, toFields, toList, toText } from './wire.ts'

const limit = 300

/** Summarises a message, with secrets masked; empty if its method says it all. */
export function digest({ kind, method, update, wire: { message }, request }: Exchange): string {
  const text =
    kind === 'reply'
      ? replyDigest(method, message, toFields(request?.['params']) ?? {})
      : update === undefined
        ? requestDigest(method, toFields(message['params']) ?? {})
        : updateDigest(update, toFields(toFields(message['params'])?.['update']) ?? {})
  // Masked before it is cut, because part of a secret is not recognised.
  return oneLine(mask(text.slice(0, limit * 8)), limit)
}

type Describe = (fields: Fields) => string

const requests: Readonly<Record<string, Describe>> = {
  initialize: ({ protocolVersion, clientInfo }) =>
    parts(`protocol ${String(protocolVersion)}`, named(toFields(clientInfo))),
  authenticate: ({ methodId }) => word(methodId),
  'session/new': opening,
  'session/load': opening,
  'session/resume': opening,
  'session/fork': opening,
  'session/prompt': ({ prompt }) => content(prompt),
  'session/set_mode': ({ modeId }) => word(modeId),
  'session/set_model': ({ modelId }) => word(modelId),
  'session/set_config_option': ({ configId, value }) => `${word(configId)} = ${word(value)}`,
  'session/cancel': () => '',
  'session/request_permission': ({ toolCall, options }) =>
    `${word(toFields(toolCall)?.['title'])} (${toList(options)
      .map((option) => word(toFields(option)?.['optionId']))
      .join(', ')})`,
  'fs/read_text_file': ({ path }) => word(path),
  'fs/write_text_file': ({ path, content: text }) => parts(word(path), characters(text)),
  'terminal/create': ({ command, args }) => [command, ...toList(args)].map(word).join(' '),
}

function requestDigest(method: string, params: Fields): string {
  const describe = Object.hasOwn(requests, method) ? requests[method] : undefined
  if (describe) return describe(params)
  // The session is in the header already.
  const { sessionId: _, ...rest } = params
  return Object.keys(rest).length === 0 ? '' : JSON.stringify(rest)
}

const updates: Readonly<Record<string, Describe>> = {
  tool_call: call,
  tool_call_update: call,
  plan: ({ entries }) =>
    `${toList(entries).filter((entry) => toFields(entry)?.['status'] === 'completed').length} of ${toList(entries).length} done`,
  available_commands_update: ({ availableCommands }) => plural(toList(availableCommands).length, 'command'),
  current_mode_update: ({ currentModeId }) => word(currentModeId),
  session_info_update: ({ title }) => word(title),
  usage_update: ({ used, size }) => `${number(used)} of ${number(size)} tokens in the context`,
}

function updateDigest(kind: string, update: Fields): string {
  const describe = Object.hasOwn(updates, kind) ? updates[kind] : undefined
  if (describe) return describe(update)
  const { sessionUpdate: _, ...rest } = update
  return JSON.stringify(rest)
}

const replies: Readonly<Record<string, (result: Fields, params: Fields) => string>> = {
  initialize: ({ agentInfo, protocolVersion, authMethods }) =>
    parts(
      named(toFields(agentInfo)),
      `protocol ${String(protocolVersion)}`,
      plural(toList(authMethods).length, 'login method'),
    ),
  'session/new': opened,
  'session/load': opened,
  'session/resume': opened,
  'session/fork': opened,
  'session/prompt': ({ stopReason, usage, _meta }) => parts(word(stopReason), tokens(usage, _meta)),
  'session/request_permission': ({ outcome }) => {
    const { outcome: how, optionId } = toFields(outcome) ?? {}
    return how === 'selected' ? word(optionId) : word(how)
  },
  'fs/read_text_file': ({ content: text }) => characters(text),
  'terminal/output': ({ output, exitStatus }) =>
    parts(characters(output), exitStatus ? `exit code ${String(toFields(exitStatus)?.['exitCode'])}` : ''),
}

function replyDigest(method: string, message: Fields, params: Fields): string {
  const error = toFields(message['error'])
  if (error) {
    const { details } = toFields(error['data']) ?? {}
    return parts(`error ${String(error['code'])}: ${word(error['message'])}`, word(details))
  }
  const result = toFields(message['result'])
  if (!result) return (message['result'] ?? null) === null ? 'ok' : JSON.stringify(message['result'])
  if (Object.hasOwn(replies, method)) return replies[method]!(result, params) || 'ok'
  return Object.keys(result).length === 0 ? 'ok' : JSON.stringify(result)
}

function opening({ cwd, sessionId, mcpServers }: Fields): string {
  const servers = toList(mcpServers).length
  return parts(word(sessionId), word(cwd), servers === 0 ? '' : plural(servers, 'MCP server'))
}

function opened({ sessionId, modes, models, configOptions }: Fields): string {
  const chosen = (id: string) =>
    toText(
      toList(configOptions)
        .map(toFields)
        .find((option) => option?.['id'] === id)?.['currentValue'],
    )
  const mode = toText(toFields(modes)?.['currentModeId']) ?? chosen('mode')
  const model = toText(toFields(models)?.['currentModelId']) ?? chosen('model')
  return parts(
    mode === undefined ? '' : `mode ${mode}`,
    model === undefined ? '' : `model ${model}`,
    word(sessionId),
  )
}

function call({ title, kind, status, toolCallId, content: shown }: Fields): string {
  return parts(word(status), word(kind), word(title) || word(toolCallId), formatContent(shown))
}

/** Describes the content of a call. */
function formatContent(shown: unknown): string {
  const length = toList(shown)
    .map((entry) => {
      const { content: inner, newText } = toFields(entry) ?? {}
      return (toText(toFields(inner)?.['text']) ?? toText(newText) ?? '').length
    })
    .reduce((sum, each) => sum + each, 0)
  return length === 0 ? '' : plural(length, 'character')
}

function content(prompt: unknown): string {
  const blocks = toList(prompt).map((block) => toFields(block) ?? {})
  const text = blocks.map((block) => toText(block['text']) ?? '').join(' ')
  const others = blocks.flatMap(({ type }) => (type === 'text' ? [] : [word(type)]))
  return parts(text === '' ? '' : `"${text}"`, ...others)
}

function tokens(usage: unknown, meta: unknown): string {
  const given = toFields(usage) ?? {}
  const counted = toFields(toFields(toFields(meta)?.['quota'])?.['token_count']) ?? {}
  const into = given['inputTokens'] ?? counted['input_tokens']
  const out = given['outputTokens'] ?? counted['output_tokens']
  return into === undefined && out === undefined ? '' : `${number(into)} in, ${number(out)} out`
}

function named(info: Fields | undefined): string {
  return info ? `${word(info['title']) || word(info['name'])} ${word(info['version'])}`.trim() : ''
}

function characters(value: unknown): string {
  return typeof value === 'string' ? plural(value.length, 'character') : ''
}

function number(value: unknown): string {
  return typeof value === 'number' ? wholeNumber(value) : '?'
}

function word(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

function parts(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(', ')
}
