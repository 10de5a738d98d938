/**
 * Escapes quick actions: GitLab executes lines of a description that begin with a slash, such as `/merge`, `/close`
 * and `/assign`. Parts of the descriptions come from authors of commits, who must not act with the permissions of
 * this plugin, so such a line is prefixed with a backslash, which Markdown does not show.
 *
 * @returns the text for GitLab; {@link fromGitlab} restores the original.
 */
export function toGitlab(text: string): string {
  return text.replace(/^([^\S\r\n\u2028\u2029]*)(?=\\*\/)/gm, '$1\\');
}

/** Returns the text that was given to {@link toGitlab}. */
export function fromGitlab(text: string): string {
  return text.replace(/^([^\S\r\n\u2028\u2029]*)\\(?=\\*\/)/gm, '$1');
}
