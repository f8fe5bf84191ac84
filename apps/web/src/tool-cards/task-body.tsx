import type { Message } from '@remora/protocol'
import { useContext } from 'react'
import { useTimeline } from '../state/timeline.ts'
import { words } from '../words/index.ts'
import { NestedContext, SessionContext } from './session-context.ts'
import { PlainText } from '../markdown/plain-text.tsx'
import { type ToolCall, getOutputText } from '../tool-calls/call.ts'
import { text } from '../tool-calls/fields.ts'
import { Media, Part, PrintedOutput, MarkdownPart, Words } from './parts.tsx'

/** The prompt, messages and result of a sub-agent. */
export function TaskBody({ call }: { readonly call: ToolCall }) {
  const session = useContext(SessionContext)
  const Nested = useContext(NestedContext)
  const { messages } = useTimeline(session)
  const prompt = text(call.input['prompt'])
  const children = listChildren(messages, call.id).filter(
    // The first message repeats the prompt.
    ({ role, content }) => !(role === 'user' && content.length === 1 && isPrompt(content[0], prompt)),
  )
  const output = getOutputText(call).replace(/\n?agentId: [^\n]*(?:\n<usage>[\s\S]*?<\/usage>)?\s*$/, '')
  return (
    <>
      {prompt !== undefined && (
        <Part label={words.tools.prompt}>
          <Words className="pt-0">
            <PlainText text={prompt} lines={8} className="text-dim" />
          </Words>
        </Part>
      )}
      {children.length > 0 && (
        <Part label={words.tools.nested}>
          <div className="mb-2.5 ml-3 flex flex-col gap-2 border-l-2 border-line pr-3 pl-3 text-sm">
            {children.map((message) => (
              <Nested key={message.id} message={message} />
            ))}
          </div>
        </Part>
      )}
      {call.result && output !== '' && (
        <Part label={words.tools.result} copied={output}>
          {call.result.status === 'success' ? (
            <MarkdownPart owner={call.result} text={output} />
          ) : (
            <PrintedOutput output={output} isBad={call.result.status === 'error'} />
          )}
        </Part>
      )}
      <Media call={call} />
    </>
  )
}

function isPrompt(block: unknown, prompt: string | undefined): boolean {
  const { type, text: content } = block as { type?: unknown; text?: unknown }
  return type === 'text' && typeof content === 'string' && content.trim() === prompt?.trim()
}

const childrenByCall = new WeakMap<readonly Message[], Map<string, Message[]>>()

/** The sub-agent messages of a call. */
function listChildren(messages: readonly Message[], call: string): readonly Message[] {
  let map = childrenByCall.get(messages)
  if (!map) {
    map = new Map()
    for (const message of messages) {
      if (message.parent === undefined) continue
      const list = map.get(message.parent)
      if (list) list.push(message)
      else map.set(message.parent, [message])
    }
    childrenByCall.set(messages, map)
  }
  return map.get(call) ?? []
}
