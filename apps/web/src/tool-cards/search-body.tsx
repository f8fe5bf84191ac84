import { useState } from 'react'
import { words } from '../words/index.ts'
import { ShowAll } from '../code/show-all.tsx'
import { type ToolCall, getOutputText } from '../tool-calls/call.ts'
import { text } from '../tool-calls/fields.ts'
import { type FoundFile, parseFoundFiles, parseFoundPaths } from '../tool-calls/search-results.ts'
import { GenericBody } from './generic-body.tsx'
import { PrintedOutput, Words } from './parts.tsx'

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
