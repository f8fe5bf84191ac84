import type { Reply } from '@remora/scripted-model'

// What the model says in the plays. Lists with numbers are in all of it, since dialogs are such lists too.

/** A thought and an answer that come late enough for the screens before them. */
export const unfinished: Reply = {
  thoughts: [{ subject: 'Weighing the options', description: 'There are two.' }],
  text: [
    'Here is how it goes:\n\n1. Allow once is not a question here.\n2. No, it is a list.\n\nThen comes a sentence that is long ' +
      'enough to be wrapped by any terminal that has fewer than two hundred columns, and it goes on',
    ' for ever.',
  ],
  delayMs: 7000,
}

/** A finished answer with a list that looks like a dialog. */
export const listed: Reply = {
  text: 'Do you want to proceed?\n\n1. Yes\n2. No, suggest changes (esc)\n\nThat was a list.',
}

/** More than a screen of it. */
export const longList: Reply = {
  text: `${Array.from({ length: 60 }, (_, index) => `${index + 1}. Yes, this is point ${index + 1}.`).join('\n')}\n\nThat was all.`,
}

export const command =
  'touch a.txt && echo one two three four five six seven eight nine ten eleven twelve thirteen'

/** A file whose lines look like the options of a dialog, longer than a screen. */
export const longFile = `${['1. Allow once', '2. No, suggest changes (esc)', '❯ 1. Yes', '● 1. Allow once']
  .concat(Array.from({ length: 56 }, (_, index) => `line ${index + 5}`))
  .join('\n')}\n`

/** A plan with a list of its own. */
export const plan = '# The plan\n\n1. First do this\n2. Then do that\n'

/** Commands whose dialogs are hard to read: wrapped, of several lines, or with characters and words of a dialog. */
export const shellCommands = {
  wrapped: `touch a.txt && echo ${Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ')}`,
  unbroken: `touch a.txt && echo ${'0123456789'.repeat(30)} end`,
  lines: "touch a.txt\ncat <<'EOF'\n  indented\n\nafter an empty line   \nEOF\n",
  frames: `touch a.txt\necho '\n${'╌'.repeat(120)}\n${'─'.repeat(120)}\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n'\nrm -rf b.txt`,
  tip: 'touch a.txt # Tip: auto mode handles these',
  spaces: `touch a.txt\t&&  echo 'tab\tzero\u200bwidth\u202eright\u00a0space'`,
  tall: Array.from({ length: 60 }, (_, index) => `touch file-${index}.txt`).join('\n'),
} as const

/** Options of the questions that the model asks. */
export const colours = [
  { label: 'Red', description: 'Like fire' },
  { label: 'Blue', description: 'Like water' },
] as const
export const fruitOptions = [
  { label: 'Apple', description: 'Round' },
  { label: 'Pear', description: 'Long' },
] as const
