/** How a phone comes to trust this machine's certificates. The fingerprint is hexadecimal and colons, and safe as it is. */
export function installHtml(fingerprint: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Remora: the certificate</title>
<link rel="stylesheet" href="/install.css">
</head>
<body>
<h1>Trust this machine</h1>
<p>Remora signs its certificate itself, with an authority that exists on this machine only and is good for private networks only.
Install it once, and the phone knows this server from then on.</p>
<ol>
<li>Compare. <code>remora cert</code> on the machine must show the same fingerprint:<pre>${fingerprint}</pre>
If it does not, stop: somebody stands between you and the machine.</li>
<li><a href="/ca.crt" download>Download the certificate</a></li>
<li>iPhone, iPad: Settings, Profile Downloaded, Install; then Settings, General, About, Certificate Trust Settings, and switch it on.</li>
<li>Android: Settings, Security, More, Install a certificate, CA certificate, and choose the file.</li>
<li>Mac, Windows, Linux: open the file and trust it for web sites; Firefox has its own list in its settings.</li>
<li><a href="/">Go on to Remora</a></li>
</ol>
<p class="quiet">To take it away again, delete it in the same place. Its key stays on the machine in ~/.remora/certificates; delete that folder to make a new one.</p>
</body>
</html>
`
}
