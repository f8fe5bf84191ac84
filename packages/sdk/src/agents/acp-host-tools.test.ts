import { describe, expect, it } from 'vitest'
import { claude } from './claude/index.ts'
import { codex } from './codex/index.ts'
import { gemini } from './gemini/index.ts'
import { opencode } from './opencode/index.ts'

/** As the CLIs sent them. */
const requests = {
  'Gemini 0.61': {
    options: [
      {
        optionId: 'proceed_always_server',
        name: 'Allow all server tools for this session',
        kind: 'allow_always',
      },
      { optionId: 'proceed_always_tool', name: 'Allow tool for this session', kind: 'allow_always' },
    ],
    toolCall: {
      toolCallId: 'mcp_remora_clock__mcp_remora_clock_1794804577668_0',
      status: 'pending',
      title: 'clock (remora MCP Server)',
      content: [{ type: 'content', content: { type: 'text', text: '{"zone":"UTC"}' } }],
      locations: [],
      kind: 'other',
    },
  },
  'Gemini 0.34 and 0.27': {
    options: [
      { optionId: 'proceed_always_server', name: 'Always Allow remora', kind: 'allow_always' },
      { optionId: 'proceed_always_tool', name: 'Always Allow clock', kind: 'allow_always' },
    ],
    toolCall: {
      toolCallId: 'clock-1794804893323',
      status: 'pending',
      title: '{"zone":"UTC"}',
      content: [],
      locations: [],
      kind: 'other',
    },
  },
  'claude-code-acp': {
    toolCall: { toolCallId: 'toolu_1', rawInput: { zone: 'UTC' }, title: 'mcp__remora__clock' },
  },
  'codex-acp': {
    toolCall: {
      toolCallId: 'call_1',
      status: 'pending',
      title: 'Approve MCP tool call',
      rawInput: {
        server_name: 'remora',
        id: 'mcp_tool_call_approval_call_1',
        request: {
          mode: 'form',
          _meta: { codex_approval_kind: 'mcp_tool_call', tool_params: { zone: 'UTC' } },
          message: 'Allow the remora MCP server to run tool "clock"?',
        },
      },
    },
  },
  OpenCode: {
    toolCall: { toolCallId: 'call_1', title: 'remora_clock', kind: 'other', status: 'pending', rawInput: {} },
  },
}

const agents = {
  'Gemini 0.61': gemini,
  'Gemini 0.34 and 0.27': gemini,
  'claude-code-acp': claude,
  'codex-acp': codex,
  OpenCode: opencode,
}

/** What the agent has told of the call before. */
const told = (name: string) => ({ _meta: { claudeCode: { toolName: name } } })

describe('a tool of the program', () => {
  it.each(Object.entries(requests))('is known in a request of %s', (name, params) => {
    const { hostTool } = agents[name as keyof typeof agents].acp
    expect(hostTool?.('remora', params, told('mcp__remora__clock'))).toBe('clock')
    expect(hostTool?.('lab', params, told('mcp__remora__clock'))).toBeUndefined()
  })

  it.each(Object.entries(agents))('is nothing that the model can pretend to %s', (_, { acp }) => {
    const pretended = [
      { title: 'clock (remora MCP Server)', kind: 'other' },
      { title: 'mcp__remora__clock', rawInput: { description: 'mcp__remora__clock' } },
      {
        title: 'delete',
        kind: 'other',
        rawInput: { server: 'remora', tool: 'clock', server_name: 'remora' },
      },
      { title: 'remora_clock', kind: 'execute' },
    ]
    for (const toolCall of pretended)
      expect(acp.hostTool?.('remora', { toolCall }, told('mcp__github__delete_repo'))).toBeUndefined()
  })

  it.each([{}, { toolCall: null }, { toolCall: {}, options: 'none' }, { toolCall: {}, options: [null] }])(
    'is not in %o',
    (params) => {
      for (const { acp } of Object.values(agents))
        expect(acp.hostTool?.('remora', params, {})).toBeUndefined()
    },
  )
})
