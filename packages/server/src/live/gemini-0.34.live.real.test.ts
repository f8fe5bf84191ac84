import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testLive } from './live-contract.test-data.ts'

const question = {
  questions: [
    {
      question: 'Which colour?',
      header: 'Colour',
      type: 'choice',
      options: [
        { label: 'Red', description: 'Like fire' },
        { label: 'Blue', description: 'Like water' },
      ],
    },
  ],
}

testLive('gemini', {
  keepsRetrying: true,
  version: '0.34.0',
  run: (command) => `RUN: ${command}`,
  question: `CALL: ask_user ${JSON.stringify(question)}`,
  modes: ['acceptEdits', 'plan', 'bypassPermissions', 'default'],
  model: { id: 'gemini-2.5-pro', shown: /gemini-2\.5-pro/ },
  // This version crashes ("ioctl(2) failed, EBADF") when it resizes the terminal of a command that has just ended, as
  // happens on a busy machine. So commands have no terminal here. Later versions are fixed.
  prepare: async (home) => {
    const file = join(home.path, '.gemini/settings.json')
    const settings = JSON.parse(await readFile(file, 'utf8')) as object
    await writeFile(
      file,
      JSON.stringify({ ...settings, tools: { shell: { enableInteractiveShell: false } } }),
    )
  },
  // At its start this version writes a summary into the file of the last session, without a lock. The first prompt of a
  // resumed session reads that file and fails ("Unexpected end of JSON input") if it is being written just then.
  beforeResume: async (home) => {
    const folder = join(home.path, '.gemini/tmp')
    for (const name of await readdir(folder, { recursive: true })) {
      if (!/\/chats\/session-.*\.json$/.test(name)) continue
      const session = JSON.parse(await readFile(join(folder, name), 'utf8')) as object
      await writeFile(join(folder, name), JSON.stringify({ summary: 'A summary', ...session }))
    }
  },
})
