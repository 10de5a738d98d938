/** Messages of the engine that contain no values. The part after a colon may quote a value. */
const known = [
  /^No such key$/,
  /^no such overload$/,
  /^Cannot compare values of type \w+$/,
  /^List index must be int\b/,
  /^Invalid duration string$/,
  /^Invalid regular expression$/,
  /^integer overflow$/,
  /^Exceeded \w+/,
  /^its value is not a boolean$/,
  /^it takes more than \d+ steps$/,
];

/**
 * Returns why an expression cannot be evaluated, without values of the object: a user who reads the message may not be
 * allowed to read the object.
 *
 * @param message message of the engine
 * @param source source of the expression, whose own words may be repeated
 */
export function withoutValues(message: string, source: string): string {
  const [head = '', ...rest] = message.split(': ');
  if (!known.some((pattern) => pattern.test(head))) return 'it fails for the values of the object';
  const detail = rest.join(': ');
  return detail !== '' && source.includes(detail) ? message : head;
}
