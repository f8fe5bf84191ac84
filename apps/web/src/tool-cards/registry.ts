import { parseMcpName } from '@remora/protocol/plain'
import {
  BranchIcon,
  ChecklistIcon,
  DiffIcon,
  EditIcon,
  FileIcon,
  FolderIcon,
  GlobeIcon,
  QuestionIcon,
  ReviewIcon,
  RobotIcon,
  SearchIcon,
  TerminalIcon,
  ToolIcon,
} from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { EditBody, WriteBody } from './edit-body.tsx'
import { getOutputText, type ToolCall } from '../tool-calls/call.ts'
import { getPath, listFileDiffs } from '../tool-calls/file-diffs.ts'
import { countChanges, type DiffStat } from '../diff/hunks.ts'
import { firstLine, number, shortPath, text, toFields, toList } from '../tool-calls/fields.ts'
import type { ComponentType } from 'react'
import {
  GenericBody,
  PlanBody,
  QuestionBody,
  ReadBody,
  SearchBody,
  ShellBody,
  TaskBody,
  TodoBody,
  WebBody,
} from './bodies.tsx'
import { listTodos, parseFoundFiles, parseFoundPaths, parseShellOutput } from '../tool-calls/parsing.ts'

const changes = (call: ToolCall) => {
  const stat = countChanges(listFileDiffs(call))
  return stat.added + stat.removed === 0 ? undefined : stat
}
const pathLine = (call: ToolCall) => {
  const others = toList(call.input['changes']).length - 1
  const path = shortPath(getPath(call))
  return others > 0 ? `${path} ${words.tools.more(others)}` : path
}
const edit: ToolView = { icon: DiffIcon, summary: pathLine, stat: changes, Body: EditBody }
const shell: ToolView = {
  icon: TerminalIcon,
  summary: ({ input }) =>
    firstLine(text(input['command']) ?? text(input['bash_id']) ?? text(input['shell_id'])),
  stat(call) {
    const { exitCode } = call.result ? parseShellOutput(call) : {}
    return exitCode ? words.tools.exit(exitCode) : undefined
  },
  Body: ShellBody,
}
const asks = (call: ToolCall) => firstLine(text(toFields(toList(call.input['questions'])[0])['question']))

/** The tools with their own view, by Claude's tool name. */
const views: Readonly<Record<string, ToolView>> = {
  Bash: shell,
  BashOutput: shell,
  KillShell: shell,
  Read: {
    icon: FileIcon,
    summary: pathLine,
    stat({ input }) {
      const from = number(input['offset'])
      return from !== undefined && from > 1 ? words.tools.from(from) : undefined
    },
    Body: ReadBody,
  },
  Write: { ...edit, icon: EditIcon, Body: WriteBody },
  Edit: edit,
  MultiEdit: edit,
  NotebookEdit: edit,
  Glob: {
    icon: FolderIcon,
    summary: ({ input }) =>
      [firstLine(text(input['pattern'])), shortPath(text(input['path']))].filter(Boolean).join('  '),
    stat: (call) => formatCount(parseFoundPaths(short(call)).length),
    Body: SearchBody,
  },
  Grep: {
    icon: SearchIcon,
    summary: ({ input }) =>
      [firstLine(text(input['pattern'])), text(input['glob']), shortPath(text(input['path']))]
        .filter(Boolean)
        .join('  '),
    stat: (call) => formatCount(parseFoundFiles(short(call))?.length),
    Body: SearchBody,
  },
  TodoWrite: {
    icon: ChecklistIcon,
    summary(call) {
      const todos = listTodos(call)
      const done = todos.filter(({ status }) => status === 'completed').length
      const now = todos.find(({ status }) => status === 'in_progress')
      const count = todos.length === 0 ? undefined : words.tools.todosDone(done, todos.length)
      return [count, firstLine(now?.content, 80)].filter(Boolean).join(' · ')
    },
    Body: TodoBody,
    isProse: true,
  },
  WebSearch: {
    icon: SearchIcon,
    summary: ({ input }) => firstLine(text(input['query'])),
    Body: WebBody,
    isProse: true,
  },
  WebFetch: {
    icon: GlobeIcon,
    summary: ({ input }) => firstLine(text(input['url']) ?? text(input['prompt'])),
    Body: WebBody,
  },
  AskUserQuestion: { icon: QuestionIcon, summary: asks, Body: QuestionBody, isProse: true },
  EnterPlanMode: { icon: ReviewIcon, Body: GenericBody },
  ExitPlanMode: {
    icon: ReviewIcon,
    summary: ({ input }) =>
      firstLine(text(input['plan'])?.replace(/^#+\s*/, '')) ?? shortPath(text(input['plan_path'])),
    Body: PlanBody,
    isOpen: true,
    isProse: true,
  },
  Task: {
    icon: RobotIcon,
    summary: ({ input }) => firstLine(text(input['description']) ?? text(input['prompt'])),
    stat: ({ input }) => firstLine(text(input['subagent_type']), 30),
    Body: TaskBody,
    isProse: true,
  },
  Skill: {
    icon: BranchIcon,
    summary: ({ input }) => firstLine(text(input['skill']) ?? text(input['name']) ?? text(input['command'])),
    Body: GenericBody,
  },
}

const generic: ToolView = { icon: ToolIcon, summary: firstText, Body: GenericBody }
const mcp: ToolView = {
  ...generic,
  title({ name }) {
    const parts = parseMcpName(name)
    return parts && `${parts.server} · ${parts.tool}`
  },
}

export function getToolView({ name }: ToolCall): ToolView {
  if (Object.hasOwn(views, name)) return views[name]!
  return parseMcpName(name) ? mcp : generic
}

/** The title of a call. */
export function getTitle(call: ToolCall): string {
  const { names } = words.tools
  const known = Object.hasOwn(names, call.name) ? names[call.name] : undefined
  return getToolView(call).title?.(call) ?? known ?? (firstLine(call.name, 80) || words.tools.unknown)
}

/** The first text input of an unknown tool. */
function firstText({ input }: ToolCall): string | undefined {
  for (const name in input) {
    const value = input[name]
    if (typeof value === 'string' && value !== '') return firstLine(value, 120)
    if (typeof value === 'number') return `${name} ${value}`
  }
  return undefined
}

/** Long output is not searched for counts. */
function short(call: ToolCall): string {
  const output = call.result?.status === 'success' ? getOutputText(call) : ''
  return output.length > 50_000 ? '' : output
}

function formatCount(count: number | undefined): string | undefined {
  return count ? words.tools.files(count) : undefined
}

/** The view of one tool. Inputs may have any content. */
interface ToolView {
  readonly icon: ComponentType<{ readonly className?: string }>
  /** The action, in a word or two. */
  title?(call: ToolCall): string | undefined
  /** The main argument, for the collapsed line. */
  summary?(call: ToolCall): string | undefined
  /** The size of the result. */
  stat?(call: ToolCall): DiffStat | string | undefined
  /** The expanded content. */
  readonly Body: ComponentType<{ readonly call: ToolCall }>
  /** Whether it is expanded at first. */
  readonly isOpen?: boolean
  /** The summary is prose, not code. */
  readonly isProse?: boolean
}
