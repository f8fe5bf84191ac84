import { parseMcpName } from '@remora/protocol/plain'
import { words } from '../words/index.ts'
import type { ToolCall } from '../tool-calls/call.ts'
import { Json, Output, Part, Words } from './parts.tsx'

/** The input and output of an unknown tool. */
export function GenericBody({ call }: { readonly call: ToolCall }) {
  const server = parseMcpName(call.name)?.server
  const native = call.use?.native?.name
  const input: unknown = call.use?.input
  const isEmpty =
    input === undefined || input === null || (typeof input === 'object' && Object.keys(input).length === 0)
  return (
    <>
      {server !== undefined && <Words className="text-dim">{words.tools.mcp(server)}</Words>}
      {server === undefined && native !== undefined && native !== call.name && (
        <Words className="font-mono text-dim">{native}</Words>
      )}
      {!isEmpty && (
        <Part label={words.tools.input}>
          <Json value={input} label={words.tools.input} />
        </Part>
      )}
      <Output call={call} />
    </>
  )
}
