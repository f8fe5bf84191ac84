/** Shell commands that point each CLI at the model at `url`, in a temporary home. */
export function environments(url: string): string {
  const recipes = [gemini, claude, codex, opencode].map((recipe) => recipe(url).join('\n'))
  return `Paste one of these into another shell:\n\n${recipes.join('\n\n')}\n`
}

// The settings are files, so each recipe uses a temporary home and leaves the user's settings alone.
const home = 'export HOME="$(mktemp -d)"'

function gemini(url: string): string[] {
  const settings = '{"security":{"auth":{"selectedType":"gemini-api-key"}}}'
  return [
    '# Gemini CLI',
    home,
    `mkdir -p "$HOME/.gemini" && echo '${settings}' > "$HOME/.gemini/settings.json"`,
    `export GEMINI_API_KEY=fake GOOGLE_GEMINI_BASE_URL=${url} GEMINI_CLI_TRUST_WORKSPACE=true`,
    "gemini -p 'RUN: date' --yolo",
  ]
}

function claude(url: string): string[] {
  return [
    '# Claude Code',
    home,
    `export ANTHROPIC_API_KEY=fake ANTHROPIC_BASE_URL=${url} CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1`,
    "claude -p 'RUN: date'",
  ]
}

function codex(url: string): string[] {
  return [
    '# Codex',
    home,
    `export SCRIPTED_KEY=fake && mkdir -p "$HOME/.codex" && cat > "$HOME/.codex/config.toml" <<'END'`,
    'model = "scripted"',
    'model_provider = "scripted"',
    '[model_providers.scripted]',
    'name = "Scripted"',
    `base_url = "${url}/v1"`,
    'env_key = "SCRIPTED_KEY"',
    'wire_api = "responses"',
    '[analytics]',
    'enabled = false',
    '[features]',
    'plugins = false',
    'daemon_auto_start = false',
    'END',
    "codex exec --skip-git-repo-check 'RUN: date'",
  ]
}

function opencode(url: string): string[] {
  const config = {
    autoupdate: false,
    model: 'scripted/scripted',
    small_model: 'scripted/scripted',
    enabled_providers: ['scripted'],
    provider: {
      scripted: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Scripted',
        options: { baseURL: `${url}/v1`, apiKey: 'fake' },
        models: {
          scripted: { name: 'Scripted', tool_call: true, limit: { context: 100_000, output: 4000 } },
        },
      },
    },
  }
  return [
    '# OpenCode',
    home,
    'export OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1',
    `mkdir -p "$HOME/.config/opencode" && echo '${JSON.stringify(config)}' > "$HOME/.config/opencode/opencode.json"`,
    "echo 'RUN: date' | opencode run",
  ]
}
