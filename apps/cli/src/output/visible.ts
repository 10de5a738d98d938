/**
 * Returns a text for a terminal with all control characters, and characters that change the text direction, replaced by
 * visible signs. Line ends and tabs stay.
 */
export function visible(text: string): string {
  return text.replace(
    /\r(?!\n)|[^\P{Cc}\r\n\t]|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu,
    (character) => {
      const code = character.charCodeAt(0);
      if (code < 0x20) return String.fromCharCode(0x2400 + code);
      return code === 0x7f ? '\u2421' : '\uFFFD';
    },
  );
}

/** Returns JSON with all control characters, and characters that change the text direction, as JSON escapes. */
export function visibleJson(json: string): string {
  return json.replace(
    /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
