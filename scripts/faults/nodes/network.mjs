import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/**
 * A network of this machine alone: a bridge, on which the database listens, and a namespace for each machine with a cable
 * to it. Nothing is forwarded, so what is in there reaches the database and the other machines, and nothing else.
 */
export class Network {
  /** Where the database listens, and who is let in. */
  address
  range
  #bridge
  #cables = []

  /** Undefined where this machine allows no namespaces; `why` says so. */
  static open(names) {
    sweep()
    const network = new Network()
    try {
      network.#lay(names)
      return { network }
    } catch (error) {
      network.remove()
      return { why: String(error.stderr ?? '').trim() || error.message }
    }
  }

  /** The way of one machine to the database. */
  cable(name) {
    return this.#cables.find((cable) => cable.name === name)
  }

  /** At once and whole, since it may be the last thing that this process does. What runs in there has to be ended before. */
  remove() {
    for (const { namespace, near } of this.#cables.splice(0)) {
      quietly(['link', 'del', near])
      quietly(['netns', 'del', namespace])
    }
    if (this.#bridge) quietly(['link', 'del', this.#bridge])
  }

  #lay(names) {
    const bridge = `${prefix}${process.pid}`
    const net = freeNet()
    this.address = `${net}.1`
    this.range = `${net}.0/24`
    ip(['link', 'add', bridge, 'type', 'bridge', 'forward_delay', '0'])
    this.#bridge = bridge
    ip(['addr', 'add', `${this.address}/24`, 'dev', bridge])
    ip(['link', 'set', bridge, 'up'])
    for (const [index, name] of names.entries())
      this.#cables.push(new Cable({ name, bridge, address: `${net}.${index + 2}` }))
    // Only here it turns out whether anything may run in there.
    for (const { enter } of this.#cables) execFileSync(enter[0], [...enter.slice(1), 'true'], options)
  }
}

/** The cable of one machine, which can be pulled. */
class Cable {
  name
  namespace
  /** Its end at the bridge. The other one is inside, as eth0. */
  near
  #address

  constructor({ name, bridge, address }) {
    this.name = name
    this.#address = address
    this.near = this.namespace = `${bridge}${name}`
    const inside = ['-n', this.namespace]
    ip(['netns', 'add', this.namespace])
    try {
      ip(['link', 'add', this.near, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', this.namespace])
      ip(['link', 'set', this.near, 'master', bridge, 'up'])
      ip([...inside, 'addr', 'add', `${address}/24`, 'dev', 'eth0'])
      for (const device of ['lo', 'eth0']) ip([...inside, 'link', 'set', device, 'up'])
    } catch (error) {
      quietly(['link', 'del', this.near])
      quietly(['netns', 'del', this.namespace])
      throw error
    }
  }

  /** The words before a command that shall run on that machine. */
  get enter() {
    return ['ip', 'netns', 'exec', this.namespace]
  }

  /** The cable is out: who wants to connect hears so, and who is connected hears nothing. */
  cut() {
    ip(['-n', this.namespace, 'link', 'set', 'eth0', 'down'])
  }

  /** What the machine says arrives, and what is said to it is lost: so it never hears whether something was stored. */
  silence() {
    ip(['route', 'replace', 'blackhole', `${this.#address}/32`])
  }

  mend() {
    quietly(['route', 'del', 'blackhole', `${this.#address}/32`])
    ip(['-n', this.namespace, 'link', 'set', 'eth0', 'up'])
  }

  async close() {
    quietly(['route', 'del', 'blackhole', `${this.#address}/32`])
  }
}

/** By it and the process whose they are, our own are known again. */
const prefix = 'rf'
const options = { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' }

function ip(args) {
  return execFileSync('ip', args, options)
}

function quietly(args) {
  try {
    ip(args)
  } catch {
    // It is gone, or never was there.
  }
}

/** A net for tests between machines (RFC 2544) that nobody uses here. */
function freeNet() {
  const used = ip(['-4', 'addr']) + ip(['-4', 'route'])
  for (let turn = 0; turn < 256; turn++) {
    const net = `198.18.${(process.pid + turn) % 256}`
    if (!used.includes(`${net}.`)) return net
  }
  throw new Error('There is no free net')
}

/** Takes away what one left behind that was killed. */
function sweep() {
  const own = new RegExp(String.raw`\b${prefix}(\d+)[a-z]?\b`, 'g')
  for (const kind of ['netns', 'link']) {
    let listed = ''
    try {
      listed = ip(kind === 'link' ? ['-o', 'link'] : ['netns'])
    } catch {
      return
    }
    for (const [name, pid] of new Map([...listed.matchAll(own)].map((match) => [match[0], match[1]])))
      if (!existsSync(`/proc/${pid}`)) quietly([kind, 'del', name])
  }
}
