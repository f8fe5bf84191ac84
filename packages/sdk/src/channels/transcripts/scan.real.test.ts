import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repository } from '@remora/testkit'
import { expect, it } from 'vitest'
import { sessions } from '../../sessions.ts'

// Compiled, a large home is read by two threads; from the sources, as here, by one.
const listing = `
import { sessions } from '@remora/sdk'
console.log(JSON.stringify(await sessions.list({ home: process.argv[1], env: {} })))
`

const corpus = `
import { claudeCorpus, geminiCorpus } from './bench/lib/corpus.mjs'
claudeCorpus(process.argv[1], { files: 60 })
geminiCorpus(process.argv[1], { files: 100 })
`

it('gives with two threads what it gives with one', async () => {
  const home = await mkdtemp(join(tmpdir(), 'remora-threads-'))
  const node = (program: string) =>
    promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program, home], {
      cwd: repository,
      maxBuffer: 1 << 28,
    })
  try {
    await node(corpus)
    const { stdout } = await node(listing)
    const alone = await sessions.list({ home, env: {} })
    expect(alone).toHaveLength(160)
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(alone)))
  } finally {
    await rm(home, { recursive: true, force: true })
  }
})
