/**
 * GitLab obeys lines of a description that begin with a slash ("Quick actions"): `/merge`, `/close`, `/assign`. Parts of
 * our descriptions are written by whoever writes commits, who must not act with our rights, so such a line gets a
 * backslash, which Markdown does not show.
 *
 * @returns the text for GitLab; {@link fromGitlab} gives it back as it was.
 */
export function toGitlab(text: string): string {
  return text.replace(/^([^\S\r\n\u2028\u2029]*)(?=\\*\/)/gm, '$1\\');
}

/** Returns the text that was given to {@link toGitlab}. */
export function fromGitlab(text: string): string {
  return text.replace(/^([^\S\r\n\u2028\u2029]*)\\(?=\\*\/)/gm, '$1');
}
