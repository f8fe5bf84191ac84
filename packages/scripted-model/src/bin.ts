#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { environments } from './server/environments.ts'
import { loadScenario, loadScenarios } from './replies/load-scenarios.ts'
import { startScriptedModel } from './server/server.ts'

const help = `remora-scripted-model: a scripted model on loopback

  --port <number>      listen on this port (a free one by default)
  --scenario <name>    play this scenario whatever the prompt says
  --list               show the scenarios
  --help               show this text
`

try {
  await main()
} catch (error) {
  process.stderr.write(`remora-scripted-model: ${error instanceof Error ? error.message : String(error)}\n`)
  process.stderr.write('Try: remora-scripted-model --help\n')
  process.exitCode = 2
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      scenario: { type: 'string' },
      list: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) return void process.stdout.write(help)
  if (values.list === true) {
    const lines = (await loadScenarios()).map(({ name, title }) => `${name.padEnd(26)}${title}\n`)
    return void process.stdout.write(lines.join(''))
  }
  const model = await startScriptedModel({
    ...(values.port !== undefined && { port: parsePort(values.port) }),
    ...(values.scenario !== undefined && { scenario: await loadScenario(values.scenario) }),
  })
  process.stdout.write(
    `The scripted model listens on ${model.url}; Ctrl+C ends it.\n\n${environments(model.url)}`,
  )
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void model.close())
}

function parsePort(text: string): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`--port ${text} is not a port.`)
  return port
}
