import type { Block, Message, SlashCommandBlock, TextBlock, ThinkingBlock } from '@remora/protocol'
import { type ReactNode, memo, useState } from 'react'
import { type ToolCall, listCalls } from '../../tool-calls/call.ts'
import { ToolCard } from '../../tool-cards/tool-card.tsx'
import { toFields, firstLine } from '../../tool-calls/fields.ts'
import { Json } from '../../tool-cards/parts.tsx'
import { words } from '../../words/index.ts'
import { MediaView } from '../../media/media-block.tsx'
import { lexOnce } from '../../markdown/lex.ts'
import { Markdown } from '../../markdown/markdown.tsx'
import { PlainText } from '../../markdown/plain-text.tsx'
import { BrainIcon } from '../../ui/icons.tsx'

/** The blocks of a message in order, with consecutive tool calls grouped. */
export const MessageContent = memo(function MessageContent({ message }: { readonly message: Message }) {
  const groups = renderGroups(message)
  if (groups.length === 1) return groups[0]
  return <div className="flex min-w-0 flex-col gap-2">{groups}</div>
})

function renderGroups(message: Message): ReactNode[] {
  // Older versions may have stored content of another shape.
  const content: readonly Block[] = Array.isArray(message.content) ? message.content : []
  const calls = new Map(listCalls({ content: [...content] }).map((call) => [call.use ?? call.result, call]))
  const groups: ReactNode[] = []
  let open: ToolCall[] = []
  const close = (): void => {
    if (open.length > 0) groups.push(<Calls key={`calls ${groups.length}`} calls={open} />)
    open = []
  }
  for (const block of content) {
    const type: unknown = toFields(block)['type']
    if (type === 'tool_use' || type === 'tool_result') {
      const call = calls.get(block as ToolCall['use'])
      if (call) open.push(call)
      continue
    }
    const drawn = draw(block, message, groups.length)
    if (!drawn) continue
    close()
    groups.push(drawn)
  }
  close()
  return groups
}

function draw(block: Block, { role }: Message, key: number): ReactNode {
  switch (block.type) {
    case 'text':
      return block.text ? <TextView key={key} block={block} isOwn={role === 'user'} /> : null
    case 'thinking':
      return block.thinking || block.subject ? <Thinking key={key} block={block} /> : null
    case 'image':
    case 'audio':
    case 'video':
    case 'document':
      return <MediaView key={key} block={block} />
    case 'slash_command':
      return <SlashCommand key={key} block={block} />
    default:
      return <Json key={key} value={block} label={words.tools.unknown} />
  }
}

function Calls({ calls }: { readonly calls: readonly ToolCall[] }) {
  return (
    <div className="flex min-w-0 flex-col divide-y divide-line overflow-hidden rounded-card border border-line bg-raised">
      {calls.map((call) => (
        <ToolCard key={call.id} call={call} />
      ))}
    </div>
  )
}

/** A slash command of the agent. */
function SlashCommand({ block }: { readonly block: SlashCommandBlock }) {
  const command = block.command.slice(0, 200)
  return (
    <p className="font-mono text-sm [overflow-wrap:anywhere]">
      <span className="font-semibold">{command.startsWith('/') ? command : `/${command}`}</span>
      {block.args ? <span className="text-dim"> {firstLine(block.args, 2_000)}</span> : null}
    </p>
  )
}

/** Text. User messages are shown as written, except for fenced code. */
const TextView = memo(function TextView({
  block,
  isOwn,
}: {
  readonly block: TextBlock
  readonly isOwn: boolean
}) {
  const text = typeof block.text === 'string' ? block.text : String(block.text)
  if (isOwn && !/^ {0,3}(?:```|~~~)/m.test(text)) return <PlainText text={text} lines={20} />
  const body = <Markdown tokens={lexOnce(block, text)} text={text} />
  if (!block.partial) return body
  return (
    <div>
      {body}
      <p className="mt-1 text-xs text-faint">{words.message.partial}</p>
    </div>
  )
})

/** The subject of the thinking, expandable. */
const Thinking = memo(function Thinking({ block }: { readonly block: ThinkingBlock }) {
  const [isOpen, setOpen] = useState(false)
  const thought = typeof block.thinking === 'string' ? block.thinking : ''
  const text = thought || block.description || ''
  const subject = firstLine((block.subject || thought).replaceAll('**', ''), 160) || words.message.thinking
  return (
    <div className="min-w-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="-my-1.5 flex min-h-11 w-full items-center gap-2 text-left text-sm text-dim hover:text-ink"
      >
        <BrainIcon className="size-4 shrink-0" />
        <span className="sr-only">{words.message.thinking}</span>
        <span className="min-w-0 truncate italic">{subject}</span>
      </button>
      {isOpen && text !== '' && (
        <div className="mt-1 border-l-2 border-line pl-3 text-sm text-dim">
          <Markdown tokens={lexOnce(block, text)} text={text} />
        </div>
      )}
    </div>
  )
})
