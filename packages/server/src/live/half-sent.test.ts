import { join } from 'node:path'
import { openLedger } from '@remora/ledger'
import type { CommandBody } from '@remora/protocol'
import { expect, it } from 'vitest'
import { openLiveStage } from './live.test-data.ts'

it('sends a prompt once that a killed server had pasted without Enter', async () => {
  await using stage = await openLiveStage()
  const info = await stage.start()
  await stage.until('idle', () => stage.server.context.live.find(info.id)?.state === 'idle')
  await stage.server.close()
  const target = { agent: info.agent, session: info.session }
  const ledger = await openLedger({ file: join(stage.remoraHome, 'ledger.db') })
  const put = (id: string, text: string) =>
    ledger.commands.submit({
      id,
      client: 'phone',
      target,
      body: { kind: 'prompt', content: [{ type: 'text', text }] },
      state: 'queued',
      at: Date.now(),
    })
  await ledger.commands.move(await put('half', 'half of it, and the rest'), 'queued', 'sent')
  await put('next', 'what comes after')
  stage.tmux('set-buffer', 'half of it, and the rest')
  stage.tmux('paste-buffer', '-p', '-t', `remora-${info.id}`)
  await stage.restart()
  const states = async () => (await ledger.commands.list({ session: target })).map(({ state }) => state)
  await stage.until('both', async () => (await states()).every((state) => state === 'done'))
  const prompts = (await stage.noted()).map(({ prompt }) => prompt)
  expect(prompts).toEqual(['half of it, and the rest', 'what comes after'])
  await ledger.close()
}, 120_000)

it('presses Enter again when a prompt reappears in the input line, and sends it once', async () => {
  await using stage = await openLiveStage()
  const info = await stage.start()
  await stage.until('idle', () => stage.server.context.live.find(info.id)?.state === 'idle')
  const { ledger, live } = stage.server.context
  const target = { agent: info.agent, session: info.session }
  const body: CommandBody = { kind: 'prompt', content: [{ type: 'text', text: 'shy' }] }
  await live.submit({ id: 'shy', client: 'phone', target, body })
  const states = async () => (await ledger.commands.list({ session: target })).map(({ state }) => state)
  await stage.until('it is done', async () => (await states()).every((state) => state === 'done'))
  expect((await stage.noted()).map(({ prompt }) => prompt)).toEqual(['shy'])
}, 120_000)
