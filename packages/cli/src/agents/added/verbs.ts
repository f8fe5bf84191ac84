// Command lines of the agents that users add. What a verb does is in another file, loaded when it runs: help stays fast.
import type { Verb } from '../../command/verb.ts'

export const add: Verb = {
  name: 'add',
  description: 'Add an agent: a plugin package, or an ACP command',
  positionals: [
    { name: 'package', description: 'npm package, with @version if you like, or a folder: ./my-agent' },
  ],
  options: {
    acp: { value: 'id', description: 'Id of the agent whose ACP command follows after --' },
    title: { value: 'text', description: 'With --acp: name to show (default: the id)' },
    env: { value: 'name=value', many: true, description: 'With --acp: set a variable for the agent' },
    yes: { short: 'y', description: 'Add a package without asking. Its code runs with your rights' },
    json: { description: 'Print the added agent as a JSON object' },
  },
  rest: 'command that speaks ACP',
  examples: [
    'remora agents add --acp mine -- my-agent --acp',
    'remora agents add --acp goose --title "Goose" -- goose acp',
    'remora agents add --acp local --env MODEL_URL=http://localhost:8080 -- npx -y some-agent --acp',
    'remora agents add remora-agent-mine@1.2.0',
    'remora agents add ./my-agent',
  ],
  async run(input, io) {
    const { addAgent } = await import('./add-agent.ts')
    return addAgent(input, io)
  },
}

export const trust: Verb = {
  name: 'trust',
  description: 'Accept the changed files of a plugin',
  positionals: [{ name: 'agent', required: true, description: 'Id of the agent' }],
  options: {
    yes: { short: 'y', description: 'Accept without asking. Its code runs with your rights' },
    json: { description: 'Print the agent as a JSON object' },
  },
  examples: ['remora agents trust mine'],
  async run(input, io) {
    const { trustAgent } = await import('./trust-agent.ts')
    return trustAgent(input, io)
  },
}

export const scaffold: Verb = {
  name: 'scaffold',
  description: 'Write a plugin package to start from',
  positionals: [
    { name: 'id', required: true, description: 'Id of the new agent, such as my-agent' },
    { name: 'folder', description: 'Folder to create (default: remora-agent-<id>)' },
  ],
  options: { json: { description: 'Print the written files as a JSON object' } },
  examples: ['remora agents scaffold my-agent', 'remora agents add ./remora-agent-my-agent'],
  async run(input, io) {
    const { scaffoldAgent } = await import('./scaffold-agent.ts')
    return scaffoldAgent(input, io)
  },
}

export const available: Verb = {
  name: 'available',
  description: 'List the agents of an ACP registry file',
  positionals: [{ name: 'registry', required: true, description: 'File, or URL to fetch' }],
  options: { json: { description: 'Print a JSON array' } },
  examples: [
    'remora agents available registry.json',
    'remora agents available https://example.com/acp-registry.json',
  ],
  async run(input, io) {
    const { listAvailable } = await import('./list-available.ts')
    return listAvailable(input, io)
  },
}

export const remove: Verb = {
  name: 'remove',
  description: 'Remove an agent that you added. Its sessions stay in the ledger',
  positionals: [{ name: 'agent', required: true, description: 'Id of the agent' }],
  options: { json: { description: 'Print the removed agent as a JSON object' } },
  examples: ['remora agents remove mine'],
  async run(input, io) {
    const { removeAgent } = await import('./remove-agent.ts')
    return removeAgent(input, io)
  },
}
