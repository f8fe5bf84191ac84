// A program that looks like Gemini CLI on a terminal and writes transcripts as it does, for what the real one cannot be
// made to do quickly or a thousand times. Prompts: `ask <word> [times]`, `say <times>`, `slow`, `shy`, `quick`, `fail`, `/clear`, `/quit`; others are
// answered.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { basename, join } from 'node:path'

const args = process.argv.slice(2)
if (args.includes('--version')) {
  process.stdout.write('0.61.0\n')
  process.exit(0)
}
if (args.includes('--not-known')) {
  process.stdout.write('Unknown argument: not-known\n')
  process.exit(42)
}
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined)
const folder = basename(process.cwd())
const base = join(process.env.HOME, '.gemini')
const chats = join(base, 'tmp', folder, 'chats')
let file, input, title, dialog, timer, shown, words, pasting, hasShied

const now = () => new Date().toISOString()
const record = (value) => appendFileSync(file, `${JSON.stringify(value)}\n`)
const note = (value) =>
  process.env.FAKE_LOG && appendFileSync(process.env.FAKE_LOG, `${JSON.stringify(value)}\n`)

function begin(id) {
  mkdirSync(chats, { recursive: true })
  writeFileSync(join(base, 'projects.json'), JSON.stringify({ projects: { [process.cwd()]: folder } }))
  writeFileSync(join(base, 'tmp', folder, '.project_root'), process.cwd())
  file = join(chats, `session-${now().slice(0, 16).replace(':', '-')}-${id.slice(0, 8)}.jsonl`)
  record({ sessionId: id, projectHash: 'x', startTime: now(), lastUpdated: now(), kind: 'main' })
  input = ''
  words = ''
  shown = []
  title = 'Ready'
}

const marks = { Ready: '◇  Ready', Working: '✦  Working…', Action: '✋  Action Required' }
function draw() {
  const width = process.stdout.columns ?? 120
  const inner = (text) => `│ ${text.padEnd(width - 4)} │`
  const rows = ['', '   Gemini CLI v0.61.0 (not really)', '', ...shown.slice(-12), '']
  if (dialog) {
    const box = ['? Shell  ' + dialog.command, dialog.command, 'Allow execution of [Shell]?', '']
    const choices = ['● 1. Allow once', '  2. Allow for this session', '  3. No, suggest changes (esc)']
    rows.push(`╭${'─'.repeat(width - 2)}╮`, ...[...box, ...choices].map(inner), `╰${'─'.repeat(width - 2)}╯`)
  } else {
    if (title === 'Working') rows.push(` ⠋ Thinking... (esc to cancel, 1s)`)
    rows.push('─'.repeat(width), ' Shift+Tab to accept edits', '▄'.repeat(width))
    rows.push(input === '' ? ' >   Type your message or @path/to/file' : ` > ${input.replaceAll('\n', '⏎')}`)
    rows.push('▀'.repeat(width), ' workspace (/directory)   sandbox   /model', ' ~/work   no sandbox   Auto')
  }
  process.stdout.write(`\x1b]0;${marks[title]} (${folder})\x07\x1b[H\x1b[2J${rows.join('\r\n')}`)
}

function answer(text) {
  shown.push('', `✦ ${text}`)
  record({
    id: randomUUID(),
    timestamp: now(),
    type: 'gemini',
    content: text,
    thoughts: [],
    model: 'fake',
    tokens: { input: 1, output: 1, cached: 0, thoughts: 0, tool: 0, total: 2 },
  })
}

function rest() {
  title = 'Ready'
  draw()
}

function ask(command, left) {
  title = 'Action'
  dialog = { command: `touch ${command}-${left}`, left, word: command }
  draw()
}

function choose(choice) {
  const { command, word, left } = dialog
  note({ choice, command })
  dialog = undefined
  if (choice === 3) {
    shown.push('ℹ Request cancelled.')
    return left > 1 ? ask(word, left - 1) : rest()
  }
  record({
    id: randomUUID(),
    timestamp: now(),
    type: 'gemini',
    content: '',
    toolCalls: [
      {
        id: `run_shell_command-${command}`,
        name: 'run_shell_command',
        args: { command },
        result: [],
        status: 'success',
        timestamp: now(),
      },
    ],
  })
  if (left > 1) return ask(word, left - 1)
  answer('Done.')
  rest()
}

function submit() {
  const text = input
  input = ''
  if (text === '') return draw()
  if (text === 'shy' && !hasShied) {
    hasShied = true
    draw()
    setTimeout(() => {
      input = text
      draw()
    }, 2_500)
    return
  }
  if (text === '/quit') process.exit(0)
  if (text === '/restart') process.exit(199)
  if (text === '/clear') {
    begin(randomUUID())
    return draw()
  }
  note({ prompt: text })
  shown.push('', ` > ${text.split('\n')[0]}`)
  record({ id: randomUUID(), timestamp: now(), type: 'user', content: [{ text }] })
  const [verb, word = '', times = '1'] = text.split(/\s+/)
  if (verb === 'ask') return ask(word, Number(times))
  if (verb === 'fail') {
    shown.push('', '✕ [API Error: it is all used up]')
    return rest()
  }
  if (verb === 'quick') {
    answer('At once.')
    return rest()
  }
  title = 'Working'
  draw()
  if (verb === 'slow') {
    words = 'Once upon a time'
    shown.push(`✦ ${words}`)
    return draw()
  }
  let left = verb === 'say' ? Number(word) : 1
  const say = () => {
    for (let count = 0; count < 20 && left > 0; count++, left--)
      answer(verb === 'say' ? `word ${left}` : `You said: ${text.slice(0, 60)}`)
    if (left > 0) timer = setTimeout(say, 5)
    else timer = setTimeout(rest, 60)
  }
  timer = setTimeout(say, 60)
}

function key(data) {
  if (pasting === undefined && data.startsWith('\x1b[200~')) {
    pasting = ''
    data = data.slice(6)
  }
  if (pasting !== undefined) {
    const end = data.indexOf('\x1b[201~')
    pasting += end === -1 ? data : data.slice(0, end)
    if (end === -1) return
    input += pasting.replaceAll('\r', '\n')
    pasting = undefined
    return draw()
  }
  // Keys that were pressed in the same breath are keys all the same.
  if ([...data].length > 1 && !data.startsWith('\x1b')) {
    for (const each of data) key(each)
    return
  }
  if (dialog && /^[123]$/.test(data)) return choose(Number(data))
  if (data === '\x1b') {
    if (dialog) return choose(3)
    clearTimeout(timer)
    if (title === 'Working') shown.push('ℹ Request cancelled.')
    return rest()
  }
  if (data === '\x03') process.exit(0)
  // Ctrl+Y is rejected visibly. Shift+Tab is ignored.
  if (data === '\x19') shown.push('ℹ YOLO mode is disabled.')
  if (data === '\r') return title === 'Ready' ? submit() : undefined
  if (data === '\x7f') input = input.slice(0, -1)
  else if (!dialog && data >= ' ') input += data
  draw()
}

begin(option('--resume') ?? option('--session-id') ?? randomUUID())
process.stdin.setRawMode(true)
process.stdin.setEncoding('utf8')
process.stdin.on('data', key)
// As real ones do: first all is gone, and then it is drawn in the new size.
process.stdout.on('resize', () => {
  process.stdout.write('\x1b[H\x1b[2J')
  setTimeout(draw, 60)
})
process.stdout.write('\x1b[?2004h')
draw()
