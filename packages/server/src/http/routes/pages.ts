import { RemoraError } from '@remora/protocol/plain'
import { z } from 'zod'
import { installCss } from '../page/install-css.ts'
import { installHtml } from '../page/install-html.ts'
import { type Services, route } from '../route.ts'
import { Text } from '../text.ts'

const html = 'text/html; charset=utf-8'
const notBuilt =
  'The Remora app is not built. Run "npm run build" in the Remora folder, then restart the server.\n'

export const pageRoutes = [
  route({
    method: 'get',
    path: '/health',
    summary: 'Whether the server is there',
    access: 'open',
    shapes: { response: z.object({ ok: z.literal(true), version: z.string() }) },
    handle: ({ context }) => ({ ok: true, version: context.version }),
  }),
  page(
    '/',
    'The phone app; where it was not built, how to build it',
    () => new Text(notBuilt, 'text/plain; charset=utf-8'),
  ),
  page(
    '/install',
    'How a phone comes to trust us',
    ({ ca }) => new Text(installHtml(known(ca).fingerprint), html),
  ),
  page('/install.css', 'Its style', () => new Text(installCss, 'text/css; charset=utf-8')),
  page('/ca.crt', 'The certificate of our own authority, which is public', ({ ca }) => {
    return new Text(known(ca).pem, 'application/x-x509-ca-cert')
  }),
]

function page(path: string, summary: string, handle: (services: Services) => Text) {
  return route({ method: 'get', path, summary, access: 'open', shapes: {}, handle })
}

function known(ca: Services['ca']): NonNullable<Services['ca']> {
  if (!ca) throw new RemoraError('not_found', 'This server has no self-signed certificate')
  return ca
}
