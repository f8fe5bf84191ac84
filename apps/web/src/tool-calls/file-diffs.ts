import type { ToolCall } from './call.ts'
import { type Fields, fieldsOf, listOf, number, text } from './fields.ts'
import { type FileDiff, type Hunk, patchFiles, roughHunk, unifiedHunks, wholeHunk } from '../diff/hunks.ts'

const done = new WeakMap<ToolCall, readonly FileDiff[]>()

/** What a call changes, by what the agent shows of it, or else by what it was told to do. */
export function fileDiffs(call: ToolCall): readonly FileDiff[] {
  const before = done.get(call)
  if (before) return before
  const path = pathOf(call)
  const shown = shownDiffs(call.result?.display, path)
  const made = shown.length > 0 ? shown : toldDiffs(call, path)
  done.set(call, made)
  return made
}

export function pathOf({ input }: ToolCall): string | undefined {
  return (
    text(input['file_path']) ??
    text(input['notebook_path']) ??
    text(input['filePath']) ??
    text(input['path']) ??
    text(fieldsOf(listOf(input['changes'])[0])['path'])
  )
}

function shownDiffs(display: unknown, path: string | undefined): FileDiff[] {
  if (Array.isArray(display)) {
    const acp = display.flatMap((entry) => acpDiff(fieldsOf(entry)))
    return acp.length > 0 ? acp : patched(display, path)
  }
  const fields = fieldsOf(display)
  const gemini = text(fields['fileDiff'])
  if (gemini !== undefined) {
    const kind = fields['isNewFile'] === true ? 'add' : 'update'
    return [{ path: text(fields['filePath']) ?? path, kind, hunks: unifiedHunks(gemini) }]
  }
  const claude = patched(listOf(fields['structuredPatch']), path)
  if (claude.length > 0) return claude
  return Object.entries(fields).flatMap(([file, change]) => codexDiff(file, fieldsOf(change)))
}

/** Claude keeps hunks as they are in a patch. */
function patched(entries: readonly unknown[], path: string | undefined): FileDiff[] {
  const hunks = entries.flatMap((entry): Hunk[] => {
    const fields = fieldsOf(entry)
    const lines = listOf(fields['lines']).filter((line) => typeof line === 'string')
    if (lines.length === 0) return []
    return [{ oldStart: number(fields['oldStart']), newStart: number(fields['newStart']), lines }]
  })
  return hunks.length === 0 ? [] : [{ path, kind: 'update', hunks }]
}

function acpDiff({ type, path, oldText, newText }: Fields): FileDiff[] {
  if (type !== 'diff' || typeof newText !== 'string') return []
  return [changed(text(path), typeof oldText === 'string' ? oldText : '', newText)]
}

function codexDiff(path: string, { type, content, unified_diff: diff }: Fields): FileDiff[] {
  if (typeof diff === 'string') return [{ path, kind: 'update', hunks: unifiedHunks(diff) }]
  if ((type !== 'add' && type !== 'delete') || typeof content !== 'string') return []
  return [{ path, kind: type, hunks: wholeHunk(content, type === 'add' ? '+' : '-') }]
}

function toldDiffs({ input, use }: ToolCall, path: string | undefined): FileDiff[] {
  const patch = patchIn(input) ?? patchIn(fieldsOf(use?.native?.input)) ?? patchText(use?.native?.input)
  if (patch !== undefined) {
    const files = patchFiles(patch)
    if (files.length > 0) return files
    const hunks = unifiedHunks(patch)
    if (hunks.length > 0) return [{ path, kind: 'update', hunks }]
  }
  const edits = listOf(input['edits']).flatMap((edit) => replaced(fieldsOf(edit), path))
  if (edits.length > 0) return edits
  const content = text(input['content']) ?? text(input['file_text'])
  if (content !== undefined) return [{ path, kind: 'add', hunks: wholeHunk(content, '+') }]
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
  if (before === '') return { path, kind: 'add', hunks: wholeHunk(after, '+') }
  return { path, kind: 'update', hunks: roughHunk(before, after), texts: { before, after } }
}
