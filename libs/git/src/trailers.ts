import { TypedError } from '@interlock/api';

/** `Key: value` lines at the end of a commit message; a key may occur more than once. */
type Trailers = Record<string, string[]>;

const keyPattern = /^[A-Za-z0-9-]+$/;
const trailerLine = /^([A-Za-z0-9-]+)[ \t]*:(.*)$/s;
/* Lines that git itself writes: a paragraph with one of them may contain other text too (git-interpret-trailers). */
const gitGenerated = /^(Signed-off-by: |\(cherry picked from commit )/;

/**
 * Returns the trailers as lines, in the order given. A value that would not survive as one plain line (new lines, control
 * characters, blanks at its ends, a leading quote) is written as a JSON string.
 * @throws TypedError `Invalid` for a key that git would not read back.
 */
export function formatTrailers(trailers: Readonly<Record<string, string | readonly string[]>>): string {
  const lines: string[] = [];
  for (const [key, values] of Object.entries(trailers)) {
    if (!keyPattern.test(key)) {
      throw new TypedError(
        'Invalid',
        `trailer key ${JSON.stringify(key)} may hold only letters, digits and "-"`,
        {
          reason: 'TrailerInvalid',
        },
      );
    }
    for (const value of typeof values === 'string' ? [values] : values)
      lines.push(`${key}: ${encode(value)}`);
  }
  return lines.join('\n');
}

/** Returns a commit message: `text` (subject, blank line, body), then the trailers as a separate paragraph. */
export function withTrailers(
  text: string,
  trailers: Readonly<Record<string, string | readonly string[]>>,
): string {
  const block = formatTrailers(trailers);
  return block === '' ? `${text.trimEnd()}\n` : `${text.trimEnd()}\n\n${block}\n`;
}

/**
 * Reads the trailers of a commit message by the rules of git-interpret-trailers with `--no-divider`: they are the last paragraph, not
 * the first, and all of its lines are trailers, or a quarter of them when git wrote one of them.
 * @returns values by key as written first; JSON strings are decoded.
 */
export function parseTrailers(message: string): Trailers {
  const trailers = Object.create(null) as Trailers; // Keys may be `constructor`.
  const written = new Map<string, string>();
  for (const { key, value } of trailerLines(message)) {
    const name = written.get(key.toLowerCase()) ?? key;
    written.set(key.toLowerCase(), name);
    (trailers[name] ??= []).push(decode(value.trim()));
  }
  return trailers;
}

function trailerLines(message: string): { key: string; value: string }[] {
  const paragraph = lastParagraph(message);
  const found: { key: string; value: string }[] = [];
  let others = 0;
  let generated = false;
  let inTrailer = false;
  for (const line of paragraph) {
    if (/^[ \t]/.test(line)) {
      const last = found.at(-1);
      if (inTrailer && last) last.value = `${last.value} ${line.trimStart()}`;
      else others += 1;
      continue;
    }
    generated ||= gitGenerated.test(line);
    const match = trailerLine.exec(line);
    inTrailer = match !== null;
    if (match?.[1] !== undefined && match[2] !== undefined) found.push({ key: match[1], value: match[2] });
    else if (!gitGenerated.test(line)) others += 1;
  }
  const accepted = generated ? found.length * 3 >= others : others === 0;
  return accepted ? found : [];
}

function lastParagraph(message: string): string[] {
  const lines = message.trimEnd().split('\n');
  let start = lines.length;
  while (start > 0 && lines[start - 1]?.trim() !== '') start -= 1;
  const hasTextBefore = lines.slice(0, start).some((line) => line.trim() !== '');
  return hasTextBefore ? lines.slice(start) : [];
}

/* Control characters and the line ends of Unicode, which JSON does not escape by itself. */
const lineBreaking = /[\p{Cc}\u2028\u2029]/gu;

function encode(value: string): string {
  const plain = value.search(lineBreaking) < 0 && value === value.trim() && !value.startsWith('"');
  if (plain) return value;
  return JSON.stringify(value).replace(lineBreaking, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function decode(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'string' ? parsed : value;
  } catch {
    return value;
  }
}
