import { classNames } from '../ui/class-names.ts'
import { words } from '../words/index.ts'
import { type ToolCall, getOutputText } from '../tool-calls/call.ts'
import { toFields, toList, text } from '../tool-calls/fields.ts'
import { listTodos } from '../tool-calls/todos.ts'
import { GenericBody } from './generic-body.tsx'
import { Part, PrintedOutput, MarkdownPart, Words } from './parts.tsx'

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
