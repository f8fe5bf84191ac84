import { agentOption } from '../args/filter-options.ts'
import type { Verb } from '../command/verb.ts'

export const alias: Verb = {
  name: 'alias',
  description:
    'Correct a tool, command, flag or text that agents get wrong. Without arguments, list the aliases',
  positionals: [
    { name: 'from', description: 'What agents try; or export, or import' },
    { name: 'to', description: 'What to use instead; for export and import, the file' },
    { name: 'more', many: true, description: 'Not used' },
  ],
  options: {
    replace: { description: 'Replace the name of a shell command, keep its arguments' },
    cmd: { value: 'command', description: 'Only in this shell command' },
    flag: { value: 'old,new', description: 'Replace a flag of --cmd; leave out new to remove it' },
    recipe: { description: 'Replace a whole command that starts like this; {args} is the rest' },
    regex: { description: 'Treat from as a JavaScript regular expression; $1 is its first group' },
    tool: { value: 'tool', description: 'Replace text in calls of this tool' },
    param: { value: 'name', description: 'Only in this parameter of the call' },
    agent: { ...agentOption, description: 'Only for this agent' },
    message: { value: 'text', description: 'Message to send to the agent' },
    delete: { description: 'Delete the alias' },
    format: {
      value: 'format',
      choices: ['toml', 'json'],
      description: 'File format: toml (default) or json',
    },
    name: { value: 'text', description: 'For export: name of the set' },
    description: { value: 'text', description: 'For export: description of the set' },
    author: { value: 'text', description: 'For export: author of the set' },
    conflict: {
      value: 'how',
      choices: ['skip', 'overwrite'],
      description: 'For import: existing aliases: skip (default) or overwrite',
    },
    'dry-run': { description: 'For import: print changes without making them' },
    json: { description: 'Print JSON' },
  },
  examples: [
    'remora alias',
    'remora alias pip pip3 --replace',
    'remora alias --cmd scp --flag r,R',
    'remora alias "npm test" "npm run unit -- {args}" --recipe',
    'remora alias --tool Read --param file_path /app/src /srv/src',
    'remora alias read_files read_many_files --agent gemini',
    'remora alias pip --delete',
    'remora alias export aliases.toml --name team',
    'remora alias import aliases.toml --dry-run',
  ],
  async run(input, io) {
    const { positionals, values } = input
    // With an option for the kind, `export` and `import` can be alias names.
    const plain = !['replace', 'cmd', 'flag', 'recipe', 'regex', 'tool', 'param', 'delete'].some(
      (name) => values[name],
    )
    if (plain && (positionals[0] === 'export' || positionals[0] === 'import')) {
      const { exportAliases, importAliases } = await import('./aliases/alias-pack.ts')
      return positionals[0] === 'export' ? exportAliases(input, io) : importAliases(input, io)
    }
    if (
      positionals.length === 0 &&
      Object.keys(values).every((name) => name === 'json' || name === 'color')
    ) {
      const { listAliases } = await import('./aliases/list-aliases.ts')
      return listAliases(input, io)
    }
    const { chosen } = await import('./desires/choose.ts')
    const { changeAlias } = await import('./aliases/change-alias.ts')
    return changeAlias(chosen(input), io)
  },
}

export const aliases: Verb = {
  name: 'aliases',
  description: 'List aliases',
  options: { json: { description: 'Print a JSON array' } },
  examples: ['remora aliases', 'remora aliases --json'],
  async run(input, io) {
    const { listAliases } = await import('./aliases/list-aliases.ts')
    return listAliases(input, io)
  },
}
