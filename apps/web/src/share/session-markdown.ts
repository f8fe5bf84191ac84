import type { Block, Message } from '@remora/protocol'

/** So much of what a tool gave back is enough for a reader. */
const longestOutput = 2_000

/** A conversation as a person would hand it on. @example sessionMarkdown('Fix the parser', 'Claude', messages, names) */
export function sessionMarkdown(
  title: string,
  messages: readonly Message[],
  names: { readonly you: string; readonly agent: string; readonly cut: string },
): string {
  const parts = [`# ${title.replaceAll('\n', ' ')}`]
  let speaker = ''
  for (const { role, content, context, parent } of messages) {
    // What the CLI told the model by itself was said by nobody.
    if (context || parent !== undefined || role === 'system') continue
    const text = content.map((block) => written(block, names.cut)).filter((each) => each !== '')
    if (text.length === 0) continue
    if (role !== speaker) parts.push(`## ${role === 'user' ? names.you : names.agent}`)
    speaker = role
    for (const each of text) parts.push(each)
  }
  return `${parts.join('\n\n')}\n`
}

function written(block: Block, cut: string): string {
  switch (block.type) {
    case 'text':
      return block.text.trim()
    case 'tool_use':
      return `**${block.name}**\n\n${fenced(pretty(block.input), 'json')}`
    case 'tool_result':
      return outputOf(block.content, cut)
    case 'slash_command':
      return `\`${[block.command, block.args].filter(Boolean).join(' ')}\``
    case 'thinking':
      return ''
    default:
      return `*${block.name ?? block.type}*`
  }
}

function outputOf(content: Extract<Block, { type: 'tool_result' }>['content'], cut: string): string {
  const text =
    typeof content === 'string'
      ? content
      : (content ?? []).map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')
  if (text.trim() === '') return ''
  return fenced(text.length > longestOutput ? `${text.slice(0, longestOutput)}\n${cut}` : text, '')
}

/** With more ticks than any line of it has. */
function fenced(text: string, language: string): string {
  const most = [...text.matchAll(/`+/g)].reduce((longest, [ticks]) => Math.max(longest, ticks.length), 2)
  const fence = '`'.repeat(most + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

function pretty(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? ''
  } catch {
    return String(value)
  }
}
