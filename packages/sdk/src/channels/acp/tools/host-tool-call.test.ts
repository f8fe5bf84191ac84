import { describe, expect, it } from 'vitest'
import { hostToolOf } from './host-tool-call.ts'

const names = ['clock', 'structured_output']

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

describe('hostToolOf', () => {
  it.each(Object.entries(requests))('knows a call of %s', (_, params) => {
    expect(hostToolOf(params, names)).toBe('clock')
    expect(hostToolOf(params, ['other'])).toBeUndefined()
  })

  it('takes no command for a tool', () => {
    const { toolCall } = requests['claude-code-acp']
    expect(hostToolOf({ toolCall: { ...toolCall, kind: 'execute' } }, names)).toBeUndefined()
  })

  it('takes no tool of another server for its own', () => {
    const foreign = JSON.parse(JSON.stringify(requests).replaceAll('remora', 'lab')) as typeof requests
    for (const params of Object.values(foreign)) expect(hostToolOf(params, names)).toBeUndefined()
  })

  it.each([{}, { toolCall: null }, { toolCall: {}, options: 'none' }, { toolCall: {}, options: [null] }])(
    'survives %o',
    (params) => expect(hostToolOf(params, names)).toBeUndefined(),
  )
})
