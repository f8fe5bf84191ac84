import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatInstallPage } from '../http/routes/pages.ts'
import { type TestServer, startTestServer } from '../http/server.test-data.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(async () => server.close())

describe('responses to a browser', () => {
  it('allow only same-origin resources and no framing', async () => {
    for (const path of ['/', '/install', '/install.css', '/health', '/api/me', '/nothing']) {
      const { headers } = await server.call('GET', path)
      const policy = headers['content-security-policy'] as string
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toContain("base-uri 'none'")
      expect(policy).toContain("require-trusted-types-for 'script'")
      expect(policy).not.toMatch(/unsafe|\*/)
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'cache-control': 'no-store',
      })
      expect(headers).not.toHaveProperty('x-powered-by')
    }
  })

  it('have no inline script or style on the install page, and no text of the request', async () => {
    const page = formatInstallPage('AB:CD')
    expect(page).not.toMatch(/<script|<style|\son\w+=|style=|javascript:/)
    expect(page).toContain('AB:CD')
  })

  it('explain as plain text how to build a missing app', async () => {
    const { headers, text } = await server.call('GET', '/')
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(text).toContain('npm run build')
  })

  it('send the output of an agent as data, never as a page', async () => {
    const { token } = await server.pair()
    const evil = '<script>alert(1)</script>'
    const answer = await server.call('GET', `/api/sessions/${encodeURIComponent(evil)}/x`, { token })
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
  })

  it('hide the details of internal errors', async () => {
    const { token } = await server.pair()
    server.live.list = () => {
      throw new Error('secret path /home/me')
    }
    const answer = await server.call('GET', '/api/live', { token })
    expect(answer.status).toBe(500)
    expect(answer.text).not.toMatch(/secret|home|at /)
    expect(server.logged.join('')).toContain('secret path')
  })
})
