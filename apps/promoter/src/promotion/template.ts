/** Returns a single line; control characters become spaces. */
export function escapeTitle(value: string): string {
  return value.replace(/[\p{Cc}\s]+/gu, ' ').trim();
}

/** Returns text that Markdown shows unchanged: no markup, no HTML, no mention. */
export function escapeMarkdown(value: string): string {
  return value
    .replace(/[\\`*_{}[\]()#+!|~<>&]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/@/g, '@\u200b')
    .replace(/\r?\n/g, ' ');
}
