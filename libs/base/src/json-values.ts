const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const beginOfArray = 0x5b;
const beginOfObject = 0x7b;

/**
 * Returns whether a JSON text has more than `max` values, without parsing it: values need far more time and memory than their text.
 * An array or object counts twice, for itself and for its first value.
 */
export function hasMoreJsonValues(json: Buffer, max: number): boolean {
  if (json.length <= max) return false;
  let values = 1;
  let isInString = false;
  for (let at = 0; at < json.length && values <= max; at++) {
    const byte = json[at];
    if (byte === quote) isInString = !isInString;
    else if (isInString) at += byte === backslash ? 1 : 0;
    else if (byte === comma || byte === beginOfArray || byte === beginOfObject) values += 1;
  }
  return values > max;
}
