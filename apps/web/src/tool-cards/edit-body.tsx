import { words } from '../words/index.ts'
import { languageOfPath } from '../code/languages.ts'
import { type ToolCall, outputText } from '../tool-calls/call.ts'
import { fileDiffs, pathOf } from '../tool-calls/file-diffs.ts'
import { DiffView } from './tool-diff-view.tsx'
import { fieldsOf, listOf, text } from '../tool-calls/fields.ts'
import { GenericBody } from './generic-body.tsx'
import { Listing, Part, Printed, Words } from './parts.tsx'

/** What changes, file by file. */
export function EditBody({ call }: { readonly call: ToolCall }) {
  const files = fileDiffs(call).filter(({ hunks }) => hunks.length > 0)
  if (files.length === 0) {
    const changes = listOf(call.input['changes'])
    return changes.length > 0 ? <ChangedFiles call={call} changes={changes} /> : <GenericBody call={call} />
  }
  return (
    <>
      {files.map((file, index) => (
        <Part key={index}>
          <DiffView file={file.path === undefined ? { ...file, path: pathOf(call) } : file} withPath />
        </Part>
      ))}
      <Failure call={call} />
    </>
  )
}

/** A new file is shown as a file. */
export function WriteBody({ call }: { readonly call: ToolCall }) {
  const [file, ...others] = fileDiffs(call)
  if (!file || others.length > 0 || file.kind !== 'add') return <EditBody call={call} />
  const path = file.path ?? pathOf(call) ?? ''
  const content = file.hunks.flatMap(({ lines }) => lines.map((line) => line.slice(1))).join('\n')
  return (
    <>
      <Words className="font-mono text-xs text-dim">{words.tools.fileKinds.add(path)}</Words>
      <Listing
        code={content}
        language={languageOfPath(path)}
        numbers={1}
        label={words.tools.contentOf(path)}
      />
      <Failure call={call} />
    </>
  )
}

/** Some tell only which files a patch changes. */
function ChangedFiles({ call, changes }: { readonly call: ToolCall; readonly changes: readonly unknown[] }) {
  return (
    <>
      <ul className="flex flex-col gap-1 px-3 py-2 font-mono text-[0.8125rem] [overflow-wrap:anywhere]">
        {changes.map((change, index) => {
          const { path, kind } = fieldsOf(change)
          const known = kind === 'add' || kind === 'delete' ? kind : 'update'
          return <li key={index}>{words.tools.fileKinds[known](text(path) ?? '')}</li>
        })}
      </ul>
      <Failure call={call} />
    </>
  )
}

function Failure({ call }: { readonly call: ToolCall }) {
  const output = outputText(call)
  if (call.result === undefined || call.result.status === 'success' || output === '') return null
  return (
    <Part label={words.tools.result} copied={output}>
      <Printed output={output} isBad={call.result.status === 'error'} />
    </Part>
  )
}
