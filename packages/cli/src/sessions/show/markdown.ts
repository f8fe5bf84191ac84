import type { Block, Message, ToolResultBlock, ToolUseBlock } from '@remora/protocol/plain'
import { agentTitle } from '../../detection/agent-names.ts'
import { describeTool } from '../../output/describe-tool.ts'
import { formatDate, formatTime } from '../../output/format-time.ts'
import type { Conversation } from './conversation.ts'
import { getFacts } from './head.ts'
import { createDiff, outputText } from './tool-output.ts'

export interface DocumentOptions {
  readonly thinking: boolean
  readonly home: string
}

/** A session as a Markdown document, in parts. */
export function* markdown(
  conversation: Conversation,
  messages: readonly Message[],
  { thinking, home }: DocumentOptions,
): Generator<string> {
  const { title, agent, models, folder, when, amount, id } = getFacts(conversation, messages, home)
  const facts = [
    ['Agent', [agent, ...models.map((model) => `\`${model}\``)].join(', ')],
    ['Folder', folder === undefined ? '' : `\`${folder}\``],
    ['When', when],
    ['Size', amount],
    ['Session', `\`${id}\``],
    ['Incomplete', (conversation.elsewhere ?? []).map((line) => plain(line.trim())).join('. ')],
  ]
  yield `# ${plain(title)}\n\n${facts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `- ${name}: ${value}\n`)
    .join('')}`
  for (const message of messages) {
    const text = blocks(message, thinking, conversation.cwd ?? '')
    if (text.length === 0) continue
    const lines = [`\n## ${heading(message)}\n`, ...text.map((each) => `\n${each}\n`)].join('')
    yield message.parent === undefined ? lines : quoted(lines)
  }
}

function heading({ role, tool, timestamp, context, parent, interrupted }: Message): string {
  const name = context
    ? 'Context'
    : role === 'system'
      ? 'Notice'
      : role === 'user'
        ? parent === undefined
          ? 'You'
          : 'To a subagent'
        : agentTitle(tool)
  const who = interrupted ? `${name} (interrupted)` : name
  return timestamp > 0 ? `${who}, ${formatDate(timestamp)} ${formatTime(timestamp)}` : who
}

function blocks({ content }: Message, thinking: boolean, cwd: string): string[] {
  const results = new Map(
    content.flatMap((block) => (block.type === 'tool_result' ? [[block.tool_use_id, block] as const] : [])),
  )
  return content.flatMap((block) => written(block, results, thinking, cwd)).filter((text) => text !== '')
}

function written(
  block: Block,
  results: ReadonlyMap<string, ToolResultBlock>,
  thinking: boolean,
  cwd: string,
): string[] {
  switch (block.type) {
    case 'text':
      return [block.text.trim()]
    case 'thinking':
      return thinking ? [quoted(`*Thinking:* ${block.thinking.trim()}`).trimEnd()] : []
    case 'tool_use':
      return call(block, results.get(block.id), cwd)
    case 'tool_result':
      return []
    case 'slash_command':
      return [code(`${block.command}${block.args ? ` ${block.args}` : ''}`)]
    default: {
      const { source } = block
      const where =
        source.type === 'file' ? source.path : source.type === 'url' ? source.url : source.media_type
      return [`*${block.type}: ${plain(block.name ?? where ?? '')}*`]
    }
  }
}

function call(use: ToolUseBlock, result: ToolResultBlock | undefined, cwd: string): string[] {
  const status = result === undefined ? 'no result' : result.status
  const diff = createDiff(use, result)
  const output = result === undefined ? '' : outputText(result.content).replace(/\s+$/, '')
  const [name = ''] = describeTool(use.name, use.input, cwd).split(' ', 1)
  return [
    `**${plain(name)}** ${code(describeTool(use.name, use.input, cwd).slice(name.length + 1) || use.name)} (${status})`,
    ...(diff ? [fenced(diff.join('\n'), 'diff')] : [input(use)]),
    ...(diff && result?.status === 'success' ? [] : [output === '' ? '' : fenced(output, '')]),
  ]
}

function input({ name, input: given }: ToolUseBlock): string {
  const { command } = (typeof given === 'object' && given !== null ? given : {}) as { command?: unknown }
  if (name === 'Bash' && typeof command === 'string') return fenced(command, 'sh')
  return fenced(JSON.stringify(given ?? {}, null, 2), 'json')
}

/** A fence longer than any in the text, so that the text cannot close it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, longestTicks(text))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

function code(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  const longest = longestTicks(line)
  const ticks = '`'.repeat(longest + 1)
  const space = longest > 0 ? ' ' : ''
  return `${ticks}${space}${line}${space}${ticks}`
}

/** The length of the longest run of backticks. A hostile text has more runs than a call can have arguments. */
function longestTicks(text: string): number {
  let longest = 0
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length)
  return longest
}

/** Escapes text that looks like Markdown. */
function plain(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#]/g, String.raw`\$&`)
}

function quoted(text: string): string {
  const lines = text.split('\n').map((line) => (line === '' ? '>' : `> ${line}`))
  return text.startsWith('\n') ? `\n${lines.slice(1, -1).join('\n')}\n` : `${lines.join('\n')}\n`
}
