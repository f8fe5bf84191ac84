import type { Reply, Scenario, ToolCall } from '@remora/scripted-model'
import type { Agent, JoinedFacts } from '@remora/sdk'

/** The channels that can start a session, one after the other. */
export const drivers = ['acp', 'terminal'] as const
export type Driver = (typeof drivers)[number]

/** One prompt of the session and what the model answers. */
export interface Turn {
  readonly prompt: string
  readonly replies: readonly Reply[]
  /** A text of the last answer, which is interrupted when it is shown. */
  readonly interruptedAt?: string
}

/** A command with this text in it is denied. */
export const denied = 'refused'
/** A piece of an answer with this text in it is never sent. */
export const unsent = 'never sent'

/** The turns of one channel. @param run A line that makes the model run a command for which the agent asks. */
export function listTurns(driver: Driver, run = (command: string) => `RUN: ${command}`): Turn[] {
  const call = (command: string) => toToolCall(run(command))
  const name = (turn: string) => `SCENARIO: ${driver}-${turn}`
  const again: Turn = { prompt: 'SAY: the same again', replies: [{ text: 'the same again' }] }
  return [
    {
      prompt: name('allowed'),
      replies: [
        {
          text: 'Two commands.',
          tools: [call(`touch ${driver}-allowed.txt`), call(`cat ${driver}-missing.txt`)],
        },
        { text: 'Both have run.' },
      ],
    },
    {
      prompt: name('denied'),
      replies: [
        { text: 'One more.', tools: [call(`touch ${driver}-${denied}.txt`)] },
        { text: 'I may not.' },
      ],
    },
    {
      prompt: name('interrupted'),
      replies: [
        { text: 'Another one.', tools: [call(`touch ${driver}-before.txt`)] },
        // A terminal may show text line by line.
        { text: [`Shown over ${driver}.\n`, 'More of it.\n', unsent] },
      ],
      interruptedAt: `Shown over ${driver}.`,
    },
    // Equal prompts are still two.
    again,
    again,
  ]
}

/** The scenario that a prompt names. */
export function toScenario({ prompt, replies }: Turn): Scenario {
  return { name: prompt.replace(/^SCENARIO: /, ''), title: prompt, prompt, turns: [[...replies]] }
}

/** Whether a turn may be over after so many answers. */
export function canBeOver({ replies }: Turn, answers: number): boolean {
  const commands = replies[answers - 1]?.tools?.map(getCommand) ?? []
  return answers === replies.length || commands.some((command) => command.includes(denied))
}

/** A turn after so many answers, in the lines of `toStory`. */
export function describeTurn(turn: Turn, answers: number, { cannot }: JoinedFacts): string[] {
  const { prompt, replies, interruptedAt } = turn
  const isCut = interruptedAt !== undefined || answers < replies.length
  return [
    `user: ${prompt}`,
    ...replies.slice(0, answers).flatMap(({ text = '', tools = [] }, index) => {
      const isLast = interruptedAt !== undefined && index === replies.length - 1
      const isMarked = isLast || (isCut && cannot.includes('remember an interrupted turn'))
      return [
        `${isMarked ? 'cut' : 'assistant'}: ${isLast ? interruptedAt : String(text)}`,
        ...tools.map((tool) => `call: Bash ${getCommand(tool)}: ${getStatus(getCommand(tool))}`),
      ]
    }),
  ]
}

/** A line of `toStory` with the text that every channel has of an interrupted answer: it may have been shown in part. */
export function trimLine(line: string): string {
  const text = line.replaceAll(/\s+/g, ' ')
  const [, shown, rest = ''] = /^(cut: Shown over \w+\.)(.*)$/.exec(text) ?? []
  return shown !== undefined && ' More of it.'.startsWith(rest) ? shown : text
}

function getCommand({ input }: ToolCall): string {
  return String(input['command'] ?? input['cmd'])
}

function getStatus(command: string): string {
  if (command.includes(denied)) return 'denied'
  return command.includes('missing') ? 'error' : 'success'
}

/** The call that a line of the prompt language makes. */
function toToolCall(line: string): ToolCall {
  const [, native, json] = /^CALL: (\S+) (.*)$/.exec(line) ?? []
  if (native === undefined) return { name: 'Bash', input: { command: line.replace(/^RUN: /, '') } }
  return { native, input: JSON.parse(json!) as Record<string, unknown> }
}

/** Whether the suite applies to an agent: a channel starts sessions, and others observe them. */
export function isJoined(agent: Agent): boolean {
  const observers = ['hooks', 'transcripts', 'terminal', 'acp'] as const
  return drivers.some((driver) => agent[driver]) && observers.filter((channel) => agent[channel]).length > 1
}
