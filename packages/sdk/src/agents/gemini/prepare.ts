import { rm, writeFile, copyFile, mkdir } from 'node:fs/promises'
import { join, basename } from 'node:path'
import { constants } from 'node:fs'
import type { HeadlessRequest, Place, Prepared, Problem } from '../../contract/agent.ts'
import { createRunFolder, removeLeftovers } from '../../files/run-files.ts'
import { headlessArguments } from './arguments.ts'
import { forkSession } from './fork-session.ts'
import { policyArguments } from './policy.ts'
import { createRunExtension, removeStaleExtensions } from './run-extension.ts'
import { watchOver } from './protect-resume.ts'
import { recoverSessions, removeLeftStubs } from './safe-resume.ts'

/** Writes the files that one run needs, and removes them when the run has ended. */
export async function prepare(request: HeadlessRequest, place: Place): Promise<Prepared> {
  // Unsupported options throw before anything is written.
  headlessArguments(request, place.version)
  const run = new Preparation()
  try {
    await removeLeftovers()
    await removeStaleExtensions(place)
    await removeLeftStubs(place)
    run.problems.push(...(await recoverSessions(place)))
    const folder = await run.folder(request)
    const resumed = await run.resume(request, place)
    const attached =
      folder === undefined ? { request: resumed, args: [] } : await attachMedia(resumed, folder)
    run.args.push(...attached.args)
    if (folder !== undefined && request.systemPrompt !== undefined) {
      const file = join(folder, 'system.md')
      await writeFile(file, request.systemPrompt, { mode: 0o600 })
      run.env['GEMINI_SYSTEM_MD'] = file
    }
    if (folder !== undefined) run.args.push(...(await policyArguments(request, place, folder)))
    if (Object.keys(request.mcpServers ?? {}).length > 0) {
      const extension = await createRunExtension(request.mcpServers!, place, request.extraArgs)
      run.undo(extension.remove)
      run.args.push(...extension.args)
      Object.assign(run.env, extension.env)
    }
    return { request: attached.request, args: run.args, env: run.env, finish: () => run.finish() }
  } catch (error) {
    await run.finish()
    throw error
  }
}

/** The changes of one run, undone in reverse order. */
export class Preparation {
  readonly args: string[] = []
  readonly env: Record<string, string> = {}
  readonly problems: Problem[] = []
  readonly #undo: (() => Promise<readonly Problem[] | void>)[] = []

  undo(step: () => Promise<readonly Problem[] | void>): void {
    this.#undo.push(step)
  }

  /** A folder for the files of the run that only the user may read; undefined if the run needs none. */
  async folder({ systemPrompt, mode, allow, media }: HeadlessRequest): Promise<string | undefined> {
    if (systemPrompt === undefined && mode !== 'plan' && !allow?.length && !media?.length) return undefined
    const folder = await createRunFolder('run')
    this.undo(() => rm(folder, { recursive: true, force: true }))
    return folder
  }

  /** Resolves the session to its id, forks it if requested, and protects a resumed one. */
  async resume(request: HeadlessRequest, place: Place): Promise<HeadlessRequest> {
    if (request.resume === undefined) return request
    const { fork: wantsFork, ...rest } = request
    const fork = wantsFork ? await forkSession(place, request.resume) : undefined
    if (fork) this.undo(() => fork.discard())
    const watched = await watchOver(place, fork?.id ?? request.resume)
    if (!watched) return request
    this.undo(() => watched.finish())
    return { ...rest, resume: watched.id }
  }

  async finish(): Promise<Problem[]> {
    const problems = [...this.problems]
    for (const step of this.#undo.reverse()) {
      try {
        problems.push(...((await step()) ?? []))
      } catch (error) {
        problems.push({
          code: 'cleanup_failed',
          message: `Something of a run of Gemini CLI could not be cleaned up: ${(error as Error).message}`,
          hint: 'The next run tries again.',
        })
      }
    }
    return problems
  }
}

/**
 * Adds media to a prompt as `@path`. The CLI reads only files below the working directory and included folders, and
 * none that git ignores, so the media are copied to a folder of their own.
 *
 * @example await attachMedia(request, folder) // { request: { prompt: 'What is this?\n\n@/tmp/…/0-shot.png' }, args: [ … ] }
 */
async function attachMedia(
  request: HeadlessRequest,
  folder: string,
): Promise<{ request: HeadlessRequest; args: string[] }> {
  const { media = [], ...rest } = request
  if (media.length === 0) return { request, args: [] }
  const included = join(folder, 'media')
  await mkdir(included, { mode: 0o700 })
  const references = await Promise.all(
    media.map(async ({ path }, index) => {
      // The name needs no escaping.
      const copy = join(included, `${index}-${basename(path).replace(/[^\w.-]/g, '_')}`)
      await copyFile(path, copy, constants.COPYFILE_FICLONE)
      return `@${copy}`
    }),
  )
  const prompt = [request.prompt, references.join(' ')].filter(Boolean).join('\n\n')
  return { request: { ...rest, prompt }, args: ['--include-directories', included] }
}
