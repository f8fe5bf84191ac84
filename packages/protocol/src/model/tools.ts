import { z } from 'zod'
import type { Block, ToolUseBlock } from './message.ts'

// Loose schemas, so that unknown fields of an agent are kept.
const text = z.string()
const number = z.number().optional()
const flag = z.boolean().optional()
const optional = z.string().optional()

/** The inputs of Claude's tools. The tools of other agents are mapped to them where they fit. */
export const toolInputs = {
  Bash: z.looseObject({ command: text, description: optional, timeout: number, run_in_background: flag }),
  Read: z.looseObject({ file_path: text, offset: number, limit: number }),
  Write: z.looseObject({ file_path: text, content: text }),
  Edit: z.looseObject({ file_path: text, old_string: text, new_string: text, replace_all: flag }),
  Glob: z.looseObject({ pattern: text, path: optional }),
  Grep: z.looseObject({
    pattern: text,
    path: optional,
    glob: optional,
    type: optional,
    output_mode: z.enum(['content', 'files_with_matches', 'count']).optional(),
    '-i': flag,
    '-n': flag,
    '-A': number,
    '-B': number,
    '-C': number,
    multiline: flag,
    head_limit: number,
  }),
  TodoWrite: z.looseObject({
    todos: z.array(
      z.looseObject({
        content: text,
        status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']),
        activeForm: optional,
      }),
    ),
  }),
  WebSearch: z.looseObject({
    query: text,
    allowed_domains: z.array(text).optional(),
    blocked_domains: z.array(text).optional(),
  }),
  WebFetch: z.looseObject({ url: text, prompt: optional }),
  AskUserQuestion: z.looseObject({
    questions: z.array(
      z.looseObject({
        question: text,
        header: optional,
        options: z.array(z.looseObject({ label: text, description: optional })).optional(),
        multiSelect: flag,
      }),
    ),
  }),
  ExitPlanMode: z.looseObject({ plan: optional }),
  Task: z.looseObject({ prompt: text, description: optional, subagent_type: optional }),
} as const

/** The name of a Claude tool that has an input schema. */
export type ToolName = keyof typeof toolInputs
/** The input of a Claude tool. @example ToolInput<'Bash'> */
export type ToolInput<N extends ToolName> = z.infer<(typeof toolInputs)[N]>

/** Whether a block is a call of that tool with an input that fits. @example if (isTool(block, 'Bash')) block.input.command */
export function isTool<N extends ToolName>(
  block: Block,
  name: N,
): block is ToolUseBlock & { name: N; input: ToolInput<N> } {
  return block.type === 'tool_use' && block.name === name && toolInputs[name].safeParse(block.input).success
}
