/**
 * @returns text of others for a terminal: what would control it, or turn the direction of the text, is shown by a sign.
 * Line feeds and tabs stay.
 */
export function visible(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '\u2421' : '\uFFFD';
  });
}
