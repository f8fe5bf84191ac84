/** Problems of the machine rather than of one agent, in a few words. */
export const machineLacks: Readonly<Record<string, string>> = {
  tmux_missing: 'tmux is missing (needed for live terminal sessions)',
}
