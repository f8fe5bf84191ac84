import type { Scenario } from '@remora/scripted-model'

/** The file of the demo, with a bug to find. */
export const demoFile = {
  name: 'greet.mjs',
  content: `// Greets the person with the given name.
const [name = 'world'] = process.argv.slice(2)
console.log('Hello, name!')
`,
}

export const demoPrompt = 'Why does greet.mjs not greet me?'

/** The scripted answers. The agent, its tools and the approval are real. */
export const demoScenario: Scenario = {
  name: 'demo',
  title: 'Finds a bug and fixes it after approval',
  prompt: demoPrompt,
  turns: [
    [
      {
        thoughts: [{ subject: 'Reading the program', description: 'It is short, so I read all of it.' }],
        text: ['I read ', 'the ', 'program ', 'first.'],
        tools: [{ name: 'Read', input: { file_path: demoFile.name } }],
        delayMs: 60,
      },
      {
        text: ['It prints ', 'the word "name" ', 'instead of ', 'the name. ', 'This fixes it:'],
        tools: [
          {
            name: 'Edit',
            input: {
              file_path: demoFile.name,
              old_string: "console.log('Hello, name!')",
              new_string: 'console.log(`Hello, ${name}!`)',
            },
          },
        ],
        delayMs: 60,
      },
      {
        text: [
          'That change ',
          'needed your approval, ',
          'and your answer ',
          'was applied. ',
          'Answering from a phone ',
          'works ',
          'the same way.',
        ],
        delayMs: 60,
      },
    ],
    [
      {
        text: [
          'This is a scripted model ',
          'with no more replies. ',
          'Log in to your own agent ',
          'to use everything here ',
          'with a real model.',
        ],
        delayMs: 60,
      },
    ],
  ],
}
