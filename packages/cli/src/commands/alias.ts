import { agentOption } from '../desires/agent-option.ts'
import type { Verb } from '../verb.ts'

export const alias: Verb = {
  name: 'alias',
  description:
    'Say what is meant by something that agents try and that does not work: a tool, a command, a flag, a text',
  positionals: [
    { name: 'from', description: 'What agents try; or export, or import' },
    { name: 'to', description: 'What is meant; of export and import, the file' },
    { name: 'more', many: true, description: 'Nothing more' },
  ],
  options: {
    replace: { description: 'It is a command of the shell: only its name is replaced' },
    cmd: { value: 'command', description: 'Only in this command of the shell' },
    flag: { value: 'old,new', description: 'It is a flag of --cmd; nothing behind the comma takes it away' },
    recipe: { description: 'It is the beginning of a command; all of it is replaced, {args} is its rest' },
    regex: { description: 'It is a regular expression, as in JavaScript; $1 is its first group' },
    tool: { value: 'tool', description: 'Only calls of this tool: a text is replaced in them' },
    param: { value: 'name', description: 'Only in this parameter of the call' },
    agent: { ...agentOption, description: 'Only for this agent' },
    message: { value: 'text', description: 'What the agent is told of it' },
    delete: { description: 'Take the alias away' },
    format: {
      value: 'format',
      choices: ['toml', 'json'],
      description: 'Of the file: toml (the default) or json',
    },
    name: { value: 'text', description: 'For export: how the aliases are called' },
    description: { value: 'text', description: 'For export: what they are for' },
    author: { value: 'text', description: 'For export: whose they are' },
    conflict: {
      value: 'how',
      choices: ['skip', 'overwrite'],
      description: 'For import: what to do with those that you have: skip (the default) or overwrite',
    },
    'dry-run': { description: 'For import: only say what would be done' },
    json: { description: 'Print JSON' },
  },
  examples: [
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
    // A person can still have an alias for a thing of these names: an option says of what kind it is.
    const plain = !['replace', 'cmd', 'flag', 'recipe', 'regex', 'tool', 'param', 'delete'].some(
      (name) => values[name],
    )
    if (plain && (positionals[0] === 'export' || positionals[0] === 'import')) {
      const { exportAliases, importAliases } = await import('../pave/alias-pack.ts')
      return positionals[0] === 'export' ? exportAliases(input, io) : importAliases(input, io)
    }
    const { chosen } = await import('../desires/choose.ts')
    const { changeAlias } = await import('../pave/alias.ts')
    return changeAlias(chosen(input), io)
  },
}
