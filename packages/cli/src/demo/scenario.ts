import type { Scenario } from '@remora/scripted-model'

/** The one file of the demo, with the mistake that is to be found in it. */
export const demoFile = {
  name: 'greet.mjs',
  content: `// Says hello to whoever is named.
const [name = 'world'] = process.argv.slice(2)
console.log('Hello, name!')
`,
}

export const demoPrompt = 'Why does greet.mjs not greet me?'

/** What the model says, whatever it is asked: the agent, its tools and the question in the middle are real. */
export const demoScenario: Scenario = {
  name: 'demo',
  title: 'A mistake is found, and mended once a person allows it',
  prompt: demoPrompt,
  turns: [
    [
      {
        thoughts: [{ subject: 'Reading the program', description: 'It is short: first I look at it.' }],
        text: ['I look ', 'at the ', 'program ', 'first.'],
        tools: [{ name: 'Read', input: { file_path: demoFile.name } }],
        delayMs: 60,
      },
      {
        text: ['It prints ', 'the word "name" ', 'instead of ', 'the name. ', 'This would mend it:'],
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
          'waited for you, ',
          'and your answer ',
          'has been carried out. ',
          'From a phone ',
          'it would have been ',
          'the same.',
        ],
        delayMs: 60,
      },
    ],
    [
      {
        text: [
          'This model ',
          'has nothing more to say: ',
          'it only plays a part. ',
          'Log in to an agent of yours, ',
          'and everything here works with it.',
        ],
        delayMs: 60,
      },
    ],
  ],
}
