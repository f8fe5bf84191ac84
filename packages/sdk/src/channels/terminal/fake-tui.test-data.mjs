// A small agent with an input line, a title, a dialog, a mode and a model: for faults that no real CLI makes on demand.
import { appendFileSync } from 'node:fs'

const log = (entry) =>
  process.env.FAKE_LOG && appendFileSync(process.env.FAKE_LOG, `${JSON.stringify(entry)}\n`)
const modes = ['default', 'plan', 'acceptEdits']
const state = {
  input: '',
  shell: false,
  mode: 0,
  model: 'small',
  said: [],
  prompt: '',
  ask: undefined,
  working: false,
  deaf: false,
  completing: false,
}
let pastedAt = 0
let timer

const draw = () => {
  const title = state.ask ? '✋ Action' : state.working ? '✦ Working' : '◇ Ready'
  const rows = ['FAKE', ...state.said.slice(-8)]
  if (state.ask) {
    rows.push(
      '╭────',
      `│ Allow: ${state.ask.title}`,
      ...state.ask.body.split('\n').map((line) => `│ | ${line}`),
    )
    rows.push('│ 1. Allow once', '│ 2. Allow always', '│ 3. No', '│ 4. Other words', '╰────')
    if (state.ask.text !== undefined) rows.push(`Words: ${state.ask.text}`)
  } else {
    const lines = state.input.split('\n')
    const shown = state.input || (process.argv.includes('--proposal') ? 'Try this' : '')
    if (state.working) rows.push('⠋ Planning (esc to cancel)')
    rows.push(
      `${state.shell ? '!' : '>'} ${lines.length > 5 ? `[Pasted ${lines.length} lines]` : shown.slice(0, 60).replaceAll('\n', ' ⏎ ')}`,
    )
    rows.push(`mode ${modes[state.mode]} model ${state.model}`)
  }
  const hides = state.ask && process.argv.includes('--redrawing') && Date.now() % 400 < 200
  if (hides) rows.length = 0
  process.stdout.write(`\u001B]2;${title}\u0007\u001B[2J\u001B[H${rows.join('\r\n')}`)
}

const work = (ms = 250) => {
  state.working = true
  timer = setTimeout(() => {
    state.working = false
    state.said.push('✦ done')
    draw()
  }, ms)
}

const submit = () => {
  const text = state.input
  if (text.trim() === '') return
  state.input = ''
  state.prompt = text
  if (state.shell) {
    // Like Gemini it stays in shell mode.
    log({ shell: text })
    state.said.push('ran')
    return
  }
  log({ prompt: text.trim() })
  state.said.push(`you: ${text.slice(0, 40).replaceAll('\n', ' ')}`)
  const [word, ...rest] = text.split(' ')
  if (text === '/quit') process.exit(0)
  else if (word === '/model') state.model = rest.join(' ')
  else if (word === 'exit') process.exit(Number(rest[0]))
  else if (word === 'ask') state.ask = { title: 'Shell', body: rest.join(' '), since: Date.now() }
  else if (word === 'deaf') state.deaf = true
  else if (word === 'long') work(60_000)
  else if (word === 'flood') {
    const line = `${'x'.repeat(99)}\r\n`
    const chunk = line.repeat(100)
    let left = Number(rest[0]) / chunk.length
    const more = () => {
      while (left-- > 0) {
        if (process.stdout.write(chunk)) continue
        process.stdout.once('drain', more)
        return
      }
      log({ flooded: true })
      draw()
    }
    more()
    return
  } else if (word === 'print')
    process.stdout.write(rest.join(' ').replaceAll('\\e', '\u001B').replaceAll('\\a', '\u0007'))
  else work()
}

const answer = (key) => {
  const { ask } = state
  // Like Claude on a busy machine it shows a dialog before it listens to keys.
  if (process.argv.includes('--hesitant') && Date.now() - ask.since < 200) return
  if (ask.text !== undefined) {
    if (key === '\r') {
      log({ answer: 'text', text: ask.text })
      state.ask = undefined
    } else ask.text += key
    return
  }
  if (key === '4') ask.text = ''
  else if ('123'.includes(key) || key === '\u001B') {
    log({ answer: key })
    state.ask = undefined
    if (key === '1') work()
  } else log({ stray: key })
}

/** The first paste alone: never shown with `--forgetful`, and gone a moment later with `--wiping`. */
let pastes = 0
const forgets = () => {
  if (pastes++ > 0) return false
  if (process.argv.includes('--wiping'))
    setTimeout(() => {
      state.input = ''
      draw()
    }, 60)
  return process.argv.includes('--forgetful')
}

let buffer = ''
process.stdin.setRawMode(true)
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  buffer += chunk
  while (buffer !== '') {
    if (buffer.startsWith('\u001B[200~')) {
      const end = buffer.indexOf('\u001B[201~')
      if (end === -1) return
      const text = buffer.slice(6, end).replaceAll('\r', '\n')
      buffer = buffer.slice(end + 6)
      if (state.ask?.text !== undefined) state.ask.text += text
      else if (!state.ask && !forgets()) {
        // Like Claude it takes a pasted exclamation mark for a typed one.
        if (state.input === '' && text.startsWith('!')) state.shell = true
        state.input += state.shell ? text.replace(/^!/, '') : text
      }
      pastedAt = Date.now()
    } else if (buffer.startsWith('\u001B[Z')) {
      // Like one that looks idle a moment before it is.
      if (process.argv.includes('--drowsy') && !state.said.includes('✦ hm')) state.said.push('✦ hm')
      else state.mode = (state.mode + 1) % modes.length
      buffer = buffer.slice(3)
    } else {
      const key = buffer[0]
      buffer = buffer.slice(1)
      if (state.ask) answer(key)
      else if (key === '\u001B') {
        log({ escape: true })
        // Like Gemini it closes its completions first.
        if (state.completing) state.completing = false
        else state.shell = false
        // Like Qwen Code it puts an interrupted prompt back.
        if (process.argv.includes('--restoring') && state.working && state.input === '')
          state.input = state.prompt
        clearTimeout(timer)
        state.working = false
      } else if (key === '!' && state.input === '') state.shell = true
      else if (key === '\t') state.completing = true
      else if (key === '\u0015') state.input = state.input.replace(/.*$/, '')
      else if (key === '\u007F') state.input = state.input.slice(0, -1)
      else if (key === '\r') {
        // As on a busy machine: it hears nothing for a while, and then all that was typed meanwhile.
        if (process.argv.includes('--slow')) for (const end = Date.now() + 2_500; Date.now() < end;);
        if (Date.now() - pastedAt < 60) state.input += '\n'
        else if (!state.deaf) submit()
      } else state.input += key
    }
  }
  draw()
})
process.on('SIGWINCH', draw)
// Its dialog is hidden every other moment, as while a screen is drawn anew on a busy machine.
if (process.argv.includes('--redrawing')) setInterval(() => state.ask && draw(), 50)
process.stdout.write('\u001B[?2004h')
log({ started: process.argv.slice(2), cwd: process.cwd(), env: process.env })
draw()
