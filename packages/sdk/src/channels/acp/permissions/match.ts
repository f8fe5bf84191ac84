import { isAbsolute, relative, resolve, sep } from 'node:path'
import { isInside, resolveRealPath } from '../files/real-path.ts'
import { fitsCommand, touchesCommand } from './commands.ts'
import { fitsPath, fitsText } from './globs.ts'
import type { Question } from './question.ts'
import { type PermissionRule, isAllow } from './rules.ts'

/** The first rule that fits a question. @example (await ruleFor(rules, question))?.decide */
export async function ruleFor(
  rules: readonly PermissionRule[],
  question: Question,
): Promise<PermissionRule | undefined> {
  const paths = rules.some((rule) => rule.path !== undefined) ? await resolvePaths(question) : []
  return rules.find((rule) => fits(rule, question, paths))
}

/** A path in every form that a rule may name, with `/`. */
interface NamedPath {
  /** The resolved path. */
  readonly place: string
  /** The resolved path relative to the workspace; undefined outside of it. */
  readonly inside: string | undefined
  /** The path as written, relative to the workspace; undefined outside of it. */
  readonly written: string | undefined
}

async function resolvePaths({ cwd, paths }: Question): Promise<NamedPath[]> {
  const root = await resolveRealPath(cwd)
  return Promise.all(
    paths.map(async (path) => {
      // Not `resolve`, which removes `..` before links are followed.
      const full = isAbsolute(path) ? path : `${cwd}${sep}${path}`
      const plain = resolve(cwd, path)
      // A path that cannot be resolved counts as outside.
      const place = await resolveRealPath(full).catch(() => undefined)
      return {
        place: slashed(place ?? plain),
        inside: place === undefined ? undefined : within(root, place),
        written: within(resolve(cwd), plain),
      }
    }),
  )
}

function within(folder: string, path: string): string | undefined {
  return isInside(folder, path) ? slashed(relative(folder, path) || '.') : undefined
}

function slashed(path: string): string {
  return sep === '\\' ? path.replaceAll('\\', '/') : path
}

function fits(rule: PermissionRule, question: Question, paths: readonly NamedPath[]): boolean {
  const strictly = isAllow(rule.decide)
  return (
    (rule.tool === undefined || fitsTool(rule.tool, question)) &&
    (rule.kind === undefined || rule.kind === question.kind) &&
    (rule.path === undefined || fitsPaths(rule.path, paths, question, strictly)) &&
    (rule.command === undefined || fitsTheCommand(rule.command, question, strictly))
  )
}

function fitsTool(glob: string, { call }: Question): boolean {
  return [call.name, call.native].some((name) => fitsText(glob.toLowerCase(), name.toLowerCase()))
}

const changes = new Set(['edit', 'delete', 'move'])

function fitsPaths(
  glob: string,
  paths: readonly NamedPath[],
  { kind }: Question,
  strictly: boolean,
): boolean {
  // A change without a path may affect any file.
  if (paths.length === 0) return !strictly && changes.has(kind ?? '')
  return strictly
    ? paths.every(({ place, inside }) => fitsOne(glob, isAbsolute(glob) ? place : inside))
    : paths.some(
        ({ place, inside, written }) =>
          fitsOne(glob, inside) ||
          fitsOne(glob, written) ||
          // `**/.env` applies to such files everywhere.
          ((isAbsolute(glob) || glob.startsWith('**')) && fitsOne(glob, place)),
      )
}

function fitsOne(glob: string, path: string | undefined): boolean {
  if (path === undefined) return false
  // File systems of these platforms usually ignore case.
  const spelled = process.platform === 'darwin' || process.platform === 'win32'
  return spelled ? fitsPath(glob.toLowerCase(), path.toLowerCase()) : fitsPath(glob, path)
}

function fitsTheCommand(wanted: string | RegExp, question: Question, strictly: boolean): boolean {
  const { command, kind = 'execute' } = question
  if (command === undefined) return !strictly && question.kind === 'execute'
  // Other tools may have an input with that name that is not a command.
  if (strictly && kind !== 'execute' && question.call.name !== 'Bash') return false
  // With `g` or `y` a RegExp would continue at its last match.
  if (typeof wanted !== 'string')
    return new RegExp(wanted.source, wanted.flags.replaceAll(/[gy]/g, '')).test(command)
  return strictly ? fitsCommand(wanted, command) : touchesCommand(wanted, command)
}
