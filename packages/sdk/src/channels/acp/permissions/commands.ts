import { fitsText } from './globs.ts'

// What ends one command and begins another, puts one into another, or sends its output somewhere. Whether it stands in
// quotes is not looked at: shells disagree on quotes more than a rule can afford.
const operators = /[;&|`()<>\n\r\0]|\$[({]/

/** Whether this is one command and nothing more. @example isPlain('git status') // true */
export function isPlain(command: string): boolean {
  return !operators.test(command)
}

/**
 * Whether all of a command fits a glob, so that it may be allowed by it. A command of several parts fits no glob: it
 * must be written in the rule word by word.
 *
 * @example fitsCommand('npm *', 'npm test; rm -rf .') // false
 */
export function fitsCommand(glob: string, command: string): boolean {
  const line = command.trim()
  if (!glob.includes('*')) return glob.trim() === line
  return isPlain(line) && fitsText(glob.trim(), line)
}

/**
 * Whether any part of a command fits a glob, so that all of it is refused. It finds what is written plainly; it is no
 * wall against somebody who hides it.
 *
 * @example touchesCommand('rm *', 'cd build && sudo /bin/rm -rf .') // true
 */
export function touchesCommand(glob: string, command: string): boolean {
  const wanted = spaced(glob)
  return [...splitCommand(command)].some(
    // `rm *` means `rm` alone as well.
    (part) => fitsText(wanted, part) || (wanted.endsWith(' *') && fitsText(wanted.slice(0, -2), part)),
  )
}

/** The commands in a line, in every form that a rule could name them by. */
function splitCommand(command: string): Set<string> {
  const found = new Set([command.trim()])
  for (const line of readings(command)) {
    found.add(spaced(line))
    for (const piece of line.split(/[;&|`()<>\n\r\0{}]|\$\(/)) {
      const part = spaced(piece)
      if (part === '') continue
      found.add(part)
      for (const text of [part, spaced(piece.trimStart().replace(assignments, ''))])
        // The shell takes quotes and backslashes away before it looks for the program: r\m and "rm" are rm.
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

/** A word of a shell, with what is quoted in it. */
const word = String.raw`(?:"[^"]*"|'[^']*'|\\[\s\S]|[^\s;&|()<>\x60"'\\])+`
/** `2>/dev/null`, `>&2`, `<<<text`: it may stand before the program as well. */
const redirection = new RegExp(
  String.raw`(?:\{\w+\}|\d+)?(?:&>>?|<<<|<<-?|<>|>>|>\||[<>]&?)[^\S\n]*${word}`,
  'g',
)
/** What stands before a program for its environment alone. */
const assignments = new RegExp(String.raw`^(?:[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=(?:${word})?\s+)+`)

/** What a shell makes of a line before it looks for programs. The line as it is comes first. */
function readings(command: string): Set<string> {
  const joined = command.replaceAll(/\\\r?\n/g, '')
  const found = [command, joined]
  // {rm,-rf,x} is three words.
  if (/\{[^{}]*,/.test(joined))
    found.push(joined.replaceAll(/\{([^{}]*)\}/g, (_, list: string) => list.replaceAll(',', ' ')))
  return new Set(found.flatMap((line) => [line, line.replaceAll(redirection, ' ')]))
}

// They run what follows them; a shell word such as `then` does so too.
const runners = new Set(
  (
    'sudo doas env nohup time nice ionice exec command builtin xargs timeout stdbuf setsid eval find watch busybox ' +
    'sh bash zsh dash ksh fish if then else elif do while until ! npx'
  ).split(' '),
)
// A runner has few words of its own, and a command may be very long.
const mostWords = 32

function forms(words: readonly string[]): string[] {
  const start = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word))
  if (start === -1) return []
  const own = words.slice(start)
  const program = getName(own[0] ?? '')
  const named = [own.join(' '), [program, ...own.slice(1)].join(' ')]
  if (!runners.has(program)) return named
  return [
    ...named,
    ...own.slice(1, mostWords).flatMap((word, index) => {
      const rest = own.slice(index + 2)
      return [[word, ...rest].join(' '), [getName(word), ...rest].join(' ')]
    }),
  ]
}

/** The program without its folder. */
function getName(word: string): string {
  return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
}

function spaced(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ')
}
