import type { SlashCommandBlock } from '@remora/protocol'
import { firstLine } from '../../tool-calls/fields.ts'

/** A command that somebody gave to the agent's own program. */
export function SlashCommand({ block }: { readonly block: SlashCommandBlock }) {
  const command = block.command.slice(0, 200)
  return (
    <p className="font-mono text-sm [overflow-wrap:anywhere]">
      <span className="font-semibold">{command.startsWith('/') ? command : `/${command}`}</span>
      {block.args ? <span className="text-dim"> {firstLine(block.args, 2_000)}</span> : null}
    </p>
  )
}
