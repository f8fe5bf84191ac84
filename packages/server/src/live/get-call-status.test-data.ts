import type { Message } from '@remora/protocol'

/** The status of the call whose input contains the text. */
export function getCallStatus(messages: readonly Message[], input: string): string | undefined {
  const blocks = messages.flatMap(({ content }) => content)
  const use = blocks.find((block) => block.type === 'tool_use' && JSON.stringify(block.input).includes(input))
  const result = blocks.find(
    (block) => block.type === 'tool_result' && use?.type === 'tool_use' && block.tool_use_id === use.id,
  )
  return result?.type === 'tool_result' ? result.status : undefined
}
