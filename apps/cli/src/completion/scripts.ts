export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Returns the program that kubectl calls for candidates of its plugin, under the name `kubectl_complete-interlock`. */
export function kubectlCompletion(plugin: string): string {
  return `#!/bin/sh
# Save as kubectl_complete-${plugin} in the search path, and make it executable.
exec kubectl-${plugin} __complete "$@"
`;
}

/** Returns a script with which the shell calls `<program> __complete` for completion candidates. */
export function completionScript(shell: Shell, program: string): string {
  const identifier = program.replace(/[^A-Za-z0-9]/g, '_');
  switch (shell) {
    case 'bash':
      return `_${identifier}_complete() {
  local words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  local candidate
  COMPREPLY=()
  while IFS= read -r candidate; do
    # compgen -W would expand names that a server returns.
    COMPREPLY+=("$(printf '%q' "$candidate")")
  done < <(${program} __complete "\${words[@]}" 2>/dev/null | sed -e '/^:[0-9]*$/d' -e 's/\\t.*//')
}
complete -F _${identifier}_complete ${program}
`;
    case 'zsh':
      return `#compdef ${program}
_${identifier}_complete() {
  local -a candidates
  candidates=("\${(@f)$(${program} __complete "\${(@)words[2,CURRENT]}" 2>/dev/null | sed -e '/^:[0-9]*$/d' -e 's/:/\\\\:/g' -e 's/\\t/:/')}")
  _describe '${program}' candidates
}
compdef _${identifier}_complete ${program}
`;
    case 'fish':
      return `function __${identifier}_complete
  set -l words (commandline -opc) (commandline -ct)
  ${program} __complete $words[2..-1] 2>/dev/null | string match -rv '^:[0-9]*$'
end
complete -c ${program} -f -a '(__${identifier}_complete)'
`;
  }
}
