import { RE2JS } from 're2js';
import type { Budget } from './budget.js';

/** Maximum length of a pattern in characters. A pattern of this length compiles in a few ms. */
const maxPattern = 1_024;
/** The work that one step covers: instructions of the pattern times characters of the text. */
const workPerStep = 256;
const maxRemembered = 16;

/**
 * Returns the function `matches` of CEL with the regular expressions of RE2, which take linear time.
 *
 * @param budget pays for the size of patterns and for the work of matching
 */
export function linearMatcher(budget: Budget): (text: string, pattern: string) => boolean {
  const known = new Map<string, RE2JS>();
  return (text, pattern) => {
    if (pattern.length > maxPattern)
      throw new Error(`a pattern in matches has more than ${maxPattern} characters`);
    let compiled = known.get(pattern);
    if (compiled === undefined) {
      budget.spend(pattern.length);
      compiled = RE2JS.compile(pattern);
      budget.spend(compiled.programSize());
      if (known.size >= maxRemembered) known.clear();
      known.set(pattern, compiled);
    }
    budget.spend(Math.ceil((text.length * compiled.programSize()) / workPerStep));
    return compiled.matcher(text).find();
  };
}

/**
 * Returns whether a whole text matches an RE2 pattern, in linear time.
 *
 * @throws Error for a pattern that RE2 does not support
 */
export function matchesPattern(text: string, pattern: string): boolean {
  if (pattern.length > maxPattern) throw new Error(`the pattern has more than ${maxPattern} characters`);
  return RE2JS.compile(pattern).matches(text);
}
