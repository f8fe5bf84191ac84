/** One secret of every shape, concatenated so that scanners do not report this file as a leak. */
export const secrets = {
  anthropic: `sk-ant-api03-${'aB3_-'.repeat(8)}`,
  openai: `sk-proj-${'Zz9'.repeat(10)}`,
  google: `AIza${'Sy0-_'.repeat(7)}`,
  'google token': `ya29.${'a0Af_'.repeat(8)}`,
  'google secret': `GOCSPX-${'aB1-_'.repeat(5)}`,
  github: `ghp_${'aB1'.repeat(12)}`,
  'github fine-grained': `github_pat_${'aB1_'.repeat(12)}`,
  gitlab: `glpat-${'aB1-'.repeat(5)}`,
  aws: `AKIA${'AB12'.repeat(4)}`,
  slack: `xoxb-${'12345-'.repeat(4)}abc`,
  npm: `npm_${'aB1'.repeat(12)}`,
  stripe: `sk_live_${'aB1'.repeat(8)}`,
  'hugging face': `hf_${'aB'.repeat(17)}`,
  jwt: `eyJ${'hbGci'.repeat(4)}.eyJ${'zdWIi'.repeat(4)}.${'s1g_-'.repeat(6)}`,
  pem: `-----BEGIN OPENSSH PRIVATE KEY-----\n${'b3BlbnNz\n'.repeat(20)}-----END OPENSSH PRIVATE KEY-----`,
}
