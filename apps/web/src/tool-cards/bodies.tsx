import { replaceInvisible } from '../diff/replace-invisible.ts'
import { words } from '../words/index.ts'
import { CodeText } from '../code/code-text.tsx'
import { stripAnsi } from '../tool-calls/ansi.ts'
import { getOutputMedia, getOutputText, type ToolCall } from '../tool-calls/call.ts'
import { number, text, toFields, toList } from '../tool-calls/fields.ts'
import { Json, Listing, MarkdownPart, Media, Output, Part, PrintedOutput, Words } from './parts.tsx'
import { useContext, useState } from 'react'
import { ShowAll } from '../code/show-all.tsx'
import { findLanguage } from '../code/languages.ts'
import { getPath } from '../tool-calls/file-diffs.ts'
import { Linked } from '../markdown/inline.tsx'
import type { Message } from '@remora/protocol'
import { useTimeline } from '../state/timeline.ts'
import { NestedContext, SessionContext } from './session-context.ts'
import { PlainText } from '../markdown/plain-text.tsx'
import { parseMcpName } from '@remora/protocol/plain'
import { classNames } from '../ui/class-names.ts'
import {
  type FoundFile,
  listTodos,
  parseFoundFiles,
  parseFoundPaths,
  parseNumberedText,
  parseShellOutput,
} from '../tool-calls/parsing.ts'

/** The full command and its output. */
export function ShellBody({ call }: { readonly call: ToolCall }) {
  const given = text(call.input['command'])
  // Shows the executed command, with invisible characters replaced.
  const command = given?.split('\n').map(replaceInvisible).join('\n')
  if (command === undefined && call.name === 'Bash') return <GenericBody call={call} />
  const description = text(call.input['description'])
  const { output } = parseShellOutput(call)
  return (
    <>
      {description !== undefined && <Words className="text-dim">{description}</Words>}
      {command !== undefined && (
        <Part label={words.tools.command} copied={given ?? ''}>
          {command.length > 2_000 ? (
            <Listing code={command} language="shellscript" label={words.tools.command} />
          ) : (
            <CodeText
              code={command}
              language="shellscript"
              label={words.tools.command}
              className="[&>pre]:pt-0"
            />
          )}
        </Part>
      )}
      {call.result && (
        <Part label={words.tools.output} copied={stripAnsi(output)}>
          {output.trim() === '' ? (
            <Words className="pt-0 text-faint">{words.tools.noOutput}</Words>
          ) : (
            <PrintedOutput output={output} />
          )}
          <Media call={call} />
        </Part>
      )}
    </>
  )
}

const foldedLines = 30

/** The matches of each file. */
export function SearchBody({ call }: { readonly call: ToolCall }) {
  const output = getOutputText(call)
  if (call.result?.status === 'error') return <GenericBody call={call} />
  const folder = text(call.input['path'])
  return (
    <>
      <Words className="pb-0 font-mono text-[0.8125rem]">
        {text(call.input['pattern'])}
        {folder !== undefined && <span className="text-dim"> {words.tools.inFolder(folder)}</span>}
      </Words>
      {call.result && <Found call={call} output={output} />}
    </>
  )
}

function Found({ call, output }: { readonly call: ToolCall; readonly output: string }) {
  if (output.length > 300_000) return <PrintedOutput output={output} />
  const files = call.name === 'Grep' ? parseFoundFiles(output) : undefined
  if (files) return <Files files={files} />
  const paths = parseFoundPaths(output)
  if (paths.length === 0) return <Words className="text-faint">{words.tools.notFound}</Words>
  if (call.name === 'Grep' && !paths.every((path) => /^[^\s:]+$/.test(path)))
    return <PrintedOutput output={output} />
  return <Files files={paths.map((path) => ({ path, lines: [] }))} />
}

function Files({ files }: { readonly files: readonly FoundFile[] }) {
  const [isWhole, setWhole] = useState(false)
  const total = files.reduce((sum, { lines }) => sum + 1 + lines.length, 0)
  const isFolded = !isWhole && total > foldedLines * 1.3
  return (
    <>
      <div className="px-3 py-2 font-mono text-[0.8125rem] leading-5">
        {(isFolded ? cutToFirst(files) : files).map(({ path, lines }, index) => (
          <div key={index} className={lines.length > 0 ? 'not-first:mt-2' : ''}>
            <p className="[overflow-wrap:anywhere]">{path}</p>
            {lines.length > 0 && (
              <pre className="overflow-hidden [overflow-wrap:anywhere] whitespace-pre-wrap text-dim">
                {lines
                  .map((line) => `${String(line.number ?? '').padStart(4)}  ${line.text.slice(0, 400)}`)
                  .join('\n')}
              </pre>
            )}
          </div>
        ))}
      </div>
      {isFolded && <ShowAll lines={total} onShow={() => setWhole(true)} />}
    </>
  )
}

function cutToFirst(files: readonly FoundFile[]): FoundFile[] {
  const first: FoundFile[] = []
  let left = foldedLines
  for (const { path, lines } of files) {
    if (left <= 0) break
    first.push({ path, lines: lines.slice(0, left) })
    left -= 1 + lines.length
  }
  return first
}

/** A file with line numbers. */
export function ReadBody({ call }: { readonly call: ToolCall }) {
  const path = getPath(call)
  const output = getOutputText(call)
  if (path === undefined || call.result?.status === 'error') return <GenericBody call={call} />
  const { text, numbers } = parseNumberedText(output, number(call.input['offset']) ?? 1)
  return (
    <>
      <Words className="font-mono text-xs text-dim">{path}</Words>
      {text !== '' && (
        <Listing
          code={text}
          language={findLanguage(path)}
          numbers={numbers}
          label={words.tools.toContent(path)}
        />
      )}
      {text === '' && getOutputMedia(call).length === 0 && call.result && (
        <Words className="pt-0 text-faint">{words.tools.noOutput}</Words>
      )}
      <Media call={call} />
    </>
  )
}

/** The URL or query, the prompt, and the result. */
export function WebBody({ call }: { readonly call: ToolCall }) {
  const url = text(call.input['url'])
  const query = text(call.input['query']) ?? text(call.input['prompt'])
  const output = getOutputText(call)
  return (
    <>
      {url !== undefined && (
        <Words className="pb-0">
          <Linked href={url}>{url}</Linked>
        </Words>
      )}
      {query !== undefined && <Words className="text-dim">{query}</Words>}
      {call.result && output !== '' && (
        <Part label={words.tools.result} copied={output}>
          {call.result.status === 'success' ? (
            <MarkdownPart owner={call.result} text={output} />
          ) : (
            <PrintedOutput output={output} isBad />
          )}
        </Part>
      )}
      <Media call={call} />
    </>
  )
}

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

/** The input and output of an unknown tool. */
export function GenericBody({ call }: { readonly call: ToolCall }) {
  const server = parseMcpName(call.name)?.server
  const native = call.use?.native?.name
  const input: unknown = call.use?.input
  const isEmpty =
    input === undefined || input === null || (typeof input === 'object' && Object.keys(input).length === 0)
  return (
    <>
      {server !== undefined && <Words className="text-dim">{words.tools.mcp(server)}</Words>}
      {server === undefined && native !== undefined && native !== call.name && (
        <Words className="font-mono text-dim">{native}</Words>
      )}
      {!isEmpty && (
        <Part label={words.tools.input}>
          <Json value={input} label={words.tools.input} />
        </Part>
      )}
      <Output call={call} />
    </>
  )
}

const marks = { pending: '', in_progress: '•', completed: '✓', cancelled: '×' }

/** A to-do list with the state of each entry. */
export function TodoBody({ call }: { readonly call: ToolCall }) {
  const todos = listTodos(call)
  if (todos.length === 0) return <GenericBody call={call} />
  return (
    <>
      <ul className="flex flex-col gap-1.5 px-3 py-2.5 text-sm">
        {todos.map(({ content, status }, index) => (
          <li key={index} className="flex gap-2">
            <span
              role="img"
              aria-label={words.tools.todoStates[status]}
              className={classNames(
                'mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-full border text-[0.65rem] leading-none font-bold',
                status === 'completed' && 'border-good bg-good-soft text-good',
                status === 'in_progress' && 'border-accent text-accent',
                (status === 'pending' || status === 'cancelled') && 'border-faint text-faint',
              )}
            >
              {marks[status]}
            </span>
            <span
              className={classNames(
                'min-w-0 [overflow-wrap:anywhere]',
                status === 'completed' && 'text-dim',
                status === 'cancelled' && 'text-faint line-through',
                status === 'in_progress' && 'font-medium',
              )}
            >
              {content.slice(0, 2_000)}
            </span>
          </li>
        ))}
      </ul>
      <Refused call={call} />
    </>
  )
}

export function PlanBody({ call }: { readonly call: ToolCall }) {
  const plan = text(call.input['plan'])
  if (plan === undefined || !call.use) return <GenericBody call={call} />
  return (
    <>
      <MarkdownPart owner={call.use} text={plan} />
      <Refused call={call} />
    </>
  )
}

/** Questions with their options and the answer. */
export function QuestionBody({ call }: { readonly call: ToolCall }) {
  const questions = toList(call.input['questions']).map(toFields)
  if (questions.length === 0) return <GenericBody call={call} />
  const answer = getOutputText(call)
  return (
    <>
      {questions.map((question, index) => (
        <Words key={index} className="flex flex-col gap-1.5">
          <p className="font-medium">{text(question['question']) ?? text(question['header'])}</p>
          <ul className="flex flex-col gap-1">
            {toList(question['options']).map((option, place) => {
              const { label, description } = toFields(option)
              return (
                <li key={place} className="rounded-lg border border-line px-2.5 py-1.5">
                  {text(label) ?? text(option)}
                  {text(description) !== undefined && <p className="text-xs text-dim">{text(description)}</p>}
                </li>
              )
            })}
          </ul>
        </Words>
      ))}
      {answer !== '' && (
        <Part label={words.tools.answer}>
          <PrintedOutput output={answer} />
        </Part>
      )}
    </>
  )
}

function Refused({ call }: { readonly call: ToolCall }) {
  const output = getOutputText(call)
  if (call.result === undefined || call.result.status === 'success' || output === '') return null
  return (
    <Part label={words.tools.result}>
      <PrintedOutput output={output} isBad={call.result.status === 'error'} />
    </Part>
  )
}
