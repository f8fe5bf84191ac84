import { type Server, createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestServer, startTestServer } from '../http/server.test-data.ts'
import { Browser, chromium } from './browser.test-data.ts'

let server: TestServer
let browser: Browser
let evil: Server

beforeAll(async () => {
  if (!chromium) return
  server = await startTestServer({
    limits: { requestsPerAddress: { perSecond: 100, burst: 1000 } },
  })
  browser = await Browser.start()
  evil = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<body>evil</body>'),
  )
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve))
}, 120_000)
afterAll(async () => {
  if (!chromium) return
  await browser.close()
  evil.close()
  await server.close()
})

describe.runIf(chromium)('in a real browser', () => {
  it('pairs with a cookie that no script can read', async () => {
    const { code } = server.pairing.create()
    await browser.go(`http://127.0.0.1:${server.port}/`)
    const status = await browser.evaluate<number>(
      `fetch("/api/pair", { method: "POST", headers: { "content-type": "application/json" }, body: ${JSON.stringify(JSON.stringify({ code, name: 'phone' }))} }).then((r) => r.status)`,
    )
    expect(status).toBe(200)
    expect(await browser.evaluate('document.cookie')).toBe('')
    expect(await browser.evaluate<number>('fetch("/api/live").then((r) => r.status)')).toBe(200)
  })

  it('rejects reads and changes by a page on another port, which has the cookie', async () => {
    server.live.put({ id: 'l-0', session: 's-0' })
    const { port } = evil.address() as { port: number }
    const target = `http://127.0.0.1:${server.port}`
    await browser.go(`http://127.0.0.1:${port}/`)
    const tried = await browser.evaluate<Record<string, string>>(`(async () => {
      const report = (promise) => promise.then((value) => "got " + value, () => "refused")
      const read = report(fetch("${target}/api/sessions", { credentials: "include" }).then((r) => r.text()))
      const body = JSON.stringify({ text: "rm -rf /" })
      const blind = { method: "POST", mode: "no-cors", credentials: "include", body }
      await fetch("${target}/api/live/l-0/send", blind).catch(() => {})
      const json = report(fetch("${target}/api/live/l-0/send", { method: "POST", credentials: "include", body, headers: { "content-type": "application/json" } }).then((r) => r.status))
      const socket = new Promise((resolve) => {
        const opened = new WebSocket("${target.replace('http', 'ws')}/api/ws")
        opened.onopen = () => resolve("open")
        opened.onerror = () => resolve("refused")
      })
      const script = new Promise((resolve) => {
        const node = document.createElement("script")
        node.src = "${target}/api/sessions"
        node.onload = () => resolve("loaded")
        node.onerror = () => resolve("refused")
        document.head.append(node)
      })
      const frame = document.createElement("iframe")
      frame.name = "hidden"
      document.body.append(frame)
      const form = document.createElement("form")
      form.method = "post"
      form.enctype = "text/plain"
      form.action = "${target}/api/live/l-0/send"
      form.target = "hidden"
      const field = document.createElement("input")
      field.name = '{"text":"rm","x":"'
      field.value = '"}'
      form.append(field)
      document.body.append(form)
      form.submit()
      await new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }))
      return { read: await read, json: await json, socket: await socket, script: await script }
    })()`)
    expect(tried).toEqual({ read: 'refused', json: 'refused', socket: 'refused', script: 'refused' })
    expect(await server.ledger.commands.list()).toEqual([])
  })
})
