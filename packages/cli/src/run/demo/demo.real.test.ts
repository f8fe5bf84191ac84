import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openLedger } from '@remora/ledger'
import { startScriptedModel } from '@remora/scripted-model'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createHome, pinned, repository } from '../../../../../testkit/src/index.ts'
import { demoFile, demoPrompt } from './scenario.ts'

it('runs the real Gemini CLI on a scripted model, and asks before it changes a file', async () => {
  await using model = await startScriptedModel({})
  await using home = await createHome('gemini', { model })
  const remoraHome = mkdtempSync('/tmp/rh-')
  onTestFinished(() => rmSync(remoraHome, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
  const child = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), join(repository, 'packages/cli/src/bin.ts'), 'demo'],
    {
      env: {
        ...home.env,
        REMORA_HOME: remoraHome,
        GEMINI_CLI_PATH: pinned('gemini').path,
        // None of these variables may reach the demo.
        HTTP_PROXY: 'http://127.0.0.1:9',
        GOOGLE_CLOUD_PROJECT: 'mine',
      },
      cwd: home.cwd,
    },
  )
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const ended = once(child, 'close')
  child.stdin.write(`${demoPrompt}\n`)
  const ledger = await openLedger({ file: join(remoraHome, 'ledger.db') })
  onTestFinished(() => ledger.close())
  const [pending] = await vi.waitUntil(
    async () => {
      const asks = await ledger.asks.pending()
      return asks.length > 0 ? asks : undefined
    },
    { timeout: 240_000 },
  )
  const { ask, agent, session } = pending!
  expect(ask).toMatchObject({ kind: 'permission', title: expect.stringContaining(demoFile.name) })
  const option = ask.options.find(({ effect }) => effect === 'allow')!.id
  await ledger.asks.answer({ agent, session }, { ask: ask.id, option, by: 'person', digest: ask.digest })
  await vi.waitFor(() => expect(printed).toContain('That change needed your approval'), { timeout: 240_000 })
  child.stdin.write('And now?\n')
  await vi.waitFor(() => expect(printed).toContain('This is a scripted model'), { timeout: 240_000 })
  child.stdin.end()
  expect(await ended).toEqual([0, null])
  expect(printed).toContain('Real Gemini CLI 0.61.0 on a scripted model: no API key, no network.')
  expect(printed).toMatch(/▸ Read greet\.mjs ✓[\s\S]*▸ Edit greet\.mjs ✓/)
  expect(readFileSync(join(remoraHome, 'demo/home/demo', demoFile.name), 'utf8')).toContain(
    '`Hello, ${name}!`',
  )
  // The test's model received no request, and the user's home is unchanged.
  expect(model.requests).toEqual([])
  expect(await home.leftovers()).toEqual([])
  // Starting an agent takes seconds of CPU time, which can take minutes on a busy machine.
}, 900_000)
