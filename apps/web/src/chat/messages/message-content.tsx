import type { Block, Message } from '@remora/protocol'
import { memo, type ReactNode } from 'react'
import { type ToolCall, callsOf } from '../../tool-calls/call.ts'
import { ToolCard } from '../../tool-cards/tool-card.tsx'
import { fieldsOf } from '../../tool-calls/fields.ts'
import { Json } from '../../tool-cards/parts.tsx'
import { words } from '../../words/index.ts'
import { MediaView } from '../../media/media-block.tsx'
import { SlashCommand } from './slash-command.tsx'
import { TextView } from './text-block.tsx'
import { Thinking } from './thinking-block.tsx'

/** All that is in a message, one below the other; calls that follow each other stand together. */
export const MessageContent = memo(function MessageContent({ message }: { readonly message: Message }) {
  const groups = groupsOf(message)
  if (groups.length === 1) return groups[0]
  return <div className="flex min-w-0 flex-col gap-2">{groups}</div>
})

function groupsOf(message: Message): ReactNode[] {
  // What was stored by an older version may be of any shape.
  const content: readonly Block[] = Array.isArray(message.content) ? message.content : []
  const calls = new Map(callsOf({ content: [...content] }).map((call) => [call.use ?? call.result, call]))
  const groups: ReactNode[] = []
  let open: ToolCall[] = []
  const close = (): void => {
    if (open.length > 0) groups.push(<Calls key={`calls ${groups.length}`} calls={open} />)
    open = []
  }
  for (const block of content) {
    const type: unknown = fieldsOf(block)['type']
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
