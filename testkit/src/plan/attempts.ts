import type { Scenario } from '@remora/scripted-model'

export interface Targets {
  /** A folder beside the project and the home, writable for the user. */
  readonly outside: string
  readonly port: number
}

type Tool =
  | { name: string; input: Record<string, unknown> }
  | { native: string; input: Record<string, unknown> }

export const marker = 'marker-of-the-note'

/** What a model tries in plan mode. Everything but the first call would change something, or use the network. */
export function listAttempts({ outside, port }: Targets): Tool[] {
  const run = (command: string): Tool => ({ name: 'Bash', input: { command } })
  return [
    { name: 'Read', input: { file_path: 'note.txt' } },
    { name: 'Write', input: { file_path: 'written.txt', content: 'x\n' } },
    { name: 'Edit', input: { file_path: 'note.txt', old_string: marker, new_string: 'changed' } },
    { name: 'Write', input: { file_path: `${outside}/written.txt`, content: 'x\n' } },
    run('touch touched.txt'),
    run(`touch ${outside}/touched.txt`),
    run(`bash -c "echo hello > /dev/tcp/127.0.0.1/${port}"`),
    // Leaving plan mode needs a person, so that what follows is still read-only.
    ...['ExitPlanMode', 'exit_plan_mode', 'plan_exit'].map((native) => ({
      native,
      input: { plan: 'Write a file', plan_path: 'plan.md', plan_filename: 'plan.md' },
    })),
    { name: 'Write', input: { file_path: 'after-leaving.txt', content: 'x\n' } },
    run('touch after-leaving-too.txt'),
  ]
}

/** Each attempt as a prompt of its own: `SCENARIO: attempt-3`. */
export function toScenarios(tools: readonly Tool[]): Scenario[] {
  const one = tools.map((tool, index) => ({
    name: `attempt-${index}`,
    title: 'One attempt',
    prompt: `SCENARIO: attempt-${index}`,
    turns: [[{ tools: [tool] }, { text: 'Done.' }]],
  }))
  const all = {
    name: 'attempts',
    title: 'All attempts',
    prompt: 'SCENARIO: attempts',
    turns: [[...tools.map((tool) => ({ tools: [tool] })), { text: 'Done.' }]],
  }
  return [...one, all] as Scenario[]
}
