import type { Block, MediaBlock, Message, ToolResultBlock, ToolUseBlock } from '@remora/protocol/plain'
import { agentTitle } from '../../detection/agent-names.ts'
import { describeTool } from '../../output/describe-tool.ts'
import { formatDate, formatTime } from '../../output/format-time.ts'
import type { Conversation } from './conversation.ts'
import { getFacts } from './head.ts'
import type { DocumentOptions } from './markdown.ts'
import { createDiff, outputText } from './tool-output.ts'

/**
 * A session as a self-contained HTML page, in parts. It loads and runs nothing, and follows the reader's colour scheme.
 */
export function* html(
  conversation: Conversation,
  messages: readonly Message[],
  { thinking, home }: DocumentOptions,
): Generator<string> {
  const { title, agent, models, folder, when, amount, id } = getFacts(conversation, messages, home)
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${escape(title)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${escape(title)}</h1>
<p>${[agent, ...models, folder ?? '', when, amount].filter(Boolean).map(escape).join(' · ')}</p>
<p><code>${escape(id)}</code></p>
${(conversation.elsewhere ?? []).map((line) => `<p>${escape(line.trim())}</p>\n`).join('')}</header>
<main>
`
  for (const message of messages) {
    const body = blocks(message, thinking, conversation.cwd ?? '')
    if (body !== '') yield article(message, body)
  }
  yield '</main>\n</body>\n</html>\n'
}

function article(message: Message, body: string): string {
  const { role, tool, timestamp, context, parent, model, interrupted } = message
  const who = context ? 'context' : role
  const name = {
    context: 'Context',
    system: 'Notice',
    user: parent ? 'To a subagent' : 'You',
    assistant: agentTitle(tool),
  }[who]
  const time =
    timestamp > 0
      ? ` <time datetime="${new Date(timestamp).toISOString()}">${formatDate(timestamp)} ${formatTime(timestamp)}</time>`
      : ''
  const by = model === undefined ? '' : ` <span>${escape(model)}</span>`
  return `<article class="${who}${parent === undefined ? '' : ' subagent'}">\n<h2>${escape(name)}${time}${by}${interrupted ? ' <span>interrupted</span>' : ''}</h2>\n${body}</article>\n`
}

function blocks({ content }: Message, thinking: boolean, cwd: string): string {
  const results = new Map(
    content.flatMap((block) => (block.type === 'tool_result' ? [[block.tool_use_id, block] as const] : [])),
  )
  return content.map((block) => blockHtml(block, results, thinking, cwd)).join('')
}

function blockHtml(
  block: Block,
  results: ReadonlyMap<string, ToolResultBlock>,
  thinking: boolean,
  cwd: string,
): string {
  switch (block.type) {
    case 'text':
      return words(block.text)
    case 'thinking':
      return thinking && block.thinking.trim() !== ''
        ? `<details class="thinking"><summary>Thinking</summary>${words(block.thinking)}</details>\n`
        : ''
    case 'tool_use':
      return call(block, results.get(block.id), cwd)
    case 'tool_result':
      return ''
    case 'slash_command':
      return `<p><code>${escape(`${block.command}${block.args ? ` ${block.args}` : ''}`)}</code></p>\n`
    default:
      return media(block)
  }
}

function call(use: ToolUseBlock, result: ToolResultBlock | undefined, cwd: string): string {
  const status = result?.status ?? 'no result'
  const diff = createDiff(use, result)
  const output = result === undefined ? '' : outputText(result.content).replace(/\s+$/, '')
  const body = [
    diff ? `<pre class="diff">${diff.map(diffLine).join('')}</pre>` : `<pre>${escape(inputText(use))}</pre>`,
    output === '' || (diff && status === 'success') ? '' : `<pre class="output">${escape(output)}</pre>`,
  ]
  const open = status === 'success' || status === 'no result' ? '' : ' open'
  return `<details class="tool ${status.replace(' ', '-')}"${open}><summary>${escape(describeTool(use.name, use.input, cwd))} <em>${escape(status)}</em></summary>${body.join('')}</details>\n`
}

function inputText({ name, input }: ToolUseBlock): string {
  const { command } = (typeof input === 'object' && input !== null ? input : {}) as { command?: unknown }
  return name === 'Bash' && typeof command === 'string'
    ? `$ ${command}`
    : JSON.stringify(input ?? {}, null, 2)
}

function diffLine(line: string): string {
  const kind = line.startsWith('@@') ? 'at' : line.startsWith('+') ? 'new' : line.startsWith('-') ? 'old' : ''
  return `<span${kind && ` class="${kind}"`}>${escape(line)}\n</span>`
}

/** Text as is, fenced blocks as code. */
function words(text: string): string {
  return text
    .trim()
    .split(/^(```[^\n]*\n[\s\S]*?^```[ \t]*$)/m)
    .map((part) => {
      const [, code] = /^```[^\n]*\n([\s\S]*?)^```[ \t]*$/m.exec(part) ?? []
      if (code !== undefined) return `<pre>${escape(code)}</pre>\n`
      return part.trim() === '' ? '' : `<p>${escape(part.trim())}</p>\n`
    })
    .join('')
}

const shown = /^image\/(?:png|jpeg|gif|webp)$/

function media({ type, source, name }: MediaBlock): string {
  if (source.type === 'base64' && shown.test(source.media_type) && /^[A-Za-z\d+/=\s]*$/.test(source.data))
    return `<p><img alt="${escape(name ?? type)}" src="data:${source.media_type};base64,${source.data.replaceAll(/\s/g, '')}"></p>\n`
  const where = source.type === 'file' ? source.path : source.type === 'url' ? source.url : source.media_type
  return `<p class="media">${escape(`${type}: ${name ?? where}`)}</p>\n`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

// oxlint-disable-next-line no-control-regex -- these are not allowed in HTML, not even escaped
const forbidden = /[\u0000-\u0008\u000B\u000C\u000E-\u001F]/g

/** Escapes text for HTML. */
export function escape(text: string): string {
  return text.replaceAll(forbidden, '').replaceAll(/[&<>"']/g, (character) => entities[character]!)
}

/** The style sheet of the page. */
export const style = `
:root { --paper: #fff; --ink: #1f2328; --quiet: #656d76; --line: #d0d7de; --box: #f6f8fa; --you: #ddf4ff;
  --new: #dafbe1; --old: #ffebe9; --bad: #cf222e; --warn: #fff8c5 }
@media (prefers-color-scheme: dark) { :root { --paper: #0d1117; --ink: #e6edf3; --quiet: #8d96a0; --line: #30363d;
  --box: #161b22; --you: #121d2f; --new: #12261e; --old: #25171c; --bad: #f85149; --warn: #272115 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 54rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif }
h1 { font-size: 1.4rem; margin: 0 0 .3rem; overflow-wrap: anywhere }
header { border-bottom: 1px solid var(--line); margin-bottom: 1rem }
header p { color: var(--quiet); margin: .2rem 0 .6rem; overflow-wrap: anywhere }
h2 { font-size: .9rem; margin: 0 0 .3rem }
h2 time, h2 span { color: var(--quiet); font-weight: normal; margin-left: .4rem }
article { margin: 0 0 1rem }
article.user { background: var(--you); border-radius: .5rem; padding: .6rem .8rem }
article.system { background: var(--warn); border-radius: .5rem; padding: .6rem .8rem }
article.context { color: var(--quiet); font-size: .85rem }
article.subagent { margin-left: 1rem; padding-left: .8rem; border-left: 3px solid var(--line) }
p { margin: 0 0 .5rem; white-space: pre-wrap; overflow-wrap: anywhere }
pre { background: var(--box); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem; margin: .4rem 0;
  overflow: auto; max-height: 30rem; font: .82rem/1.45 ui-monospace, monospace }
code { font: .9em ui-monospace, monospace }
details { margin: .3rem 0 }
summary { cursor: pointer; font: .85rem ui-monospace, monospace; color: var(--quiet); overflow-wrap: anywhere }
summary em { font-style: normal; margin-left: .3rem }
.error summary em, .denied summary em, .cancelled summary em, .timeout summary em { color: var(--bad) }
.thinking p { color: var(--quiet); font-style: italic }
.diff span { display: block } .diff .new { background: var(--new) } .diff .old { background: var(--old) }
.diff .at { color: var(--quiet) }
img { max-width: 100% }
`
