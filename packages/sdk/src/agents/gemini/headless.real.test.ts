import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listTestVersions } from '@remora/testkit'
import { describe, expect, it } from 'vitest'
import { writeInto } from './folder.test-data.ts'
import { lab, oneTurn } from './lab.test-data.ts'

const write = { name: 'Write', input: { file_path: 'note.txt', content: 'x' } }
const shell = { name: 'Bash', input: { command: 'echo x > shell.txt' } }

interface Body {
  readonly systemInstruction: unknown
  readonly contents: { readonly parts: { readonly inlineData?: { readonly mimeType: string } }[] }[]
}

describe.each(listTestVersions('gemini', { since: '0.34.0' }))(
  'options of a headless run of Gemini CLI %s',
  (version) => {
    it('plan writes nothing, though the model leaves the mode and the user allows everything', async () => {
      const plan = { file_path: '.gemini/tmp/x/plans/p.md', content: 'plan' }
      const leave = { plan_path: 'p.md', plan_filename: 'p.md' }
      await using place = await lab(
        version,
        oneTurn(
          { tools: [write] },
          { tools: [{ native: 'write_file', input: plan }] },
          { tools: [{ native: 'exit_plan_mode', input: leave }] },
          { tools: [write, shell] },
          { text: 'Planned.' },
        ),
      )
      const rule =
        '[[rule]]\ntoolName = ["write_file", "run_shell_command"]\ndecision = "allow"\npriority = 500\n'
      await writeInto(place.folder, 'policies/own.toml', rule)
      const result = await place.start({ mode: 'plan' }).result
      expect(result).toMatchObject({ ok: true, text: 'Planned.', toolCalls: 5 })
      expect(await place.home.files()).toEqual([])
      expect(place.turn()?.tools).toContain('read_file')
    })

    it('allow lets one tool run unasked, and no other', async () => {
      await using place = await lab(version, oneTurn({ tools: [write, shell] }, { text: 'Done.' }))
      await place.start({ mode: 'default', allow: ['run_shell_command'] }).result
      expect(await place.home.files()).toEqual(['shell.txt'])
    })

    it('reports a command that printed something and failed as an error', async () => {
      const failing = { name: 'Bash', input: { command: 'echo before; exit 2' } }
      const passing = { name: 'Bash', input: { command: 'echo fine' } }
      await using place = await lab(
        version,
        oneTurn({ tools: [failing] }, { tools: [passing] }, { text: 'Done.' }),
      )
      const started = place.start({ mode: 'bypassPermissions' })
      const statuses: string[] = []
      for await (const event of started) if (event.type === 'tool_result') statuses.push(event.status)
      expect(statuses).toEqual(['error', 'success'])
    })

    it('media and the system prompt reach the model', async () => {
      await using place = await lab(version, oneTurn({ text: 'Seen.' }))
      const binary = Buffer.from([0, 1, 2, 3, 0, 255])
      await writeFile(join(place.home.cwd, '.gitignore'), '*.png\n')
      await writeFile(join(place.home.cwd, 'a shot.png'), binary)
      const result = await place.start({
        systemPrompt: 'Be a parrot.',
        media: [
          { path: 'a shot.png' },
          { bytes: binary, mediaType: 'audio/wav' },
          { bytes: binary, mediaType: 'video/mp4' },
          { bytes: binary, mediaType: 'application/pdf' },
        ],
      }).result
      expect(result.error).toBeUndefined()
      const { systemInstruction, contents } = place.turn()!.body as Body
      expect(JSON.stringify(systemInstruction)).toContain('Be a parrot.')
      const types = contents.flatMap(({ parts }) => parts.flatMap((part) => part.inlineData?.mimeType ?? []))
      expect(types.toSorted()).toEqual(['application/pdf', 'audio/wav', 'image/png', 'video/mp4'])
    })
  },
)

describe('a run that cannot start', () => {
  it('fails in an untrusted folder unless trust is skipped', async () => {
    await using place = await lab('0.61.0', oneTurn({ text: 'Hello.' }))
    await writeFile(join(place.folder, 'trustedFolders.json'), '{}')
    const refused = await place.start({ mode: 'default' }).result
    expect(refused.error).toMatchObject({ code: 'untrusted' })
    const allowed = await place.start({ mode: 'default', skipTrust: true }).result
    expect(allowed).toMatchObject({ ok: true, text: 'Hello.' })
  })

  it('reports an unknown session', async () => {
    await using place = await lab('0.61.0', oneTurn({ text: 'Hello.' }))
    const { error } = await place.start({ resume: 'nobody' }).result
    expect(error).toMatchObject({
      code: 'input',
      message: expect.stringContaining('Error resuming session') as string,
    })
  })
})
