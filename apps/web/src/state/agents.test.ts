import type { AgentInfo } from '@remora/protocol/api'
import { expect, it, onTestFinished } from 'vitest'
import { getAgentName, useAgentStore } from './agents.ts'

it('names agents by their short name, else by the title of an older server, else by id', () => {
  onTestFinished(() => useAgentStore.setState({ agents: undefined }))
  const names = () => ['one', 'two', 'other'].map(getAgentName)
  expect(names()).toEqual(['one', 'two', 'other'])
  const agents = [
    { id: 'one', title: 'One CLI', name: 'One' } as AgentInfo,
    { id: 'two', title: 'Two CLI' } as AgentInfo,
  ]
  useAgentStore.setState({ agents })
  expect(names()).toEqual(['One', 'Two CLI', 'other'])
})
