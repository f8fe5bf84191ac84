/** Explains how to install the certificate. The fingerprint is hexadecimal with colons, so it needs no escaping. */
export function installHtml(fingerprint: string): string {
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
