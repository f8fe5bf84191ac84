import type { ToolCall } from './call.ts'
import { type Fields, toFields, toList, number, text } from './fields.ts'
import {
  type FileDiff,
  type Hunk,
  parsePatch,
  diffRoughly,
  parseUnifiedDiff,
  toWholeHunk,
} from '../diff/hunks.ts'

const done = new WeakMap<ToolCall, readonly FileDiff[]>()

/** The changes of a call: from the result of the agent, else from the input. */
export function listFileDiffs(call: ToolCall): readonly FileDiff[] {
  const before = done.get(call)
  if (before) return before
  const path = getPath(call)
  const shown = shownDiffs(call.result?.display, path)
  const made = shown.length > 0 ? shown : toldDiffs(call, path)
  done.set(call, made)
  return made
}

export function getPath({ input }: ToolCall): string | undefined {
  return (
    text(input['file_path']) ??
    text(input['notebook_path']) ??
    text(input['filePath']) ??
    text(input['path']) ??
    text(toFields(toList(input['changes'])[0])['path'])
  )
}

function shownDiffs(display: unknown, path: string | undefined): FileDiff[] {
  if (Array.isArray(display)) {
    const acp = display.flatMap((entry) => acpDiff(toFields(entry)))
    return acp.length > 0 ? acp : patched(display, path)
  }
  const fields = toFields(display)
  const unified = text(fields['fileDiff'])
  if (unified !== undefined) {
    const kind = fields['isNewFile'] === true ? 'add' : 'update'
    return [{ path: text(fields['filePath']) ?? path, kind, hunks: parseUnifiedDiff(unified) }]
  }
  const structured = patched(toList(fields['structuredPatch']), path)
  if (structured.length > 0) return structured
  return Object.entries(fields).flatMap(([file, change]) => changeDiff(file, toFields(change)))
}

/** Hunks with their lines as in a patch, from Claude. */
function patched(entries: readonly unknown[], path: string | undefined): FileDiff[] {
  const hunks = entries.flatMap((entry): Hunk[] => {
    const fields = toFields(entry)
    const lines = toList(fields['lines']).filter((line) => typeof line === 'string')
    if (lines.length === 0) return []
    return [{ oldStart: number(fields['oldStart']), newStart: number(fields['newStart']), lines }]
  })
  return hunks.length === 0 ? [] : [{ path, kind: 'update', hunks }]
}

function acpDiff({ type, path, oldText, newText }: Fields): FileDiff[] {
  if (type !== 'diff' || typeof newText !== 'string') return []
  return [changed(text(path), typeof oldText === 'string' ? oldText : '', newText)]
}

function changeDiff(path: string, { type, content, unified_diff: diff }: Fields): FileDiff[] {
  if (typeof diff === 'string') return [{ path, kind: 'update', hunks: parseUnifiedDiff(diff) }]
  if ((type !== 'add' && type !== 'delete') || typeof content !== 'string') return []
  return [{ path, kind: type, hunks: toWholeHunk(content, type === 'add' ? '+' : '-') }]
}

function toldDiffs({ input, use }: ToolCall, path: string | undefined): FileDiff[] {
  const patch = patchIn(input) ?? patchIn(toFields(use?.native?.input)) ?? patchText(use?.native?.input)
  if (patch !== undefined) {
    const files = parsePatch(patch)
    if (files.length > 0) return files
    const hunks = parseUnifiedDiff(patch)
    if (hunks.length > 0) return [{ path, kind: 'update', hunks }]
  }
  const edits = toList(input['edits']).flatMap((edit) => replaced(toFields(edit), path))
  if (edits.length > 0) return edits
  const content = text(input['content']) ?? text(input['file_text'])
  if (content !== undefined) return [{ path, kind: 'add', hunks: toWholeHunk(content, '+') }]
  return replaced(input, path)
}

function patchIn(fields: Fields): string | undefined {
  return ['patch', 'patchText', 'input', 'cmd', 'command', 'diff']
    .map((name) => patchText(fields[name]))
    .find(Boolean)
}

function patchText(value: unknown): string | undefined {
  const given = Array.isArray(value) ? text(value.at(-1)) : text(value)
  return given !== undefined && /\*\*\* Begin Patch|^@@ /m.test(given) ? given : undefined
}

function replaced(fields: Fields, path: string | undefined): FileDiff[] {
  const before = fields['old_string'] ?? fields['old_str'] ?? fields['oldText']
  const after = fields['new_string'] ?? fields['new_str'] ?? fields['newText'] ?? fields['new_source']
  if (typeof before !== 'string' && typeof after !== 'string') return []
  return [changed(path, typeof before === 'string' ? before : '', typeof after === 'string' ? after : '')]
}

function changed(path: string | undefined, before: string, after: string): FileDiff {
  if (before === '') return { path, kind: 'add', hunks: toWholeHunk(after, '+') }
  return { path, kind: 'update', hunks: diffRoughly(before, after), texts: { before, after } }
}
