import { words } from '../words/index.ts'
import { findLanguage } from '../code/languages.ts'
import { getOutputText, type ToolCall } from '../tool-calls/call.ts'
import { getPath, listFileDiffs } from '../tool-calls/file-diffs.ts'
import { toDiffRows } from '../diff/diff-rows.ts'
import { DiffView } from '../diff/diff-view.tsx'
import type { FileDiff, Hunk } from '../diff/hunks.ts'
import { useEffect, useMemo, useState } from 'react'
import { text, toFields, toList } from '../tool-calls/fields.ts'
import { Listing, Part, PrintedOutput, Words } from './parts.tsx'
import { GenericBody } from './bodies.tsx'

/** The diff of each file. */
export function EditBody({ call }: { readonly call: ToolCall }) {
  const files = listFileDiffs(call).filter(({ hunks }) => hunks.length > 0)
  if (files.length === 0) {
    const changes = toList(call.input['changes'])
    return changes.length > 0 ? <ChangedFiles call={call} changes={changes} /> : <GenericBody call={call} />
  }
  return (
    <>
      {files.map((file, index) => (
        <Part key={index}>
          <FileDiffView file={file} path={file.path ?? getPath(call)} />
        </Part>
      ))}
      <Failure call={call} />
    </>
  )
}

function FileDiffView({ file, path = '' }: { readonly file: FileDiff; readonly path: string | undefined }) {
  const hunks = useExactHunks(file)
  const rows = useMemo(() => toDiffRows(hunks), [hunks])
  return (
    <div className="bg-code">
      <p className="border-b border-line px-3 py-1.5 font-mono text-xs [overflow-wrap:anywhere] text-dim">
        {words.tools.fileKinds[file.kind](path)}
      </p>
      <DiffView
        rows={rows}
        label={words.tools.changesIn(path)}
        language={findLanguage(path)}
        numbers="one"
        folded={40}
        step={5_000}
      />
    </div>
  )
}

/** Starts with everything between the common start and end, and refines it when the diff library has loaded. */
function useExactHunks({ hunks, texts }: FileDiff): readonly Hunk[] {
  const [exact, setExact] = useState<readonly Hunk[]>()
  useEffect(() => {
    // A diff that only adds or only removes is exact already.
    const isMixed = hunks.some(({ lines }) => lines.filter((line) => line[0] !== ' ').length > 2)
    if (!texts || !isMixed || texts.before.length + texts.after.length > 400_000) return undefined
    let isGone = false
    import('../diff/exact-hunks.ts')
      .then(({ diffExactly }) => {
        if (!isGone) setExact(diffExactly(texts.before, texts.after))
      })
      .catch(() => {
        // The rough diff shows the same change in more lines.
      })
    return () => {
      isGone = true
    }
  }, [hunks, texts])
  return exact ?? hunks
}

/** A new file is shown as a file. */
export function WriteBody({ call }: { readonly call: ToolCall }) {
  const [file, ...others] = listFileDiffs(call)
  if (!file || others.length > 0 || file.kind !== 'add') return <EditBody call={call} />
  const path = file.path ?? getPath(call) ?? ''
  const content = file.hunks.flatMap(({ lines }) => lines.map((line) => line.slice(1))).join('\n')
  return (
    <>
      <Words className="font-mono text-xs text-dim">{words.tools.fileKinds.add(path)}</Words>
      <Listing code={content} language={findLanguage(path)} numbers={1} label={words.tools.toContent(path)} />
      <Failure call={call} />
    </>
  )
}

/** Some agents only list the files of a patch. */
function ChangedFiles({ call, changes }: { readonly call: ToolCall; readonly changes: readonly unknown[] }) {
  return (
    <>
      <ul className="flex flex-col gap-1 px-3 py-2 font-mono text-[0.8125rem] [overflow-wrap:anywhere]">
        {changes.map((change, index) => {
          const { path, kind } = toFields(change)
          const known = kind === 'add' || kind === 'delete' ? kind : 'update'
          return <li key={index}>{words.tools.fileKinds[known](text(path) ?? '')}</li>
        })}
      </ul>
      <Failure call={call} />
    </>
  )
}

function Failure({ call }: { readonly call: ToolCall }) {
  const output = getOutputText(call)
  if (call.result === undefined || call.result.status === 'success' || output === '') return null
  return (
    <Part label={words.tools.result} copied={output}>
      <PrintedOutput output={output} isBad={call.result.status === 'error'} />
    </Part>
  )
}
