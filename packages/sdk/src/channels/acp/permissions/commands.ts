import { fitsText } from './globs.ts'

// Characters that separate, nest or redirect commands. They count inside quotes too, because shells differ too much in
// quoting to rely on it.
const operators = /[;&|`()<>\n\r\0]|\$[({]/

/** Whether this is exactly one command. @example isPlain('git status') // true */
export function isPlain(command: string): boolean {
  return !operators.test(command)
}

/**
 * Whether a whole command matches a glob, so that it may be allowed. A compound command matches no glob: the rule must
 * contain it literally.
 *
 * @example fitsCommand('npm *', 'npm test; rm -rf .') // false
 */
export function fitsCommand(glob: string, command: string): boolean {
  const line = command.trim()
  if (!glob.includes('*')) return glob.trim() === line
  return isPlain(line) && fitsText(glob.trim(), line)
}

/**
 * Whether any part of a command matches a glob, so that all of it is refused. It finds plainly written commands and is
 * no protection against deliberate hiding.
 *
 * @example touchesCommand('rm *', 'cd build && sudo /bin/rm -rf .') // true
 */
export function touchesCommand(glob: string, command: string): boolean {
  const wanted = spaced(glob)
  return [...splitCommand(command)].some(
    // `rm *` includes `rm` without arguments.
    (part) => fitsText(wanted, part) || (wanted.endsWith(' *') && fitsText(wanted.slice(0, -2), part)),
  )
}

/** Lists the commands of a line in every form that a rule could name. */
function splitCommand(command: string): Set<string> {
  const found = new Set([command.trim()])
  for (const line of readings(command)) {
    found.add(spaced(line))
    for (const piece of line.split(/[;&|`()<>\n\r\0{}]|\$\(/)) {
      const part = spaced(piece)
      if (part === '') continue
      found.add(part)
      for (const text of [part, spaced(piece.trimStart().replace(assignments, ''))])
        // The shell removes quotes and backslashes before it looks for the program: r\m and "rm" are rm.
        for (const form of forms(
          text
            .replaceAll(/\$?['"]|\\/g, '')
            .trim()
            .split(' '),
        ))
          found.add(form)
    }
  }
  return found
}

/** A shell word with its quoted parts. */
const word = String.raw`(?:"[^"]*"|'[^']*'|\\[\s\S]|[^\s;&|()<>\x60"'\\])+`
/** `2>/dev/null`, `>&2`, `<<<text`, which may precede the program. */
const redirection = new RegExp(
  String.raw`(?:\{\w+\}|\d+)?(?:&>>?|<<<|<<-?|<>|>>|>\||[<>]&?)[^\S\n]*${word}`,
  'g',
)
/** Variable assignments before a program. */
const assignments = new RegExp(String.raw`^(?:[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=(?:${word})?\s+)+`)

/** Expands a line like a shell before it looks for programs. The original line comes first. */
function readings(command: string): Set<string> {
  const joined = command.replaceAll(/\\\r?\n/g, '')
  const found = [command, joined]
  // {rm,-rf,x} is three words.
  if (/\{[^{}]*,/.test(joined))
    found.push(joined.replaceAll(/\{([^{}]*)\}/g, (_, list: string) => list.replaceAll(',', ' ')))
  return new Set(found.flatMap((line) => [line, line.replaceAll(redirection, ' ')]))
}

// Programs and shell keywords such as `then` that run the command after them.
const runners = new Set(
  (
    'sudo doas env nohup time nice ionice exec command builtin xargs timeout stdbuf setsid eval find watch busybox ' +
    'sh bash zsh dash ksh fish if then else elif do while until ! npx'
  ).split(' '),
)
// Runners have few arguments of their own, and a command may be very long.
const maxWords = 32

function forms(words: readonly string[]): string[] {
  const start = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word))
  if (start === -1) return []
  const own = words.slice(start)
  const program = getName(own[0] ?? '')
  const named = [own.join(' '), [program, ...own.slice(1)].join(' ')]
  if (!runners.has(program)) return named
  return [
    ...named,
    ...own.slice(1, maxWords).flatMap((word, index) => {
      const rest = own.slice(index + 2)
      return [[word, ...rest].join(' '), [getName(word), ...rest].join(' ')]
    }),
  ]
}

/** The name of the program without its folder. */
function getName(word: string): string {
  return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
}

function spaced(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ')
}
