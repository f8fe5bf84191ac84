import { replaceInvisible } from '../diff/replace-invisible.ts'
import { words } from '../words/index.ts'
import { CodeText } from '../code/code-text.tsx'
import { stripAnsi } from '../tool-calls/ansi.ts'
import type { ToolCall } from '../tool-calls/call.ts'
import { text } from '../tool-calls/fields.ts'
import { parseShellOutput } from '../tool-calls/shell-output.ts'
import { GenericBody } from './generic-body.tsx'
import { Listing, Media, Part, PrintedOutput, Words } from './parts.tsx'

/** The full command and its output. */
export function ShellBody({ call }: { readonly call: ToolCall }) {
  const given = text(call.input['command'])
  // Shows the executed command, with invisible characters replaced.
  const command = given?.split('\n').map(replaceInvisible).join('\n')
  if (command === undefined && call.name === 'Bash') return <GenericBody call={call} />
  const description = text(call.input['description'])
  const { output } = parseShellOutput(call)
  return (
    <>
      {description !== undefined && <Words className="text-dim">{description}</Words>}
      {command !== undefined && (
        <Part label={words.tools.command} copied={given ?? ''}>
          {command.length > 2_000 ? (
            <Listing code={command} language="shellscript" label={words.tools.command} />
          ) : (
            <CodeText
              code={command}
              language="shellscript"
              label={words.tools.command}
              className="[&>pre]:pt-0"
            />
          )}
        </Part>
      )}
      {call.result && (
        <Part label={words.tools.output} copied={stripAnsi(output)}>
          {output.trim() === '' ? (
            <Words className="pt-0 text-faint">{words.tools.noOutput}</Words>
          ) : (
            <PrintedOutput output={output} />
          )}
          <Media call={call} />
        </Part>
      )}
    </>
  )
}
