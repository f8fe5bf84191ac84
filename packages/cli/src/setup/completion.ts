import { UsageError } from '../command/errors.ts'
import { type Verb, type VerbTable, commonOptions, findVerb, listSubcommands } from '../command/verb.ts'

const shells = ['bash', 'zsh', 'fish'] as const

/** The completion verb, which lists every other verb. */
export function createCompletion(verbs: VerbTable): Verb {
  return {
    name: 'completion',
    description: 'Print a completion script for bash, zsh or fish',
    positionals: [
      { name: 'shell', required: true, description: `${shells.join(', ')}; words: complete a command line` },
    ],
    options: {},
    rest: 'words of a command line',
    examples: [
      'echo \'eval "$(remora completion bash)"\' >> ~/.bashrc',
      'echo \'eval "$(remora completion zsh)"\' >> ~/.zshrc',
      'remora completion fish > ~/.config/fish/completions/remora.fish',
    ],
    async run({ positionals: [shell], rest: [name, ...args] }, io) {
      if (shell === 'words') {
        const { completeWords } = await import('./complete-words.ts')
        if (name === undefined || args.length === 0) return 0
        const found = await findVerb(verbs, name, args)
        for (const word of await completeWords(verbs, found.verb, found.args, io)) io.out(`${word}\n`)
        return 0
      }
      const known = await Promise.all(
        Object.entries(verbs)
          .filter(([, { group }]) => group !== undefined)
          .map(async ([name, entry]) => describe(name, entry.summary, await entry.load(), verbs)),
      )
      switch (shell) {
        case 'bash':
          io.out(bash(known))
          return 0
        case 'zsh':
          io.out(`autoload -U +X bashcompinit && bashcompinit\n${bash(known)}`)
          return 0
        case 'fish':
          io.out(fish(known))
          return 0
        default:
          throw new UsageError(`No completion script for "${shell}"`, `One of: ${shells.join(', ')}`)
      }
    },
  }
}

interface Known {
  readonly name: string
  readonly summary: string
  readonly subcommands: readonly string[]
  readonly options: readonly string[]
}

function describe(name: string, summary: string, verb: Verb, verbs: VerbTable): Known {
  return {
    name,
    summary,
    subcommands: listSubcommands(verbs, name).map(([sub]) => sub),
    options: Object.keys({ ...verb.options, ...commonOptions }).map((key) => `--${key}`),
  }
}

function bash(known: readonly Known[]): string {
  const cases = known.map(
    ({ name, subcommands, options }) => `    ${name}) words="${[...subcommands, ...options].join(' ')}" ;;`,
  )
  return `_remora() {
  local words current="\${COMP_WORDS[COMP_CWORD]}"
  case "\${COMP_CWORD}:\${COMP_WORDS[1]}" in
    1:*) words="${known.map(({ name }) => name).join(' ')} --help --version" ;;
    *) case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    esac
    case "$current" in
      -*) ;;
      *) words="$(remora completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" ;;
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _remora remora
`
}

function fish(known: readonly Known[]): string {
  const lines = known.flatMap(({ name, summary, subcommands, options }) => [
    `complete -c remora -n __fish_use_subcommand -f -a ${name} -d '${summary.replaceAll("'", "\\'")}'`,
    ...subcommands.map((sub) => `complete -c remora -n '__fish_seen_subcommand_from ${name}' -f -a ${sub}`),
    ...options.map(
      (option) => `complete -c remora -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
    ),
  ])
  const values = '(remora completion words -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
  return `${[...lines, `complete -c remora -n 'not __fish_use_subcommand' -a '${values}'`].join('\n')}\n`
}
