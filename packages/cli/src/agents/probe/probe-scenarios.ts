import type { Scenario, ToolCall } from '@remora/scripted-model'

/** What the model does in each check. Prompts name the scenario, so that every channel can try every check. */
export const probes = {
  text: { prompt: 'SCENARIO: probe-text', answer: 'The probe answers.' },
  tool: { prompt: 'SCENARIO: probe-tool', answer: 'The tool ran.', file: 'tool.txt' },
  write: { prompt: 'SCENARIO: probe-write', answer: 'The file is written.', file: 'written.txt' },
  approve: { prompt: 'SCENARIO: probe-approve', answer: 'The command ran.', file: 'approved.txt' },
  deny: { prompt: 'SCENARIO: probe-deny', answer: 'The command was denied.', file: 'denied.txt' },
  interrupt: { prompt: 'SCENARIO: probe-interrupt', answer: 'Counting' },
  resume: { prompt: 'SCENARIO: probe-resume', answer: 'The probe continues.' },
} as const

/** Some CLIs ask only for commands that request to leave the sandbox. */
const asking = { dangerouslyDisableSandbox: true }

export const probeScenarios: Scenario[] = [
  toScenario('text', [{ text: probes.text.answer }]),
  toScenario('tool', [{ tools: [touch(probes.tool.file)] }, { text: probes.tool.answer }]),
  toScenario('write', [
    { tools: [{ name: 'Write', input: { file_path: probes.write.file, content: 'probe\n' } }] },
    { text: probes.write.answer },
  ]),
  toScenario('approve', [{ tools: [touch(probes.approve.file, asking)] }, { text: probes.approve.answer }]),
  toScenario('deny', [{ tools: [touch(probes.deny.file, asking)] }, { text: probes.deny.answer }]),
  // Longer than a check may take, so that it ends only by the interrupt.
  toScenario('interrupt', [
    { text: ['Counting', ...Array.from({ length: 600 }, (_, at) => ` ${at}`)], delayMs: 300 },
  ]),
  toScenario('resume', [{ text: probes.resume.answer }]),
]

function toScenario(check: keyof typeof probes, replies: Scenario['turns'][number]): Scenario {
  return { name: `probe-${check}`, title: check, prompt: probes[check].prompt, turns: [replies] }
}

function touch(file: string, more: object = {}): ToolCall {
  return { name: 'Bash', input: { command: `touch ${file}`, description: `Creates ${file}`, ...more } }
}
