import type { Ask, AskOption } from '@remora/protocol/plain'
import type { Question } from './question.ts'

/** The options of most agents. */
export const options: AskOption[] = [
  { id: 'proceed_always', label: 'Always', effect: 'allow_always' },
  { id: 'proceed_once', label: 'Allow', effect: 'allow' },
  { id: 'cancel', label: 'Reject', effect: 'deny' },
  { id: 'never', label: 'Never', effect: 'deny_always' },
]

/** A question with options of these effects. */
export function questionWith(fields: Partial<Question> = {}, ask: Partial<Ask> = {}): Question {
  return {
    agent: 'gemini',
    session: 'session-1',
    cwd: '/home/me/project',
    ask: {
      id: 'connection-1/ask/0',
      kind: 'permission',
      title: 'May I?',
      options,
      digest: 'digest-1',
      ...ask,
    },
    call: { name: 'Edit', native: 'replace', input: {} },
    paths: [],
    ...fields,
  }
}

export function optionsWith(...effects: AskOption['effect'][]): AskOption[] {
  return options.filter(({ effect }) => effects.includes(effect))
}
