import { RemoraError } from '@remora/protocol/plain'
import type { Hono } from 'hono'
import type { Env } from '../app.ts'
import type { Services } from '../route.ts'

const notBuilt =
  'The Remora app is not built. Run "npm run build" in the Remora folder, then restart the server.\n'

/** Serves the pages outside the API that need no credentials. The built app has its own page at `/`. */
export function servePages(app: Hono<Env>, { ca }: Pick<Services, 'ca'>, isAppBuilt: boolean): void {
  if (!isAppBuilt) servePage(app, '/', 'text/plain; charset=utf-8', () => notBuilt)
  servePage(app, '/install', 'text/html; charset=utf-8', () => formatInstallPage(requireCa(ca).fingerprint))
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

/** Explains how to install the certificate. The fingerprint is hexadecimal with colons, so it needs no escaping. */
export function formatInstallPage(fingerprint: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Remora: install the certificate</title>
<link rel="stylesheet" href="/install.css">
</head>
<body>
<h1>Install the Remora certificate</h1>
<p>Your computer created this certificate. It is valid for private networks only. Install it once so that this device trusts the server.</p>
<ol>
<li>Run <code>remora cert</code> on your computer and compare the fingerprint:<pre>${fingerprint}</pre>
If it differs, stop: someone may be intercepting the connection.</li>
<li><a href="/ca.crt" download>Download the certificate</a>.</li>
<li>iPhone, iPad: open Settings, Profile Downloaded and tap Install. Then open Settings, General, About, Certificate Trust Settings and turn it on.</li>
<li>Android: open Settings, Security, More, Install a certificate, CA certificate and choose the file.</li>
<li>Mac, Windows, Linux: open the file and trust it for websites. Firefox has its own certificate list in its settings.</li>
<li><a href="/">Open Remora</a></li>
</ol>
<p class="quiet">To remove it, delete it in the same settings. Its key is on your computer in ~/.remora/certificates. Delete that folder to create a new certificate.</p>
</body>
</html>
`
}

const installCss = `:root { font: 16px/1.45 system-ui, sans-serif; color-scheme: light dark; }
body { margin: 0 auto; max-width: 44rem; padding: 1rem; }
h1 { font-size: 1.3rem; margin: 0; }
li { margin: 0 0 0.6rem; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.3rem 0; font-size: 0.85rem; }
.quiet { opacity: 0.7; font-size: 0.9rem; }
`
