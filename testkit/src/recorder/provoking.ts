import type { Scenario, ToolCall } from '@remora/scripted-model'

/**
 * The same scenario with commands that the CLI has to ask for: Claude and Gemini let a mere `echo` pass, and Codex asks
 * for nothing that its sandbox allows.
 *
 * @example startScriptedModel({ scenario: provoking('codex', scenario) })
 */
export function provoking(agent: string, scenario: Scenario): Scenario {
  const provoke = (tool: ToolCall): ToolCall => {
    if (!('name' in tool) || tool.name !== 'Bash') return tool
    const command = `touch made.txt && ${String(tool.input['command'])}`
    return agent === 'codex' ? escalated(command) : { ...tool, input: { ...tool.input, command } }
  }
  const turns = scenario.turns.map((turn) =>
    turn.map((reply) => (reply.tools ? { ...reply, tools: reply.tools.map(provoke) } : reply)),
  )
  return { ...scenario, turns }
}

function escalated(command: string): ToolCall {
  return {
    native: 'exec_command',
    input: {
      cmd: command,
      sandbox_permissions: 'require_escalated',
      justification: 'May I run this outside the sandbox?',
    },
  }
}
