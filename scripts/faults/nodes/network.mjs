import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/**
 * A network inside this host: a bridge, on which the database listens, and a namespace per machine with a cable to the
 * bridge. Nothing is forwarded, so a machine reaches only the database and the other machines.
 */
export class Network {
  /** The address on which the database listens, and the clients that it accepts. */
  address
  range
  #bridge
  #cables = []

  /** Returns no network but the reason in `why` if namespaces are unavailable. */
  static open(names) {
    sweep()
    const network = new Network()
    try {
      network.#connect(names)
      return { network }
    } catch (error) {
      network.remove()
      return { why: String(error.stderr ?? '').trim() || error.message }
    }
  }

  /** The connection of one machine to the database. */
  cable(name) {
    return this.#cables.find((cable) => cable.name === name)
  }

  /** Synchronous, because the process may be exiting. Stop the processes in the namespaces first. */
  remove() {
    for (const { namespace, near } of this.#cables.splice(0)) {
      tryIp(['link', 'del', near])
      tryIp(['netns', 'del', namespace])
    }
    if (this.#bridge) tryIp(['link', 'del', this.#bridge])
  }

  #connect(names) {
    const bridge = `${prefix}${process.pid}`
    const net = findFreeNet()
    this.address = `${net}.1`
    this.range = `${net}.0/24`
    ip(['link', 'add', bridge, 'type', 'bridge', 'forward_delay', '0'])
    this.#bridge = bridge
    ip(['addr', 'add', `${this.address}/24`, 'dev', bridge])
    ip(['link', 'set', bridge, 'up'])
    for (const [index, name] of names.entries())
      this.#cables.push(new Cable({ name, bridge, address: `${net}.${index + 2}` }))
    // Some hosts allow creating a namespace but not running a command in it.
    for (const { enter } of this.#cables) execFileSync(enter[0], [...enter.slice(1), 'true'], options)
  }
}

/** The cable of one machine, which can be cut or silenced. */
class Cable {
  name
  namespace
  /** The end at the bridge. The other end is eth0 in the namespace. */
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
      tryIp(['link', 'del', this.near])
      tryIp(['netns', 'del', this.namespace])
      throw error
    }
  }

  /** The command prefix that runs a program on this machine. */
  get enter() {
    return ['ip', 'netns', 'exec', this.namespace]
  }

  /** Takes the link down: new connections fail, and open ones receive nothing. */
  cut() {
    ip(['-n', this.namespace, 'link', 'set', 'eth0', 'down'])
  }

  /** Drops replies: the database stores data, and the machine never receives the confirmation. */
  silence() {
    ip(['route', 'replace', 'blackhole', `${this.#address}/32`])
  }

  repair() {
    tryIp(['route', 'del', 'blackhole', `${this.#address}/32`])
    ip(['-n', this.namespace, 'link', 'set', 'eth0', 'up'])
  }

  async close() {
    tryIp(['route', 'del', 'blackhole', `${this.#address}/32`])
  }
}

/** Our devices are named by this prefix and the pid, so that a later run can remove them. */
const prefix = 'rf'
const options = { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' }

function ip(args) {
  return execFileSync('ip', args, options)
}

function tryIp(args) {
  try {
    ip(args)
  } catch {
    // The device does not exist.
  }
}

/** Finds an unused network in the range for benchmarks (RFC 2544). */
function findFreeNet() {
  const used = ip(['-4', 'addr']) + ip(['-4', 'route'])
  for (let turn = 0; turn < 256; turn++) {
    const net = `198.18.${(process.pid + turn) % 256}`
    if (!used.includes(`${net}.`)) return net
  }
  throw new Error('No free network in 198.18.0.0/16')
}

/** Removes the devices of runs that were killed. */
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
      if (!existsSync(`/proc/${pid}`)) tryIp([kind, 'del', name])
  }
}
