import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createHome, launch, listTestVersions } from '@remora/testkit'
import { startScriptedModel } from '@remora/scripted-model'
import { sessions } from '@remora/sdk'
import { getMessageText } from '@remora/protocol'
import { expect, it } from 'vitest'
import { pi } from './index.ts'

/** The command `/goto text` goes to the entry with this text, as `/tree` does on a terminal. */
const extension = `export default (pi) =>
  pi.registerCommand('goto', {
    handler: async (text, context) => {
      const entry = context.sessionManager.getEntries().find((each) =>
        each.message?.role === 'assistant' && each.message.content.some((part) => part.text === text))
      await context.navigateTree(entry.id, { summarize: false })
    },
  })
`

it.each(listTestVersions(pi.id))('shows the branch to which the user of pi %s went', async (version) => {
  await using model = await startScriptedModel()
  await using home = await createHome(pi.id, { version, model })
  await writeFile(join(home.path, 'goto.mjs'), extension)
  const shown = async () => {
    const where = { home: home.path, env: home.env }
    const [session] = await sessions.list(where)
    const messages = await sessions.messages(session!.id, where)
    expect(session!.messages).toBe(messages.length)
    return messages.filter(({ role }) => role === 'assistant').map((each) => getMessageText(each))
  }
  // Each argument is a prompt; the first is joined with standard input.
  const talk = async (resume: boolean, ...prompts: readonly string[]) => {
    const [prompt, ...others] = prompts
    const extraArgs = ['--extension', join(home.path, 'goto.mjs'), '', ...others]
    const about = { version, home, model, scenario: 'hello', prompt: prompt! }
    await launch(pi.id, { ...about, extraArgs, ...(resume ? { resume: 'latest' } : {}) })
    return shown()
  }
  expect(await talk(false, 'SAY: one', 'SAY: two')).toEqual(['one', 'two'])
  expect(await talk(true, '/goto one', 'SAY: three')).toEqual(['one', 'three'])
  expect(await talk(true, '/goto two', 'SAY: four')).toEqual(['one', 'two', 'four'])
})
