/**
 * Returns text of others for a terminal: what would control it, or turn the direction of the text, is shown by a sign.
 * Line ends and tabs stay.
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

/** Returns JSON without characters that would control a terminal, or turn the direction of the text: as escapes of JSON. */
export function visibleJson(json: string): string {
  return json.replace(
    /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
