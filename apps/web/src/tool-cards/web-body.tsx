import { words } from '../words/index.ts'
import { Linked } from '../markdown/inline.tsx'
import { type ToolCall, getOutputText } from '../tool-calls/call.ts'
import { text } from '../tool-calls/fields.ts'
import { Media, Part, PrintedOutput, MarkdownPart, Words } from './parts.tsx'

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
