import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

// The built command that users run.
const remora = fileURLToPath(new URL('../bin/remora.mjs', import.meta.url))
const start = (...words: string[]) =>
  promisify(execFile)(process.execPath, [remora, ...words], { env: { CI: 'true', HOME: '/nonexistent' } })

it('prints no colours into a pipe, also in CI', async () => {
  const { stdout } = await start('agents')
  expect(stdout).toContain('gemini')
  expect(stdout).not.toContain('\u001B')
})

it('exits with 2 and two lines on wrong usage', async () => {
  await expect(start('docter')).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'remora: Unknown command "docter"\n  Did you mean: remora doctor?\n',
  })
})
