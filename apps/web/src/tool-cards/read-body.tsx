import { words } from '../words/index.ts'
import { findLanguage } from '../code/languages.ts'
import { type ToolCall, getOutputMedia, getOutputText } from '../tool-calls/call.ts'
import { getPath } from '../tool-calls/file-diffs.ts'
import { number } from '../tool-calls/fields.ts'
import { parseNumberedText } from '../tool-calls/read-lines.ts'
import { GenericBody } from './generic-body.tsx'
import { Listing, Media, Words } from './parts.tsx'

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
