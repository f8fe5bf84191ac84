import type { Message } from '@remora/protocol'
import { stripAnsi } from '../tool-calls/ansi.ts'
import { getOutputText, listCalls, type ToolCall } from '../tool-calls/call.ts'
import { pretty, text } from '../tool-calls/fields.ts'
import { listFileDiffs } from '../tool-calls/file-diffs.ts'
import { getTitle, getToolView } from '../tool-cards/registry.ts'
import { getAgentName } from '../state/agents.ts'
import { words } from '../words/index.ts'
import { parseShellOutput } from '../tool-calls/parsing.ts'

/** A session as Markdown, with a heading where the speaker changes. Thinking is left out and output is cut shorter. */
export function formatSessionMarkdown(title: string, messages: readonly Message[], agent: string): string {
  const parts = [`# ${title.replaceAll('\n', ' ')}`]
  let speaker = ''
  for (const message of messages) {
    const { role, context, parent } = message
    // Neither the user nor the agent wrote these.
    if (context || parent !== undefined || role === 'system') continue
    const content = message.content.filter(({ type }) => type !== 'thinking')
    const text = formatMessageMarkdown({ ...message, content }, 2_000)
    if (text === '') continue
    if (role !== speaker) parts.push(`## ${role === 'user' ? words.chat.you : getAgentName(agent)}`)
    speaker = role
    parts.push(text)
  }
  return `${parts.join('\n\n')}\n`
}

/** A complete message as Markdown, with its tool calls and their output. */
export function formatMessageMarkdown(message: Message, longestOutput = 20_000): string {
  const calls = new Map(listCalls(message).map((call) => [call.use ?? call.result, call]))
  return message.content
    .flatMap((block): string[] => {
      switch (block.type) {
        case 'text':
          return [block.text.trim()]
        case 'thinking':
          return [quoted(block.thinking || block.subject || '')]
        case 'slash_command':
          return [`\`${block.command}\`${block.args ? ` ${block.args}` : ''}`]
        case 'tool_use':
        case 'tool_result': {
          const call = calls.get(block)
          return call ? [callMarkdown(call, longestOutput)] : []
        }
        default:
          return [`*${words.message[block.type]}${block.name ? `: ${block.name}` : ''}*`]
      }
    })
    .filter((part) => part !== '')
    .join('\n\n')
}

function callMarkdown(call: ToolCall, longestOutput: number): string {
  const command = text(call.input['command'])
  const isShell = call.name === 'Bash' && command !== undefined
  const summary = isShell ? undefined : getToolView(call).summary?.(call)
  const state = call.result ? words.tools.states[call.result.status] : words.tools.states.open
  const head = `**${getTitle(call)}**${summary ? ` ${inlineCode(summary)}` : ''} (${state})`
  const parts = [head]
  if (isShell) parts.push(fenced(command, 'sh'))
  const diff = isEdit(call) ? diffText(call) : ''
  if (diff !== '') parts.push(fenced(diff, 'diff'))
  else if (!isShell && !summary && call.use && Object.keys(call.input).length > 0)
    parts.push(fenced(pretty(call.input), 'json'))
  const output = isShell ? stripAnsi(parseShellOutput(call).output) : getOutputText(call)
  const isSaid = diff === '' || call.result?.is_error
  if (isSaid && output.trim() !== '') parts.push(fenced(cut(output.trimEnd(), longestOutput), ''))
  return parts.join('\n\n')
}

function isEdit({ name }: ToolCall): boolean {
  return ['Edit', 'MultiEdit', 'Write', 'NotebookEdit'].includes(name)
}

function diffText(call: ToolCall): string {
  return listFileDiffs(call)
    .flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines))
    .join('\n')
}

function cut(output: string, longest: number): string {
  return output.length > longest ? `${output.slice(0, longest)}\n${words.header.cut}` : output
}

/** Longer than any run of backticks in the content. */
function fenced(content: string, language: string): string {
  const longest = [...content.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${content}\n${fence}`
}

function inlineCode(content: string): string {
  return content.includes('`') ? `\`\` ${content} \`\`` : `\`${content}\``
}

function quoted(content: string): string {
  return content
    .trim()
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')
}
