import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Hooks } from './hooks.mjs'
import { Transcript } from './transcript.mjs'

/** About the duration of a prompt. On a busy machine prompts take longer, so the queue is limited as well. */
const promptMs = 900
const maximumWaiting = 3

/** The load during faults: prompts, hooks and growing transcripts. */
export class Load {
  transcripts
  hooks
  /** Every prompt that was sent, by its id. */
  prompts = new Map()
  acp
  /** The number of prompts sent by HTTP, and those that were refused although the session is alive. */
  posted = 0
  refusals = []
  #stage
  #random
  #terminals
  #sessions = []
  #count = 0
  #paused = false
  #over = false
  #running
  #hooking = new Set()

  constructor(stage, random, terminals = 3) {
    this.#terminals = terminals
    this.#stage = stage
    this.#random = random
    this.transcripts = ['one', 'two'].map((name) => new Transcript(stage.home, name))
    this.hooks = new Hooks(stage.remoraHome, stage.name)
  }

  async begin() {
    for (let number = 0; number < this.#terminals; number++)
      this.#sessions.push({ ...(await this.#start('terminal', `work-${number}`)), next: 0 })
    await this.startAcp()
    this.#running = this.#run()
  }

  /** Starts the ACP session, also again after its host was killed. */
  async startAcp() {
    this.acp = { ...(await this.#start('acp', 'work-acp')), next: 0 }
  }

  /** Starts a session that the load does not use. */
  async startAnother() {
    const cwd = join(this.#stage.home, 'work-other')
    mkdirSync(cwd, { recursive: true })
    await this.#stage.server.ask('POST', '/api/live', { agent: 'gemini', cwd, channel: 'terminal' })
  }

  async endOthers() {
    const { server } = this.#stage
    const own = new Set([...this.#sessions, this.acp].map(({ id }) => id))
    const { live = [] } = await server.ask('GET', '/api/live')
    for (const { id, state } of live)
      if (!own.has(id) && state !== 'ended') await server.ask('POST', `/api/live/${id}/end`, {})
  }

  /** Pauses hooks while the disk is full; another fault run covers that. */
  set paused(value) {
    this.#paused = value
  }

  async end() {
    this.#over = true
    await this.#running
    await Promise.all(this.#hooking)
    for (const transcript of this.transcripts) transcript.repair()
  }

  async #start(channel, name) {
    const cwd = join(this.#stage.home, name)
    mkdirSync(cwd, { recursive: true })
    for (let attempt = 0; ; attempt++) {
      const info = await this.#stage.server.ask('POST', '/api/live', { agent: 'gemini', cwd, channel })
      if (!info.problem) return { id: info.id, target: { agent: info.agent, session: info.session } }
      if (attempt === 5) throw new Error(`No session over ${channel}: ${info.problem}`)
      await sleep(500)
    }
  }

  async #run() {
    while (!this.#over) {
      const lot = this.#random()
      if (lot < 0.35) await this.#prompt(this.#pick(this.#sessions), (name) => this.#draw(name))
      else if (lot < 0.55) await this.#prompt(this.acp, (name) => `chunks 20\nsay ${name}`)
      else if (lot < 0.8) this.#pick(this.transcripts).grow()
      else if (!this.#paused) {
        const hooking = this.hooks.run().finally(() => this.#hooking.delete(hooking))
        this.#hooking.add(hooking)
      }
      await sleep(30 + this.#random() * 60)
    }
  }

  #draw(name) {
    const lot = this.#random()
    return lot < 0.35 ? `ask ${name}` : lot < 0.7 ? `say 40 ${name}` : `note ${name}`
  }

  async #prompt(session, getText) {
    if (Date.now() < session.next) return
    session.next = Date.now() + promptMs
    const { commands } = this.#stage.ledger
    const waiting = await commands.list({ session: session.target, state: 'queued' }).catch(() => [])
    if (waiting.length >= maximumWaiting) return
    const name = `${this.#stage.name ?? ''}p${++this.#count}`
    const text = getText(name)
    const { watchers } = this.#stage
    const watcher = this.#pick(watchers)
    if (this.#terminals > 3 && this.#random() < 0.5) return this.#post(session, name, text)
    this.prompts.set(name, { text, watcher })
    watcher.command(name, session.target, { kind: 'prompt', content: [{ type: 'text', text }] })
  }

  /** Sends a prompt like the CLI: while no server runs, the same prompt is sent again. */
  async #post({ id }, name, text) {
    this.posted++
    const acks = new Map()
    this.prompts.set(name, { text, watcher: { acks } })
    const post = async () => {
      for (let attempt = 0; attempt < 100 && !acks.has(name); attempt++) {
        const answer = await this.#stage.server.ask('POST', `/api/live/${id}/send`, { id: name, text })
        if (answer.command) acks.set(name, answer.command)
        else if (isUnreachable(answer.problem)) await sleep(50)
        else {
          this.refusals.push(`${name}: ${answer.problem}`)
          return
        }
      }
    }
    const posting = post().finally(() => this.#hooking.delete(posting))
    this.#hooking.add(posting)
  }

  #pick(all) {
    return all[Math.floor(this.#random() * all.length)]
  }
}

function isUnreachable(problem = '') {
  return /No server is running|ECONNRESET|EPIPE|socket hang up|ECONNREFUSED/.test(problem)
}
