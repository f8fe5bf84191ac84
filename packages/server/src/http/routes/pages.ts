import { RemoraError } from '@remora/protocol/plain'
import type { Hono } from 'hono'
import type { Env } from '../app.ts'
import { installCss } from '../page/install-css.ts'
import { installHtml } from '../page/install-html.ts'
import type { Services } from '../route.ts'

const notBuilt =
  'The Remora app is not built. Run "npm run build" in the Remora folder, then restart the server.\n'

/** Serves the pages outside the API that need no credentials. The built app has its own page at `/`. */
export function servePages(app: Hono<Env>, { ca }: Pick<Services, 'ca'>, isAppBuilt: boolean): void {
  if (!isAppBuilt) servePage(app, '/', 'text/plain; charset=utf-8', () => notBuilt)
  servePage(app, '/install', 'text/html; charset=utf-8', () => installHtml(requireCa(ca).fingerprint))
  servePage(app, '/install.css', 'text/css; charset=utf-8', () => installCss)
  servePage(app, '/ca.crt', 'application/x-x509-ca-cert', () => requireCa(ca).pem)
}

function servePage(app: Hono<Env>, path: string, type: string, render: () => string): void {
  app.get(path, (c) => c.body(render(), 200, { 'content-type': type }))
}

function requireCa(ca: Services['ca']): NonNullable<Services['ca']> {
  if (!ca) throw new RemoraError('not_found', 'This server has no self-signed certificate')
  return ca
}
